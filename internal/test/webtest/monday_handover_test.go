package webtest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"earshot/internal/demo"
	"earshot/internal/report/pdftext"
	"earshot/internal/test/webtest/browsertest"
)

// handOver does the second half of the job: note what happened, star the posts that show it, put the
// findings on a dashboard, and give them to people who have no account.
func (a analyst) handOver(w *environment, spike string, e explanation) {
	a.Helper()
	a.annotate(spike)
	a.starPosts(spike, e)
	board := a.buildDashboard()
	a.exportDashboard(board)
	a.shareDashboard(w, board)
}

// annotate notes on the time axis what happened on a day.
func (a analyst) annotate(day string) {
	a.Helper()
	a.p.Visit(fmt.Sprintf("/monitors/%d?range=lastweek", a.brand))
	note := uniqueName("Paywall on the double shot ")
	a.p.Click(`button "Annotate"`)
	a.p.Fill(`textbox "Text"`, note)
	at := parseDay(a.T, day)
	fillDate(a.p, "From", at)
	fillDate(a.p, "To", at)
	a.p.Click(`dialog >> button "Save"`)
	shown := fmt.Sprintf("%s: %s by %s", at.Format("Mon, Jan 2"), note, demo.Username)
	a.p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll(".annotations li .break")].some(e => e.innerText === %s)`, quoteJS(shown)))
	a.p.AxeInTurn()
	var list struct {
		Items []struct {
			ID   int64
			Text string
		}
	}
	a.c.get(fmt.Sprintf("/manage/v1/annotations?monitor=%d", a.brand), &list)
	for _, item := range list.Items {
		if item.Text == note {
			a.Cleanup(func() { a.c.send("DELETE", fmt.Sprintf("/manage/v1/annotations/%d", item.ID), nil, nil) })
			return
		}
	}
	a.Errorf("the annotation is not in %+v", list.Items)
}

// starPosts stars the three posts of the story with the most engagement.
func (a analyst) starPosts(day string, e explanation) {
	a.Helper()
	query := url.Values{"start": {day}, "end": {addDays(a.T, day, 1)}, "filter": {e.Stories[0].Filter}, "sort": {"engagement"}}
	a.p.Visit(fmt.Sprintf("/monitors/%d/posts?%s", a.brand, query.Encode()))
	top := a.c.pageOf(a.brand, query.Encode()).keys()[:3]
	for _, key := range top {
		a.p.Click(fmt.Sprintf(`li[data-key="%s"] >> button "Star"`, key))
		a.p.WaitFor(fmt.Sprintf(`li[data-key="%s"] >> button "Remove star"`, key))
		a.Cleanup(func() {
			a.c.send("PATCH", fmt.Sprintf("/manage/v1/monitors/%d/posts/%s/mark", a.brand, url.PathEscape(key)), fields{"starred": false}, nil)
		})
	}
	a.p.Visit(fmt.Sprintf("/monitors/%d/posts?range=lastweek&sort=engagement&filter=%s", a.brand, url.QueryEscape("starred:yes")))
	waitKeys(a.p, `ul[aria-label="Posts"]`, top)
}

// A board is the dashboard that the analyst makes, with the numbers that it must show.
type board struct {
	name       string
	id         string
	posts      int
	rivalPosts int
}

// buildDashboard puts last week on a dashboard: the figures, the volume, the posts that were starred,
// and the competitor.
func (a analyst) buildDashboard() (b board) {
	a.Helper()
	b.name = uniqueName("Week of the paywall ")
	a.p.Click(`navigation "Main" >> link "Dashboards"`)
	a.p.Click(`button "New dashboard"`)
	a.p.Fill(`dialog >> textbox "Name"`, b.name)
	a.p.Click(`dialog >> button "Create"`)
	a.p.WaitFor(fmt.Sprintf(`heading "%s"`, b.name))
	b.id = strings.TrimSuffix(strings.TrimPrefix(a.p.URL(), "/dashboards/"), "?edit=1")
	a.Cleanup(func() { a.c.send("DELETE", "/manage/v1/dashboards/"+b.id, nil, nil) })
	a.p.Click(`button /^Choose dates/`)
	a.p.Click(`button "Last week"`)
	a.c.waitUntil("the range of the dashboard", func() bool { return a.c.dashboard(b.id).Range == "lastweek" })
	addCard(a.p, "Key figures", nil)
	addCard(a.p, "Volume", nil)
	addCard(a.p, "Comparison", func() {
		for _, name := range []string{demo.Brand, demo.FirstRival} {
			a.p.Fill(`dialog >> combobox "Add a monitor or saved filter"`, name)
			a.p.WaitFor(fmt.Sprintf(`option "%s"`, name))
			a.p.Press("Enter")
			a.p.WaitHidden(`listbox`)
		}
	})
	addCard(a.p, "Posts", nil)
	a.p.Click(`button "Done"`)
	a.c.waitUntil("four cards", func() bool { return len(a.c.dashboard(b.id).Cards) == 4 })
	b.posts, b.rivalPosts = a.postsLastWeek(a.brand), a.postsLastWeek(a.rival)
	showsPosts(a.p, b.posts)
	waitForText(a.p, formatNumber(b.rivalPosts))
	a.p.AxeInTurn()
	return b
}

func (a analyst) postsLastWeek(id int64) int {
	a.Helper()
	var o overview
	a.c.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?range=lastweek&parts=days", id), &o)
	return o.Posts
}

// exportDashboard downloads the dashboard as PDF and Excel, and a chart as SVG. The PDF has the
// numbers of the page.
func (a analyst) exportDashboard(b board) {
	a.Helper()
	a.p.Click(`button "Export"`)
	pages, err := pdftext.Pages(a.p.Download(func() { a.p.Click(`link "PDF report"`) }).Data)
	if err != nil {
		a.Fatal(err)
	}
	lines := strings.Split(strings.Join(pages, "\n"), "\n")
	for _, want := range []string{b.name, formatNumber(b.posts), formatNumber(b.rivalPosts), demo.FirstRival} {
		if !slices.Contains(lines, want) {
			a.Errorf("the PDF lacks %q:\n%s", want, strings.Join(lines, "\n"))
		}
	}
	a.p.Click(`button "Export"`)
	workbook := a.p.Download(func() { a.p.Click(`link "Excel workbook"`) })
	if values := workbookValues(a.T, workbook, 0); !slices.Contains(values, fmt.Sprint(b.posts)) || !slices.Contains(values, fmt.Sprint(b.rivalPosts)) {
		a.Errorf("the workbook lacks %d and %d: %q", b.posts, b.rivalPosts, values)
	}
	a.p.Visit(fmt.Sprintf("/monitors/%d?range=lastweek", a.brand))
	a.p.WaitFor(`region "Volume"`)
	settle(a.p)
	svg := downloadChart(a.p, "Volume", "SVG image")
	if !strings.HasSuffix(svg.Name, ".svg") || !strings.Contains(string(svg.Data), ">Volume</text>") {
		a.Errorf("got the picture %s:\n%.500s", svg.Name, svg.Data)
	}
	a.p.Back()
}

// shareDashboard creates a link, opens it signed out, revokes it, and sees it refused.
func (a analyst) shareDashboard(w *environment, b board) {
	a.Helper()
	a.p.Visit("/dashboards/" + b.id)
	a.p.Click(`button "Share"`)
	link := createLink(a.p, b.name, "In 7 days", "")
	visitor := w.open(a.T, browsertest.Options{Width: 390, Height: 844, Dark: true})
	visitor.Visit(link)
	visitor.WaitText(`h1`, b.name)
	visitor.WaitFor(`article`)
	settle(visitor)
	showsPosts(visitor, b.posts)
	waitForText(visitor, formatNumber(b.rivalPosts))
	checkNoWayIn(a.T, visitor)
	visitor.AxeInTurn()

	a.p.Click(fmt.Sprintf(`button "Revoke %s"`, b.name))
	a.p.Click(fmt.Sprintf(`dialog "Revoke %s?" >> button "Revoke"`, b.name))
	a.p.WaitHidden(fmt.Sprintf(`button "Revoke %s"`, b.name))
	visitor.Expect(404, "/share/v1/")
	visitor.Reload()
	visitor.WaitFor(`heading "This link is not valid"`)
}
