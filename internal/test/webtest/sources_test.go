package webtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"earshot/internal/demo"
	"earshot/internal/test/webtest/browsertest"
)

// A liveSource is a source as the API returns it.
type liveSource struct {
	ID       int64
	Name     string
	Paused   bool
	Keep     string
	Settings map[string]string
	State    struct{ Phase, Reason string }
	Counters struct{ Posts int }
}

// sources returns the live sources, by name.
func (c *apiClient) sources() map[string]liveSource {
	c.t.Helper()
	var page struct{ Items []liveSource }
	c.get("/manage/v1/sources?limit=1000", &page)
	byName := map[string]liveSource{}
	for _, s := range page.Items {
		byName[s.Name] = s
	}
	return byName
}

// TestSourceStates checks that the list shows what each source of the demo is doing, and that it
// follows changes without being reloaded.
func TestSourceStates(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	p := w.signedIn(t, "/sources")
	state := func(name, badge string) {
		t.Helper()
		p.WaitUntil(fmt.Sprintf(`[...document.querySelectorAll(".source-row")].some(r => r.querySelector("h2").innerText === %s && new RegExp(%s).test(r.querySelector(".badge").innerText))`, quoteJS(name), quoteJS(badge)))
	}
	state("Bluesky", "^Live$")
	state("Hacker News", `^Catching up, \d+ (hr|min) behind$`)
	state("mastodon.example", "^Needs attention$")
	waitForText(p, "The server no longer accepts the access token")

	// A source that is added elsewhere appears, and its number of posts grows.
	name := uniqueName("Other ")
	id := c.create("/manage/v1/sources", fields{"team": w.source.Team, "name": name, "kind": "bluesky", "keep": "all"})
	p.WaitFor(fmt.Sprintf(`link "%s"`, name))
	posts := fmt.Sprintf(`Number([...document.querySelectorAll(".source-row")].find(r => r.querySelector("h2").innerText === %s).querySelector(".source-posts .num").title.replaceAll(",", ""))`, quoteJS(name))
	var before int
	p.Eval(posts, &before)
	p.WaitUntil(fmt.Sprintf("%s > %d", posts, before))
	c.send("DELETE", fmt.Sprintf("/manage/v1/sources/%d?withPosts=true", id), nil, nil)
	p.WaitHidden(fmt.Sprintf(`link "%s"`, name))
	p.AxeInTurn()

	p.Click(`link "mastodon.example"`)
	p.WaitFor(`heading "mastodon.example"`)
	waitForText(p, "The server no longer accepts the access token")
	p.WaitFor(`heading "Not stored"`)
	p.AxeInTurn()
	if got := c.sources()["mastodon.example"].State.Phase; got != "attention" {
		t.Errorf("got the state %s", got)
	}
}

// TestGapMarks checks that charts mark the hours for which a source was down, and say so in words.
func TestGapMarks(t *testing.T) {
	t.Parallel()
	w := env(t)
	id := w.monitors[demo.LiveMonitor].ID
	p := w.signedIn(t, fmt.Sprintf("/monitors/%d", id))
	p.WaitFor(`heading "Volume"`)
	settle(p)
	p.WaitUntil(`document.querySelectorAll("[aria-labelledby] .gap-band").length >= 2`) // volume and sentiment
	waitForText(p, "Posts may be missing.")
	waitForText(p, "Bluesky was down")
	waitForText(p, "(the network could not be reached)")

	// The widest band covers the nine hours of the gap: more than a quarter and less than half of a day. Other
	// tests may cause short gaps.
	var share float64
	p.Eval(`(() => {
		const chart = document.querySelector(".gap-band").parentElement;
		const bands = [...chart.querySelectorAll(".gap-band")].map(b => b.getBoundingClientRect().width);
		return Math.max(...bands) / (chart.getBoundingClientRect().width / 8); // the monitor has results for a week
	})()`, &share)
	if share < 0.25 || share > 0.5 {
		t.Errorf("the band is %.2f days wide", share)
	}
	p.AxeInTurn()

	p.Visit(fmt.Sprintf("/monitors/%d", w.monitors[demo.Brand+" on Twitter"].ID))
	p.WaitFor(`heading "Volume"`)
	settle(p)
	if n := p.Count(".gap-band"); n != 0 {
		t.Errorf("a monitor of another network has %d gap marks", n)
	}
}

