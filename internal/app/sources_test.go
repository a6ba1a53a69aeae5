package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
)

func TestLiveSourcesInMetricsAndStatus(t *testing.T) {
	o := accessOptions()
	a, err := Open(t.Context(), testConfig(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ready(t, a)
	w := newAccessWorld(t, a)
	id := w.ids["live"]
	labels := fmt.Sprintf(`{id="%s",kind="quiet"`, id)
	var metrics string
	for deadline := time.Now().Add(time.Minute); !strings.Contains(metrics, "earshot_source_state"+labels+`,state="live"} 1`); {
		if time.Now().After(deadline) {
			t.Fatalf("the source is not live in\n%s", metrics)
		}
		response := httptest.NewRecorder()
		a.Handler().ServeHTTP(response, httptest.NewRequest("GET", "/metrics", nil))
		metrics = response.Body.String()
	}
	for _, line := range []string{
		"earshot_source_state" + labels + `,state="attention"} 0`,
		"earshot_source_events_total" + labels + "} 0",
		"earshot_source_gap_seconds_total" + labels + "} 0",
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("%s is missing in\n%s", line, metrics)
		}
	}
	var status struct{ Sources map[string]int }
	w.decode(w.admin("GET", "/manage/v1/status", ""), &status)
	if status.Sources["live"] != 1 {
		t.Errorf("got %v in the status, want one live source", status.Sources)
	}
}

func TestRequestsOfLiveSources(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.UserAgent()) }))
	defer server.Close()
	cfg := testConfig(t)
	if _, err := sourceClient(cfg, "1.2").Get(server.URL); err == nil || !strings.Contains(err.Error(), fetch.ErrRefused.Error()) {
		t.Errorf("a loopback address: got %v, want it refused", err)
	}
	cfg.AllowPrivateAddresses, cfg.SourceContact = true, "ops@example.com"
	response, err := sourceClient(cfg, "1.2").Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := fetch.ReadAll(response, 1000)
	if err != nil || string(agent) != "Earshot/1.2 (+ops@example.com)" {
		t.Errorf("got User-Agent %s, %v", agent, err)
	}
}

// Whoever sets these settings decides what becomes of posts that all teams see: a server that is
// not the network's own, or one that is trusted, can change and delete any of them.
func TestSettingsForAdministrators(t *testing.T) {
	var got []string
	for _, k := range SourceKinds() {
		for _, s := range k.Settings {
			if s.Admin {
				got = append(got, k.Name+"."+s.Name)
			}
		}
	}
	want := []string{"bluesky.url", "bluesky.api_url", "mastodon.trusted", "hackernews.url", "hackernews.search_url", "webhook.network", "folder.network"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A source keeps the posts that a monitor selects, whose attributes only models infer.
func TestALiveSourceKeepsWhatMonitorsSelect(t *testing.T) {
	delivered := make(chan error, 1)
	kind := quietKind()
	kind.New = func(connector.Env) connector.Connector { return once{delivered} }
	o := accessOptions()
	o.Enrich = nil
	o.SourceKinds = []connector.Kind{kind}
	a, err := Open(t.Context(), testConfig(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ready(t, a)
	w := &accessWorld{TB: t, app: a, ids: map[string]string{}}
	w.ids["team"] = w.create("teams", `{"name":"Acme"}`)
	w.ids["monitor"] = w.create("monitors", w.fill(`{"name":"German","team":{team},"keywords":"kaffee OR coffee","start":"2026-03-01","languages":{"values":["de"]}}`))
	w.create("sources", w.fill(`{"name":"Live","kind":"quiet","team":{team},"keep":"matched"}`))
	if err := <-delivered; err != nil {
		t.Fatal(err)
	}
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	posts, err := a.posts.Find(t.Context(), []earshot.PostKey{
		{Source: earshot.Bluesky, GUID: "de"}, {Source: earshot.Bluesky, GUID: "en"}, {Source: earshot.Bluesky, GUID: "tea"},
	})
	if err != nil || len(posts) != 1 || posts[0].GUID != "de" || posts[0].Language != "de" {
		t.Errorf("got %+v, %v, want only the German post about coffee", posts, err)
	}
	if posts[0].Inferred&earshot.InferredLanguage == 0 || posts[0].InferredBy == 0 {
		t.Error("the stored post states an attribute that was only inferred to match it")
	}
}

// once delivers three posts.
type once struct{ delivered chan error }

func (once) Sample(context.Context, int) ([]earshot.Post, error) { return nil, nil }

func (c once) Run(ctx context.Context, _ string, sink connector.Sink) error {
	post := func(guid, text string) earshot.Post {
		return earshot.Post{Source: earshot.Bluesky, GUID: guid, Time: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Contents: text}
	}
	c.delivered <- sink.Deliver(ctx, connector.Batch{Cursor: "1", Posts: []earshot.Post{
		post("de", "Der Kaffee hier schmeckt wirklich sehr gut und ist nicht zu teuer"),
		post("en", "The coffee here is really good and it is not too expensive at all"),
		post("tea", "Der Tee hier schmeckt wirklich sehr gut und ist nicht zu teuer"),
	}})
	<-ctx.Done()
	return ctx.Err()
}
