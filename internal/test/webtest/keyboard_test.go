package webtest

import (
	"fmt"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A keyboardUser uses a page with the keyboard only.
type keyboardUser struct {
	t *testing.T
	p *browsertest.Page
}

// focused describes the focused element. Visible reports whether the focus is visible.
type focused struct {
	Name, HTML string
	Visible    bool
}

// focusedScript returns the focused element. Some fields show the focus on an enclosing element.
// Date fields highlight the focused part themselves.
const focusedScript = `(() => {
	const e = document.activeElement;
	const outlined = x => { const s = getComputedStyle(x); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0; };
	const name = e.getAttribute("aria-label") ?? e.labels?.[0]?.innerText ?? e.innerText;
	const visible = e === document.body || e.type === "date" || [e, e.parentElement, e.parentElement.parentElement].some(outlined);
	return {name: name.trim().replace(/\s+/g, " "), html: e.outerHTML.slice(0, 200), visible};
})()`

// tabTo presses Tab until the element with a name has the focus, or one whose name starts with it
// and a colon. The focus must be visible on every element on the way.
func (k keyboardUser) tabTo(name string) {
	k.t.Helper()
	var at focused
	for range 250 { // a page with many charts has many buttons
		k.p.Press("Tab")
		k.p.Eval(focusedScript, &at)
		if !at.Visible {
			k.t.Errorf("the focus is not visible on %s", at.HTML)
		}
		if at.Name == name || strings.HasPrefix(at.Name, name+": ") && !strings.HasPrefix(at.HTML, "<a ") {
			return
		}
	}
	k.t.Fatalf("Tab does not reach %s; the focus is on %s", name, at.HTML)
}

// TestKeyboardOnly signs in, opens a monitor, changes the date range, opens a table and closes
// dialogs without a mouse.
func TestKeyboardOnly(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	k := keyboardUser{t, p}
	p.Expect(401, "/manage/v1/session")
	p.Visit("/")
	p.WaitUntil(`document.activeElement?.labels?.[0]?.innerText === "Username"`)
	p.Write(demo.Username)
	p.Press("Tab")
	p.Write(demo.Password)
	p.Press("Enter")
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))

	k.tabTo("Skip to main content")
	p.Press("Enter")
	p.WaitUntil(`document.activeElement.id === "main"`)
	k.tabTo(demo.Brand)
	p.Press("Enter")
	p.WaitFor(`heading "Volume"`)
	settle(p)
	k.tabTo("Choose dates")
	p.Press("Enter")
	p.WaitUntil(`document.activeElement.innerText === "Yesterday"`)
	k.tabTo("Last 7 days")
	p.Press("Enter")
	p.WaitUntil(`location.search.includes("range=last7")`)
	settle(p)
	k.tabTo("Volume: show table")
	p.Press("Space")
	if got := len(rows(p, "Volume: table")); got != 7 {
		t.Errorf("got %d days in the table, want 7", got)
	}
	k.tabTo("Volume: table") // focusable, so that it can be scrolled
	p.AxeInTurn()

	p.Visit(fmt.Sprintf("/monitors/%d/edit", w.monitors[demo.Brand].ID))
	p.WaitFor(`button "Add filter"`)
	settle(p)
	for button, dialog := range map[string]string{"Add filter": "New filter", "Rematch…": "Rematch stored posts"} {
		k.tabTo(button)
		p.Press("Enter")
		p.WaitFor(fmt.Sprintf(`dialog "%s"`, dialog))
		p.WaitUntil(`document.activeElement.closest("dialog") !== null`)
		p.AxeInTurn()
		p.Press("Escape")
		p.WaitUntil(`!document.querySelector("dialog")`)
		var at focused
		p.Eval(focusedScript, &at)
		if !strings.HasPrefix(at.Name, button) {
			t.Errorf("focus after the dialog: got %s, want %s", at.HTML, button)
		}
	}
}
