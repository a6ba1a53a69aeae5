package scenariotest

import (
	"bufio"
	"cmp"
	"fmt"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/config"
)

// TestSecondLook stores posts in two languages of which a monitor finds some. The English ones that it finds
// have a second look, once, and keep what it found after a restart.
func TestSecondLook(t *testing.T) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.SecondLookCPU = t.TempDir(), 0, 100
	a := openApp(t, cfg, app.Options{})
	c := newPictureClient(t, a)
	var team, monitor struct{ ID int64 }
	c.send("POST", "/manage/v1/teams", []byte(`{"name":"Acme"}`), &team)
	c.send("POST", "/manage/v1/monitors", fmt.Appendf(nil, `{"name":"Train","team":%d,"keywords":"train","start":"2026-03-01"}`, team.ID), &monitor)
	var lines []byte
	add := func(guid, language, text string) {
		lines = fmt.Appendf(lines, `{"type":"Bluesky","guid":%[1]q,"url":"https://example.com/%[1]s","language":%[2]q,"date":"2026-03-10","contents":%[3]q}`+"\n", guid, language, text)
	}
	add("irony", "en", "Oh great, the train is late again. Just what I needed today")
	add("praise", "en", "Cannot thank the staff of the train enough, they saved our holiday")
	add("german", "de", "Der Zug (train) ist schon wieder zu spät, wie wunderbar")
	add("unmatched", "en", "Oh great, the bus is late again. Just what I needed today")
	var imported struct{ Accepted int }
	if c.send("POST", "/manage/v1/posts", lines, &imported); imported.Accepted != 4 {
		t.Fatalf("%d posts were accepted, want 4", imported.Accepted)
	}
	awaitLooks(t, a, 2)
	want := map[string]string{"irony": "Basic Negative", "praise": "Basic Positive"}
	check := func(when string) {
		t.Helper()
		got := c.sentiments(monitor.ID)
		for guid, category := range want {
			if got[guid] != category {
				t.Errorf("%s: %s: got %s, want %s", when, guid, got[guid], category)
			}
		}
	}
	check("after the second look")
	a.Close()
	a = openApp(t, cfg, app.Options{})
	c = newPictureClient(t, a)
	check("after a restart")

	// The models run on all posts again, and then it is the turn of the second look again.
	c.refresh()
	awaitLooks(t, a, 2)
	check("after a refresh")
}

// awaitLooks waits until posts had a second look and are stored. No others may have one.
func awaitLooks(t *testing.T, a *app.App, want int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got := -1
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		for scan := bufio.NewScanner(w.Body); scan.Scan(); {
			if n, ok := strings.CutPrefix(scan.Text(), "earshot_second_looks_total "); ok {
				_, _ = fmt.Sscan(n, &got)
			}
		}
		if got == want {
			return
		}
		if got > want || time.Now().After(deadline) {
			t.Fatalf("%d posts had a second look, want %d", got, want)
		}
	}
}

// sentiments returns the sentiments of the posts of a monitor, by the last part of their URLs.
func (c *pictureClient) sentiments(monitor int64) map[string]string {
	c.t.Helper()
	type score struct {
		Name  string  `json:"categoryName"`
		Score float64 `json:"score"`
	}
	var response struct {
		Posts []struct {
			URL    string
			Scores []score `json:"categoryScores"`
		}
	}
	c.send("GET", fmt.Sprintf("/api/monitor/posts?id=%d&start=2026-03-10&end=2026-03-11", monitor), nil, &response)
	byName := map[string]string{}
	for _, p := range response.Posts {
		best := slices.MaxFunc(p.Scores, func(a, b score) int { return cmp.Compare(a.Score, b.Score) })
		byName[path.Base(p.URL)] = best.Name
	}
	return byName
}
