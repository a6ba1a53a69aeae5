package webtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// createLink fills in the open share dialog and returns the path of the new link.
func createLink(p *browsertest.Page, name, expires, password string) (path string) {
	p.Fill(`textbox "Title for visitors"`, name)
	p.Choose(`combobox "Expires"`, expires)
	p.Fill(`textbox "Password (optional)"`, password)
	p.Click(`button "Create link"`)
	p.WaitFor(`textbox "Link"`)
	link, err := url.Parse(p.Value(`textbox "Link"`))
	if err != nil {
		return ""
	}
	return link.Path
}

// checkNoWayIn fails the test if a page of visitors links into the app, or offers to change something.
func checkNoWayIn(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var links []string
	p.Eval(`[...document.links].map(a => a.href).filter(h => new URL(h).origin === location.origin && !new URL(h).pathname.startsWith("/share/v1/"))`, &links)
	if len(links) > 0 {
		t.Errorf("the page links into the app: %q", links)
	}
	var loaded []string
	p.Eval(`performance.getEntriesByType("resource").map(e => new URL(e.name).pathname).filter(p => !/^\/(assets|share\/v1)\/|^\/favicon/.test(p))`, &loaded)
	if len(loaded) > 0 {
		t.Errorf("the page requests %q", loaded)
	}
}

// TestShareMonitor creates a link to the overview of a monitor, opens it signed out, and revokes it.
func TestShareMonitor(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	id := int64(w.monitors[demo.Brand].ID)
	end := c.results(id).end
	week := days{addDays(t, end, -7), end}
	name := uniqueName("Week ")
	filter := "language:en"
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d?start=%s&end=%s&filter=%s", id, week.start, week.end, filter))
	p.Click(`button "Share"`)
	p.WaitFor(`dialog "Share Morvessa" >> button "Create link"`)
	waitForText(p, "Visitors see the overview for "+formatRange(t, week)+".")
	p.AxeInTurn()
	p.Click(`checkbox "Include posts and authors"`)
	path := createLink(p, name, "In 7 days", "tea kettle whistle")
	if !strings.HasPrefix(path, "/share/") || len(path) != len("/share/")+43 {
		t.Fatalf("got link %s", path)
	}
	p.WaitFor(fmt.Sprintf(`button "Revoke %s"`, name))
	p.AxeInTurn()

	// A visitor, who is not signed in, enters the password.
	for _, o := range []browsertest.Options{{Width: 1440, Height: 900}, {Width: 390, Height: 844, Dark: true}} {
		v := w.open(t, o)
		v.Expect(401, "/share/v1/")
		v.Visit(path)
		v.WaitFor(`heading "This page is protected"`)
		v.AxeInTurn()
		v.Fill(`[type=password]`, "a wrong guess")
		v.Click(`button "Open"`)
		v.WaitText(`[role=alert]`, "The password is incorrect")
		v.Fill(`[type=password]`, "tea kettle whistle")
		v.Click(`button "Open"`)
		v.WaitText(`h1`, name)
		v.WaitText(`.lead`, demo.Brand+" · "+formatRange(t, week))
		v.WaitFor(`article`)
		settle(v)

		var want struct {
			Posts   int
			Authors struct{ Count int }
			Sources []struct {
				Name  string
				Posts int
			}
		}
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?start=%s&end=%s&filter=%s&parts=days,authors,sources", id, week.start, week.end, filter), &want)
		showsPosts(v, want.Posts)
		waitForText(v, formatNumber(want.Authors.Count)+" authors")
		var sources [][]string
		for _, s := range want.Sources {
			sources = append(sources, row(s.Name, formatNumber(s.Posts)))
		}
		for i, cells := range readTable(v, "Sources") {
			checkEqual(t, "source", cells[:2], sources[i])
		}
		checkNoWayIn(t, v)
		v.AxeInTurn()
		var wide string
		if v.Eval(widestElement, &wide); wide != "" {
			t.Errorf("the page is wider than the screen: %s", wide)
		}
		v.Reload() // the browser keeps the cookie of this link
		v.WaitText(`h1`, name)
		settle(v)
		v.WaitUntil(`[...document.querySelectorAll(".chart-canvas")].every(c => c.dataset.ready === "true")`)
		v.ShowPrint()
		v.WaitUntil(`[...document.querySelectorAll(".button")].every(e => !e.checkVisibility())`)
		v.WaitUntil(`[...document.querySelectorAll(".chart-canvas")].every(c => c.getBoundingClientRect().height > 60)`)
		v.WaitUntil(`[...document.querySelectorAll("article")].every(e => e.getBoundingClientRect().bottom <= e.closest(".dash-card").getBoundingClientRect().bottom)`)
	}

	// Uses are listed, and a revoked link is refused, also on pages that are open.
	p.Click(fmt.Sprintf(`button "Uses of %s"`, name))
	p.WaitFor(fmt.Sprintf(`dialog "Uses of %s" >> table`, name))
	waitForText(p, "Wrong password")
	p.AxeInTurn()
	p.Press("Escape")
	p.Click(fmt.Sprintf(`button "Revoke %s"`, name))
	p.Click(fmt.Sprintf(`dialog "Revoke %s?" >> button "Revoke"`, name))
	p.WaitHidden(fmt.Sprintf(`button "Revoke %s"`, name))
	v := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	v.Expect(404, "/share/v1/")
	v.Visit(path)
	v.WaitFor(`heading "This link is not valid"`)
	v.AxeInTurn()
	if strings.Contains(v.Text(`body`), name) {
		t.Error("the page of a revoked link shows its name")
	}
}

