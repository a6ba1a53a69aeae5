package webtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A savedDashboard is a dashboard as the API returns it.
type savedDashboard struct {
	ID       int64
	Name     string
	Range    string
	Revision int
	Cards    []struct {
		ID     int64
		Kind   string
		Width  int
		Filter string
		Range  string
	}
}

// kinds returns the kinds of the cards with their widths, in their order.
func (d savedDashboard) kinds() string {
	var list []string
	for _, card := range d.Cards {
		list = append(list, fmt.Sprint(card.Kind, card.Width))
	}
	return strings.Join(list, " ")
}

func (c *apiClient) dashboard(id string) (d savedDashboard) {
	c.t.Helper()
	c.get("/manage/v1/dashboards/"+id, &d)
	return d
}

// waitCards waits until the saved cards are these.
func (c *apiClient) waitCards(id, want string) {
	c.t.Helper()
	c.waitUntil(fmt.Sprintf("cards %s, got %s", want, c.dashboard(id).kinds()), func() bool { return c.dashboard(id).kinds() == want })
}

// addCard adds a card of a kind about the brand on the page of a dashboard.
func addCard(p *browsertest.Page, kind string, change func()) {
	p.Click(`button /^Add (card|the first card)$/`)
	p.Click(fmt.Sprintf(`dialog >> button "%s"`, kind))
	if change != nil {
		change()
	} else {
		p.Choose(`dialog >> combobox "Monitor"`, demo.Brand)
	}
	p.Click(`dialog >> button "Add"`)
	p.WaitHidden(`dialog`)
}

