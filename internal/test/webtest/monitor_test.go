package webtest

import (
	"fmt"
	"path"
	"strconv"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// The monitor that the test creates. The query lacks its closing parenthesis at first.
const (
	madeName  = "Kelvarro, made by hand"
	madeQuery = `kelvarro AND (coffee OR machine`
)

// TestMonitorLifecycle creates a monitor after correcting its query, checks the preview and the
// progress of the backfill, edits the monitor, adds a saved filter, pauses it and deletes it.
func TestMonitorLifecycle(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	p := w.signedIn(t, "/monitors/new")
	p.Fill(`textbox "Name"`, madeName)
	correctQuery(t, c, p)
	pick(p, "Languages", "English")
	pick(p, "Sources", "Instagram")
	pick(p, "Time zone", "Europe/Berlin")
	checkPreview(t, c, p, w)
	id := watchRematch(t, p)
	checkCreated(t, c, p, id)
	checkHome(t, c, p)
	p.Click(fmt.Sprintf(`link "%s"`, madeName))
	editMonitor(t, c, p, id)
	filterMonitor(t, c, p, id)
	pauseMonitor(t, c, p, id)
	removeMonitor(t, c, p, id)
}

// correctQuery types an invalid query, jumps to the error and fixes it.
func correctQuery(t *testing.T, c *apiClient, p *browsertest.Page) {
	t.Helper()
	var lint struct {
		Errors []struct {
			Position int
			Message  string
		}
	}
	c.send("POST", "/manage/v1/query/lint", fields{"query": madeQuery}, &lint)
	if len(lint.Errors) != 1 {
		t.Fatalf("errors of %s: %v", madeQuery, lint.Errors)
	}
	wrong := lint.Errors[0]
	p.Fill(`textbox "Keywords"`, madeQuery)
	p.WaitText(`.remarks li .grow`, wrong.Message)
	checkEqual(t, "underlined text", p.Texts(`.query .wrong`), []string{"("})
	p.Click(fmt.Sprintf(`button "Go to character %d"`, wrong.Position))
	var caret []int
	p.Eval(`[document.activeElement.selectionStart, document.activeElement.selectionEnd]`, &caret)
	checkEqual(t, "position of the caret", caret, []int{wrong.Position - 1, wrong.Position - 1})
	p.AxeInTurn()
	p.Press("End")
	p.Press(")")
	p.WaitHidden(`.remarks`)
	checkEqual(t, "query", p.Value(`textbox "Keywords"`), madeQuery+")")
}

// pick chooses an option of a picker.
func pick(p *browsertest.Page, field, choice string) {
	p.Fill(fmt.Sprintf(`combobox "%s"`, field), choice)
	p.Click(fmt.Sprintf(`listbox "%s" >> option /^%s/`, field, choice))
	p.WaitFor(fmt.Sprintf(`button "Remove %s"`, choice))
	p.Press("Escape")
}

// checkPreview waits for the preview of the current draft and compares it with the API. The times of
// the sample posts show that the preview already uses the chosen time zone.
func checkPreview(t *testing.T, c *apiClient, p *browsertest.Page, w *environment) {
	t.Helper()
	var preview struct {
		Total int
		Days  []struct{}
		Posts []shownPost
	}
	c.send("POST", "/manage/v1/monitors/preview", fields{"team": w.monitors[demo.Brand].Team, "keywords": madeQuery + ")", "languages": fields{"type": "include", "values": []string{"en"}},
		"sources": []string{"Instagram"}, "timezone": "Europe/Berlin"}, &preview)
	if preview.Total == 0 {
		t.Fatal("the preview is empty")
	}
	p.WaitFor(fmt.Sprintf(`image "Posts per day: %s in %s"`, plural(preview.Total, "post"), plural(len(preview.Days), "day")))
	p.WaitText(`region "Preview" >> .figure`, formatNumber(preview.Total))
	var names, texts []string
	for _, post := range preview.Posts {
		names, texts = append(names, post.name(t)), append(texts, shownText(post))
	}
	p.WaitUntil(`JSON.stringify([...document.querySelectorAll(".samples article")].map(a => a.ariaLabel)) === JSON.stringify(` + quoteJS(names) + `)`)
	var seen []string
	p.Eval(`[...document.querySelectorAll(".samples .post-text p")].map(a => a.textContent)`, &seen)
	checkEqual(t, "texts of the samples", seen, texts)
}

// holdProgress makes the page see a backfill at 43% until window.released is true. The real one
// finishes too quickly.
const holdProgress = `{
	const real = window.fetch;
	const held = {state: "running", done: 43, total: 100, startedAt: null, message: "Matching stored posts"};
	window.fetch = (address, options) => String(address).endsWith("/progress") && !window.released ? Promise.resolve(Response.json(held)) : real(address, options);
}`

// watchRematch creates the monitor and checks that its page shows the progress until the backfill is
// done.
func watchRematch(t *testing.T, p *browsertest.Page) (id int64) {
	t.Helper()
	p.Eval(holdProgress, nil)
	p.Click(`button "Create monitor"`)
	p.WaitText(`.notice span`, "Backfilling 43% · Matching stored posts")
	p.AxeInTurn()
	id, err := strconv.ParseInt(path.Base(p.URL()), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	p.Eval(`window.released = true`, nil)
	p.WaitHidden(`progressbar "Backfilling 43%"`)
	return id
}

// checkCreated compares the overview of the new monitor with the public API.
func checkCreated(t *testing.T, c *apiClient, p *browsertest.Page, id int64) {
	t.Helper()
	c.waitMatched(id)
	o := c.overview(id, days{}, "")
	volume := volumeRows(c.volume(id, days{o.Start, o.End}, "DAILY"))
	showsPosts(p, total(volume))
	checkEqual(t, "volume of the new monitor", readTable(p, "Volume"), formatRows(t, volume, 1))
}

// waitMatched waits until the backfill is done.
func (c *apiClient) waitMatched(id int64) {
	c.t.Helper()
	c.waitUntil("stored posts are matched", func() bool {
		var progress struct{ State string }
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/progress", id), &progress)
		return progress.State == "done"
	})
}

// checkHome finds the new monitor on the home page.
func checkHome(t *testing.T, c *apiClient, p *browsertest.Page) {
	t.Helper()
	var summary struct{ Items []count }
	c.get("/manage/v1/summary?days=30", &summary)
	p.Click(`link "Monitors"`)
	p.Fill(`searchbox "Find a monitor"`, "made by hand")
	p.WaitUntil(`document.querySelectorAll("article").length === 1`)
	for _, m := range summary.Items {
		if m.Name == madeName {
			checkEqual(t, "posts on the home page", p.Attribute(`article .figure`, "title"), formatNumber(m.Posts))
			return
		}
	}
	t.Errorf("the summary has no %s", madeName)
}

// editMonitor changes the query and the description, and checks that the overview uses the new query.
func editMonitor(t *testing.T, c *apiClient, p *browsertest.Page, id int64) {
	t.Helper()
	p.Click(`link "Settings"`)
	p.Fill(`textbox "Keywords"`, "kelvarro OR ostrinde")
	p.Fill(`textbox "Description"`, "Two makers")
	p.Click(`button "Save changes"`)
	p.WaitText(`.toasts .notice`, "Changes saved.")
	p.WaitText(`.lead`, "Two makers")
	var m struct{ Keywords, Description string }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &m)
	checkEqual(t, "edited monitor", row(m.Keywords, m.Description), row("kelvarro OR ostrinde", "Two makers"))
	c.waitMatched(id)
	before := c.overview(id, days{}, "")
	p.Click(`link "Overview"`)
	showsPosts(p, before.Posts)
	p.Click(`link "Settings"`)
}

// filterMonitor adds a saved filter and opens its results.
func filterMonitor(t *testing.T, c *apiClient, p *browsertest.Page, id int64) {
	t.Helper()
	p.Click(`button "Add filter"`)
	p.Fill(`dialog "New filter" >> textbox "Name"`, "Only Ostrinde")
	p.Fill(`dialog "New filter" >> textbox "Keywords"`, "ostrinde")
	p.WaitFor(`dialog "New filter" >> details`) // the query is valid
	p.AxeInTurn()
	p.Click(`button "Save filter"`)
	p.WaitHidden(`dialog "New filter"`)
	c.waitMatched(id)
	var m struct{ Filters []struct{ ID int64 } }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &m)
	p.Click(`region "Saved filters" >> link "Only Ostrinde"`)
	showsPosts(p, c.overview(m.Filters[0].ID, days{}, "").Posts)
	checkEqual(t, "URL of the filter", p.URL(), fmt.Sprintf("/monitors/%d?sub=%d", id, m.Filters[0].ID))
}