// TestShareDashboard shares a dashboard. Visitors see later changes, and a page that is open notices
// that the link was revoked.
func TestShareDashboard(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand := w.monitors[demo.Brand]
	name := uniqueName("Shared board ")
	card := func(id int, kind string, more fields) fields {
		all := fields{"id": id, "kind": kind, "title": "", "width": 2, "monitor": brand.ID}
		for field, value := range more {
			all[field] = value
		}
		return all
	}
	cards := []fields{
		card(0, "figures", fields{"width": 4}),
		card(0, "volume", fields{"title": "Posts in English", "filter": "language:en"}),
		card(0, "comparison", fields{"monitor": 0, "rows": []fields{{"label": "All", "monitor": brand.ID}, {"label": "Press", "monitor": w.monitors["Press and forums"].ID}}}),
		card(0, "text", fields{"monitor": 0, "text": "What happened last week"}),
	}
	var board struct{ ID, Revision int64 }
	c.send("POST", "/manage/v1/dashboards", fields{"team": brand.Team, "name": name, "range": "last7", "cards": cards}, &board)
	p := w.signedIn(t, fmt.Sprintf("/dashboards/%d", board.ID))
	p.Click(`button "Share"`)
	path := createLink(p, name, "Never", "")
	v := w.open(t, browsertest.Options{Width: 390, Height: 844, Dark: true})
	v.Visit(path)
	v.WaitText(`h1`, name)
	v.WaitText(`.lead`, "Last 7 days")
	v.WaitFor(`heading "Posts in English"`)
	waitForText(v, "What happened last week")
	var want struct{ Posts int }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=last7&parts=days", brand.ID), &want)
	showsPosts(v, want.Posts)
	v.WaitText(`.card-table td.right`, formatNumber(want.Posts))
	checkNoWayIn(t, v)
	v.AxeInTurn()
	file := v.Download(func() { v.Click(`link "PDF"`) })
	if !strings.HasPrefix(string(file.Data), "%PDF-") || !strings.HasSuffix(file.Name, ".pdf") {
		t.Errorf("got file %s of %d bytes", file.Name, len(file.Data))
	}

	c.send("PATCH", fmt.Sprintf("/manage/v1/dashboards/%d", board.ID), fields{"name": name, "range": "last30", "cards": cards[:1], "revision": board.Revision}, nil)
	v.Reload()
	v.WaitText(`.lead`, demo.Brand+" · Last 30 days")
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=last30&parts=days", brand.ID), &want)
	showsPosts(v, want.Posts)

	p.Click(fmt.Sprintf(`button "Revoke %s"`, name))
	p.Click(fmt.Sprintf(`dialog "Revoke %s?" >> button "Revoke"`, name))
	p.WaitHidden(fmt.Sprintf(`button "Revoke %s"`, name))
	v.Expect(404, "/share/v1/")
	v.Reload()
	v.WaitFor(`heading "This link is not valid"`)
}

// TestSharesPage lists, edits and revokes links.
func TestSharesPage(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	name := uniqueName("Press ")
	var link struct {
		ID   int64
		Path string
	}
	c.send("POST", "/manage/v1/shares", fields{"monitor": w.monitors["Press and forums"].ID, "range": "last7", "name": name, "cards": []string{"figures"}}, &link)
	v := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	v.Visit(link.Path)
	v.WaitText(`h1`, name)
	v.WaitText(`.lead`, "Press and forums · Last 7 days")
	settle(v)

	p := w.signedIn(t, "/account")
	p.Click(`link "All share links"`)
	p.WaitText(`h1`, "Share links")
	p.WaitFor(fmt.Sprintf(`button "Edit %s"`, name))
	var cells []string
	row := fmt.Sprintf(`[...document.querySelectorAll("tr")].find(r => r.innerText.includes(%s))`, quoteJS(name))
	p.Eval(row+`.innerText.split("\t").map(s => s.trim())`, &cells)
	if got := strings.Join(cells[:5], " | "); !strings.HasPrefix(got, name+" | Monitor Press and forums | Active | 1 time · ") || !strings.HasSuffix(got, " | Never") {
		t.Errorf("got row %q", got)
	}
	p.Click(fmt.Sprintf(`button "Edit %s"`, name))
	p.Fill(`textbox "Title for visitors"`, name+" again")
	p.Choose(`combobox "Password"`, "Set one")
	p.Fill(`textbox "New password"`, "tea kettle whistle")
	p.AxeInTurn()
	p.Click(`button "Save"`)
	p.WaitFor(fmt.Sprintf(`button "Revoke %s again"`, name))
	p.WaitUntil(row + `.innerText.includes("Password")`)
	v.Expect(401, "/share/v1/")
	v.Reload()
	v.WaitFor(`heading "This page is protected"`)

	p.Click(fmt.Sprintf(`button "Revoke %s again"`, name))
	p.Click(fmt.Sprintf(`dialog "Revoke %s again?" >> button "Revoke"`, name))
	p.WaitUntil(row + `.innerText.includes("Revoked")`)
	v.Expect(404, "/share/v1/")
	v.Fill(`[type=password]`, "tea kettle whistle")
	v.Click(`button "Open"`)
	v.WaitFor(`heading "This link is not valid"`)
}
