package webtest

import (
	"cmp"
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

// A monitorSummary is an item of the summary.
type monitorSummary struct {
	ID       int64
	Name     string
	Posts    int
	Previous *int
	Error    string
}

// TestHomeOrders sorts the monitors with a tag, which no other test changes.
func TestHomeOrders(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	tag := uniqueName("tag")
	for i, keywords := range []string{"coffee", "recall OR solano", "espresso", "morvessa"} {
		c.create("/manage/v1/monitors", fields{"team": w.monitors[demo.Brand].Team, "name": fmt.Sprintf("%s %d", tag, i), "keywords": keywords, "tags": []string{tag}, "start": addDays(t, c.results(int64(w.monitors[demo.Brand].ID)).end, -30)})
	}
	var items []monitorSummary
	load := func() (posts int) {
		var response struct{ Items []monitorSummary }
		c.get("/manage/v1/summary?days=7", &response)
		items = slices.DeleteFunc(response.Items, func(m monitorSummary) bool { return len(m.Name) < len(tag) || m.Name[:len(tag)] != tag })
		for _, m := range items {
			posts += m.Posts
			if m.Posts == 0 {
				return -1
			}
		}
		return posts
	}
	last := 0
	c.waitUntil("the monitors have all posts", func() bool {
		now := load()
		same := now > 0 && now == last && !c.busy()
		last = now
		return same
	})
	names := func(compare func(a, b monitorSummary) int) (list []string) {
		for _, m := range slices.SortedStableFunc(slices.Values(items), compare) {
			list = append(list, m.Name)
		}
		return list
	}
	change := func(m monitorSummary) float64 {
		if m.Previous == nil {
			return -1
		}
		return math.Abs(math.Log2(float64(m.Posts+10) / float64(*m.Previous+10)))
	}
	found := c.incidents(7)
	attention := func(m monitorSummary) (most float64) {
		for _, i := range found {
			if i.isOf(m.ID) {
				weeks := max(0, time.Since(i.To).Hours()) / (7 * 24)
				most = max(most, (float64(i.Posts)-i.Expected.Posts)*min(i.Ratio, 10)*math.Pow(0.5, weeks))
			}
		}
		return most
	}
	byChange := func(a, b monitorSummary) int { return cmp.Compare(change(b), change(a)) }

	p := w.signedIn(t, "/?days=7")
	p.Click(fmt.Sprintf(`group "Tags of %s 0" >> button "%s"`, tag, tag))
	titles := `.monitor-card h2`
	waitTexts(p, titles, names(func(a, b monitorSummary) int { return cmp.Or(cmp.Compare(attention(b), attention(a)), byChange(a, b)) })...)
	for order, compare := range map[string]func(a, b monitorSummary) int{
		"Name": func(a, b monitorSummary) int { return 0 }, "Biggest change": byChange,
		"Most posts": func(a, b monitorSummary) int { return cmp.Compare(b.Posts, a.Posts) },
	} {
		p.Choose(`combobox "Sort by"`, order)
		waitTexts(p, titles, names(compare)...)
	}
	p.Choose(`combobox "Sort by"`, "Most posts")
	p.AxeInTurn()
	p.Visit("/?days=7&tag=" + tag) // the browser remembers the order
	waitTexts(p, titles, names(func(a, b monitorSummary) int { return cmp.Compare(b.Posts, a.Posts) })...)
	for _, m := range items {
		if m.Previous != nil {
			waitForText(p, percentChange(m.Posts, *m.Previous))
		}
	}
	p.Click(fmt.Sprintf(`button "Remove %s"`, tag))
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))
}

// busy reports whether a monitor is being matched.
func (c *apiClient) busy() bool {
	c.t.Helper()
	var response struct {
		Items []struct{ Progress *struct{ State string } }
	}
	c.get("/manage/v1/summary?days=1", &response)
	for _, m := range response.Items {
		if m.Progress != nil && m.Progress.State != "failed" {
			return true
		}
	}
	return false
}

