package webtest

import (
	"fmt"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// TestUnknownAddress opens an address that does not exist. The app says so, with its menu.
func TestUnknownAddress(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(demo.Username, demo.Password)
	p.Expect(404, "/nope")
	p.Visit("/nope")
	p.WaitFor(`heading "Page not found"`)
	p.AxeInTurn()
	p.Click(`button "Go to Monitors"`)
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))
}

// TestShortcuts uses the keys that work on every page.
func TestShortcuts(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.signedIn(t, "/")
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))

	p.Press("/")
	p.WaitUntil(`document.activeElement.ariaLabel === "Find a monitor"`)
	p.Write("g?") // goes into the field
	checkEqual(t, "text of the field", p.Value(`searchbox "Find a monitor"`), "g?")
	p.WaitHidden(`dialog`)
	p.Fill(`searchbox "Find a monitor"`, "")
	p.Eval(`document.activeElement.blur()`, nil)

	p.Press("?")
	p.WaitFor(`dialog "Keyboard shortcuts"`)
	waitForText(p, "Ad hoc analysis")
	p.AxeInTurn()
	p.Press("Escape")
	p.WaitHidden(`dialog`)
	p.Press("g")
	p.Press("c")
	p.WaitFor(`heading "Compare"`)
	p.Press("g")
	p.Press("g")
	p.WaitFor(`heading "Signals"`)
	p.Press("g")
	p.Press("h")
	p.WaitFor(`searchbox "Find a monitor"`)
	p.Press("g")
	p.Press("c")
	p.WaitFor(`heading "Compare"`)
	p.Press("g")
	p.Press("x") // no page has this key
	p.Press("c") // and the sequence is over
	checkEqual(t, "URL after unknown keys", p.URL(), "/compare")

	id := w.monitors[demo.Brand].ID
	p.Visit(fmt.Sprintf("/monitors/%d?range=last7", id))
	p.WaitFor(`region "Volume"`)
	p.Press("g")
	p.Press("p")
	p.WaitFor(`article`)
	checkEqual(t, "URL of the posts", p.URL(), fmt.Sprintf("/monitors/%d/posts?range=last7", id))

	p.Press("?")
	p.Click(`checkbox "Use single-key shortcuts"`)
	p.Press("Escape")
	p.WaitHidden(`dialog`)
	p.Press("g")
	p.Press("c")
	p.Press("?")
	p.WaitHidden(`dialog`)
	checkEqual(t, "URL with the keys turned off", p.URL(), fmt.Sprintf("/monitors/%d/posts?range=last7", id))
}

// TestCommandPalette finds a monitor, a page and an action by name, with the keyboard.
func TestCommandPalette(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.signedIn(t, "/account")
	p.WaitFor(`heading "Account"`)
	open := func() {
		t.Helper()
		p.Press("Control+k")
		p.WaitUntil(`document.activeElement.role === "combobox"`)
	}
	open()
	p.AxeInTurn()
	p.Write("MORVESSA face")
	p.WaitUntil(`document.querySelector("[aria-selected=true] span")?.innerText === "Morvessa on Facebook"`)
	p.Press("Enter")
	p.WaitFor(`heading "Morvessa on Facebook"`)
	settle(p)

	open()
	p.Write("account")
	p.WaitUntil(`document.querySelector("[aria-selected=true] span").innerText === "Account"`)
	p.Press("Enter")
	p.WaitFor(`region "Page likes"`)
	settle(p)

	open()
	p.Write("dark")
	p.Press("Enter")
	p.WaitUntil(`document.documentElement.dataset.theme === "dark"`)
	p.WaitUntil(`document.querySelector("[role=switch]").ariaChecked === "true"`)

	open()
	p.Write("zzz")
	p.WaitUntil(`document.querySelector("[role=option]")?.innerText.includes("zzz")`) // posts with this word
	p.Press("Escape")
	p.WaitHidden(`dialog`)
	p.Click(`button "Search"`)
	p.Write("ad hoc")
	p.Press("ArrowDown")
	p.Press("ArrowUp")
	p.Press("Enter")
	p.WaitFor(`heading /[Aa]nalys/`)
}
