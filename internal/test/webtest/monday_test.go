package webtest

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// The story of the demo's last week: internal/demo/paywall.go.
const (
	storyTag    = "paytobrew"
	storyFirst  = "nadia_brews (Nadia Keller)" // noticed it
	storyTop    = "theopours (Theo Marsh)"     // spread it
	storyAuthor = "theopours"
)

// An analyst does Monday's job on the demo.
type analyst struct {
	*testing.T
	c            *apiClient
	p            *browsertest.Page
	brand, rival int64
}

// TestMonday does an analyst's job on Monday: find out what happened to the brand last week, why, who
// drove it, and how it compares with the competitor, then hand it over. It opens the posts behind
// each claim, and compares all numbers with the API.
func TestMonday(t *testing.T) {
	t.Parallel()
	w := env(t)
	a := analyst{T: t, c: w.client(t), p: w.open(t, browsertest.Options{Width: 1440, Height: 900})}
	a.brand, a.rival = int64(w.monitors[demo.Brand].ID), int64(w.monitors[demo.FirstRival].ID)
	a.p.Expect(401, "/manage/v1/session") // not signed in
	a.p.Visit("/")
	a.p.Fill(`textbox "Username"`, demo.Username)
	a.p.Fill(`textbox "Password"`, demo.Password)
	a.p.Press("Enter")
	a.p.Click(fmt.Sprintf(`link "%s"`, demo.Brand))
	a.p.WaitFor(`region "Volume"`)

	spike := a.findSpike()
	e := a.readWhy(spike)
	a.openPostsOfStory(e)
	a.openPostsOfDrivers(e)
	a.whoDroveIt(spike, e)
	a.compare()
	a.handOver(w, spike, e)
}

// findSpike selects last week, reads what happened, finds the day with the most posts in the volume
// chart, and opens the explanation of the incident with the keyboard and that of the day.
func (a analyst) findSpike() (day string) {
	a.Helper()
	a.p.Click(`button /^Choose dates/`)
	a.p.Click(`button "Last week"`)
	a.p.WaitUntil(`location.search.includes("range=lastweek")`)
	settle(a.p)
	var week overview
	a.c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=lastweek", a.brand), &week)
	var want [][]string
	for _, d := range week.Days {
		want = append(want, row(d.Date, d.Posts))
	}
	if len(want) != 7 || parseDay(a.T, week.Start).Weekday() != time.Monday {
		a.Fatalf("last week has %d days from %s", len(want), week.Start)
	}
	checkRows(a.T, "volume", readTable(a.p, "Volume"), formatRows(a.T, want, 1))
	a.p.Click(`button "Volume: show chart"`)
	spike := week.Days[0]
	for _, d := range week.Days {
		if d.Posts > spike.Posts {
			spike = d
		}
	}
	shown := parseDay(a.T, spike.Date).Format("Mon, Jan 2")
	waitForText(a.p, fmt.Sprintf("Peak: %s on %s", formatNumber(spike.Posts), shown))
	var happened struct {
		Text      string
		Sentences []struct {
			Parts []struct {
				Text  string
				Claim *struct{ Kind string }
			}
		}
	}
	a.c.get(fmt.Sprintf("/manage/v1/monitors/%d/summary?range=lastweek", a.brand), &happened)
	a.p.WaitText(`.happened`, happened.Text)
	for _, want := range []string{parseDay(a.T, spike.Date).Format("Jan 2"), storyTag, "Nadia Keller", "Theo Marsh"} {
		if !strings.Contains(happened.Text, want) {
			a.Errorf("the summary %q does not contain %q", happened.Text, want)
		}
	}
	a.p.Eval(`document.querySelector("h1").focus()`, nil)
	for _, part := range happened.Sentences[0].Parts {
		if part.Claim != nil && part.Claim.Kind == "time" {
			keyboardUser{a.T, a.p}.tabTo(part.Text)
		}
	}
	a.p.Press("Enter")
	a.p.WaitUntil(fmt.Sprintf(`location.pathname === "/monitors/%d/why" && location.search.includes("from=")`, a.brand))
	a.p.WaitText(`.happened`, happened.Text)
	a.p.Visit(fmt.Sprintf("/monitors/%d/why?start=%s&end=%s", a.brand, spike.Date, addDays(a.T, spike.Date, 1)))
	return spike.Date
}

