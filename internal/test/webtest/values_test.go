package webtest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"earshot/internal/test/webtest/browsertest"
)

// A count is the number of posts with a value.
type count struct {
	ID    any // a string or a number
	Name  string
	Posts int
}

// An overview is the response of the overview endpoint.
type overview struct {
	Start, End string
	Results    struct{ Start, End string }
	Posts      int
	Days       []struct {
		Date       string
		Posts      int
		Categories []int
	}
	Categories, Hashtags, Sources, Ages, Genders, Interests []count
	Authors                                                 struct {
		Count       int
		Impressions *int // nil if unknown
	}
	Places struct{ Countries []count }
}

// days is a date range. The end is exclusive.
type days struct{ start, end string }

// last returns the last of the days.
func (d days) last() string {
	end, err := time.Parse(time.DateOnly, d.end)
	if err != nil {
		panic(err) // the server sends dates
	}
	return end.AddDate(0, 0, -1).Format(time.DateOnly)
}

func (d days) query() string { return "start=" + d.start + "&end=" + d.end }

// overview returns the overview of a monitor. The zero value of d stands for the default date
// range.
func (c *apiClient) overview(id int64, d days, filter string) (o overview) {
	c.t.Helper()
	query := url.Values{"filter": {filter}}
	if d != (days{}) {
		query.Set("start", d.start)
		query.Set("end", d.end)
	}
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", id, query.Encode()), &o)
	return o
}

// results returns the date range for which a monitor has results.
func (c *apiClient) results(id int64) days {
	c.t.Helper()
	o := c.overview(id, days{}, "")
	return days{o.Results.Start, o.Results.End}
}

// A step is one hour, day, week or month of the volume.
type step struct {
	StartDate         string
	NumberOfDocuments int
}

// volume returns the volume of a monitor from the public API. by is HOURLY, DAILY, WEEKLY or
// MONTHLY.
func (c *apiClient) volume(id int64, d days, by string) (steps []step) {
	c.t.Helper()
	var response struct{ Volume []step }
	c.get(fmt.Sprintf("/api/monitor/volume?id=%d&%s&groupBy=%s", id, d.query(), by), &response)
	return response.Volume
}

// countPosts returns the number of posts that match a filter, from the public API.
func (c *apiClient) countPosts(id int64, d days, filter string) int {
	c.t.Helper()
	var response struct{ TotalPostsAvailable int }
	c.get(fmt.Sprintf("/api/monitor/posts?id=%d&%s&filter=%s", id, d.query(), url.QueryEscape(filter)), &response)
	return response.TotalPostsAvailable
}

// addDays returns the date a number of days after another.
func addDays(t *testing.T, date string, days int) string {
	t.Helper()
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		t.Fatal(err)
	}
	return d.AddDate(0, 0, days).Format(time.DateOnly)
}

// showsPosts waits until the overview shows a number of posts.
func showsPosts(p *browsertest.Page, posts int) {
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".figure[data-value]")?.dataset.value === "%d"`, posts))
	settle(p)
}

// readTable switches a chart to its table and returns the rows without the header.
func readTable(p *browsertest.Page, title string) [][]string {
	p.Click(fmt.Sprintf(`button "%s: show table"`, title))
	return rows(p, title+": table")
}

// downloadTable downloads the CSV file of a chart and returns the rows including the header.
func downloadTable(t *testing.T, p *browsertest.Page, title string) (name string, table [][]string) {
	t.Helper()
	f := downloadChart(p, title, "CSV data")
	return f.Name, readCSV(t, f.Data)
}

// downloadChart downloads a chart, or its data, in a format.
func downloadChart(p *browsertest.Page, title, format string) browsertest.File {
	p.Click(fmt.Sprintf(`button "%s: download"`, title))
	return p.Download(func() { p.Click(fmt.Sprintf(`button "%s"`, format)) })
}

func readCSV(t *testing.T, data []byte) [][]string {
	t.Helper()
	table, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return table
}

// checkEqual fails the test unless got equals want.
func checkEqual[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// formatNumber formats a number as pages do: 1,234.
func formatNumber(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// formatDecimal formats a number with a number of decimals as pages do. Halves are rounded away from
// zero; fmt rounds them to even digits.
func formatDecimal(v float64, decimals int) string {
	return new(big.Rat).SetFloat64(v).FloatString(decimals)
}

// formatRows formats the dates in the first column of a table, and the numbers from column first
// on, as pages do.
func formatRows(t *testing.T, table [][]string, first int) (shown [][]string) {
	t.Helper()
	for _, r := range table {
		r = slices.Clone(r)
		if day, err := time.Parse(time.DateOnly, r[0]); err == nil {
			r[0] = day.Format("Jan 2, 2006")
		}
		for i := first; i < len(r); i++ {
			if _, err := strconv.ParseFloat(r[i], 64); err != nil {
				t.Fatal(err)
			}
			if n, err := strconv.Atoi(r[i]); err == nil { // fractions are shown as they are
				r[i] = formatNumber(n)
			}
		}
		shown = append(shown, r)
	}
	return shown
}

// bar returns the selector of a bar of a chart.
func bar(title, name string) string {
	return fmt.Sprintf(`region "%s" >> button[title="Show only %s"]`, title, strings.ReplaceAll(name, `"`, `\"`))
}

// slice returns a part of a text. Its bounds count UTF-16 code units, as in JavaScript.
func slice(text string, part [2]int) string {
	return string(utf16.Decode(utf16.Encode([]rune(text))[part[0]:part[1]]))
}
