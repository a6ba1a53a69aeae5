package webtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/browsertest"
	"earshot/internal/demo"
)

// A narrowing is a click on a bar and what must follow.
type narrowing struct {
	chart string // in which the bar is
	name  string // of the bar
	field string // of the filter
	posts int    // that the bar stands for
}

// chip is the selector of what takes the filter back.
func (n narrowing) chip() string {
	return fmt.Sprintf(`button "Remove the filter %s %s"`, n.field, n.name)
}

// TestNarrowingByClicking clicks a bar of each kind: the posts are those that the bar counted,
// the filter is in the address, and the browser's back button takes it away.
func TestNarrowingByClicking(t *testing.T) {
	t.Parallel()
	w := here(t)
	c, id := w.program(t), int64(w.monitors[demo.Brand].ID)
	d := lately(t, c, id)
	o := c.overview(id, d, "")
	start := fmt.Sprintf("/monitors/%d?%s", id, d.query())
	p := w.onMonitor(t, start)
	for _, n := range narrowings(c, id, d, o) {
		p.Click(bar(n.chart, n.name))
		p.WaitFor(n.chip())
		showsPosts(p, n.posts)
		p.Back()
		p.WaitGone(n.chip())
		showsPosts(p, o.Posts)
		agree(t, "address after going back", p.Address(), start)
	}
	narrowTwice(t, w, p, narrowings(c, id, d, o))
}

// narrowings are a bar of each kind, the largest one. What posts it stands for the public interface
// says where it knows the filter.
func narrowings(c *program, id int64, d days, o overview) []narrowing {
	gender, source, country := "Female", largest(o.Sources), largest(o.Places.Countries)
	age, tag, interest := largest(o.Ages), largest(o.Hashtags), largest(o.Interests)
	return []narrowing{
		{"Gender", gender, "Gender", c.found(id, d, "gender:F")},
		{"Sources", source.Name, "Source", c.found(id, d, "source:"+source.Name)},
		{"Places", country.Name, "Place", c.found(id, d, fmt.Sprintf("geolocation:%v", country.ID))},
		{"Age", ageNames[age.ID.(string)], "Age", age.Posts},
		{"Hashtags", "#" + tag.Name, "Hashtag", tag.Posts},
		{"Interests", interest.Name, "Interest", interest.Posts},
	}
}

func largest(list []count) count {
	return slices.MaxFunc(list, func(a, b count) int { return a.Posts - b.Posts })
}

// ageNames are what pages call the age brackets.
var ageNames = map[string]string{
	"ZERO_TO_SEVENTEEN": "17 and under", "EIGHTEEN_TO_TWENTYFOUR": "18 – 24", "TWENTYFIVE_TO_THIRTYFOUR": "25 – 34", "THIRTYFIVE_AND_OVER": "35 and over",
}

// narrowTwice narrows by the first two, shows the address to someone else, who sees the same, and
// takes one filter back and then all.
func narrowTwice(t *testing.T, w *world, p *browsertest.Page, by []narrowing) {
	t.Helper()
	p.Click(bar(by[0].chart, by[0].name))
	showsPosts(p, by[0].posts)
	p.Click(bar(by[1].chart, by[1].name))
	p.WaitFor(by[1].chip())
	settle(p)
	other := w.onMonitor(t, p.Address())
	other.WaitFor(by[0].chip())
	agree(t, "filters of the shared address", other.Texts(".filterbar .chip"), p.Texts(".filterbar .chip"))
	agree(t, "figures of the shared address", other.Text(".figures"), p.Text(".figures"))
	p.Axe()
	p.Click(by[0].chip())
	showsPosts(p, by[1].posts)
	p.Click(bar(by[0].chart, by[0].name))
	p.Click(`button "Clear all"`)
	p.WaitGone(`.filterbar .chip`)
	if address := p.Address(); strings.Contains(address, "filter=") {
		t.Errorf("all filters are cleared, and yet the address is %s", address)
	}
}

// TestStepsOfTheVolume shows the volume by hour, day, week and month, and narrows the days by a click on
// one of them.
func TestStepsOfTheVolume(t *testing.T) {
	t.Parallel()
	w := here(t)
	c, id := w.program(t), int64(w.monitors[demo.Brand].ID)
	all := c.results(id)
	daily := c.volume(id, all, "DAILY")
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, all.query()))
	for _, s := range []struct {
		name, head string
		want       [][]string
	}{
		{"Month", "Month from", added(t, daily, func(d time.Time) time.Time { return d.AddDate(0, 0, 1-d.Day()) })},
		{"Week", "Week from", added(t, daily, func(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) })},
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
	p.Click(fmt.Sprintf(`group "Posts by" >> button "%s"`, name))
	p.WaitFor(fmt.Sprintf(`image /^Posts by %s:/`, strings.ToLower(name)))
	_, table := asFile(t, p, "Volume")
	agree(t, "volume by "+name, table, append([][]string{{head, "Posts"}}, want...))
}

// added adds up days that belong together, because they begin on the same day.
func added(t *testing.T, daily []step, begin func(day time.Time) time.Time) (table [][]string) {
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
func clickDay(t *testing.T, c *program, p *browsertest.Page, id int64, last step) {
	t.Helper()
	day := last.StartDate[:len(time.DateOnly)]
	shown := days{later(t, day, -6), later(t, day, 1)}
	if first := c.results(id).start; shown.start < first {
		shown.start = first
	}
	p.Visit(fmt.Sprintf("/monitors/%d?%s&by=day", id, shown.query()))
	clickLastBar(p, "Posts by day", len(c.volume(id, shown, "DAILY")))
	showsPosts(p, last.NumberOfDocuments)
	agree(t, "address of the day", p.Address(), fmt.Sprintf("/monitors/%d?start=%s&end=%s&by=day", id, day, shown.end))
	only := days{day, shown.end}
	p.Click(`group "Posts by" >> button "Hour"`)
	p.WaitFor(`image /^Posts by hour:/`)
	var posts []string
	for _, s := range c.volume(id, only, "HOURLY") {
		posts = append(posts, grouped(s.NumberOfDocuments))
	}
	var seen []string
	for _, r := range asTable(p, "Volume") {
		seen = append(seen, r[1])
	}
	agree(t, "posts by hour", seen, posts)
	p.Axe()
}

// clickLastBar clicks the last of so many bars of a chart, just above the axis, once it is drawn.
func clickLastBar(p *browsertest.Page, label string, bars int) {
	css := fmt.Sprintf(`[role=img][aria-label^=%q]`, label)
	p.WaitFor(css)
	var box struct{ Width, Height float64 }
	p.Eval(fmt.Sprintf(`(({width, height}) => ({width, height}))(document.querySelector(%s).getBoundingClientRect())`, quoted(css)), &box)
	const edge, labels, axis = 8, 30, 34 // beside the bars, left of them, and below
	x := box.Width - edge - (box.Width-2*edge-labels)/float64(bars)/2
	y := box.Height - axis
	p.WaitUntil(fmt.Sprintf(`document.querySelector(%s).querySelector("canvas")?.getContext("2d").getImageData(%v, %v, 1, 1).data[3] > 0`, quoted(css), x, y))
	p.ClickAt(css, x, y)
}