// readWhy reads what happened on a day: the number of posts, the expected number, and the
// story that explains them.
func (a analyst) readWhy(day string) (e explanation) {
	a.Helper()
	a.p.WaitFor(`region "Stories"`)
	settle(a.p)
	e = a.c.explanation(a.brand, "start="+day)
	if e.Change != "more" || len(e.Stories) == 0 || !slices.Contains(e.Stories[0].Terms, storyTag) {
		a.Fatalf("got %+v, want the planted story", e)
	}
	s := e.Stories[0]
	for _, want := range []string{
		fmt.Sprintf("%s posts on %s: %s times the %.0f expected (range %.0f–%.0f).", formatNumber(e.Posts), parseDay(a.T, day).Format("Mon, Jan 2"),
			formatDecimal(float64(e.Posts)/e.Expected.Posts, 1), math.Round(e.Expected.Posts), math.Round(e.Expected.Low), math.Round(e.Expected.High)),
		fmt.Sprintf("One story explains %s of the increase.", percent(s.Share)),
	} {
		if got := a.p.Text(`.headline h2`); !strings.Contains(got, want) {
			a.Errorf("headline: got %q, want %q", got, want)
		}
	}
	story := fmt.Sprintf(`region "%s"`, s.Name)
	if got := a.p.Text(story + ` >> dl.facts dd`); got != strings.Join(s.Terms, ", ") {
		a.Errorf("words of the story: got %q, want %q", got, s.Terms)
	}
	checkEqual(a.T, "authors of its posts", a.p.Texts(story+` >> a.author`), []string{s.Earliest.Author, s.Top.Author})
	checkEqual(a.T, "authors in the response", []string{s.Earliest.Author, s.Top.Author}, []string{storyFirst, storyTop})
	a.p.AxeInTurn()
	return e
}

// openPosts clicks a link, checks that the list it opens has as many posts as the page claims, and
// goes back.
func (a analyst) openPosts(link string, claimed int) {
	a.Helper()
	a.p.Click(link)
	a.p.WaitUntil(`location.pathname.endsWith("/posts")`)
	a.p.WaitFor(`article`)
	a.p.WaitText(`p[role=status] strong`, plural(claimed, "post"))
	a.p.Back()
	a.p.WaitUntil(`location.pathname.endsWith("/why")`)
	a.p.WaitFor(link)
	settle(a.p)
}

func (a analyst) openPostsOfStory(e explanation) {
	a.Helper()
	s := e.Stories[0]
	if got := a.p.Text(fmt.Sprintf(`region "%s"`, s.Name)); !strings.Contains(got, plural(s.Posts, "post")) {
		a.Errorf("the story does not say that it has %d posts: %q", s.Posts, got)
	}
	a.openPosts(fmt.Sprintf(`link "View these posts: %s"`, s.Name), s.Posts)
}

// openPostsOfDrivers opens the posts of the first entry of each list whose numbers are counts.
func (a analyst) openPostsOfDrivers(e explanation) {
	a.Helper()
	if len(e.Hashtags) == 0 || e.Hashtags[0].Name != storyTag || len(e.Sentiment) == 0 || e.Sentiment[0].Name != "Basic Negative" {
		a.Errorf("got hashtags %v, sentiment %v", e.Hashtags, e.Sentiment)
	}
	for _, list := range []struct {
		title   string
		entries []driver
	}{
		{"Hashtags", e.Hashtags}, {"Sites", e.Sites}, {"Authors", e.Authors}, {"Languages", e.Languages}, {"Countries", e.Countries}, {"Sources", e.Sources}, {"Sentiment", e.Sentiment},
	} {
		if len(list.entries) == 0 {
			continue
		}
		first := fmt.Sprintf(`region "%s" >> .drivers li:first-child a.bar`, list.title)
		if got := a.p.Text(first + ` .value`); !strings.HasPrefix(got, formatNumber(list.entries[0].Posts)+" ") {
			a.Errorf("%s: got %q, want %d", list.title, got, list.entries[0].Posts)
		}
		a.openPosts(first, list.entries[0].Posts)
	}
}

