package webtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// lastDays returns the last 14 days of a monitor, without the current day, which is still
// incomplete.
func lastDays(t *testing.T, c *apiClient, id int64) days {
	t.Helper()
	end := addDays(t, c.results(id).end, -1)
	return days{addDays(t, end, -14), end}
}

// onMonitor opens the overview of a monitor and waits until it has loaded.
func (w *environment) onMonitor(t *testing.T, address string) *browsertest.Page {
	t.Helper()
	p := w.signedIn(t, address)
	p.WaitFor(`region "Volume"`)
	settle(p)
	return p
}

// TestOverviewNumbers compares the numbers of the overview, on the page, in its tables and in its
// CSV files, with the public API.
func TestOverviewNumbers(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	o := c.overview(id, d, "")
	showsPosts(p, o.Posts)
	volume := volumeRows(c.volume(id, d, "DAILY"))
	checkEqual(t, "total of the volume", o.Posts, total(volume))
	checkChart(t, p, "Volume", fmt.Sprintf("morvessa-%s-%s-volume-day.csv", d.start, d.last()), []string{"Day", "Posts"}, volume)
	checkChart(t, p, "Sentiment", fmt.Sprintf("morvessa-%s-%s-sentiment-day.csv", d.start, d.last()), sentimentHead, sentimentRows(c, id, d))
	checkChart(t, p, "Hashtags", fmt.Sprintf("morvessa-%s-%s-hashtags.csv", d.start, d.last()), []string{"Name", "Posts"}, countRows("#", o.Hashtags))
	totals := sentimentTotals(c, id, d)
	p.WaitFor(fmt.Sprintf(`image "Sentiment over time: Positive %s posts, Neutral %s posts, Negative %s posts"`, formatNumber(totals[0]), formatNumber(totals[1]), formatNumber(totals[2])))
	_, sources := downloadTable(t, p, "Sources")
	checkEqual(t, "sources", counted(t, sources, 0), sourcesOf(c, id, d))
	_, countries := downloadTable(t, p, "Locations")
	checkEqual(t, "countries", counted(t, countries, 0), countriesOf(c, id, d))
	p.AxeInTurn()
}

// TestLeadingCategory checks that the overview names a leading sentiment or opinion only if the
// intervals of the two largest shares do not overlap.
func TestLeadingCategory(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	for _, name := range []string{demo.Brand, demo.Reasons} {
		id := int64(w.monitors[name].ID)
		d := lastDays(t, c, id)
		type category struct {
			Share    float64
			Hidden   bool
			Interval struct{ Low, High float64 }
		}
		var o struct{ Categories []category }
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", id, d.query()), &o)
		top := slices.DeleteFunc(o.Categories, func(c category) bool { return c.Hidden })
		if len(top) < 2 {
			t.Fatalf("%s has %d categories", name, len(top))
		}
		slices.SortFunc(top, func(a, b category) int { return cmp.Compare(b.Share, a.Share) })
		unclear := top[1].Interval.High > top[0].Interval.Low
		p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
		if shown := strings.Contains(p.Text("#main .figures"), "No clear leader"); shown != unclear {
			t.Errorf("%s: no clear leader: got %v, want %v with %+v", name, shown, unclear, top[:2])
		}
	}
}

// sentimentHead names the columns of the sentiments of days: posts, and shares with their intervals.
var sentimentHead = []string{
	"Day", "Positive", "Neutral", "Negative", "Positive share", "Positive low", "Positive high",
	"Neutral share", "Neutral low", "Neutral high", "Negative share", "Negative low", "Negative high",
}

// checkChart compares the table and the CSV file of a chart with rows.
func checkChart(t *testing.T, p *browsertest.Page, title, file string, head []string, want [][]string) {
	t.Helper()
	checkEqual(t, "table of "+title, readTable(p, title), formatRows(t, want, 1))
	name, rows := downloadTable(t, p, title)
	checkEqual(t, "file name of "+title, name, file)
	checkEqual(t, "file of "+title, rows, append([][]string{head}, want...))
	p.Click(fmt.Sprintf(`button "%s: show chart"`, title))
}

func volumeRows(steps []step) (rows [][]string) {
	for _, s := range steps {
		rows = append(rows, []string{s.StartDate[:len(time.DateOnly)], strconv.Itoa(s.NumberOfDocuments)})
	}
	return rows
}

// total returns the sum of the second column.
func total(rows [][]string) (sum int) {
	for _, row := range rows {
		n, _ := strconv.Atoi(row[1])
		sum += n
	}
	return sum
}

func countRows(before string, list []count) (rows [][]string) {
	for _, c := range list {
		rows = append(rows, []string{before + c.Name, strconv.Itoa(c.Posts)})
	}
	return rows
}

// counted returns the posts by name from the rows of a CSV file. The posts are in the last column.
func counted(t *testing.T, rows [][]string, name int) map[string]int {
	t.Helper()
	list := map[string]int{}
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[len(row)-1])
		if err != nil {
			t.Fatal(err)
		}
		list[row[name]] = n
	}
	return list
}

// A categoryTotal is one day of /api/monitor/results.
type categoryTotal struct {
	StartDate  string
	Categories []struct{ Volume int }
}

func sentiments(c *apiClient, id int64, d days) []categoryTotal {
	var response struct{ Results []categoryTotal }
	c.get(fmt.Sprintf("/api/monitor/results?id=%d&%s", id, d.query()), &response)
	return response.Results
}

func sentimentRows(c *apiClient, id int64, d days) (rows [][]string) {
	var estimated struct {
		Days []struct {
			Posts      float64
			Categories []struct{ Proportion, Low, High float64 }
		}
	}
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/proportions?%s", id, d.query()), &estimated)
	for i, day := range sentiments(c, id, d) {
		row := []string{day.StartDate[:len(time.DateOnly)]}
		for _, category := range day.Categories {
			row = append(row, strconv.Itoa(category.Volume))
		}
		e, all := estimated.Days[i], 0.0
		for _, p := range e.Categories {
			all += e.Posts * p.Proportion
		}
		for _, p := range e.Categories {
			for _, x := range []float64{p.Proportion, p.Low, p.High} {
				share := min(1, e.Posts*x/cmp.Or(all, 1))
				row = append(row, strconv.FormatFloat(math.Round(share*1e4)/1e4, 'f', -1, 64))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// sentimentTotals returns the posts of each category over all days.
func sentimentTotals(c *apiClient, id int64, d days) []int {
	totals := make([]int, 3)
	for _, day := range sentiments(c, id, d) {
		for i, category := range day.Categories {
			totals[i] += category.Volume
		}
	}
	return totals
}

func sourcesOf(c *apiClient, id int64, d days) map[string]int {
	var response struct {
		ContentSources []struct{ Sources map[string]int }
	}
	c.get(fmt.Sprintf("/api/monitor/sources?id=%d&%s", id, d.query()), &response)
	list := map[string]int{}
	for _, day := range response.ContentSources {
		for name, n := range day.Sources {
			list[name] += n
		}
	}
	return list
}

func countriesOf(c *apiClient, id int64, d days) map[string]int {
	var response struct {
		Data []struct {
			Info   struct{ ID string }
			Volume int
		}
	}
	c.get(fmt.Sprintf("/api/monitor/geography/countries?id=%d&%s", id, d.query()), &response)
	list := map[string]int{}
	for _, country := range response.Data {
		list[country.Info.ID] = country.Volume
	}
	return list
}
