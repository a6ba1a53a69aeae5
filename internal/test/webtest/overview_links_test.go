package webtest

import (
	"fmt"
	"strings"
	"testing"

	"earshot/internal/demo"
)

// TestNumbersLeadToPosts follows numbers of the overview to the posts that they count.
func TestNumbersLeadToPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	d := lastDays(t, c, id)
	start := fmt.Sprintf("/monitors/%d?%s&filter=source:Twitter", id, d.query())
	o := c.overview(id, d, "source:Twitter")
	p := w.onMonitor(t, start)
	showsPosts(p, o.Posts)
	p.AxeInTurn()
	var links []struct{ Label, Href string }
	p.Eval(`[...document.querySelectorAll(".figures a, .bars a.value")].map(a => ({label: a.ariaLabel, href: a.getAttribute("href")}))`, &links)
	if len(links) < 40 {
		t.Fatalf("got %d numbers that lead to posts: %v", len(links), links)
	}
	for i, link := range links {
		if !strings.HasPrefix(link.Href, fmt.Sprintf("/monitors/%d/posts?", id)) {
			t.Errorf("%s leads to %s", link.Label, link.Href)
		}
		if i%6 != 0 {
			continue
		}
		p.Visit(link.Href)
		p.WaitFor(`p[role=status] strong`)
		if total := p.Text(`p[role=status] strong`); !strings.HasPrefix(link.Label, strings.Fields(total)[0]) {
			t.Errorf("%s leads to %s: %s", link.Label, total, link.Href)
		}
	}

	p.Visit(start)
	p.Click(`button "Volume: show table"`)
	p.Eval(`[...document.querySelectorAll(".tablebox td a")].map(a => ({label: a.innerText, href: a.getAttribute("href")}))`, &links)
	p.Click(`region "Volume: table" >> tbody tr:last-child >> td a`)
	p.WaitText(`p[role=status] strong`, links[len(links)-1].Label+" posts")
}
