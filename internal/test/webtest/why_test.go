package webtest

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// An explanation is the response of the explanation endpoint.
type explanation struct {
	From, To       string
	Posts          int
	Expected       struct{ Posts, Low, High float64 }
	Baseline       []struct{ Posts int }
	Change, Cause  string
	Explained      float64
	Estimated      bool
	Stories        []story
	Steps          []struct{ Posts int }
	Words, Phrases []driver
	Hashtags       []driver
	Authors        []driver
	Sites, Sources []driver
	Sentiment      []driver
	Languages      []driver
	Countries      []driver
}

type story struct {
	Name, Filter  string
	Terms         []string
	Posts         int
	Share         float64
	Earliest, Top *struct{ Author, Contents string }
}

// A driver is something that is over-represented.
type driver struct {
	Name, Filter string
	Posts        int
}

func (c *apiClient) explanation(id int64, query string) (e explanation) {
	c.t.Helper()
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/explanation?%s", id, query), &e)
	return e
}

// unusualDay returns the most unusual day of the last 30 days.
func unusualDay(c *apiClient, id int64) string { return unusualDays(c, id)[0] }

// unusualDays returns the unusual days of the last 30 days, the most unusual one first.
func unusualDays(c *apiClient, id int64) (dates []string) {
	c.t.Helper()
	var o struct{ Unusual []struct{ Date string } }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=unusual", id), &o)
	if len(o.Unusual) == 0 {
		c.t.Fatal("the demo has no unusual days")
	}
	for _, d := range o.Unusual {
		dates = append(dates, d.Date)
	}
	return dates
}

// TestWhy goes from the explanation of the most unusual day to the posts behind each claim.
func TestWhy(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := days{start: unusualDay(c, id)}
	d.end = addDays(t, d.start, 1)
	e := c.explanation(id, d.query())
	if e.Change != "more" || e.Cause != "single" || len(e.Words) == 0 {
		t.Fatalf("got %s posts than expected with cause %s and %d words, want a story", e.Change, e.Cause, len(e.Words))
	}

	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	p.Click(`region "Volume" >> link "Why?"`)
	p.WaitFor(`region "Posts vs. expected"`)
	settle(p)
	checkEqual(t, "URL", p.URL(), fmt.Sprintf("/monitors/%d/why?%s", id, d.query()))
	headline := p.Text(`.headline h2`)
	for _, want := range []string{
		fmt.Sprintf("%s posts on ", formatNumber(e.Posts)),
		fmt.Sprintf("%s times the %.0f expected (range %.0f–%.0f).", formatDecimal(float64(e.Posts)/e.Expected.Posts, 1), math.Round(e.Expected.Posts), math.Round(e.Expected.Low), math.Round(e.Expected.High)),
		fmt.Sprintf("One story explains %s of the increase.", percent(e.Stories[0].Share)),
	} {
		if !strings.Contains(headline, want) {
			t.Errorf("the headline %q does not contain %q", headline, want)
		}
	}
	hours := 0
	_, table := downloadTable(t, p, "Posts vs. expected")
	for i, s := range e.Steps {
		checkEqual(t, "posts of hour "+table[i+1][0], table[i+1][1], fmt.Sprint(s.Posts))
		hours += s.Posts
	}
	checkEqual(t, "posts of all hours", hours, e.Posts)
	for i, r := range readTable(p, "Earlier weeks")[1:] {
		checkEqual(t, "posts of "+r[0], r[1], formatNumber(e.Baseline[i].Posts))
	}
	checkEqual(t, "earliest post", strings.Contains(p.Text(`region "Stories"`), e.Stories[0].Earliest.Contents), true)
	p.AxeInTurn()

	type claim struct {
		link string
		d    driver
	}
	claims := []claim{
		{fmt.Sprintf(`link "View these posts: %s"`, e.Stories[0].Name), driver{Filter: e.Stories[0].Filter, Posts: e.Stories[0].Posts}},
	}
	// Which day is the most unusual one depends on the time of day, and not every story has a hashtag.
	for link, drivers := range map[string][]driver{
		`region "Words" >> a[title="Posts: %s"]`:     e.Words,
		`region "Phrases" >> a[title="Posts: %s"]`:   e.Phrases,
		`region "Hashtags" >> a[title="Posts: #%s"]`: e.Hashtags,
	} {
		if len(drivers) > 0 {
			claims = append(claims, claim{fmt.Sprintf(link, drivers[0].Name), drivers[0]})
		}
	}
	for _, claim := range claims {
		checkClaim(t, p, claim.link, d.query(), claim.d)
	}
}

