package webtest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A teamwork is a team of two, ann and bob, with a monitor that matches five posts of the last days.
type teamwork struct {
	*apiClient        // of ann
	team, monitor     int64
	ann, bob, keyword string
	posts             []shownPost // newest first
}

// newTeamwork creates a team of its own, so that its marks are not in the way of other tests.
func (w *environment) newTeamwork(t *testing.T, name string) *teamwork {
	t.Helper()
	admin := w.client(t)
	tw := &teamwork{ann: uniqueName("ann"), bob: uniqueName("bob"), keyword: uniqueName(name)}
	tw.team = admin.create("/manage/v1/teams", fields{"name": tw.keyword + " team"})
	for user, first := range map[string]string{tw.ann: "Ann", tw.bob: "Bob"} {
		admin.create("/manage/v1/users", fields{"username": user, "password": demo.Password, "firstName": first, "lastName": "Lee", "apiAccess": true, "teams": []any{tw.team}})
	}
	var posts []fields
	for i := range 5 {
		posts = append(posts, fields{"type": "News", "guid": fmt.Sprint(tw.keyword, i), "url": fmt.Sprintf("https://news.example/%s/%d", tw.keyword, i), "author": fmt.Sprintf("%s %d", tw.keyword, i),
			"date": time.Now().UTC().Add(-time.Duration(i) * 24 * time.Hour).Format(time.RFC3339), "contents": fmt.Sprintf("A great %s, number %d", tw.keyword, i), "language": "en"})
	}
	admin.importPosts(posts...)
	tw.apiClient = w.clientFor(t, tw.ann, demo.Password)
	tw.monitor = tw.create("/manage/v1/monitors", fields{"team": tw.team, "name": "Monitor of " + tw.keyword, "keywords": tw.keyword})
	tw.waitMatched(tw.monitor)
	tw.waitUntil("five posts are listed", func() bool {
		tw.posts = tw.postsOf(tw.monitor, "", false)
		return len(tw.posts) == 5
	})
	return tw
}

// open opens a page as ann.
func (tw *teamwork) open(t *testing.T, w *environment, path string) *browsertest.Page {
	t.Helper()
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(tw.ann, demo.Password)
	p.Visit(path)
	return p
}

func (tw *teamwork) page(path string) string { return fmt.Sprintf("/monitors/%d%s", tw.monitor, path) }

// TestMarkPosts stars, tags, assigns and annotates posts, with the mouse and with keys, and filters
// and exports by that.
func TestMarkPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "markable")
	p := tw.open(t, w, tw.page("/posts"))
	checkList(t, p, tw.posts, 50)
	in := func(i int, selector string) string {
		return fmt.Sprintf(`article "%s" >> %s`, tw.posts[i].name(t), selector)
	}
	for _, i := range []int{0, 2, 4} {
		p.Click(in(i, `button "Star"`))
		p.WaitFor(in(i, `button "Remove star"`))
	}
	tw.waitUntil("three posts are starred", func() bool { return len(tw.postsOf(tw.monitor, "starred:yes", false)) == 3 })

	// The focus is on the star of the last post.
	p.Press("t")
	p.WaitFor(`combobox "Add a tag"`)
	p.AxeInTurn()
	p.Write("Press review")
	p.Press("Enter")
	p.WaitText(in(4, `.post-marks .badge`), "Press review")
	p.Press("Escape")
	p.WaitHidden(`combobox "Add a tag"`)
	p.Press("a")
	p.Click(`button "Bob Lee"`)
	p.WaitText(in(4, `.post-marks .badge:not(.accent)`), "Assigned to Bob Lee")
	p.Press("n")
	p.WaitFor(`textbox "Write a note for your team"`)
	p.Write("Ask for a correction")
	p.Click(`button "Save note"`)
	p.WaitText(in(4, `.post-notes p`), "Ask for a correction")
	p.AxeInTurn()

	p.Reload()
	checkList(t, p, tw.posts, 50)
	p.WaitText(in(4, `.post-notes strong`), tw.ann)
	p.WaitText(in(4, `.post-notes p`), "Ask for a correction")
	p.Click(in(4, `button "Edit note"`))
	p.Fill(`textbox "Write a note for your team"`, "Corrected")
	p.Click(`button "Save"`)
	p.WaitText(in(4, `.post-notes p`), "Corrected")

	checkMarkedPage(t, w, tw)
	checkMarkFilters(t, tw, p)
	checkTagDialog(t, tw, p)
	checkRefusedMark(t, w, tw, p)
}