// TestManageSource adds a source with two clicks, and edits, pauses, resumes and removes it.
func TestManageSource(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	team := w.monitors[demo.Brand].Team
	p := w.signedIn(t, fmt.Sprintf("/sources/new?team=%d", team))
	p.Click(`link "Bluesky"`)
	p.WaitFor(`heading "Add Bluesky"`)
	name := p.Value(`textbox "Name"`)
	if !strings.HasPrefix(name, "Bluesky ") {
		t.Errorf("got the name %q, want one that is not taken", name)
	}
	p.AxeInTurn()
	p.Click(`button "Test"`)
	waitForText(p, "It works: 5 posts received. Nothing was stored.")
	p.AxeInTurn()
	name = uniqueName("Network ")
	p.Fill(`textbox "Name"`, name)
	p.Click(`button "Add"`)
	p.WaitFor(fmt.Sprintf(`link "%s"`, name))
	added := c.sources()[name]
	if added.ID == 0 || added.Keep != "matched" {
		t.Fatalf("got %+v", added)
	}

	p.Click(fmt.Sprintf(`link "%s"`, name))
	p.Click(`button "Pause"`)
	waitForText(p, "Paused "+name+".")
	p.WaitUntil(`document.querySelector(".page-head .badge").innerText === "Paused"`)
	if !c.sources()[name].Paused {
		t.Error("the source is not paused")
	}
	p.Click(`button "Resume"`)
	p.WaitUntil(`document.querySelector(".page-head .badge").innerText === "Live"`)

	p.Click(`link "Edit"`)
	p.WaitFor(`heading "Edit ` + name + `"`)
	p.Click(`details summary`)
	p.Choose(`combobox "Store"`, "All posts")
	p.Fill(`textbox "Delete posts after (days)"`, "zero")
	p.Click(`button "Save"`)
	waitForText(p, "Enter a number of days from 1 to 36,500, or leave the field empty.")
	p.AxeInTurn()
	p.Fill(`textbox "Delete posts after (days)"`, "14")
	p.Click(`button "Save"`)
	p.WaitFor(`heading "Gaps"`)
	waitForText(p, "14 days")
	if got := c.sources()[name].Keep; got != "all" {
		t.Errorf("keep: got %s", got)
	}

	p.Click(`button "Remove…"`)
	p.WaitFor(fmt.Sprintf(`dialog "Remove %s?"`, name))
	p.AxeInTurn()
	p.Press("Escape")
	p.WaitHidden(fmt.Sprintf(`dialog "Remove %s?"`, name))
	p.Click(`button "Remove…"`)
	p.Click(`radio /Delete the posts/`)
	p.Click(`button "Remove source and posts"`)
	waitForText(p, "Removed "+name)
	c.waitUntil("the source is gone", func() bool { return c.sources()[name].ID == 0 })
}

// TestSourceFormErrors checks that mistakes are shown at the field, and that the rules of a server
// must be accepted.
func TestSourceFormErrors(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.signedIn(t, fmt.Sprintf("/sources/new?kind=mastodon&team=%d", w.monitors[demo.Brand].Team))
	p.WaitFor(`heading "Add Mastodon"`)
	p.Expect(400, "/manage/v1/sources") // the rules before all fields are complete, and the source without consent
	p.Click(`button "Add"`)
	p.WaitUntil(`document.activeElement.getAttribute("aria-invalid") === "true" && document.getElementById(document.activeElement.id + "-error").innerText === "Server: enter a value."`)
	p.AxeInTurn()
	p.Fill(`textbox "Server"`, "https://social.example")
	p.Fill(`textbox "Hashtags (optional)"`, "food")
	p.Fill(`textbox "Access token"`, "secret")
	waitForText(p, "Respect when people delete their posts.")
	if got := p.Value(`textbox "Name"`); got != "social.example" {
		t.Errorf("got the name %q", got)
	}
	p.Click(`button "Add"`)
	waitForText(p, "Accept the server's rules to continue.")
	p.Click(`checkbox /I have read these rules/`)
	p.AxeInTurn()
	name := uniqueName("Server ")
	p.Fill(`textbox "Name"`, name)
	p.Click(`button "Add"`)
	p.WaitFor(fmt.Sprintf(`link "%s"`, name))
	if got := w.client(t).sources()[name].Settings["accepted_rules"]; got == "" {
		t.Error("the accepted rules were not stored")
	}
}

// TestWebhook adds a webhook and sends a post with the secret that the page shows once.
func TestWebhook(t *testing.T) {
	t.Parallel()
	w := env(t)
	c := w.client(t)
	name := uniqueName("Hook ")
	p := w.signedIn(t, fmt.Sprintf("/sources/new?kind=webhook&team=%d", w.monitors[demo.Brand].Team))
	p.WaitFor(`heading "Add a webhook"`)
	p.Fill(`textbox "Name"`, name)
	p.Click(`button "Add"`)
	waitForText(p, "Copy the secret now. It will not be shown again.")
	p.AxeInTurn()
	endpoint, secret := p.Text(`region "Endpoint" >> pre[aria-label=Endpoint]`), p.Text(`pre[aria-label=Secret]`)
	item, err := json.Marshal([]fields{{"guid": name, "date": "2026-11-01T10:00:00Z", "contents": "Hello from " + name}})
	if err != nil {
		t.Fatal(err)
	}
	sender := &apiClient{t: t, site: w.site, token: secret}
	if status, body := sender.request("POST", endpoint, item); status >= 300 {
		t.Fatalf("got %d %s", status, body)
	}
	c.waitUntil("the post is counted", func() bool { return c.sources()[name].Counters.Posts == 1 })
	p.WaitUntil(`[...document.querySelectorAll(".figures dd")].some(d => d.title === "1")`)
	p.Reload()
	p.WaitFor(`heading "` + name + `"`)
	p.WaitFor(`heading "Send a post"`)
	if p.Count(`pre[aria-label=Secret]`) != 0 || strings.Contains(p.Text("main"), secret) {
		t.Error("the page shows the secret again")
	}
}

// TestSourcesReadOnly opens the page as a member who may not change sources.
func TestSourcesReadOnly(t *testing.T) {
	t.Parallel()
	w := env(t)
	p := w.open(t, browsertest.Options{})
	p.SignIn("colleague", "earshot-colleague")
	p.Visit("/sources")
	p.WaitFor(`link "Bluesky"`)
	waitForText(p, "You can view these sources.")
	if n := p.Count(`link "Add source"`); n != 0 {
		t.Error("the page offers to add a source")
	}
	p.AxeInTurn()
	p.Click(`link "Bluesky"`)
	p.WaitFor(`heading "Gaps"`)
	for _, button := range []string{"Pause", "Remove…"} {
		if p.Count(fmt.Sprintf(`button "%s"`, button)) != 0 {
			t.Errorf("the page offers %s", button)
		}
	}
}
