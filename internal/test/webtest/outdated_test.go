package webtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/model/enrich"
	"earshot/internal/test/webtest/browsertest"
)

// TestOutdatedLabels changes the version of the models. The monitor and the status page say that an
// older version labeled the posts, and its button reprocesses them.
func TestOutdatedLabels(t *testing.T) {
	w := env(t)
	models := enrich.New()
	site, team := startFresh(t, func(o *app.Options) { o.Enrich = models })
	c := (&environment{site: site}).clientFor(t, "ann", "far and wide")
	monitor := c.create("/manage/v1/monitors", fields{"team": team, "name": "Lighthouses", "keywords": "lighthouse"})
	var posts strings.Builder
	for i := range 12 {
		fmt.Fprintf(&posts, `{"type":"News","guid":"%d","url":"https://example.com/%d","date":"%s","contents":"I love this lighthouse, it is wonderful"}`+"\n",
			i, i, time.Now().UTC().Add(-time.Duration(i)*time.Hour).Format(time.RFC3339))
	}
	if status, body := c.request("POST", site+"/manage/v1/posts", []byte(posts.String())); status != 200 {
		t.Fatalf("import: %d %s", status, body)
	}
	const sentence = "12 of 12 posts were labeled by an older version of the models."
	overview := fmt.Sprintf("/monitors/%d", monitor)
	p := w.browser.Open(t, browsertest.Options{Site: site, Width: 1280, Height: 900})
	p.SignIn("ann", "far and wide")
	p.Visit(overview)
	p.WaitFor(`region "Sentiment"`)
	if text := p.Text("main"); strings.Contains(text, "older version") {
		t.Errorf("the page says that labels are outdated: %s", text)
	}

	models.SetGeneration(1)
	p.Visit(overview)
	waitForText(p, sentence)
	p.WaitFor(`button "Reprocess stored posts"`)
	p.AxeInTurn()
	p.Visit("/admin?tab=status")
	waitForText(p, sentence)
	p.AxeInTurn()
	p.Click(`button "Reprocess stored posts"`)
	p.Click(`button "Reprocess"`)
	waitForText(p, "Reprocessing stored posts.")
	p.WaitUntil(`!document.body.innerText.includes("older version")`)
	p.Visit(overview)
	p.WaitFor(`region "Sentiment"`)
	if text := p.Text("main"); strings.Contains(text, "older version") {
		t.Errorf("after reprocessing, the page says that labels are outdated: %s", text)
	}
}
