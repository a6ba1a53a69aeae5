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

// An authorInfo describes an author in the response of the management API.
type authorInfo struct {
	Posts, Engagement      int
	Followers, Impressions *int
	Days                   []struct {
		Date      string
		Posts     int
		Followers *int
	}
	Monitors, Topics, Hashtags, Sentiment, Emotions, Languages []count
	EngagementTypes                                            []count
	Top                                                        []authorPost
}

type authorPost struct {
	Monitors []struct{ Name string }
	Post     shownPost
}

type authorPage struct {
	Total  int
	Items  []authorPost
	Cursor string
}

func (p authorPage) keys() []string { return authorKeys(p.Items) }

func authorKeys(posts []authorPost) (keys []string) {
	for _, p := range posts {
		keys = append(keys, p.Post.Key)
	}
	return keys
}

// authorPosts returns posts by an author on several days, the newest today: count about a word, every
// third also about another.
func authorPosts(name, word, other string, count int) (posts []fields) {
	for i := range count {
		topic := []string{"bright glass mosaics", "windy harbor nights"}[i%2]
		text := fmt.Sprintf("Note %d about the %s, number %d: %s", i, word, i*i, topic)
		if i%3 == 0 {
			text += " beside the " + other
		}
		posts = append(posts, fields{
			"type": "Bluesky", "guid": fmt.Sprint(name, "-", i), "url": fmt.Sprint("https://social.example/", name, "/", i), "contents": text + " #" + word + "fans",
			"date": time.Now().UTC().Add(-time.Duration(i) * 9 * time.Hour).Format(time.RFC3339), "author": "Quilla Marsh", "authorUsername": name, "authorFollowers": 5000 - 10*i,
			"likes": (i * 7) % 23, "shares": i % 4, "language": "en",
		})
	}
	return posts
}

// TestAuthor compares the page of an author with the responses of the API, from the link on a post of
// one monitor to the posts in another.
func TestAuthor(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, name, word, other := w.client(t), uniqueName("quilla"), uniqueName("lantern"), uniqueName("candle")
	c.importPosts(authorPosts(name, word, other, 30)...)
	first := c.addMonitor(w, fields{"name": "All " + word, "keywords": word}, 30)
	c.addMonitor(w, fields{"name": "Some " + other, "keywords": other}, 10)

	p := w.signedIn(t, fmt.Sprintf("/monitors/%d/posts?range=last90&sort=oldest", first))
	p.Click(`link "Quilla Marsh"`)
	p.WaitFor(`heading "Quilla Marsh"`)
	at, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "address", at.Path+"?"+at.Query().Encode(), "/author?name="+name+"&range=last90&source=Bluesky&timezone=UTC")
	query := "name=" + name + "&source=Bluesky&range=last90"
	var info authorInfo
	c.get("/manage/v1/author?"+query, &info)
	checkEqual(t, "posts in the response", info.Posts, 30)
	settle(p)
	checkEqual(t, "who it is", p.Text(`.lead`), "@"+name+" · Bluesky · 5,000 followers")
	checkEqual(t, "figures", figures(p), [][]string{
		row("Posts", info.Posts), row("Followers", *info.Followers), row("Reach", *info.Impressions), row("Engagement", info.Engagement), row("Monitors", 2),
	})
	checkAuthorCharts(t, p, info)
	checkAuthorLists(t, p, name, info)
	waitKeys(p, `ul[aria-label="All posts"]`, c.authorPage(query+"&limit=20&sort=newest").keys())
	checkEqual(t, "monitors of the first post", p.Texts(`region "All posts" >> li:first-child ul[aria-label="Matched by"] li`), []string{"All " + word, "Some " + other})
	p.AxeInTurn()
	checkAuthorOrders(t, c, p, query)
	p.Visit("/author?" + query)
	waitKeys(p, `ul[aria-label="All posts"]`, c.authorPage(query+"&limit=20").keys())
	checkLayout(t, p)

	p.Click(fmt.Sprintf(`region "Monitors" >> link /^Some %s/`, other))
	p.WaitFor(fmt.Sprintf(`button "Remove filter: Author %s"`, name))
	p.WaitText(`p[role=status] strong`, "10 posts")
}

// figures returns the names and values of the figures of a page.
func figures(p *browsertest.Page) (all [][]string) {
	p.Eval(`[...document.querySelectorAll("dl.figures > *")].map(e => [e.querySelector("dt").innerText, e.querySelector("[data-value]").dataset.value])`, &all)
	return all
}

func (c *apiClient) authorPage(query string) (page authorPage) {
	c.t.Helper()
	c.get("/manage/v1/author/posts?"+query, &page)
	return page
}

// checkAuthorCharts compares the tables of the charts over time with the response.
func checkAuthorCharts(t *testing.T, p *browsertest.Page, info authorInfo) {
	t.Helper()
	var activity, followers [][]string
	for _, d := range info.Days {
		activity = append(activity, row(d.Date, d.Posts))
		if d.Followers != nil {
			followers = append(followers, row(d.Date, *d.Followers))
		}
	}
	if len(followers) < 5 {
		t.Errorf("got %d days with followers", len(followers))
	}
	checkRows(t, "activity", readTable(p, "Activity"), formatRows(t, activity, 1))
	_, file := downloadTable(t, p, "Activity")
	checkRows(t, "CSV of the activity", file[1:], activity)
	checkRows(t, "followers", readTable(p, "Followers over time"), formatRows(t, followers, 1))
}