// checkClaim follows a link to posts, checks their number, and goes back.
func checkClaim(t *testing.T, p *browsertest.Page, link, query string, d driver) {
	t.Helper()
	back := p.URL()
	p.Click(link)
	p.WaitUntil(`location.pathname.endsWith("/posts")`)
	want := fmt.Sprintf("%s posts", formatNumber(d.Posts))
	p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll("strong")].some(e => e.innerText === %s)`, quoteJS(want)))
	got, err := url.Parse(p.URL())
	if err != nil || !strings.Contains(got.RawQuery, query) || !strings.Contains(got.Query().Get("filter"), d.Filter) {
		t.Errorf("%s leads to %s, want %s and the filter %s", link, p.URL(), query, d.Filter)
	}
	p.Back()
	p.WaitUntil(fmt.Sprintf(`location.pathname + location.search === %s`, quoteJS(back)))
	p.WaitFor(link)
	settle(p)
}

// TestWhySuggestsDays checks that the page suggests unusual days if there are no dates or too many, the
// latest one first, and that one can be chosen with the keyboard.
func TestWhySuggestsDays(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	day := slices.Max(unusualDays(c, id))
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/why?range=last90", id))
	p.WaitFor(`heading "Choose what to explain"`)
	waitForText(p, "up to 31 days")
	p.Visit(fmt.Sprintf("/monitors/%d/why", id))
	p.WaitFor(`.unusual a`)
	settle(p)
	p.AxeInTurn()
	name := strings.Join(strings.Fields(p.Text(`.unusual a`)), " ")
	keyboardUser{t, p}.tabTo(name)
	p.Press("Enter")
	p.WaitFor(`.headline h2`)
	checkEqual(t, "URL", p.URL(), fmt.Sprintf("/monitors/%d/why?start=%s&end=%s", id, day, addDays(t, day, 1)))
}

// TestWhyHours explains hours of a day that are picked in the volume chart.
func TestWhyHours(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	day := unusualDay(c, id)
	d := days{day, addDays(t, day, 1)}
	p := w.onMonitor(t, fmt.Sprintf("/monitors/%d?%s", id, d.query()))
	clickLastBar(p, "Posts by hour", 24)
	p.Click(`.picked >> link "Why?"`)
	p.WaitFor(`.headline h2`)
	settle(p)
	e := c.explanation(id, fmt.Sprintf("start=%sT23:00:00&end=%sT00:00:00", d.start, d.end))
	if want := fmt.Sprintf("%s posts on ", formatNumber(e.Posts)); !strings.HasPrefix(p.Text(`.headline h2`), want) || !strings.Contains(p.Text(`.headline h2`), "11:00 PM–12:00 AM") {
		t.Errorf("got %q, want %s for 11:00 PM–12:00 AM", p.Text(`.headline h2`), want)
	}
	filter := fmt.Sprintf("time:%sT23:00..%sT00:00", d.start, d.end)
	var listed struct{ Total int }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?%s&limit=1&filter=%s", id, d.query(), url.QueryEscape(filter)), &listed)
	checkEqual(t, "posts of the hour", listed.Total, e.Posts)
	for _, word := range append(e.Words, e.Hashtags...) {
		if word.Posts > 1 {
			checkClaim(t, p, fmt.Sprintf(`.drivers a[title="Posts: %s"]`, word.Name), d.query(), driver{Filter: filter, Posts: word.Posts})
			break
		}
	}
}

// TestWhyUsualAndUnknown checks what the page says if nothing is unusual, and if there is nothing to
// compare with.
func TestWhyUsualAndUnknown(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	first := c.results(id).start
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/why?start=%s&end=%s", id, first, addDays(t, first, 1)))
	p.WaitFor(`.headline h2`)
	if got := p.Text(`.headline h2`); !strings.Contains(got, "There are no earlier weeks to compare with") {
		t.Errorf("first day: got %q", got)
	}
	for day := addDays(t, c.results(id).end, -2); ; day = addDays(t, day, -1) {
		e := c.explanation(id, "start="+day)
		if e.Change == "unknown" {
			t.Fatal("no day is usual")
		}
		if e.Change != "usual" {
			continue
		}
		p.Visit(fmt.Sprintf("/monitors/%d/why?start=%s&end=%s", id, day, addDays(t, day, 1)))
		p.WaitFor(`.headline h2`)
		want := fmt.Sprintf("within the expected range of %.0f–%.0f. Nothing unusual.", math.Round(e.Expected.Low), math.Round(e.Expected.High))
		if got := p.Text(`.headline h2`); !strings.Contains(got, want) {
			t.Errorf("usual day: got %q, want %q", got, want)
		}
		return
	}
}