// checkFigures compares the key figures and the sources on a dashboard with the overview.
func checkFigures(t *testing.T, c *apiClient, p *browsertest.Page, id int64, query string) {
	t.Helper()
	var o struct {
		Posts   int
		Authors struct{ Count int }
		Sources []count
	}
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=authors,sources&%s", id, query), &o)
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".dash-card .figures .figure")?.dataset.value === "%d"`, o.Posts))
	checkEqual(t, "authors", p.Attribute(`.dash-card .figures > :nth-child(3) .figure`, "data-value"), fmt.Sprint(o.Authors.Count))
	settle(p)
	for _, s := range o.Sources[:3] {
		waitForText(p, s.Name+"\n"+formatNumber(s.Posts))
	}
}

// TestDashboard builds a dashboard, arranges it by keys, by dragging and by buttons, and compares its
// numbers with the API.
func TestDashboard(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand := int64(w.monitors[demo.Brand].ID)
	name := uniqueName("Board")
	p := w.signedIn(t, "/dashboards")
	p.WaitFor(fmt.Sprintf(`link "%s"`, demo.DashboardName))
	p.Click(`button "New dashboard"`)
	p.Fill(`dialog >> textbox "Name"`, name)
	p.Click(`dialog >> button "Create"`)
	p.WaitFor(fmt.Sprintf(`heading "%s"`, name))
	id := strings.TrimSuffix(strings.TrimPrefix(p.URL(), "/dashboards/"), "?edit=1")

	addCard(p, "Key figures", nil)
	addCard(p, "Volume", nil)
	addCard(p, "Sources", nil)
	c.waitCards(id, "figures4 volume2 sources1")
	checkFigures(t, c, p, brand, "range=last30")

	// By keys: the handle keeps the focus, and the new position is announced.
	k := keyboardUser{t, p}
	p.Eval(`document.querySelector("h1").focus()`, nil)
	k.tabTo("Move Sources · " + demo.Brand)
	p.Press("ArrowLeft")
	c.waitCards(id, "figures4 sources1 volume2")
	p.WaitText(`[aria-live=polite].sr`, fmt.Sprintf("Sources · %s: position 2 of 3", demo.Brand))
	checkEqual(t, "focus", p.Attribute(`:focus`, "aria-label"), "Move Sources · "+demo.Brand)
	p.Press("Home")
	c.waitCards(id, "sources1 figures4 volume2")
	p.Press("End")
	c.waitCards(id, "figures4 volume2 sources1")

	p.Click(fmt.Sprintf(`button "Make Sources · %s wider"`, demo.Brand))
	c.waitCards(id, "figures4 volume2 sources2")
	p.Click(fmt.Sprintf(`button "Make Volume · %s narrower"`, demo.Brand))
	c.waitCards(id, "figures4 volume1 sources2")

	// By dragging: over the left half of a card, before it.
	p.Drag(fmt.Sprintf(`button "Move Sources · %s"`, demo.Brand), fmt.Sprintf(`region "Volume · %s"`, demo.Brand), 20, 100)
	c.waitCards(id, "figures4 sources2 volume1")
	p.Drag(fmt.Sprintf(`button "Move Sources · %s"`, demo.Brand), fmt.Sprintf(`region "Volume · %s"`, demo.Brand), 200, 100)
	c.waitCards(id, "figures4 volume1 sources2")
	p.AxeInTurn()

	p.Click(fmt.Sprintf(`button "Remove Volume · %s"`, demo.Brand))
	c.waitCards(id, "figures4 sources2")
	p.Click(`button "Undo"`)
	c.waitCards(id, "figures4 volume1 sources2")
	checkEqual(t, "ID of the restored card", c.dashboard(id).Cards[1].ID, 2)

	// A card gets a range and a title of its own.
	p.Click(fmt.Sprintf(`button "Edit Volume · %s"`, demo.Brand))
	p.Choose(`dialog >> combobox "Dates"`, "Last 7 days")
	p.Fill(`dialog >> textbox "Title"`, "This week so far")
	p.Click(`dialog >> button "Save"`)
	p.WaitFor(`region "This week so far"`)
	c.waitUntil("the range of the card", func() bool { return c.dashboard(id).Cards[1].Range == "last7" })
	waitForText(p, "Last 7 days · Peak")

	addCard(p, "Comparison", func() {
		for _, name := range []string{demo.Brand, demo.FirstRival} {
			p.Fill(`dialog >> combobox "Add a monitor or saved filter"`, name)
			p.WaitFor(fmt.Sprintf(`option "%s"`, name))
			p.Press("Enter")
			p.WaitHidden(`listbox`)
		}
	})
	addCard(p, "Text", func() { p.Fill(`dialog textarea`, "Read me first.") })
	c.waitCards(id, "figures4 volume1 sources2 comparison2 text2")
	p.Click(`button "Done"`)
	p.WaitHidden(`button "Done"`)
	waitForText(p, "Read me first.")
	settle(p)
	for _, rival := range []string{demo.Brand, demo.FirstRival} {
		var o struct{ Posts int }
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?parts=days&range=last30", w.monitors[rival].ID), &o)
		p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll(".card-table tr")].some(e => e.innerText.trim().startsWith(%s) && e.querySelector("[data-value]").dataset.value === "%d")`, quoteJS(rival), o.Posts))
	}
	p.AxeInTurn()

	// Other dates apply to cards without dates of their own, and are part of the URL.
	p.Click(`button /^Choose dates/`)
	p.Click(`button "Last week"`)
	p.WaitUntil(`location.search === "?range=lastweek"`)
	checkFigures(t, c, p, brand, "range=lastweek")
	waitForText(p, "Last 7 days · Peak")

	// A bar leads to the overview with its filter.
	p.Click(fmt.Sprintf(`region "Sources · %s" >> .bars button`, demo.Brand))
	p.WaitUntil(fmt.Sprintf(`location.pathname === "/monitors/%d" && location.search.startsWith("?range=lastweek&filter=source")`, brand))
}

