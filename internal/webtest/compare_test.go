package webtest

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/webtest/browsertest"
)

// A side is a monitor in one period, with its name on the page.
type side struct {
	name string
	id   int64
	days days
}

// TestCompare compares two monitors, and then one monitor with the previous week.
func TestCompare(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand, press := int64(w.monitors[demo.Brand].ID), int64(w.monitors["Press and forums"].ID)
	end := addDays(t, c.results(brand).end, -2)
	week := days{addDays(t, end, -7), end}
	p := w.signedIn(t, "/compare")
	p.WaitText(`.empty h2`, "Choose what to compare")
	chooseDays(p, t, week)
	for _, name := range []string{demo.Brand, "Press and forums"} {
		p.Fill(`combobox "Monitors"`, name)
		p.Click(fmt.Sprintf(`listbox "Monitors" >> option "%s"`, name))
	}
	p.Press("Escape")
	checkComparison(t, c, p, []side{{demo.Brand, brand, week}, {"Press and forums", press, week}})
	p.Axe()
	p.Click(`button "Remove Press and forums"`)
	p.Click(`group "Compare to" >> button "Previous period"`)
	before := days{addDays(t, week.start, -7), week.start}
	checkComparison(t, c, p, []side{{demo.Brand + ", current period", brand, week}, {demo.Brand + ", previous period", brand, before}})
	checkEqual(t, "URL", p.URL(), fmt.Sprintf("/compare?start=%s&end=%s&m=%d&before=%s", week.start, week.end, brand, before.start))
	p.Axe()
}

// chooseDays selects a date range.
func chooseDays(p *browsertest.Page, t *testing.T, d days) {
	t.Helper()
	p.Click(`button /^Choose dates/`)
	p.Fill(`[type=date]`, d.start)
	p.Fill(`.field + .field [type=date]`, addDays(t, d.end, -1))
	p.Click(`button "Apply"`)
}

// checkComparison waits until the page compares the sides, and compares its numbers with the API.
func checkComparison(t *testing.T, c *apiClient, p *browsertest.Page, sides []side) {
	t.Helper()
	head, totals := []string{"Day"}, [][]string{{"Monitor", "Start", "End", "Posts", "Authors", "Reach"}}
	posts, volumes := []string{}, make([][]string, 7)
	for _, s := range sides {
		p.WaitFor(fmt.Sprintf(`region "Totals" >> rowheader "%s"`, s.name))
		o := c.overview(s.id, s.days, "")
		totals = append(totals, row(s.name, s.days.start, s.days.end, o.Posts, o.Authors.Count, o.reach()))
		head, posts = append(head, s.name), append(posts, formatNumber(o.Posts))
		addVolume(volumes, c.volume(s.id, s.days, "DAILY"))
	}
	settle(p)
	var seen []string
	p.Eval(`[...document.querySelectorAll("[aria-label='Totals: table'] tbody td:nth-child(2)")].map(td => td.firstChild.data)`, &seen)
	checkEqual(t, "posts", seen, posts)
	_, table := downloadTable(t, p, "Totals")
	checkEqual(t, "totals", table, totals)
	if sides[0].days != sides[1].days {
		for i := range volumes {
			volumes[i][0] = fmt.Sprintf("Day %d", i+1)
		}
	}
	_, table = downloadTable(t, p, "Volume")
	checkEqual(t, "volume", table, append([][]string{head}, volumes...))
	checkSentiments(t, c, p, sides)
}

// addVolume appends a column to a table of days.
func addVolume(table [][]string, steps []step) {
	for i, s := range steps {
		if table[i] == nil {
			table[i] = row(s.StartDate[:len(time.DateOnly)])
		}
		table[i] = append(table[i], strconv.Itoa(s.NumberOfDocuments))
	}
}

// checkSentiments compares the sentiment of each side with the public API.
func checkSentiments(t *testing.T, c *apiClient, p *browsertest.Page, sides []side) {
	t.Helper()
	var want [][]string
	for _, s := range sides {
		posts := sentimentTotals(c, s.id, s.days)
		for i, name := range []string{"Positive", "Neutral", "Negative"} {
			want = append(want, row(s.name, name, posts[i]))
		}
	}
	_, table := downloadTable(t, p, "Sentiment and opinions")
	var seen [][]string
	for _, r := range table[1:] {
		seen = append(seen, r[:3])
	}
	checkEqual(t, "sentiment", seen, want)
}