// checkMarkedPage follows the links on the home page of bob, to whom one post is assigned.
func checkMarkedPage(t *testing.T, w *environment, tw *teamwork) {
	t.Helper()
	p := w.open(t, browsertest.Options{Width: 1440, Height: 900})
	p.SignIn(tw.bob, demo.Password)
	p.Visit("/")
	p.Click(`link "Assigned to me: 1"`)
	checkList(t, p, tw.posts[4:], 50)
	p.WaitText(`article >> .post-notes p`, "Corrected")
	p.AxeInTurn()
	p.Visit("/")
	p.Click(`link "Starred: 3"`)
	checkList(t, p, []shownPost{tw.posts[0], tw.posts[2], tw.posts[4]}, 50)
}

// checkMarkFilters filters by star, tag and assignee, and exports what is left.
func checkMarkFilters(t *testing.T, tw *teamwork, p *browsertest.Page) {
	t.Helper()
	add := func(field, option string) {
		p.Click(`button "Add filter"`)
		p.Choose(`combobox "Filter by"`, field)
		p.Click(fmt.Sprintf(`combobox "%s"`, field))
		p.Click(fmt.Sprintf(`option /^%s/`, option))
	}
	add("Starred", "Yes")
	p.WaitFor(`button "Remove filter: Starred Yes"`)
	starred := tw.postsOf(tw.monitor, "starred:yes", false)
	checkEqual(t, "starred posts in the response", len(starred), 3)
	checkList(t, p, starred, 50)

	p.Click(`.post-marks .badge.accent`)
	p.WaitFor(`button "Remove filter: Tag Press review"`)
	checkList(t, p, tw.posts[4:], 50)
	p.Click(`button "Export"`)
	table := readCSV(t, p.Download(func() { p.Click(`link "Download CSV"`) }).Data)
	if len(table) != 2 {
		t.Fatalf("got %d rows, want the head and one post", len(table))
	}
	at := slices.Index(table[0], "starred")
	checkEqual(t, "columns of marks", table[0][at:at+4], []string{"starred", "tags", "assignee", "notes"})
	checkEqual(t, "the mark in the file", table[1][at:at+4], []string{"yes", "Press review", tw.bob, tw.ann + ": Corrected"})

	p.Click(`button "Clear all"`)
	checkList(t, p, tw.posts, 50)
	add("Assigned to", "Bob Lee")
	checkList(t, p, tw.posts[4:], 50)
	p.Click(fmt.Sprintf(`button "Remove filter: Assigned to %s"`, tw.bob))
	add("Assigned to", "Me")
	waitForText(p, "No posts match the filter in this date range.")
	p.Visit(tw.page("?filter=" + url.QueryEscape("starred:yes")))
	p.WaitText(`.figures .figure`, "3")
	p.Visit(tw.page("/posts"))
	checkList(t, p, tw.posts, 50)
}

// checkTagDialog renames the tag, and deletes it.
func checkTagDialog(t *testing.T, tw *teamwork, p *browsertest.Page) {
	t.Helper()
	last := fmt.Sprintf(`article "%s" >> `, tw.posts[4].name(t))
	p.Click(last + `button "Tag"`)
	p.Click(`button "Manage tags…"`)
	p.WaitText(`dialog "Tags" >> li .grow`, "Press review 1 post")
	p.AxeInTurn()
	p.Click(`button "Rename Press review"`)
	p.Fill(`textbox "Name of Press review"`, "Press")
	p.Press("Enter")
	p.WaitText(`dialog "Tags" >> li .grow`, "Press 1 post")
	waitTexts(p, `.post-marks > .badge.accent`, "Press") // behind the dialog
	p.Click(`button "Delete Press"`)
	p.Click(`dialog "Delete the tag Press?" >> button "Delete"`)
	waitForText(p, "No post has a tag yet.")
	waitTexts(p, `.post-marks > .badge.accent`)
	checkEqual(t, "posts with the tag", len(tw.postsOf(tw.monitor, "tag:Press", false)), 0)
	p.Click(`dialog "Tags" >> button "Close"`)
}