// TestDashboardChangedElsewhere edits a dashboard that a program has changed in the meantime.
func TestDashboardChangedElsewhere(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand := w.monitors[demo.Brand]
	name := uniqueName("Shared")
	id := fmt.Sprint(c.create("/manage/v1/dashboards", fields{"team": brand.Team, "name": name, "cards": []fields{{"kind": "sources", "monitor": brand.ID, "width": 1}}}))
	p := w.signedIn(t, "/dashboards/"+id+"?edit=1")
	p.WaitFor(fmt.Sprintf(`region "Sources · %s"`, demo.Brand))
	c.send("PATCH", "/manage/v1/dashboards/"+id, fields{"name": name + " 2"}, nil)
	p.Expect(409, "/manage/v1/dashboards/"+id)
	p.Click(fmt.Sprintf(`button "Make Sources · %s wider"`, demo.Brand))
	p.WaitText(`.notice.bad .break`, fmt.Sprintf("Not saved: %s has changed the dashboard in the meantime; reload it and try again", demo.Username))
	p.Click(`button "Reload"`)
	p.WaitText(`h1`, name+" 2")
	p.WaitHidden(`.notice.bad`)
	p.Click(fmt.Sprintf(`button "Make Sources · %s wider"`, demo.Brand))
	c.waitCards(id, "sources2")

	// A removed monitor does not break the page.
	monitor := c.create("/manage/v1/monitors", fields{"team": brand.Team, "name": uniqueName("Gone"), "keywords": "nothing"})
	c.send("PATCH", "/manage/v1/dashboards/"+id, fields{"cards": []fields{{"kind": "volume", "monitor": monitor, "title": "Gone"}}}, nil)
	c.send("DELETE", fmt.Sprintf("/manage/v1/monitors/%d", monitor), nil, nil)
	p.Visit("/dashboards/" + id)
	p.WaitText(`region "Gone" >> p`, "This monitor was removed.")

	// A copy is independent.
	p.Click(`button "More actions"`)
	p.Click(`button "Duplicate"`)
	p.WaitFor(fmt.Sprintf(`heading "Copy of %s 2"`, name))
	p.Click(`button "More actions"`)
	p.Click(`button "Delete…"`)
	p.Click(`dialog >> button "Delete dashboard"`)
	p.WaitUntil(`location.pathname === "/dashboards"`)
	p.WaitFor(fmt.Sprintf(`link "%s 2"`, name))
	p.WaitHidden(fmt.Sprintf(`link "Copy of %s 2"`, name))
}

// TestDashboardFromMonitor makes a dashboard of a monitor in one click.
func TestDashboardFromMonitor(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	rival := int64(w.monitors[demo.SecondRival].ID)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d", rival))
	p.Click(`button "More actions"`)
	p.Click(`button "New dashboard from this monitor"`)
	p.WaitFor(fmt.Sprintf(`heading "%s dashboard"`, demo.SecondRival))
	settle(p)
	id := strings.TrimPrefix(p.URL(), "/dashboards/")
	checkEqual(t, "cards", c.dashboard(id).kinds(), "figures4 volume3 unusual1 sentiment2 posts2 topics2 words2 sources1 languages1 authors1 hashtags1")
	checkFigures(t, c, p, rival, "range=last30")

	// Titles of incidents are shown in full, even in the narrowest card.
	brand := w.monitors[demo.Brand]
	cards := []fields{{"kind": "unusual", "monitor": brand.ID, "width": 1}}
	p.Visit(fmt.Sprintf("/dashboards/%d", c.create("/manage/v1/dashboards", fields{"name": uniqueName("Incidents"), "team": brand.Team, "range": "last30", "cards": cards})))
	p.WaitFor(`.dash-card .incidents a`)
	p.WaitUntil(`[...document.querySelectorAll(".dash-card .incidents strong, .dash-card .incidents strong *")].every(e => getComputedStyle(e).textOverflow !== "ellipsis" && e.scrollWidth <= e.offsetWidth + 1)`)
	title := p.Text(`.dash-card .incidents a`)
	var found struct{ Incidents []incident }
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/incidents?range=last30", brand.ID), &found)
	if !slices.ContainsFunc(found.Incidents, func(i incident) bool { return i.Title == title }) {
		t.Errorf("the dashboard shows %q, which is not the title of an incident", title)
	}
}

