package webtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

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
	Spikes   []struct {
		Date     string
		Posts    int
		Expected struct{ Posts float64 }
	}
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
	latest := func(m monitorSummary) (day string) {
		for _, d := range m.Spikes {
			day = max(day, d.Date)
		}
		return day
	}
	byChange := func(a, b monitorSummary) int { return cmp.Compare(change(b), change(a)) }

	p := w.signedIn(t, "/?days=7")
	p.Click(fmt.Sprintf(`group "Tags of %s 0" >> button "%s"`, tag, tag))
	titles := `.monitor-card h2`
	waitTexts(p, titles, names(func(a, b monitorSummary) int { return cmp.Or(cmp.Compare(latest(b), latest(a)), byChange(a, b)) })...)
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

// TestHomeSpike follows the spike of a card to its explanation.
func TestHomeSpike(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand := int64(w.monitors[demo.Brand].ID)
	var response struct{ Items []monitorSummary }
	c.get("/manage/v1/summary", &response)
	at := slices.IndexFunc(response.Items, func(m monitorSummary) bool { return m.ID == brand })
	if len(response.Items[at].Spikes) == 0 {
		t.Fatal("the demo has no spike")
	}
	spike := response.Items[at].Spikes[0]
	p := w.signedIn(t, "/")
	text := fmt.Sprintf("Spike on %s: %s posts, %s expected", parseDay(t, spike.Date).Format("Mon, Jan 2"), formatNumber(spike.Posts), formatNumber(int(math.Round(spike.Expected.Posts))))
	p.Click(fmt.Sprintf(`a[href^="/monitors/%d/why"]`, brand))
	checkEqual(t, "URL", p.URL(), fmt.Sprintf("/monitors/%d/why?start=%s&end=%s", brand, spike.Date, addDays(t, spike.Date, 1)))
	p.Back()
	waitForText(p, text)
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
