package webtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A refinement is a click on a bar of a chart.
type refinement struct {
	chart, field string                   // title of the chart, and label of the filter field
	bars         func(o overview) []count // bars of the chart, with the filter value as ID and the label as Name
	key          string                   // filter field
	public       bool                     // the public API supports this field too
}

// refinementPaths has two sequences of refinements. The test clicks the largest bar of each chart.
var refinementPaths = [][]refinement{
	{
		{"Gender", "Gender", func(o overview) []count { return renamed(o.Genders, genderNames) }, "gender", true},
		{"Sources", "Source", func(o overview) []count { return keyed(o.Sources, "") }, "source", true},
		{"Hashtags", "Hashtag", func(o overview) []count { return keyed(o.Hashtags, "#") }, "hashtag", false},
	},
	{
		{"Locations", "Location", func(o overview) []count { return o.Places.Countries }, "geolocation", true},
		{"Age", "Age", func(o overview) []count { return renamed(o.Ages, ageNames) }, "age", false},
		{"Interests", "Interest", func(o overview) []count { return o.Interests }, "interest", false},
	},
}

// genderNames and ageNames are the labels on the pages.
var (
	genderNames = map[string]string{"F": "Female", "M": "Male"}
	ageNames    = map[string]string{
		"ZERO_TO_SEVENTEEN": "17 and under", "EIGHTEEN_TO_TWENTYFOUR": "18–24", "TWENTYFIVE_TO_THIRTYFOUR": "25–34", "THIRTYFIVE_AND_OVER": "35 and over",
	}
)

func renamed(list []count, names map[string]string) (all []count) {
	for _, c := range list {
		all = append(all, count{c.ID, names[fmt.Sprint(c.ID)], c.Posts})
	}
	return all
}

// keyed returns counts whose ids are their names. before is a prefix of the labels.
func keyed(list []count, before string) (all []count) {
	for _, c := range list {
		all = append(all, count{c.Name, before + c.Name, c.Posts})
	}
	return all
}

// A refiner narrows the overview of a monitor step by step.
type refiner struct {
	t      *testing.T
	c      *apiClient
	p      *browsertest.Page
	id     int64
	days   days
	filter string
	chips  []string // selectors of the buttons that remove each filter
}

// TestRefineByClick clicks a bar of several charts in turn and checks that the overview then has as
// many posts as the bar counted. The filters are part of the URL, which shows the same to other
// users, and can be removed.
func TestRefineByClick(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	start := fmt.Sprintf("/monitors/%d?%s", id, d.query())
	p := w.onMonitor(t, start)
	n := &refiner{t: t, c: c, p: p, id: id, days: d}
	n.follow(refinementPaths[0])
	n.share(w)
	n.undo(start)
	n = &refiner{t: t, c: c, p: p, id: id, days: d}
	n.follow(refinementPaths[1])
	p.AxeInTurn()
}

// follow clicks the largest bar of each chart in turn.
func (n *refiner) follow(path []refinement) {
	n.t.Helper()
	for _, step := range path {
		bars := step.bars(n.c.overview(n.id, n.days, n.filter))
		b := slices.MaxFunc(bars, func(a, b count) int { return a.Posts - b.Posts })
		value := fmt.Sprint(b.ID)
		if id, ok := b.ID.(float64); ok {
			value = strconv.FormatFloat(id, 'f', 0, 64)
		}
		n.filter = strings.TrimPrefix(n.filter+"|"+step.key+":"+value, "|")
		n.p.Click(bar(step.chart, b.Name))
		chip := fmt.Sprintf(`button "Remove filter: %s %s"`, step.field, b.Name)
		n.p.WaitFor(chip)
		n.chips = append(n.chips, chip)
		showsPosts(n.p, b.Posts)
		if step.public {
			checkEqual(n.t, "posts with "+n.filter, n.c.countPosts(n.id, n.days, n.filter), b.Posts)
		}
	}
}

// share opens the URL on another page and compares the two.
func (n *refiner) share(w *environment) {
	n.t.Helper()
	other := w.onMonitor(n.t, n.p.URL())
	checkEqual(n.t, "filters of the shared URL", other.Texts(".filterbar .chip"), n.p.Texts(".filterbar .chip"))
	checkEqual(n.t, "totals of the shared URL", other.Text(".figures"), n.p.Text(".figures"))
}

// undo removes the last of three filters with the browser's back button, the first with its own
// button, and then all of them.
func (n *refiner) undo(start string) {
	n.t.Helper()
	pairs := strings.Split(n.filter, "|")
	n.p.Back()
	n.p.WaitHidden(n.chips[2])
	showsPosts(n.p, n.c.countPosts(n.id, n.days, pairs[0]+"|"+pairs[1]))
	n.p.Click(n.chips[0])
	showsPosts(n.p, n.c.countPosts(n.id, n.days, pairs[1]))
	n.p.Back()
	n.p.Click(`button "Clear all"`)
	n.p.WaitHidden(`.filterbar .chip`)
	showsPosts(n.p, n.c.overview(n.id, n.days, "").Posts)
	checkEqual(n.t, "URL without filters", n.p.URL(), start)
}

