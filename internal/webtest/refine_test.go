package webtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/webtest/browsertest"
)

// A refinement is what a click on a bar of a chart does.
type refinement struct {
	chart, field string                   // the chart, and what pages call the field of the filter
	bars         func(o overview) []count // of the chart, with the value of the filter as id and what is shown as name
	key          string                   // of the filter
	public       bool                     // the public interface has it, too
}

// refinementPaths are two sequences of refinements. The test clicks the largest bar of each chart.
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

// genderNames and ageNames are what pages call them.
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

// keyed gives counts their names as ids; what is shown has something before it.
func keyed(list []count, before string) (all []count) {
	for _, c := range list {
		all = append(all, count{c.Name, before + c.Name, c.Posts})
	}
	return all
}

// A refiner refines the overview of a monitor step by step.
type refiner struct {
	t      *testing.T
	c      *apiClient
	p      *browsertest.Page
	id     int64
	days   days
	filter string
	chips  []string // selectors of what takes each filter back
}

// TestRefineByClick clicks a bar of each kind, one after the other: the posts are those that the bar
// counted. The filters are part of the address, which shows the same to others, and can be taken back.
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
	p.Axe()
}

// follow clicks the largest bar of one chart after the other.
func (n *refiner) follow(way []refinement) {
	n.t.Helper()
	for _, step := range way {
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

// share lets someone else open the address.
func (n *refiner) share(w *environment) {
	n.t.Helper()
	other := w.onMonitor(n.t, n.p.URL())
	checkEqual(n.t, "filters of the shared address", other.Texts(".filterbar .chip"), n.p.Texts(".filterbar .chip"))
	checkEqual(n.t, "figures of the shared address", other.Text(".figures"), n.p.Text(".figures"))
}

// undo takes the last of three filters back by the browser's button, the first by its own, and then all.
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
	checkEqual(n.t, "address without filters", n.p.URL(), start)
}

// TestVolumeSteps shows the volume by hour, day, week and month, and restricts the days by a click on
// one of them.
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

// checkStep holds the volume by a step against what it should be.
func checkStep(t *testing.T, p *browsertest.Page, name, head string, want [][]string) {
	t.Helper()
	p.Click(fmt.Sprintf(`group "Group posts by" >> button "%s"`, name))
	p.WaitFor(fmt.Sprintf(`image /^Posts by %s:/`, strings.ToLower(name)))
	_, table := downloadTable(t, p, "Volume")
	checkEqual(t, "volume by "+name, table, append([][]string{{head, "Posts"}}, want...))
}

// sumSteps adds up days that belong together, because they begin on the same day.
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

// clickDay shows the days up to one and clicks this one, the last, in the chart. The page shows its hours then.
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
	checkEqual(t, "address of the day", p.URL(), fmt.Sprintf("/monitors/%d?start=%s&end=%s&by=day", id, day, shown.end))
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
	p.Axe()
}

// clickLastBar clicks the last of so many bars of a chart, just above the axis, once it is drawn.
func clickLastBar(p *browsertest.Page, label string, bars int) {
	css := fmt.Sprintf(`[role=img][aria-label^=%q]`, label)
	p.WaitFor(css)
	var box struct{ Width, Height float64 }
	p.Eval(fmt.Sprintf(`(({width, height}) => ({width, height}))(document.querySelector(%s).getBoundingClientRect())`, quoteJS(css)), &box)
	const edge, labels, axis = 8, 30, 34 // beside the bars, left of them, and below
	x := box.Width - edge - (box.Width-2*edge-labels)/float64(bars)/2
	y := box.Height - axis
	p.WaitUntil(fmt.Sprintf(`document.querySelector(%s).querySelector("canvas")?.getContext("2d").getImageData(%v, %v, 1, 1).data[3] > 0`, quoteJS(css), x, y))
	p.ClickAt(css, x, y)
}
