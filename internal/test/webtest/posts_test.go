package webtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A shownPost is a post in the response of the management API.
type shownPost struct {
	Key, URL, Date, Type, Title, Author, AuthorUsername, Language string
	Contents                                                      *string // nil if the server does not show it
	Excerpt                                                       bool
	Likes                                                         *int
	Hashtags                                                      []string
	Marks                                                         struct{ Title, Contents [][2]int }
}

// name returns the accessible name of a post on the page.
func (s shownPost) name(t *testing.T) string {
	t.Helper()
	name := s.Type + " post"
	if by := cmp.Or(s.Author, s.AuthorUsername); by != "" {
		name += " by " + by
	}
	if s.Date == "" {
		return name
	}
	at, err := time.Parse("2006-01-02T15:04:05", s.Date)
	if err != nil {
		t.Fatal(err)
	}
	return name + at.Format(", Jan 2, 2006, 3:04 PM")
}

// highlighted returns the highlighted words of the title and text.
func (s shownPost) highlighted() (words []string) {
	for _, m := range s.Marks.Title {
		words = append(words, slice(s.Title, m))
	}
	for _, m := range s.Marks.Contents {
		words = append(words, slice(*s.Contents, m))
	}
	return words
}

// postsOf returns all posts of a monitor.
func (c *apiClient) postsOf(id int64, filter string, full bool) (posts []shownPost) {
	c.t.Helper()
	for offset := 0; ; {
		var page struct {
			Items []shownPost
			Next  int
		}
		c.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?limit=500&offset=%d&full=%t&filter=%s", id, offset, full, url.QueryEscape(filter)), &page)
		posts = append(posts, page.Items...)
		if offset = page.Next; offset == 0 {
			return posts
		}
	}
}

// addMonitorOf creates a monitor in the demo's team and waits until it has matched the stored
// posts.
func (c *apiClient) addMonitorOf(w *environment, name, keywords string, sources ...string) (id int64) {
	c.t.Helper()
	id = c.create("/manage/v1/monitors", fields{"team": w.monitors[demo.Brand].Team, "name": name, "keywords": keywords, "sources": sources, "timezone": "Asia/Tokyo"})
	c.waitMatched(id)
	return id
}

// TestPosts lists the posts of a monitor, loads more, shows one in full, searches, and filters by a
// click on the source of a post.
func TestPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	all := []shownPost{}
	c.importPosts(longPost())
	id := c.addMonitorOf(w, "Posts to read", "morvessa OR qorvista", "Twitter", "Bluesky", "Blogs", "News")
	c.waitUntil("the long post is listed", func() bool {
		all = c.postsOf(id, "", false)
		return all[0].Title == "On the Qorvista"
	})
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/posts", id))
	checkList(t, p, all, 50)
	p.WaitText(`.posts + .row .small`, fmt.Sprintf("50 of %s shown", formatNumber(len(all))))
	p.Click(`button "Load more"`)
	checkList(t, p, all, 100)
	checkFullText(t, c, p, id, all[0])
	refinePosts(t, c, p, id, all[0])
	p.AxeInTurn()
}

// checkList waits until the page lists the first posts, and checks the total.
func checkList(t *testing.T, p *browsertest.Page, posts []shownPost, first int) {
	t.Helper()
	var names []string
	for _, post := range posts[:min(first, len(posts))] {
		names = append(names, post.name(t))
	}
	p.WaitUntil(fmt.Sprintf(`document.querySelectorAll("article").length === %d`, len(names)))
	settle(p)
	var got []string
	p.Eval(`[...document.querySelectorAll("article")].map(a => a.ariaLabel)`, &got)
	checkEqual(t, "posts", got, names)
	checkEqual(t, "number of posts", p.Text(`p[role=status] strong`), plural(len(posts), "post"))
}

func plural(n int, name string) string {
	if n != 1 {
		name += "s"
	}
	return formatNumber(n) + " " + name
}

// longPost returns a post that is too long for lists, and newer than the posts of the demo.
func longPost() fields {
	text := "I have had a Qorvista since spring. Its espresso would please a barista. " + strings.Repeat("It makes coffee, day after day. ", 40) + "The Qorvista was worth it."
	return fields{"type": "Blogs", "guid": "qorvista-1", "url": "https://blog.example/qorvista", "date": time.Now().UTC().Format(time.RFC3339), "title": "On the Qorvista", "contents": text, "author": "Ada", "language": "en"}
}

// checkFullText expands the first post, which the list shortens.
func checkFullText(t *testing.T, c *apiClient, p *browsertest.Page, id int64, first shownPost) {
	t.Helper()
	var full shownPost
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/posts/%s", id, first.Key), &full)
	checkEqual(t, "full text in the response", *full.Contents, longPost()["contents"].(string))
	const text = `document.querySelector("article .post-text p").textContent`
	p.WaitUntil(text + " === " + quoteJS(*first.Contents))
	p.Click(`article >> button "Show full text"`)
	p.WaitUntil(text + " === " + quoteJS(*full.Contents))
	checkEqual(t, "highlights in the full text", p.Texts(`article >> mark`), full.highlighted())
}