// TestDashboardOnWall shows a dashboard on a whole screen, which keeps its data while the server is
// away.
func TestDashboardOnWall(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	name := uniqueName("Wall")
	path := fmt.Sprintf("/dashboards/%d", c.create("/manage/v1/dashboards", fields{"copyOf": w.dashboard.ID, "name": name}))
	p := w.signedIn(t, path+"?wall=1")
	checkFigures(t, c, p, int64(w.monitors[demo.Brand].ID), "range=lastweek")
	p.WaitHidden(`navigation "Main"`)
	p.WaitText(`h1`, name)
	p.AxeInTurn()

	posts := p.Attribute(`.dash-card .figure`, "data-value")
	p.Eval(`void (window.realFetch = window.fetch, window.fetch = () => Promise.reject(new TypeError("away")))`, nil)
	p.Eval(`void window.dispatchEvent(new Event("online"))`, nil)
	p.WaitUntil(`document.querySelector(".wall-head [role=status]").innerText.startsWith("The server cannot be reached. Data as of ")`)
	checkEqual(t, "posts while the server is away", p.Attribute(`.dash-card .figure`, "data-value"), posts)
	checkEqual(t, "placeholders while the server is away", p.Count(`.skeleton`), 0)
	p.Eval(`void (window.fetch = window.realFetch)`, nil)
	p.Eval(`void window.dispatchEvent(new Event("online"))`, nil)
	p.WaitUntil(`document.querySelector(".wall-head [role=status]").innerText.startsWith("Updated ")`)

	// What a colleague changes appears, too.
	c.send("PATCH", "/manage/v1"+path, fields{"name": name + " 2"}, nil)
	p.Eval(`void window.dispatchEvent(new Event("online"))`, nil)
	p.WaitText(`h1`, name+" 2")

	p.Press("Escape")
	p.WaitUntil(fmt.Sprintf(`location.pathname + location.search === %s`, quoteJS(path)))
	p.WaitFor(`navigation "Main"`)
}

// TestAddToDashboard puts a chart, a comparison and posts on a dashboard, each from its own page.
func TestAddToDashboard(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	brand := w.monitors[demo.Brand]
	name := uniqueName("Pins")
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d?range=lastweek&filter=gender:F", brand.ID))
	p.Click(`button "Volume: add to dashboard"`)
	p.Choose(`dialog >> combobox "Dashboard"`, "New dashboard…")
	p.Fill(`dialog >> textbox "Name"`, name)
	p.Choose(`dialog >> combobox "Dates"`, "Always Last week")
	p.AxeInTurn()
	p.Click(`dialog >> button "Add"`)
	waitForText(p, "Added to "+name+".")

	pin := func(path, button string) {
		p.Visit(path)
		p.Click(button)
		p.Choose(`dialog >> combobox "Dashboard"`, name)
		p.Click(`dialog >> button "Add"`)
		p.WaitHidden(`dialog`)
		waitForText(p, "Added to "+name+".")
	}
	pin(fmt.Sprintf("/monitors/%d/posts?sort=reach&filter=gender:F", brand.ID), `button "Add to dashboard"`)
	pin(fmt.Sprintf("/compare?m=%d,%d", brand.ID, w.monitors[demo.FirstRival].ID), `button "Volume: add to dashboard"`)
	pin(fmt.Sprintf("/monitors/%d/topics", brand.ID), `button "Topics over time: add to dashboard"`)

	var list struct {
		Items []struct {
			ID   int64
			Name string
		}
	}
	c.get("/manage/v1/dashboards", &list)
	for _, item := range list.Items {
		if item.Name != name {
			continue
		}
		d := c.dashboard(fmt.Sprint(item.ID))
		checkEqual(t, "cards", d.kinds(), "volume2 posts2 comparison2 topics2")
		checkEqual(t, "filters", d.Cards[0].Filter+" "+d.Cards[1].Filter, "gender:F gender:F")
		checkEqual(t, "range", d.Cards[0].Range+" "+d.Cards[1].Range, "lastweek ")
		p.Visit(fmt.Sprintf("/dashboards/%d", item.ID))
		p.WaitFor(fmt.Sprintf(`region "Posts by reach · %s" >> article`, demo.Brand))
		settle(p)
		return
	}
	t.Errorf("there is no dashboard %s", name)
}