// checkAuthorLists compares the bars with the response.
func checkAuthorLists(t *testing.T, p *browsertest.Page, name string, info authorInfo) {
	t.Helper()
	for _, list := range []struct {
		title, before string
		counts        []count
	}{
		{"Monitors", "", info.Monitors}, {"Topics", "", info.Topics}, {"Hashtags", "#", info.Hashtags}, {"Sentiment", "", info.Sentiment},
		{"Emotions", "", info.Emotions}, {"Post types", "", info.EngagementTypes}, {"Languages", "", info.Languages},
	} {
		var want, got []string
		sum := 0
		for _, c := range list.counts {
			label := map[string]string{"POST": "Original post"}[c.Name]
			if label == "" {
				label = list.before + strings.TrimPrefix(c.Name, "Basic ")
			}
			want = append(want, fmt.Sprintf("%s %d", label, c.Posts))
			sum += c.Posts
		}
		if sum == 0 {
			t.Errorf("%s: there is nothing to compare", list.title)
		}
		for _, text := range p.Texts(fmt.Sprintf(`region "%s" >> .bars li`, list.title)) {
			f := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
			number, _, _ := strings.Cut(f[1], " ")
			got = append(got, f[0]+" "+number)
		}
		checkEqual(t, list.title, got, want)
	}
}

// checkAuthorOrders lists all posts in every order, and the top posts.
func checkAuthorOrders(t *testing.T, c *apiClient, p *browsertest.Page, query string) {
	t.Helper()
	for _, o := range []struct{ name, sort string }{{"Most engagement", "engagement"}, {"Highest reach", "reach"}, {"Oldest", "oldest"}} {
		p.Choose(`combobox "Sort by"`, o.name)
		first := c.authorPage(query + "&limit=20&sort=" + o.sort)
		waitKeys(p, `ul[aria-label="All posts"]`, first.keys())
		p.Click(`button "Load more"`)
		second := c.authorPage(query + "&limit=20&sort=" + o.sort + "&cursor=" + url.QueryEscape(first.Cursor))
		waitKeys(p, `ul[aria-label="All posts"]`, append(first.keys(), second.keys()...))
		if o.sort == "engagement" {
			var top []string
			p.Eval(`[...document.querySelectorAll('ul[aria-label="Top posts"] > li')].map(li => li.dataset.key)`, &top)
			checkEqual(t, "top posts", top, first.keys()[:5])
		}
	}
}

// TestAuthorLinks opens the page of an author from the overview of a monitor with the keyboard, and
// from the second page of a list of posts. The back button then returns to the post.
func TestAuthorLinks(t *testing.T) {
	t.Parallel()
	w := env(t)
	c, id := w.client(t), int64(w.monitors[demo.Brand].ID)
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d", id))
	p.WaitFor(`region "Authors" >> .bars li`)
	settle(p)
	author, _, _ := strings.Cut(p.Text(`region "Authors" >> .bars li`), "\n")
	keyboardUser{t, p}.tabTo("Open the author page of " + author)
	p.Press("Enter")
	p.WaitUntil(`location.pathname === "/author"`)
	var info authorInfo
	c.get("/manage/v1/author?name="+url.QueryEscape(author)+"&timezone="+url.QueryEscape(w.monitors[demo.Brand].Timezone), &info)
	p.WaitUntil(fmt.Sprintf(`document.querySelector(".figure[data-value]")?.dataset.value === "%d"`, info.Posts))

	p.Visit(fmt.Sprintf("/monitors/%d/posts?sort=engagement", id))
	p.Click(`button "Load more"`)
	p.WaitUntil(`document.querySelectorAll("article").length === 100`)
	settle(p)
	key := c.pageOf(id, "sort=engagement&limit=100").keys()[89]
	p.Eval(fmt.Sprintf(`document.querySelector('li[data-key="%s"] a.author').focus()`, key), nil)
	p.Press("Enter")
	p.WaitUntil(`location.pathname === "/author"`)
	settle(p)
	p.Eval(`(() => { const now = Date.now; Date.now = () => now() + 120_000 })()`, nil) // lists reload once if the monitor was backfilled within a minute
	p.Back()
	p.WaitUntil(fmt.Sprintf(`(() => {
		const post = document.querySelector('li[data-key="%s"]')?.getBoundingClientRect();
		return document.querySelectorAll("article").length === 100 && post.top > 0 && post.bottom < innerHeight;
	})()`, key))
}

// TestUnknownAuthor opens the page of authors without posts, of no author, and with an error.
func TestUnknownAuthor(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.open(t, browsertest.Options{Width: 390, Height: 844, Dark: true})
	p.SignIn(demo.Username, demo.Password)
	p.Visit("/author?name=nobody-of-this-name")
	p.WaitFor(`heading "No posts by nobody-of-this-name"`)
	p.AxeInTurn()
	p.Click(`button "Show the last 365 days"`)
	p.WaitUntil(`location.search.includes("range=last365")`)
	p.WaitFor(`heading "No posts by nobody-of-this-name"`)
	p.WaitHidden(`button "Show the last 365 days"`)
	p.Visit("/author")
	p.WaitFor(`heading "No author selected"`)
	p.AxeInTurn()
	p.Expect(400, "/manage/v1/author")
	p.Visit("/author?name=ann&timezone=Moon")
	waitForText(p, "Invalid value 'Moon' for parameter 'timezone'")
	p.AxeInTurn()
}
