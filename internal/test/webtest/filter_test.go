package webtest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// addFilter opens the filter form and chooses a field, and "is not" if negated.
func addFilter(p *browsertest.Page, field string, negated bool) {
	p.Click(`button "Add filter"`)
	p.Choose(`combobox "Filter by"`, field)
	if negated {
		p.Click(`group "Condition" >> button "is not"`)
	}
}

// TestAddFilters adds conditions of all kinds in the form, and compares the number of posts with the
// API after each.
func TestAddFilters(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	all := c.overview(id, d, "").Posts
	filter := ""
	shows := func(pair, chip string) {
		t.Helper()
		filter = strings.TrimPrefix(filter+"|"+pair, "|")
		p.WaitFor(fmt.Sprintf(`button "Remove filter: %s"`, chip))
		posts := c.overview(id, d, filter).Posts
		if posts == 0 || posts >= all {
			t.Fatalf("%s selects %d of %d posts", filter, posts, all)
		}
		showsPosts(p, posts)
	}
	pick := func(field, option string, negated bool) {
		addFilter(p, field, negated)
		p.Fill(fmt.Sprintf(`combobox "%s"`, field), option)
		p.Click(fmt.Sprintf(`listbox "%s" >> option /^%s/`, field, option))
	}
	pick("Source", "Twitter", true)
	shows("-source:Twitter", "Source not Twitter")
	pick("Sentiment", "Negative", false)
	shows("sentiment:negative", "Sentiment Negative")
	pick("Emotion", "Neutral", true)
	shows("-emotion:neutral", "Emotion not Neutral")

	addFilter(p, "Followers", false)
	p.Fill(`spinbutton "At least"`, "500")
	p.Fill(`spinbutton "At most"`, "100")
	p.WaitFor(`group "Add filter" >> [aria-invalid=true]`)
	p.AxeInTurn()
	p.Fill(`spinbutton "At most"`, "500000")
	p.Click(`button "Add"`)
	shows("followers:500..500000", "Followers 500–500,000")

	addFilter(p, "Keywords", true)
	p.Fill(`textbox "Keywords"`, `"a|b" OR morvessa`)
	p.Press("Enter")
	p.WaitFor(`button "Remove filter: Keywords not "a|b" OR morvessa"`)
	p.Click(`button "Remove filter: Keywords not "a|b" OR morvessa"`)
	showsPosts(p, c.overview(id, d, filter).Posts)
	p.AxeInTurn()

	// The URL has all conditions in the language of the API, and others see the same.
	query, err := url.ParseQuery(p.URL()[strings.Index(p.URL(), "?")+1:])
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "posts of the filter in the URL", c.overview(id, d, query.Get("filter")).Posts, c.overview(id, d, filter).Posts)
	other := w.onMonitor(t, p.URL())
	checkEqual(t, "chips of the shared URL", other.Texts(".filterbar .chip"), p.Texts(".filterbar .chip"))

	// A click on a chip includes what it excluded.
	p.Click(`.chip.negated button[title="Source: not Twitter: click to include"]`)
	filter = strings.Replace(filter, "-source", "source", 1)
	p.WaitFor(`button "Remove filter: Source Twitter"`)
	showsPosts(p, c.overview(id, d, filter).Posts)
	p.Click(`button "Clear all"`)
	showsPosts(p, all)
}

// TestExcludeOwnPosts leaves out the posts of the brand's own accounts, on all pages of the monitor.
func TestExcludeOwnPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	var m struct{ OwnAccounts []string }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &m)
	if len(m.OwnAccounts) == 0 {
		t.Fatal("the brand has no own accounts")
	}
	all, others, own := c.overview(id, d, ""), c.overview(id, d, "own:exclude"), c.overview(id, d, "own:only")
	if own.Posts == 0 || others.Posts+own.Posts != all.Posts {
		t.Fatalf("%d own posts and %d others of %d", own.Posts, others.Posts, all.Posts)
	}
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	if accounts := p.Attribute(`.ownswitch`, "title"); !strings.Contains(accounts, "@"+m.OwnAccounts[0]) {
		t.Errorf("the switch names %q, want %v", accounts, m.OwnAccounts)
	}
	p.Click(`checkbox "Exclude own posts"`)
	showsPosts(p, others.Posts)
	if strings.Contains(strings.ToLower(p.Text(`region "Authors"`)), strings.ToLower(m.OwnAccounts[0])) {
		t.Errorf("%s is among the authors", m.OwnAccounts[0])
	}
	checkEqual(t, "URL", p.URL(), fmt.Sprintf("/monitors/%d?%s&filter=%s", id, d.query(), url.QueryEscape("own:exclude")))
	showsTotal := func(posts int) {
		t.Helper()
		p.WaitUntil(fmt.Sprintf(`document.querySelector("main [role=status] strong")?.innerText.startsWith("%s ")`, formatNumber(posts)))
		settle(p)
	}
	p.Click(`navigation "Monitor pages" >> link "Posts"`)
	showsTotal(others.Posts)
	p.AxeInTurn()
	p.Click(`checkbox "Exclude own posts"`)
	showsTotal(all.Posts)
}

