package scenariotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/config"
)

// A hookCall is what a webhook received.
type hookCall struct {
	id, signature string
	Type          string
	Data          struct {
		ID          int64
		State       string
		Title       string
		Observed    float64
		Explanation *struct{ Words []string }
	}
}

// TestASpikeReachesAWebhook follows posts through the whole service: they are stored, counted,
// compared with what is expected, explained, and delivered, and the same when they are over.
func TestASpikeReachesAWebhook(t *testing.T) {
	t.Parallel()
	calls := make(chan hookCall, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c := hookCall{id: r.Header.Get("webhook-id"), signature: r.Header.Get("webhook-signature")}
		if err := json.Unmarshal(body, &c); err != nil {
			t.Errorf("webhook: %v in %s", err, body)
		}
		calls <- c
	}))
	defer hook.Close()

	var clock atomic.Int64 // seconds
	clock.Store(time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC).Unix())
	now := func() time.Time { return time.Unix(clock.Load(), 0).UTC() }
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.RestrictedSources, cfg.AllowPrivateChannels = t.TempDir(), 0, nil, true
	w := &world{T: t, app: openApp(t, cfg, app.Options{Now: now})}
	w.signIn()
	team := w.add("/manage/v1/teams", `{"name":"Acme"}`)
	monitor := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Coffee","team":%d,"keywords":"coffee","timezone":"UTC","start":"2026-01-01"}`, team))
	channel := w.add("/manage/v1/channels", fmt.Sprintf(`{"name":"Hook","team":%d,"kind":"webhook","url":%q}`, team, hook.URL))
	w.call("PUT", fmt.Sprintf("/manage/v1/monitors/%d/detection", monitor), fmt.Sprintf(`{"channels":[%d]}`, channel), &struct{}{})

	for hour := range 35 * 24 {
		w.post(now().Add(-time.Duration(hour+1)*time.Hour), 2+hour%3, "with milk and sugar")
	}
	w.evaluate()
	clock.Add(20 * 60) // after an import, nothing is raised for a while
	w.evaluate()
	w.post(now().Add(-20*time.Minute), 60, "recall after a kitchen fire")
	w.evaluate()

	fired := <-calls
	if fired.Type != "signal.fired" || fired.Data.State != "firing" || fired.Data.Observed < 60 || !strings.Contains(fired.Data.Title, "Coffee: ") || !strings.HasPrefix(fired.signature, "v1,") {
		t.Errorf("got %+v", fired)
	}
	if fired.Data.Explanation == nil || !strings.Contains(strings.Join(fired.Data.Explanation.Words, " "), "recall") {
		t.Errorf("got explanation %+v, want the recall", fired.Data.Explanation)
	}
	for range 30 { // the posts leave all windows
		clock.Add(3600)
		w.signIn()
		w.post(now().Add(-30*time.Minute), 3, "with milk and sugar")
		w.evaluate()
	}
	resolved := <-calls
	for resolved.Data.ID != fired.Data.ID || resolved.Type == "signal.updated" { // the recall is also negative
		resolved = <-calls
	}
	if resolved.Type != "signal.resolved" || resolved.Data.ID != fired.Data.ID || resolved.id == fired.id || resolved.Data.State != "resolved" {
		t.Errorf("got %+v after %+v", resolved, fired)
	}
}

// TestWordsOfRestrictedSourcesDoNotLeave checks that posts of restricted sources count in a signal, and
// that its messages have none of their words, hashtags and links.
func TestWordsOfRestrictedSourcesDoNotLeave(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
	}))
	defer hook.Close()

	var clock atomic.Int64 // seconds
	clock.Store(time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC).Unix())
	now := func() time.Time { return time.Unix(clock.Load(), 0).UTC() }
	cfg := config.New() // Twitter is restricted
	cfg.Data, cfg.RateLimit, cfg.AllowPrivateChannels = t.TempDir(), 0, true
	w := &world{T: t, app: openApp(t, cfg, app.Options{Now: now})}
	w.signIn()
	team := w.add("/manage/v1/teams", `{"name":"Acme"}`)
	monitor := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Coffee","team":%d,"keywords":"coffee","timezone":"UTC","start":"2026-01-01"}`, team))
	channel := w.add("/manage/v1/channels", fmt.Sprintf(`{"name":"Hook","team":%d,"kind":"webhook","url":%q}`, team, hook.URL))
	w.call("PUT", fmt.Sprintf("/manage/v1/monitors/%d/detection", monitor), fmt.Sprintf(`{"channels":[%d]}`, channel), &struct{}{})
	for hour := range 35 * 24 {
		w.postFrom("Bluesky", now().Add(-time.Duration(hour+1)*time.Hour), 2+hour%3, "with milk and sugar")
	}
	w.evaluate()
	clock.Add(20 * 60)
	w.evaluate()
	w.post(now().Add(-20*time.Minute), 80, "kitchen blaze #blaze https://blaze.example/report")
	w.postFrom("Bluesky", now().Add(-20*time.Minute), 40, "strike of drivers #strike https://strike.example/report")
	w.evaluate()
	fired := <-bodies
	var got hookCall
	if err := json.Unmarshal([]byte(fired), &got); err != nil || got.Data.Observed < 120 || !strings.Contains(fired, "strike") || strings.Contains(fired, "blaze") {
		t.Errorf("got %s, want all posts counted, and only the strike", fired)
	}
	for range 8 { // shares, newcomers and topics take turns
		clock.Add(3600)
		w.signIn()
		w.evaluate()
	}
	var volume json.RawMessage
	w.get(fmt.Sprintf("/manage/v1/signals/%d", got.Data.ID), &volume)
	if !strings.Contains(string(volume), `"#strike"`) || strings.Contains(string(volume), "blaze") {
		t.Errorf("got signal %s, want only the hashtag of the strike", volume)
	}
	for len(bodies) > 0 {
		if body := <-bodies; strings.Contains(body, "blaze") {
			t.Errorf("got message %s", body)
		}
	}
}

// post ingests posts of different authors at a time.
func (w *world) post(at time.Time, n int, text string) {
	w.Helper()
	w.postFrom("Twitter", at, n, text)
}

func (w *world) postFrom(source string, at time.Time, n int, text string) {
	w.Helper()
	var lines bytes.Buffer
	for range n {
		w.posts++
		fmt.Fprintf(&lines, `{"type":%q,"guid":"%d","url":"https://example.com/u/status/%d","date":%q,"contents":"coffee %d %s","author":"author%d"}`+"\n",
			source, w.posts, w.posts, at.Format(time.RFC3339), w.posts, text, w.posts%500)
	}
	w.send("/manage/v1/posts", lines.String(), &struct{}{})
}

// signIn gets a token, which lasts less than a day.
func (w *world) signIn() {
	w.Helper()
	var signedIn struct{ Auth string }
	w.get("/api/authenticate?username=admin&password=correct+horse+battery", &signedIn)
	w.token = signedIn.Auth
}

// evaluate waits until posts are stored, and evaluates all rules.
func (w *world) evaluate() {
	w.Helper()
	if err := w.app.CatchUp(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.app.Signals.Evaluate(w.Context())
}