// whoDroveIt opens the top posts of the day, with their copies, and the page of the author who
// spread the story.
func (a analyst) whoDroveIt(day string, e explanation) {
	a.Helper()
	s := e.Stories[0]
	a.p.Click(fmt.Sprintf(`link "View these posts: %s"`, s.Name))
	a.p.WaitFor(`article`)
	a.p.Choose(`combobox "Sort by"`, "Most engagement")
	a.p.Click(`checkbox "Group similar posts"`)
	top := a.c.pageOf(a.brand, url.Values{"start": {day}, "end": {addDays(a.T, day, 1)}, "filter": {s.Filter}, "sort": {"engagement"}, "group": {"true"}}.Encode())
	waitKeys(a.p, `ul[aria-label="Posts"]`, top.keys())
	first := top.Items[0]
	if first.Author != storyTop || first.Copies < 20 {
		a.Errorf("the first post is by %s and has %d copies", first.Author, first.Copies)
	}
	a.p.WaitFor(fmt.Sprintf(`li[data-key="%s"] >> button "%s"`, first.Key, plural(first.Copies-1, "similar post")))

	a.p.Click(fmt.Sprintf(`li[data-key="%s"] >> a.author`, first.Key))
	a.p.WaitUntil(`location.pathname === "/author"`)
	a.p.WaitFor(`ul[aria-label="All posts"] article`)
	settle(a.p)
	var at string
	a.p.Eval(`location.search.slice(1)`, &at)
	var info authorInfo
	a.c.get("/manage/v1/author?"+at, &info)
	if info.Posts < 5 || !strings.Contains(at, "name="+storyAuthor) {
		a.Errorf("the page of %s has %d posts", at, info.Posts)
	}
	checkEqual(a.T, "figures of the author", figures(a.p), [][]string{
		row("Posts", info.Posts), row("Followers", *info.Followers), row("Reach", *info.Impressions), row("Engagement", info.Engagement), row("Monitors", len(info.Monitors)),
	})
	a.p.AxeInTurn()
}

// compare compares the brand's week with that of the competitor, and each with the week before.
func (a analyst) compare() {
	a.Helper()
	a.p.Click(`navigation "Main" >> link "Compare"`)
	for _, name := range []string{demo.Brand, demo.FirstRival} {
		a.p.Fill(`combobox "Add a monitor or saved filter"`, name)
		a.p.WaitFor(fmt.Sprintf(`option "%s"`, name))
		a.p.Press("Enter")
		a.p.WaitHidden(`listbox`)
	}
	a.p.Click(`button /^Choose dates/`)
	a.p.Click(`button "Last week"`)
	a.p.Click(`group "Compare to" >> button "Previous period"`)
	a.p.WaitUntil(`location.search.includes("range=lastweek") && location.search.includes("before=previous")`)
	var compared struct {
		Rows []struct {
			Start, End string
			Posts      int
			Share      float64
			Earlier    struct {
				Start, End string
				Posts      int
			}
		}
	}
	a.c.send("POST", "/manage/v1/compare", fields{"earlier": "previous", "parts": []string{"counts"}, "rows": []fields{{"monitor": a.brand, "range": "lastweek"}, {"monitor": a.rival, "range": "lastweek"}}}, &compared)
	waitTexts(a.p, `[aria-label="Totals: table"] tbody th`, demo.Brand, demo.FirstRival)
	settle(a.p)
	for i, r := range compared.Rows {
		if r.Posts == 0 || r.Earlier.Posts == 0 { // how many depends on the day of the week
			a.Errorf("row %d has %d posts, and %d before", i+1, r.Posts, r.Earlier.Posts)
		}
		at := fmt.Sprintf(`region "Totals: table" >> tbody tr:nth-child(%d)`, i+1)
		checkEqual(a.T, "posts", a.p.Text(at+` td:nth-child(2)`), formatNumber(r.Posts))
		checkEqual(a.T, "share of voice", a.p.Text(at+` td:nth-child(4)`), percent(r.Share))
		change := percentChange(r.Posts, r.Earlier.Posts)
		was := fmt.Sprintf("from %s, %s", formatNumber(r.Earlier.Posts), formatRange(a.T, days{r.Earlier.Start, r.Earlier.End}))
		if got := a.p.Text(at + ` td:nth-child(3)`); !strings.HasPrefix(got, change) || !strings.Contains(got, was) {
			a.Errorf("change of row %d: got %q, want %q, %q", i+1, got, change, was)
		}
	}
	a.p.AxeInTurn()
	rival := compared.Rows[1]
	a.p.Click(`region "Totals: table" >> tbody tr:nth-child(2) td:nth-child(2) a`)
	a.p.WaitUntil(fmt.Sprintf(`location.pathname === "/monitors/%d/posts"`, a.rival))
	a.p.WaitFor(`article`)
	a.p.WaitText(`p[role=status] strong`, plural(rival.Posts, "post"))
}