// TestToolbarStaysInView clicks a bar low on the page: the filter that it sets is visible.
func TestToolbarStaysInView(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	ages := renamed(c.overview(id, d, "").Ages, ageNames)
	age := slices.MaxFunc(ages, func(a, b count) int { return a.Posts - b.Posts })
	for _, o := range []browsertest.Options{{Width: 1440, Height: 900}, {Width: 390, Height: 844, Dark: true}} {
		p := w.open(t, o)
		p.SignIn(demo.Username, demo.Password)
		p.Visit(fmt.Sprintf("/monitors/%d?%s", id, d.query()))
		p.WaitFor(`region "Age"`)
		settle(p)
		p.Click(bar("Age", age.Name))
		showsPosts(p, age.Posts)
		var box struct{ Scrolled, Top, Bottom, Height float64 }
		p.Eval(`(({top, bottom}) => ({scrolled: scrollY, top, bottom, height: innerHeight}))(document.querySelector(".filterbar .chip").getBoundingClientRect())`, &box)
		if box.Scrolled < 300 || box.Top < 0 || box.Bottom > box.Height/3 {
			t.Errorf("at %d: the chip is at %v to %v of %v, with %v scrolled", o.Width, box.Top, box.Bottom, box.Height, box.Scrolled)
		}
		var covered bool
		p.Eval(`(c => { const r = c.getBoundingClientRect(); return !c.contains(document.elementFromPoint(r.left + 12, r.top + r.height / 2)) })(document.querySelector(".filterbar .chip"))`, &covered)
		if covered {
			t.Errorf("at %d: something covers the chip", o.Width)
		}
	}
}

// TestRollingRanges chooses ranges that move with the calendar. The URL names the range, not its
// days, so a shared link shows the days of its reader.
func TestRollingRanges(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d", id))
	p.WaitFor(`button /^Choose dates: Last 30 days · /`)
	for _, r := range []struct{ id, name string }{
		{"yesterday", "Yesterday"}, {"last7", "Last 7 days"}, {"lastweek", "Last week"}, {"thisweek", "This week"},
		{"thismonth", "This month"}, {"lastmonth", "Last month"}, {"last90", "Last 90 days"}, {"last365", "Last 365 days"},
	} {
		p.Click(`button /^Choose dates/`)
		p.Click(fmt.Sprintf(`list "Presets" >> button "%s"`, r.name))
		var o struct {
			Start, End string
			Posts      int
		}
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=days&range=%s", id, r.id), &o)
		p.WaitFor(fmt.Sprintf(`button /^Choose dates: %s · /`, r.name))
		showsPosts(p, o.Posts)
		checkEqual(t, "URL", p.URL(), fmt.Sprintf("/monitors/%d?range=%s", id, r.id))
	}
	if first := c.results(id).start; first > addDays(t, c.results(id).end, -365) {
		p.WaitFor(`button /^Choose dates: Last 365 days · data since/`)
	}
	p.Click(`button /^Choose dates/`)
	p.AxeInTurn()
	p.Press("Escape")
	p.Click(`main >> link "API"`)
	p.WaitFor(`main pre`)
	settle(p)
	for _, want := range []string{
		fmt.Sprintf("/manage/v1/monitors/%d/overview?range=last365'", id),
		fmt.Sprintf("/api/monitor/volume?id=%d&start=%s&end=%s'", id, c.results(id).start, c.results(id).end),
	} {
		if text := p.Text(`main`); !strings.Contains(text, want) {
			t.Errorf("no call of %s in %s", want, text)
		}
	}
}
