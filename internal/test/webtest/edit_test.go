package webtest

import (
	"fmt"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// uncovered returns an expression that is true if the center of an element is visible, that is, on
// the screen and not behind another element.
func uncovered(css string) string {
	return fmt.Sprintf(`(() => {
		const e = document.querySelector(%s);
		if (!e) return false;
		const {left, top, width, height} = e.getBoundingClientRect();
		return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
	})()`, quoteJS(css))
}

// TestQueryErrorIsVisible types an invalid query on a laptop and on a phone. The error and the button
// that goes to it are not below the bar with the save button.
func TestQueryErrorIsVisible(t *testing.T) {
	t.Parallel()
	w := env(t)
	for _, o := range []browsertest.Options{{Width: 1440, Height: 900}, {Width: 390, Height: 844, Dark: true}} {
		p := w.open(t, o)
		p.SignIn(demo.Username, demo.Password)
		p.Visit("/monitors/new")
		p.WaitFor(`textbox "Keywords"`)
		if o.Width == 1440 {
			p.WaitUntil(`document.querySelector(".query").getBoundingClientRect().bottom < 600`)
		}
		p.Type(`textbox "Keywords"`, "coffee AND (tea OR")
		p.WaitFor(`.remarks`)
		p.WaitUntil(uncovered(".remarks .grow"))
		p.WaitUntil(uncovered(".remarks button"))
		p.WaitFor(`.query textarea[aria-invalid=true]`)
	}
}

// TestMissingFields saves an incomplete monitor. Each field that needs a value says so, until it has
// one.
func TestMissingFields(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.signedIn(t, "/monitors/new")
	p.WaitFor(`textbox "Name"`)
	checkEqual(t, "fields marked before saving", p.Count(`[aria-invalid=true]`), 0)
	p.Click(`radio /Opinion/`)
	p.Click(`button "Create monitor"`)
	errors := []string{"Enter a name for the monitor.", "Enter a query.", "An opinion monitor needs at least two categories."}
	waitTexts(p, `form .error`, errors...)
	checkEqual(t, "marked fields", p.Count(`[aria-invalid=true]`), 3)
	p.WaitUntil(`document.activeElement.labels[0].innerText === "Name"`)
	p.WaitUntil(`document.getElementById(document.activeElement.getAttribute("aria-describedby")).innerText === "Enter a name for the monitor."`)
	p.AxeInTurn()

	p.Write("Tea")
	waitTexts(p, `form .error`, errors[1:]...)
	p.Fill(`textbox "Keywords"`, "tea")
	waitTexts(p, `form .error`, errors[2])
	p.Fill(`textbox "Category 1"`, "Taste")
	p.WaitUntil(`document.querySelectorAll("[aria-invalid=true]").length === 0`) // Off-topic is the second category
	p.Click(`radio /Social/`)
	waitTexts(p, `form .error`, "Enter the handle of the account.")
	p.Fill(`textbox "Handle"`, "tea")
	waitTexts(p, `form .error`)
}

// TestPauseFromOverview pauses and resumes a monitor without opening its settings, and follows the
// links of the menu to the parts of the settings.
func TestPauseFromOverview(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	id := c.create("/manage/v1/monitors", fields{"name": "Ostrinde for a while", "team": w.monitors[demo.Brand].Team, "keywords": "ostrinde"})
	t.Cleanup(func() { c.send("DELETE", fmt.Sprintf("/manage/v1/monitors/%d", id), nil, nil) })
	c.waitMatched(id)
	enabled := func() bool {
		var m struct{ Enabled bool }
		c.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &m)
		return m.Enabled
	}
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/posts", id))
	p.Click(`button "More actions"`)
	p.AxeInTurn()
	p.Click(`button "Pause…"`)
	p.Click(`dialog "Pause Ostrinde for a while?" >> button "Pause"`)
	p.WaitText(`.badge.warn`, "Paused")
	checkEqual(t, "enabled after pausing", enabled(), false)

	p.Click(`button "More actions"`)
	p.Click(`link "Audit log"`)
	waitTexts(p, `[aria-label="Audit log entries"] tbody td:first-child`, "Paused", "Created")
	p.WaitUntil(uncovered("#audit h2"))
	p.Click(`button "More actions"`)
	p.Click(`button "Resume…"`)
	p.Click(`dialog "Resume Ostrinde for a while?" >> button "Resume"`)
	waitTexts(p, `[aria-label="Audit log entries"] tbody td:first-child`, "Resumed", "Paused", "Created")
	checkEqual(t, "enabled after resuming", enabled(), true)

	p.Click(`navigation "Sections" >> link "General"`)
	p.WaitUntil(uncovered("h1"))
	p.Click(`navigation "Sections" >> link "Saved filters"`)
	p.WaitUntil(uncovered("#filters h2"))
}

// TestOwnAccounts shows the own accounts that follow from the query, replaces them, and returns to
// them.
func TestOwnAccounts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	id := c.create("/manage/v1/monitors", fields{"name": "Brand accounts", "team": w.monitors[demo.Brand].Team, "keywords": "kelvarro OR @kelvarrohq"})
	t.Cleanup(func() { c.send("DELETE", fmt.Sprintf("/manage/v1/monitors/%d", id), nil, nil) })
	type accounts struct {
		OwnAccounts        []string
		OwnAccountsDerived bool
	}
	saved := func() (m accounts) {
		c.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &m)
		return m
	}
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/edit", id))
	waitForText(p, "From the account or the query: @kelvarrohq.")
	p.Fill(`combobox "Own accounts"`, "@KelvarroCare")
	p.Press("Enter")
	p.WaitFor(`button "Remove @KelvarroCare"`)
	p.Click(`button "Save changes"`)
	p.WaitText(`.toasts .notice`, "Changes saved.")
	checkEqual(t, "chosen accounts", saved(), accounts{[]string{"KelvarroCare"}, false})
	p.Click(`button "Remove @KelvarroCare"`)
	p.Click(`button "Save changes"`)
	waitForText(p, "From the account or the query: @kelvarrohq.")
	checkEqual(t, "derived accounts", saved(), accounts{[]string{"kelvarrohq"}, true})
}