// checkRefusedMark stars a post that has just been deleted.
func checkRefusedMark(t *testing.T, w *environment, tw *teamwork, p *browsertest.Page) {
	t.Helper()
	w.client(t).send("POST", "/manage/v1/authors/erase", fields{"author": tw.posts[1].Author}, nil)
	tw.waitUntil("the post is deleted", func() bool { return len(tw.postsOf(tw.monitor, "", false)) == 4 })
	p.Expect(404, fmt.Sprintf("/manage/v1/monitors/%d/posts/%s/mark", tw.monitor, tw.posts[1].Key))
	gone := fmt.Sprintf(`article "%s" >> `, tw.posts[1].name(t))
	p.Click(gone + `button "Star"`)
	waitForText(p, "does not exist")
	p.WaitFor(gone + `button "Star"`)
}

// TestCorrect corrects the sentiment of a post, which counts at once, and undoes that.
func TestCorrect(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "correctable")
	positive := func() int { return len(tw.postsOf(tw.monitor, "sentiment:positive", false)) }
	checkEqual(t, "positive posts", positive(), 5)
	p := tw.open(t, w, tw.page("/posts"))
	checkList(t, p, tw.posts, 50)
	first := fmt.Sprintf(`article "%s" >> `, tw.posts[0].name(t))
	p.Click(first + `button "Correct sentiment"`)
	p.WaitFor(`button "Change to Neutral"`)
	p.AxeInTurn()
	p.Click(`button "Change to Negative"`)
	p.WaitFor(first + `button /^Correct sentiment: Corrected by ` + tw.ann + `/`)
	p.WaitText(first+`.fact .badge`, "Sentiment: Negative")
	checkEqual(t, "positive posts after the correction", positive(), 4)
	p.Click(first + `button "Correct emotion"`)
	p.Click(`button "Change to Anger"`)
	p.WaitFor(first + `button /^Correct emotion: Corrected by/`)
	p.WaitText(first+`.fact .badge`, "Sentiment: Negative") // the other correction stays

	p.Visit(tw.page("/posts?filter=" + url.QueryEscape("corrected:yes|sentiment:negative")))
	p.WaitFor(`button "Remove filter: Corrected Yes"`)
	checkList(t, p, tw.posts[:1], 50)
	p.Click(first + `button /^Correct sentiment/`)
	p.Click(`button "Undo correction"`)
	waitForText(p, "No posts match the filter in this date range.")
	checkEqual(t, "positive posts after undoing it", positive(), 5)
	checkEqual(t, "angry posts", len(tw.postsOf(tw.monitor, "emotion:anger", false)), 1)
}