// refinePosts searches, and then clicks the source of the first post.
func refinePosts(t *testing.T, c *apiClient, p *browsertest.Page, id int64, first shownPost) {
	t.Helper()
	p.Fill(`searchbox "Search these posts"`, "coffee OR recall")
	p.Press("Enter")
	p.WaitFor(`button "Remove filter: Keywords coffee OR recall"`)
	found := c.postsOf(id, "keywords:coffee OR recall", false)
	o := c.overview(id, days{}, "")
	checkEqual(t, "posts in the public API", len(found), c.countPosts(id, days{o.Start, o.End}, "keywords:coffee OR recall"))
	checkList(t, p, found, 50)
	checkHighlights(t, p, found[:min(50, len(found))])
	source := found[0].Type
	p.Click(fmt.Sprintf(`article >> button "%s"`, source))
	p.WaitFor(fmt.Sprintf(`button "Remove filter: Source %s"`, source))
	checkList(t, p, c.postsOf(id, "source:"+source+"|keywords:coffee OR recall", false), 50)
	p.Click(`button "Clear all"`)
	p.WaitFor(fmt.Sprintf(`article "%s"`, first.name(t)))
	p.Click(fmt.Sprintf(`article "%s" >> button "Coffee and Tea"`, first.name(t)))
	p.WaitFor(`button "Remove filter: Interest Coffee and Tea"`)
	checkList(t, p, c.postsOf(id, "interest:41", false), 50)
	p.Click(`button "Remove filter: Interest Coffee and Tea"`)
	p.WaitFor(fmt.Sprintf(`article "%s"`, first.name(t)))
}

// checkHighlights compares the highlighted words of each post with the response.
func checkHighlights(t *testing.T, p *browsertest.Page, posts []shownPost) {
	t.Helper()
	var want [][]string
	highlights := 0
	for _, post := range posts {
		want = append(want, append([]string{}, post.highlighted()...))
		highlights += len(post.highlighted())
	}
	if highlights == 0 {
		t.Error("no word is highlighted")
	}
	var seen [][]string
	p.Eval(`[...document.querySelectorAll("article")].map(a => [...a.querySelectorAll("mark")].map(m => m.textContent))`, &seen)
	checkEqual(t, "highlights", seen, want)
}

// TestExport exports the posts of a monitor as CSV and as NDJSON, and checks the audit log.
func TestExport(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	id := c.addMonitorOf(w, "Posts to export", "morvessa AND (recall OR solano)", "Twitter", "Bluesky", "Blogs")
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/posts?filter=%s", id, url.QueryEscape("gender:F")))
	posts := c.postsOf(id, "gender:F", true)
	checkList(t, p, posts, 50)
	p.Click(`button "Export"`)
	p.WaitFor(`link "Download CSV"`)
	p.AxeInTurn()
	checkTable(t, p.Download(func() { p.Click(`link "Download CSV"`) }), id, posts)
	p.Click(`button "Export"`)
	checkLines(t, p.Download(func() { p.Click(`link "Download NDJSON"`) }), posts)
	p.Click(`link "Settings"`)
	log := rows(p, "Audit log entries")
	checkEqual(t, "audit log", [][]string{log[0][:2], log[1][:2], log[2][:2]}, [][]string{{"Exported microblog posts", "demo"}, {"Exported microblog posts", "demo"}, {"Created", "demo"}})
	checkEqual(t, "audit events", c.events(id), []string{"UI_TWITTER_EXPORT", "UI_TWITTER_EXPORT", "ENABLED"})
}

// events returns the audit events of a monitor, newest first.
func (c *apiClient) events(id int64) (events []string) {
	c.t.Helper()
	var response struct{ AuditInfo []struct{ Event string } }
	c.get(fmt.Sprintf("/api/monitor/audit?id=%d", id), &response)
	for _, e := range response.AuditInfo {
		events = append(events, e.Event)
	}
	return events
}

// checkTable compares the rows of a CSV export with posts.
func checkTable(t *testing.T, f browsertest.File, id int64, posts []shownPost) {
	t.Helper()
	if !strings.HasPrefix(f.Name, fmt.Sprintf("monitor-%d-", id)) || !strings.HasSuffix(f.Name, ".csv") {
		t.Errorf("unexpected file name %s", f.Name)
	}
	table := readCSV(t, f.Data)
	column := map[string]int{}
	for i, name := range table[0] {
		column[name] = i
	}
	var seen, want [][]string
	for _, r := range table[1:] {
		date, _, _ := strings.Cut(r[column["date"]], "+09:00") // the offset of the monitor's time zone
		seen = append(seen, row(date, r[column["type"]], r[column["author"]], strings.TrimPrefix(r[column["title"]], "'"), strings.TrimPrefix(r[column["contents"]], "'"), r[column["url"]], r[column["likes"]], r[column["hashtags"]]))
	}
	for _, s := range posts {
		want = append(want, row(s.Date, s.Type, s.Author, s.Title, shownText(s), s.URL, likes(s), strings.Join(s.Hashtags, " ")))
	}
	checkEqual(t, "rows of the file", seen, want)
}

// checkLines compares the lines of an NDJSON export with posts.
func checkLines(t *testing.T, f browsertest.File, posts []shownPost) {
	t.Helper()
	if !strings.HasSuffix(f.Name, ".ndjson") {
		t.Errorf("unexpected file name %s", f.Name)
	}
	var seen, want [][]string
	for l := range strings.Lines(string(f.Data)) {
		var s shownPost
		if err := json.Unmarshal([]byte(l), &s); err != nil {
			t.Fatalf("%v in %s", err, l)
		}
		seen = append(seen, row(s.Type, s.Author, s.Title, shownText(s), s.URL, likes(s)))
	}
	for _, s := range posts {
		want = append(want, row(s.Type, s.Author, s.Title, shownText(s), s.URL, likes(s)))
	}
	checkEqual(t, "lines of the file", seen, want)
}

// shownText returns the text of a post, or "" if the server does not show it.
func shownText(s shownPost) string {
	if s.Contents == nil {
		return ""
	}
	return *s.Contents
}

// likes returns the likes of a post, or "" if unknown.
func likes(s shownPost) string {
	if s.Likes == nil {
		return ""
	}
	return strconv.Itoa(*s.Likes)
}
