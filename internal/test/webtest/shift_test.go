package webtest

import (
	"fmt"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// maxLayoutShift is the layout shift that a page may have while its data arrives. Browsers call up
// to 0.1 good.
const maxLayoutShift = 0.02

// TestNoLayoutShift checks pages with much data that are not among [steadyPages].
func TestNoLayoutShift(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	day := unusualDay(c, id)
	for _, page := range []appPage{
		{"why", fmt.Sprintf("/monitors/{id}/why?start=%s&end=%s", day, addDays(t, day, 1)), `region "Posts vs. expected"`},
		{"compare", fmt.Sprintf("/compare?m={id},%d", w.monitors["Press and forums"].ID), `region "Volume"`},
		{"author", "/author?name=" + topAuthor(c, id), `heading /./`},
	} {
		for _, o := range []browsertest.Options{{Width: 1440, Height: 900}, {Width: 390, Height: 844, Dark: true}} {
			t.Run(fmt.Sprintf("%s at %d", page.name, o.Width), func(t *testing.T) {
				t.Parallel()
				p := w.openPage(t, page, o)
				checkShift(t, p)
			})
		}
	}
}

// checkShift checks that nothing has moved since the page was opened.
func checkShift(t *testing.T, p *browsertest.Page) {
	t.Helper()
	if s := p.LayoutShift(); s.Score > maxLayoutShift {
		t.Errorf("got a layout shift of %.3f, want at most %v: %q", s.Score, maxLayoutShift, s.Moved)
	}
}

// TestLayoutShiftIsMeasured checks that moving a part of a page counts as a layout shift.
func TestLayoutShiftIsMeasured(t *testing.T) {
	t.Parallel()
	p := env(t).signedIn(t, "/")
	p.WaitFor(`link "Morvessa"`)
	settle(p)
	before := p.LayoutShift().Score
	p.Eval(`(() => { const e = document.createElement("div"); e.style.height = "300px"; document.getElementById("main").prepend(e); })()`, nil)
	if got := p.LayoutShift().Score - before; got < 0.05 {
		t.Errorf("got %.3f for a page that moved by 300 pixels", got)
	}
}

// topAuthor returns the author with the most posts.
func topAuthor(c *apiClient, id int64) string {
	c.t.Helper()
	var o struct{ Authors struct{ Top []count } }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=authors", id), &o)
	return o.Authors.Top[0].Name
}