// TestAnnotate adds an annotation to the charts of a monitor and one to those of the team, and edits
// and deletes them.
func TestAnnotate(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "annotated")
	other := tw.create("/manage/v1/monitors", fields{"team": tw.team, "name": "Another of " + tw.keyword, "keywords": tw.keyword})
	tw.waitMatched(other)
	p := tw.open(t, w, tw.page(""))
	day := time.Now().UTC().AddDate(0, 0, -2)
	shown := day.Format("Mon, Jan 2")
	const item = `.annotations li .break`

	p.Click(`button "Annotate"`)
	p.Fill(`textbox "Text"`, "Recall announced")
	fillDate(p, "From", day)
	fillDate(p, "To", day)
	p.AxeInTurn()
	p.Click(`button "Save"`)
	p.WaitText(item, fmt.Sprintf("%s: Recall announced by %s", shown, tw.ann))
	for _, chart := range []string{"Volume", "Sentiment", "Emotions"} {
		p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll(".card")].find(c => c.querySelector("h2")?.textContent === %s)?.querySelector("[role=img]")?.ariaLabel.endsWith(%s)`,
			quoteJS(chart), quoteJS(fmt.Sprintf(". Annotations: %s: Recall announced", shown))))
	}
	p.AxeInTurn()

	p.Click(`button "Annotate"`)
	p.Fill(`textbox "Text"`, "Trade fair")
	fillDate(p, "From", day.AddDate(0, 0, -1))
	fillDate(p, "To", day)
	p.Choose(`combobox "Show on"`, "All monitors of the team")
	p.Click(`button "Save"`)
	fair := fmt.Sprintf("%s – %s: Trade fair by %s · all monitors", day.AddDate(0, 0, -1).Format("Mon, Jan 2"), shown, tw.ann)
	waitTexts(p, item, fair, fmt.Sprintf("%s: Recall announced by %s", shown, tw.ann))

	p.Click(`button "Edit Recall announced"`)
	p.Fill(`textbox "Text"`, "Recall widened")
	p.Click(`button "Save"`)
	waitTexts(p, item, fair, fmt.Sprintf("%s: Recall widened by %s", shown, tw.ann))
	p.Click(`button "Delete Recall widened"`)
	p.Click(`dialog "Delete this annotation?" >> button "Delete"`)
	waitTexts(p, item, fair)

	// A click on a day shows its hours, and a click on an hour leads on.
	p.Visit(tw.page(fmt.Sprintf("?start=%s&end=%s", day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly))))
	waitTexts(p, item, fair)
	p.Visit(fmt.Sprintf("/monitors/%d", other))
	waitTexts(p, item, fair)
	var list struct {
		Items []struct{ Start, End, Text string }
	}
	tw.get(fmt.Sprintf("/manage/v1/annotations?monitor=%d", other), &list)
	checkEqual(t, "annotations", fmt.Sprint(list.Items), fmt.Sprintf("[{%s %s Trade fair}]", day.AddDate(0, 0, -1).Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)))
}

// fillDate enters a date. Browsers show dates in their own format, but take them as ISO dates.
func fillDate(p *browsertest.Page, label string, day time.Time) {
	p.Eval(fmt.Sprintf(`(() => {
		const field = [...document.querySelectorAll("dialog label")].find(l => l.textContent.trim() === %s).parentElement.querySelector("input");
		field.value = %s;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		return 0;
	})()`, quoteJS(label), quoteJS(day.Format(time.DateOnly))), new(int))
}

// TestSavedViews saves what a page shows, and finds it on the home page, in the menu and in the
// command palette.
func TestSavedViews(t *testing.T) {
	t.Parallel()
	w := env(t)
	tw := w.newTeamwork(t, "viewed")
	path := tw.page("/posts?filter=" + url.QueryEscape("source:News") + "&range=last7&sort=oldest")
	p := tw.open(t, w, path)
	p.WaitFor(`button "Remove filter: Source News"`)
	p.Click(`button "More actions"`)
	p.Click(`button "Save view…"`)
	p.Fill(`dialog "Save this view" >> textbox "Name"`, "The week’s news")
	p.AxeInTurn()
	p.Click(`dialog "Save this view" >> button "Save"`)
	waitForText(p, "View saved.")
	var list struct{ Items []struct{ Name, Path string } }
	tw.get("/manage/v1/views", &list)
	if len(list.Items) != 1 || list.Items[0].Name != "The week’s news" || !strings.HasPrefix(list.Items[0].Path, tw.page("/posts?")) {
		t.Fatalf("got views %+v", list.Items)
	}
	saved := list.Items[0].Path

	p.Visit("/")
	p.Click(`navigation "Saved views" >> link "The week’s news"`)
	p.WaitFor(`button "Remove filter: Source News"`)
	checkEqual(t, "address", strings.TrimPrefix(p.URL(), w.site), saved)
	p.Visit(tw.page(""))
	p.Click(`button "More actions"`)
	p.Click(`group "Saved views" >> link "The week’s news"`)
	p.WaitFor(`button "Remove filter: Source News"`)

	p.Visit("/compare?m=" + fmt.Sprint(tw.monitor))
	p.WaitFor(`heading "Compare"`)
	p.Press("Control+k")
	p.WaitFor(`combobox "Search pages, monitors, views, and actions"`)
	p.Write("Save this view")
	p.Press("Enter")
	p.Fill(`dialog "Save this view" >> textbox "Name"`, "Compared")
	p.Click(`dialog "Save this view" >> button "Save"`)
	waitForText(p, "View saved.")
	p.Press("Control+k")
	p.WaitFor(`option "The week’s news Saved view"`)
	p.Write("week")
	p.Press("Enter")
	p.WaitFor(`button "Remove filter: Source News"`)

	p.Visit("/")
	waitTexts(p, `nav[aria-label="Saved views"] a`, "Compared", "The week’s news")
	p.Click(`button "Manage views…"`)
	p.AxeInTurn()
	p.Click(`button "Rename Compared"`)
	p.Fill(`textbox "Name of Compared"`, "Alone")
	p.Press("Enter")
	waitTexts(p, `nav[aria-label="Saved views"] a.badge`, "Alone", "The week’s news")
	p.Click(`button "Delete Alone"`)
	p.Click(`dialog "Delete the view Alone?" >> button "Delete"`)
	waitTexts(p, `nav[aria-label="Saved views"] a.badge`, "The week’s news")
}