// pauseMonitor pauses the monitor and checks the audit log.
func pauseMonitor(t *testing.T, c *apiClient, p *browsertest.Page, id int64) {
	t.Helper()
	p.Click(`link "Settings"`)
	p.Click(`button "Pause…"`)
	p.WaitFor(fmt.Sprintf(`dialog "Pause %s?"`, madeName))
	p.Click(`button "Pause"`)
	p.WaitText(`.badge.warn`, "Paused")
	p.WaitFor(`button "Resume…"`)
	var m struct{ Enabled bool }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &m)
	checkEqual(t, "enabled", m.Enabled, false)
	waitTexts(p, `[aria-label="Audit log entries"] tbody td:first-child`, "Paused", "Edited", "Rematched from the start date", "Edited", "Created")
	checkEqual(t, "audit", c.events(id), []string{"DISABLED", "EDITED", "RESET", "EDITED", "ENABLED"})
}

// removeMonitor deletes the monitor. The dialog requires its name.
func removeMonitor(t *testing.T, c *apiClient, p *browsertest.Page, id int64) {
	t.Helper()
	p.Click(`button "Delete…"`)
	p.WaitFor(fmt.Sprintf(`dialog "Delete %s?"`, madeName))
	checkEqual(t, "enabled buttons before the name is typed", p.Texts(`dialog footer button:enabled`), []string{"Cancel"})
	p.Fill(fmt.Sprintf(`textbox "Type %s to confirm"`, madeName), madeName)
	p.AxeInTurn()
	p.Click(`button "Delete permanently"`)
	p.WaitFor(`heading "Monitors"`)
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.Brand))
	p.WaitHidden(fmt.Sprintf(`link "%s"`, madeName))
	status, _ := c.request("GET", fmt.Sprintf("%s/manage/v1/monitors/%d", c.site, id), nil)
	checkEqual(t, "status of the deleted monitor", status, 404)
}
