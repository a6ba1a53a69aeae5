package webtest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/connector/bluesky/blueskytest"
	"earshot/internal/secret/password"
	"earshot/internal/test/webtest/browsertest"
)

// maxFirstCount is how long it may take from adding a source until a monitor counts its posts. On a
// machine that is not busy it is less than 10 seconds.
const maxFirstCount = time.Minute

// startFresh starts a server without any data but a user and a team, and returns its address and
// the team. change may change the options.
func startFresh(t *testing.T, change ...func(*app.Options)) (site string, team earshot.TeamID) {
	t.Helper()
	cfg := config.New()
	cfg.Data, cfg.Listen, cfg.AllowPrivateAddresses = t.TempDir(), "127.0.0.1:0", true
	options := app.Options{Version: "test", NoFirstUser: true, Hasher: password.Hasher{Memory: 64, Passes: 1, Threads: 1}}
	for _, f := range change {
		f(&options)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended, ready := make(chan error, 1), make(chan string, 1)
	prepare := func(ctx context.Context, a *app.App) error {
		u, err := a.Accounts.AddUser(ctx, account.NewUser{Username: "ann", Password: "far and wide", APIAccess: true, Permissions: earshot.Permissions})
		if err != nil {
			return err
		}
		added, err := a.Accounts.AddTeam(ctx, earshot.NewCaller(u), earshot.Team{Name: "Press office"})
		if err == nil {
			team = added.ID
		}
		return err
	}
	go func() {
		ended <- app.Run(ctx, cfg, options, app.Hooks{Prepare: prepare, Ready: func(address string) { ready <- address }})
	}()
	t.Cleanup(func() { cancel(); <-ended })
	select {
	case address := <-ready:
		return "http://" + address, team
	case err := <-ended:
		ended <- err
		t.Fatal(err)
		return "", 0
	}
}

// TestFreshInstallation follows a new user: the first page asks for a source, then for a monitor,
// and a few seconds later the monitor counts posts of the network.
func TestFreshInstallation(t *testing.T) {
	w := env(t)
	network := blueskytest.Start(blueskytest.Options{})
	defer network.Close()
	site, team := startFresh(t)
	shared := &environment{site: site}
	c := shared.clientFor(t, "ann", "far and wide")
	p := w.browser.Open(t, browsertest.Options{Site: site, Width: 1280, Height: 900})
	p.SignIn("ann", "far and wide")

	p.Visit("/")
	waitForText(p, "Where should posts come from?")
	p.AxeInTurn()
	p.Click(`link "Add a source"`)
	p.WaitFor(`link "Bluesky"`)
	p.AxeInTurn()
	monitor := c.create("/manage/v1/monitors", fields{"team": team, "name": "Lighthouses", "keywords": "lighthouse"})

	p.Click(`link "Bluesky"`)
	p.WaitFor(`heading "Add Bluesky"`)
	p.Click(`details summary`)
	settings := network.Settings()
	p.Fill(`textbox "Jetstream servers"`, settings["url"])
	p.Fill(`textbox "AppView"`, settings["api_url"])
	added := time.Now()
	p.Click(`button "Add"`)
	const matching = 5
	p.WaitUntil(`[...document.querySelectorAll(".source-row .badge")].some(b => b.innerText === "Live")`)
	for i := range matching {
		network.Publish(fmt.Sprintf("The lighthouse of bay %d shines again", i))
		network.Publish(fmt.Sprintf("Nothing to see in bay %d", i))
	}
	c.waitUntil("the monitor has the posts", func() bool { return c.posts(monitor) == matching })
	p.Visit(fmt.Sprintf("/monitors/%d", monitor))
	showsPosts(p, matching)
	if took := time.Since(added); took > maxFirstCount {
		t.Errorf("the monitor shows posts after %v, want at most %v", took, maxFirstCount)
	} else {
		t.Logf("the monitor shows posts after %v", took)
	}

	p.Visit("/sources")
	waitForText(p, "5 posts")
	p.AxeInTurn()
}

// startFeed starts a server with a feed of six posts about lighthouses.
func startFeed(t *testing.T) *httptest.Server {
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		var items strings.Builder
		for i := range 6 {
			fmt.Fprintf(&items, `<item><guid>news-%d</guid><title>Lighthouse %d</title><link>http://%s/news/%d</link><description>The lighthouse of bay %d shines again.</description><pubDate>%s</pubDate></item>`,
				i, i, r.Host, i, i, time.Now().Add(-time.Hour).UTC().Format(time.RFC1123Z))
		}
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>Harbor news</title>%s</channel></rss>`, &items)
	}))
	t.Cleanup(feed.Close)
	return feed
}

// TestFirstHour follows an administrator from an empty installation to the first chart: team, source,
// monitor, each of which leads to the next one.
func TestFirstHour(t *testing.T) {
	w := env(t)
	feed := startFeed(t)
	site, team := startFresh(t)
	(&environment{site: site}).clientFor(t, "ann", "far and wide").send("DELETE", fmt.Sprintf("/manage/v1/teams/%d", team), nil, nil)
	p := w.browser.Open(t, browsertest.Options{Site: site, Width: 1280, Height: 900})
	p.SignIn("ann", "far and wide")
	p.Visit("/")
	p.Click(`link "Add a source"`)
	p.Fill(`textbox "Team name"`, "Harbor office")
	p.AxeInTurn()
	p.Click(`button "Continue"`)
	p.Click(`link "Feeds"`)
	p.WaitFor(`heading "Add a feed"`)
	p.Visit("/monitors/new")
	p.Fill(`textbox "Keywords"`, "lighthouse")
	waitForText(p, "No posts are stored yet")
	p.Visit("/sources/new?kind=feed")
	p.Fill(`textbox "Address"`, feed.URL+"/feed.xml")
	p.Click(`button "Add"`)
	p.WaitUntil(`[...document.querySelectorAll(".source-row")].some(r => r.innerText.includes("6 posts"))`)
	p.AxeInTurn()
	p.Click(`link "Create a monitor from these posts"`)
	p.Click(`button "Create monitor"`)
	showsPosts(p, 6)
	p.WaitUntil(`!document.body.innerText.includes("Unusual days")`)
}

// TestAddFeed adds a feed by its address: a test shows its posts, and after Add a monitor counts
// them. The list of feeds can be exported.
func TestAddFeed(t *testing.T) {
	w := env(t)
	feed := startFeed(t)
	site, team := startFresh(t)
	c := (&environment{site: site}).clientFor(t, "ann", "far and wide")
	monitor := c.create("/manage/v1/monitors", fields{"team": team, "name": "Lighthouses", "keywords": "lighthouse"})
	p := w.browser.Open(t, browsertest.Options{Site: site, Width: 390, Height: 844, Dark: true})
	p.SignIn("ann", "far and wide")

	p.Visit("/sources")
	p.Click(`link "Feeds"`)
	p.WaitFor(`heading "Add a feed"`)
	p.Expect(400, "/manage/v1/sources/test")
	p.Fill(`textbox "Address"`, "ftp://harbor.example/feed")
	p.Click(`button "Test"`)
	p.WaitUntil(`document.activeElement.getAttribute("aria-invalid") === "true" && document.activeElement.labels[0].innerText === "Address"`)
	p.AxeInTurn()
	p.Fill(`textbox "Address"`, feed.URL+"/feed.xml")
	p.Click(`button "Test"`)
	waitForText(p, "It works: 5 posts received. Nothing was stored.")
	waitForText(p, "The lighthouse of bay")
	p.AxeInTurn()
	added := time.Now()
	p.Click(`button "Add"`)
	c.waitUntil("the monitor has the posts", func() bool { return c.posts(monitor) == 6 })
	p.Visit(fmt.Sprintf("/monitors/%d", monitor))
	showsPosts(p, 6)
	if took := time.Since(added); took > maxFirstCount {
		t.Errorf("the monitor shows posts after %v, want at most %v", took, maxFirstCount)
	}
	var wide string
	p.Eval(widestElement, &wide)
	if wide != "" {
		t.Errorf("the page is wider than the screen: %s", wide)
	}

	p.Visit("/sources")
	waitForText(p, "6 posts")
	p.Click(`.source-row h2 a`)
	p.WaitFor(`heading "Feed list (OPML)"`)
	p.AxeInTurn()
	file := p.Download(func() { p.Click(`link "Export"`) })
	if !strings.Contains(string(file.Data), feed.URL+"/feed.xml") {
		t.Errorf("the list of feeds is %s", file.Data)
	}
	if p.Eval(widestElement, &wide); wide != "" {
		t.Errorf("the page is wider than the screen: %s", wide)
	}
}