// percentChange formats a change as pages do.
func percentChange(now, before int) string {
	if now >= 10*before {
		return formatDecimal(float64(now)/float64(before), 0) + "×"
	}
	p := float64(now-before) / float64(before) * 100
	text := formatDecimal(math.Abs(math.Floor(p+0.5)), 0)
	if math.Abs(p) < 10 {
		text = formatDecimal(math.Abs(p), 1)
	}
	if p < 0 {
		return "−" + text + "%"
	}
	return "+" + text + "%"
}

// An incident is an item of the list of incidents.
type incident struct {
	Monitor  struct{ ID int64 }
	Monitors []struct{ ID int64 }
	Title    string
	From     string
	To       time.Time
	Posts    int
	Expected struct{ Posts float64 }
	Ratio    float64
}

func (i *incident) isOf(monitor int64) bool {
	return i.Monitor.ID == monitor || slices.ContainsFunc(i.Monitors, func(m struct{ ID int64 }) bool { return m.ID == monitor })
}

// incidents returns the incidents of the last days, newest first.
func (c *apiClient) incidents(days int) []incident {
	c.t.Helper()
	var found struct{ Incidents []incident }
	c.get(fmt.Sprintf("/manage/v1/incidents?days=%d", days), &found)
	return found.Incidents
}

// TestHomeIncidents follows the newest incident from the list, and from the card of a monitor, to its
// explanation. It runs before the parallel tests, because their monitors may have the same incidents.
func TestHomeIncidents(t *testing.T) {
	w := env(t)
	c := w.client(t)
	brand := int64(w.monitors[demo.Brand].ID)
	found := c.incidents(30)
	if len(found) == 0 {
		t.Fatal("the demo has no incidents")
	}
	newest := found[slices.IndexFunc(found, func(i incident) bool { return i.isOf(brand) })]
	p := w.signedIn(t, "/")
	p.WaitFor(`region "What happened" >> strong`)
	titles := p.Texts(`region "What happened" >> strong`)
	for i := range titles {
		checkEqual(t, "incident", titles[i], found[i].Title)
	}
	checkEqual(t, "listed incidents", len(titles), min(3, len(found)))
	_, short, _ := strings.Cut(newest.Title, ": ")
	for _, link := range []string{fmt.Sprintf(`region "What happened" >> link "%s"`, found[0].Title), fmt.Sprintf(`.monitor-card a[href^="/monitors/%d/why"]`, brand)} {
		p.Visit("/")
		p.WaitFor(link)
		if text := p.Text(link); !strings.HasSuffix(text, short) && text != found[0].Title {
			t.Errorf("got %q, want %q", text, short)
		}
		p.Click(link)
		p.WaitUntil(`location.pathname.endsWith("/why")`)
		p.WaitFor(`region "What happened" >> a`)
		if want := "from=" + url.QueryEscape(newest.From[:len("2006-01-02T15:04:05")]); !strings.Contains(p.URL(), want) && newest.Title == found[0].Title {
			t.Errorf("got %s, want %s", p.URL(), want)
		}
	}
}

// badgeLines returns the number of lines of each badge. Parts of a badge that stand side by side are on
// the same line.
const badgeLines = `[...document.querySelectorAll(".monitor-card .badge.nowrap")].map(b => {
	const range = document.createRange();
	range.selectNodeContents(b);
	let lines = 0, bottom = -Infinity;
	for (const r of [...range.getClientRects()].sort((a, b) => a.top - b.top)) {
		if (r.top >= bottom - 2) lines++;
		bottom = Math.max(bottom, r.bottom);
	}
	return lines;
})`

// TestTypeBadges checks that the type of a monitor fits on one line of its card.
func TestTypeBadges(t *testing.T) {
	t.Parallel()
	w := env(t)
	for _, width := range []int{390, 768, 1024, 1440} {
		p := w.open(t, browsertest.Options{Width: width, Height: 900})
		p.SignIn(demo.Username, demo.Password)
		p.Visit("/")
		p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))
		var lines []int
		p.Eval(badgeLines, &lines)
		if len(lines) == 0 || slices.Max(lines) != 1 {
			t.Errorf("at %d pixels, badges have %v lines", width, lines)
		}
	}
}
