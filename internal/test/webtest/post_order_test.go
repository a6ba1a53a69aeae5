package webtest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A postPage is a page of a list of posts in the response of the management API.
type postPage struct {
	Total, Groups int
	Items         []struct {
		shownPost
		Copies int
	}
	Cursor string
}

func (p postPage) keys() (keys []string) {
	for _, post := range p.Items {
		keys = append(keys, post.Key)
	}
	return keys
}

// pageOf returns a page of the posts of a monitor. query has the other parameters.
func (c *apiClient) pageOf(id int64, query string) (p postPage) {
	c.t.Helper()
	c.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?%s", id, query), &p)
	return p
}

// waitKeys waits until a list shows the posts with these keys, in this order.
func waitKeys(p *browsertest.Page, list string, keys []string) {
	p.WaitUntil(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%s)].map(li => li.dataset.key)) === %s`, quoteJS(list+" > li"), quoteJS(quoteJS(keys))))
	settle(p)
}

// TestPostOrders lists the posts of a monitor in every order. The order is part of the URL, and the
// second page continues it.
func TestPostOrders(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/posts", id))
	const list = `ul[aria-label="Posts"]`
	for _, o := range []struct{ name, sort string }{
		{"Most engagement", "engagement"}, {"Highest reach", "reach"}, {"Most relevant", "relevance"}, {"Oldest", "oldest"}, {"Newest", "newest"},
	} {
		p.Choose(`combobox "Sort by"`, o.name)
		first := c.pageOf(id, "sort="+o.sort)
		waitKeys(p, list, first.keys())
		p.Click(`button "Load more"`)
		second := c.pageOf(id, "sort="+o.sort+"&cursor="+url.QueryEscape(first.Cursor))
		waitKeys(p, list, append(first.keys(), second.keys()...))
		if isIn := strings.Contains(p.URL(), "sort="+o.sort); isIn != (o.sort != "newest") { // the default is left out
			t.Errorf("address in the order %s: %s", o.name, p.URL())
		}
	}
	most := c.pageOf(id, "sort=engagement&limit=1").Items[0]
	p.Visit(fmt.Sprintf("/monitors/%d/posts?sort=engagement", id))
	p.WaitFor(fmt.Sprintf(`li[data-key="%s"] >> list "Engagement"`, most.Key))
	if shown := p.Text(`article >> list "Engagement"`); !strings.Contains(shown, plural(*most.Likes, "like")) {
		t.Errorf("the post with the most engagement has %d likes, but shows %q", *most.Likes, shown)
	}
	checkLayout(t, p)
	p.AxeInTurn()
}

// checkLayout checks that nothing on the page moved while it was loading.
func checkLayout(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var moved []string
	p.Eval(`new Promise(done => new PerformanceObserver(list => done(list.getEntries()
		.filter(e => !e.hadRecentInput && e.value > 0.01)
		.flatMap(e => e.sources.map(s => e.value.toFixed(3) + " " + (s.node?.outerHTML ?? s.node?.textContent ?? "").slice(0, 200)))))
		.observe({type: "layout-shift", buffered: true}) ?? setTimeout(() => done([]), 200))`, &moved)
	if len(moved) > 0 {
		t.Errorf("the layout shifted: %s", strings.Join(moved, "\n"))
	}
}

// copiedPosts returns posts about a word, one a minute up to now: others, which all differ, and then
// one with copies.
func copiedPosts(word string, others, copies int) (posts []fields) {
	topics := []string{"Rain is expected in the mountains all week", "The museum opens its new wing to visitors", "A recipe for lemon cake without butter", "Trains run late between both harbors"}
	at := func(n int) string {
		return time.Now().UTC().Add(-time.Duration(others+copies+1-n) * time.Minute).Format(time.RFC3339)
	}
	for i := range others {
		posts = append(posts, fields{"type": "Blogs", "guid": fmt.Sprint(word, "-", i), "url": "https://blog.example/" + fmt.Sprint(word, i), "date": at(i), "contents": topics[i] + ", says " + word + ".", "author": fmt.Sprint("Writer ", i), "likes": i, "language": "en"})
	}
	for i := range copies + 1 {
		text := "Everyone talks about the " + word + " since the fair last weekend in the old town hall"
		if i > 0 {
			text = fmt.Sprintf("RT @first%s: %s", word, text)
		}
		posts = append(posts, fields{"type": "Bluesky", "guid": fmt.Sprint(word, "-copy-", i), "url": "https://social.example/" + fmt.Sprint(word, i), "date": at(others + i), "contents": text, "author": fmt.Sprint("Copier ", i), "authorUsername": fmt.Sprint(word, "copier", i), "authorFollowers": 100 * i, "shares": 500 - i, "language": "en"})
	}
	return posts
}

// TestSimilarPosts groups copies of a post and opens them, with the keyboard only.
func TestSimilarPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, word := w.client(t), uniqueName("similar")
	c.importPosts(copiedPosts(word, 4, 12)...)
	id := c.addMonitor(w, fields{"name": word, "keywords": word}, 17)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/posts?sort=engagement", id))
	p.WaitText(`p[role=status]`, "17 posts. Times are in UTC.")
	k := keyboardUser{t, p}
	k.tabTo("Group similar posts")
	p.Press("Space")
	p.WaitText(`p[role=status]`, "17 posts in 5 groups of similar posts. Times are in UTC.")
	grouped := c.pageOf(id, "sort=engagement&group=true")
	checkEqual(t, "groups", []int{grouped.Total, grouped.Groups, grouped.Items[0].Copies}, []int{17, 5, 13})
	waitKeys(p, `ul[aria-label="Posts"]`, grouped.keys())
	checkEqual(t, "buttons that open copies", p.Texts(`.copies > button`), []string{"12 similar posts"})

	k.tabTo("12 similar posts")
	p.Press("Enter")
	copies := c.pageOf(id, "sort=engagement&limit=10&copiesOf="+grouped.Items[0].Key)
	checkEqual(t, "posts of the group", copies.Total, 13)
	const list = `ul[aria-label="12 similar posts"]`
	waitKeys(p, list, copies.keys()[1:]) // the first one is the post itself
	p.WaitText(list+` + .row .small`, "9 of 12 shown")
	p.AxeInTurn()
	k.tabTo("Load more")
	p.Press("Enter")
	rest := c.pageOf(id, "sort=engagement&limit=10&copiesOf="+grouped.Items[0].Key+"&cursor="+url.QueryEscape(copies.Cursor))
	waitKeys(p, list, append(copies.keys()[1:], rest.keys()...))

	p.Reload() // the address has the order and the grouping
	waitKeys(p, `ul[aria-label="Posts"]`, grouped.keys())
	p.Click(`checkbox "Group similar posts"`)
	waitKeys(p, `ul[aria-label="Posts"]`, c.pageOf(id, "sort=engagement").keys())
	p.WaitText(`p[role=status]`, "17 posts. Times are in UTC.")
}

// restrictionNote is what a page says about posts from Twitter on a server with the default settings.
const restrictionNote = "Posts from Twitter are shown without text because of the server's restricted_sources setting. Administrators can change it; see docs/configuration.md."

// TestRestrictedPosts checks that each page says once which posts have no text, and why, and never
// shows the text.
func TestRestrictedPosts(t *testing.T) {
	t.Parallel()
	w := env(t)
	site, team := startFresh(t)
	c := &apiClient{t: t, site: site}
	var token struct{ Auth string }
	c.send("POST", "/manage/v1/tokens", fields{"username": "ann", "password": "far and wide"}, &token)
	c.token = token.Auth
	for i := range 3 {
		c.importPosts(fields{"type": "Twitter", "guid": fmt.Sprint(i), "url": fmt.Sprint("https://twitter.com/quelvin/status/", i), "date": time.Now().UTC().Add(-time.Hour).Format(time.RFC3339), "contents": "secret kettle words", "authorUsername": "quelvin", "author": "quelvin (Quelvin Ort)", "authorFollowers": 70, "likes": 8})
	}
	id := c.create("/manage/v1/monitors", fields{"team": team, "name": "Kettles", "keywords": "kettle"})
	c.waitUntil("the monitor has the posts", func() bool { return c.posts(id) == 3 })
	p := w.browser.Open(t, browsertest.Options{Site: site, Width: 390, Height: 844, Dark: true})
	p.SignIn("ann", "far and wide")
	check := func(path, wait string, cards int) {
		t.Helper()
		p.Visit(path)
		p.WaitFor(wait)
		settle(p)
		checkEqual(t, "notes on "+path, p.Texts(`[role=note]`), []string{restrictionNote})
		var html string
		p.Eval(`document.documentElement.outerHTML`, &html)
		checkEqual(t, "cards without text on "+path, strings.Count(html, "Text not shown"), cards)
		if strings.Contains(html, "secret") || strings.Contains(html, "Quelvin Ort") {
			t.Errorf("%s shows what it must not", path)
		}
		p.AxeInTurn()
	}
	check(fmt.Sprintf("/monitors/%d/posts", id), `article`, 3)
	checkEqual(t, "engagement of a post", p.Text(`article >> list "Engagement"`), "8 likes")
	p.Click(`button "Export"`)
	waitForText(p, "text is left out for Twitter, Tumblr, Google Plus, and for Twitter also the author and date.")
	check(fmt.Sprintf("/monitors/%d/edit", id), `.samples >> article`, 3)
	check("/author?name=quelvin&source=Twitter", `article`, 3)
	checkEqual(t, "who it is", p.Text(`.lead`), "@quelvin · Twitter · 70 followers")
}