// TestVolumeSteps checks the volume by hour, day, week and month, and narrows the date range to one
// day with a click.
func TestVolumeSteps(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	all := c.results(id)
	daily := c.volume(id, all, "DAILY")
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, all.query()))
	for _, s := range []struct {
		name, head string
		want       [][]string
	}{
		{"Month", "Month", sumSteps(t, daily, func(d time.Time) time.Time { return d.AddDate(0, 0, 1-d.Day()) })},
		{"Week", "Week of", sumSteps(t, daily, func(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) })},
		{"Day", "Day", volumeRows(daily)},
	} {
		checkStep(t, p, s.name, s.head, s.want)
	}
	busiest := slices.MaxFunc(daily[1:], func(a, b step) int { return a.NumberOfDocuments - b.NumberOfDocuments })
	clickDay(t, c, p, id, busiest)
}

// checkStep compares the volume by a step with want.
func checkStep(t *testing.T, p *browsertest.Page, name, head string, want [][]string) {
	t.Helper()
	p.Click(fmt.Sprintf(`group "Group posts by" >> button "%s"`, name))
	p.WaitFor(fmt.Sprintf(`image /^Posts by %s:/`, strings.ToLower(name)))
	_, table := downloadTable(t, p, "Volume")
	checkEqual(t, "volume by "+name, table, append([][]string{{head, "Posts"}}, want...))
}

// sumSteps adds up the days of each week or month. begin returns the first day of it.
func sumSteps(t *testing.T, daily []step, begin func(day time.Time) time.Time) (table [][]string) {
	t.Helper()
	sums := map[string]int{}
	for _, s := range daily {
		day, err := time.Parse(time.DateOnly, s.StartDate[:len(time.DateOnly)])
		if err != nil {
			t.Fatal(err)
		}
		sums[begin(day).Format(time.DateOnly)] += s.NumberOfDocuments
	}
	for date, posts := range sums {
		table = append(table, []string{date, strconv.Itoa(posts)})
	}
	slices.SortFunc(table, slices.Compare)
	return table
}

// clickDay shows the week up to a day, clicks that day in the chart, and checks its hours.
func clickDay(t *testing.T, c *apiClient, p *browsertest.Page, id int64, last step) {
	t.Helper()
	day := last.StartDate[:len(time.DateOnly)]
	shown := days{addDays(t, day, -6), addDays(t, day, 1)}
	if first := c.results(id).start; shown.start < first {
		shown.start = first
	}
	p.Visit(fmt.Sprintf("/monitors/%d?%s&by=day", id, shown.query()))
	clickLastBar(p, "Posts by day", len(c.volume(id, shown, "DAILY")))
	showsPosts(p, last.NumberOfDocuments)
	checkEqual(t, "URL of the day", p.URL(), fmt.Sprintf("/monitors/%d?start=%s&end=%s&by=day", id, day, shown.end))
	only := days{day, shown.end}
	p.Click(`group "Group posts by" >> button "Hour"`)
	p.WaitFor(`image /^Posts by hour:/`)
	var posts []string
	for _, s := range c.volume(id, only, "HOURLY") {
		posts = append(posts, formatNumber(s.NumberOfDocuments))
	}
	var seen []string
	for _, r := range readTable(p, "Volume") {
		seen = append(seen, r[1])
	}
	checkEqual(t, "posts by hour", seen, posts)
	p.AxeInTurn()
}

// clickLastBar clicks the last bar of a chart, just above the axis, once it is drawn.
func clickLastBar(p *browsertest.Page, label string, bars int) {
	css := fmt.Sprintf(`[role=img][aria-label^=%q]`, label)
	p.WaitFor(css)
	var box struct{ Width, Height float64 }
	p.Eval(fmt.Sprintf(`(({width, height}) => ({width, height}))(document.querySelector(%s).getBoundingClientRect())`, quoteJS(css)), &box)
	const edge, labels, axis = 8, 30, 34 // pixels at the sides of the bars, left of them, and below
	x := box.Width - edge - (box.Width-2*edge-labels)/float64(bars)/2
	y := box.Height - axis
	p.WaitUntil(fmt.Sprintf(`document.querySelector(%s).querySelector("canvas")?.getContext("2d").getImageData(%v, %v, 1, 1).data[3] > 0`, quoteJS(css), x, y))
	p.ClickAt(css, x, y)
}
