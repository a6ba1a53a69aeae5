package manage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/connector"
	"earshot/internal/http/rest"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

var sourceNoon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

var kinds = []connector.Kind{
	{
		Name: "feed", Title: "Feeds", Description: "Reads feeds.", Keep: earshot.KeepAll,
		Settings: []connector.Setting{
			{Name: "feeds", Title: "Feeds", Required: true, Long: true},
			{Name: "type", Title: "Type", Default: "News", Options: []string{"News", "Blogs"}, Advanced: true},
		},
		Sources: func(s connector.Settings) []earshot.Source { return []earshot.Source{earshot.Source(s["type"])} },
	},
	{
		Name: "webhook", Title: "Webhook", Secret: "token", Keep: earshot.KeepAll, Receives: true,
		Rules: func(context.Context, connector.Env) (connector.Rules, error) { return connector.Rules{}, nil },
	},
}

// fakeSources has sources in memory. Everyone may see those of their teams.
type fakeSources struct {
	all   []source.Info
	err   error              // of Test
	tried earshot.LiveSource // last one tested
	rules *connector.Rules
	gaps  []source.SourceGap
}

func (f *fakeSources) List(c *earshot.Caller, team earshot.TeamID) (list []source.Info) {
	for _, i := range f.all {
		if c.In(i.Team) && (team == 0 || i.Team == team) {
			list = append(list, i)
		}
	}
	return list
}

func (f *fakeSources) index(c *earshot.Caller, id earshot.LiveSourceID) (int, error) {
	for n, i := range f.all {
		if i.ID == id && c.In(i.Team) {
			return n, nil
		}
	}
	return 0, earshot.NoLiveSource(id)
}

func (f *fakeSources) Find(c *earshot.Caller, id earshot.LiveSourceID) (source.Info, error) {
	n, err := f.index(c, id)
	if err != nil {
		return source.Info{}, err
	}
	return f.all[n], nil
}

func (f *fakeSources) Add(_ context.Context, _ *earshot.Caller, src earshot.LiveSource, secret string) (source.Info, error) {
	src.ID, src.Secret, src.Created = earshot.LiveSourceID(100+len(f.all)), []byte(secret), sourceNoon
	i := source.Info{LiveSource: &src, State: source.State{State: connector.State{Phase: connector.Starting}}}
	for n := range kinds {
		if kinds[n].Name == src.Kind {
			i.Kind = &kinds[n]
		}
	}
	f.all = append(f.all, i)
	return i, nil
}

func (f *fakeSources) Edit(_ context.Context, c *earshot.Caller, id earshot.LiveSourceID, change source.Change) (source.Info, error) {
	n, err := f.index(c, id)
	if err != nil {
		return source.Info{}, err
	}
	if change.Paused != nil {
		f.all[n].Paused = *change.Paused
	}
	for name, value := range change.Settings {
		f.all[n].Settings[name] = value
	}
	return f.all[n], nil
}

func (f *fakeSources) Remove(_ context.Context, c *earshot.Caller, id earshot.LiveSourceID, withPosts bool) error {
	n, err := f.index(c, id)
	if err != nil {
		return err
	}
	if !withPosts {
		return errors.New("the test removes sources with their posts")
	}
	f.all = append(f.all[:n], f.all[n+1:]...)
	return nil
}

func (f *fakeSources) Test(ctx context.Context, _ *earshot.Caller, src earshot.LiveSource, _ string, n int) ([]earshot.Post, error) {
	f.tried = src
	if f.err != nil {
		return nil, f.err
	}
	if _, limited := ctx.Deadline(); !limited || n != 5 {
		return nil, fmt.Errorf("want up to 5 posts within a limit, got %d", n)
	}
	return []earshot.Post{{GUID: "g", Time: sourceNoon, Contents: "tea", Source: "News"}}, nil
}

func (f *fakeSources) Rules(context.Context, *earshot.Caller, earshot.LiveSource, string) (*connector.Rules, error) {
	return f.rules, nil
}

func (f *fakeSources) Receive(_ context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error) {
	switch {
	case id != 7:
		return connector.Response{}, earshot.NoLiveSource(id)
	case r.Header.Get("Authorization") != "Bearer right":
		return connector.Response{}, earshot.Errorf(earshot.Unauthenticated, "The token is wrong")
	case len(r.Body) == 0:
		return connector.Response{}, earshot.InvalidBody("it is empty")
	}
	return connector.Response{Status: 202, Body: map[string]int{"accepted": len(r.Body)}}, nil
}

func (f *fakeSources) Gaps(_ *earshot.Monitor, from, to time.Time) []source.SourceGap { return f.gaps }

// sourceWorld is the API with a fake service, a team 1 and callers.
type sourceWorld struct {
	t       *testing.T
	sources *fakeSources
	handler http.Handler
}

func newSourceWorld(t *testing.T) *sourceWorld {
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Teams.Add(t.Context(), 1, &earshot.Team{ID: 1, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	w := &sourceWorld{t: t, sources: &fakeSources{}}
	api := &API{
		Accounts: account.New(account.Options{Catalog: c, Secret: []byte("0123456789abcdef0123456789abcdef"), Now: time.Now}),
		Sources:  w.sources, SourceKinds: kinds,
		OPML: OPML{
			Parse: func(r io.Reader) (feeds []Feed, err error) {
				text, err := io.ReadAll(r)
				if strings.HasPrefix(string(text), "<") {
					return nil, errors.New("it is not OPML")
				}
				for line := range strings.Lines(string(text)) {
					feeds = append(feeds, Feed{URL: strings.TrimSpace(line), Title: "a\tb\nc"})
				}
				return feeds, err
			},
			Write: func(w io.Writer, title string, feeds []Feed) error {
				_, err := fmt.Fprintf(w, "%s %q", title, feeds)
				return err
			},
		},
	}
	callers := map[string]*earshot.Caller{
		"member": earshot.NewCaller(&earshot.User{Username: "member", Teams: []earshot.TeamID{1}, Permissions: []earshot.Permission{earshot.ContentPermission}}),
		"reader": earshot.NewCaller(&earshot.User{Username: "reader", Teams: []earshot.TeamID{1}}),
		"other":  earshot.NewCaller(&earshot.User{Username: "other", Teams: []earshot.TeamID{2}, Permissions: []earshot.Permission{earshot.ContentPermission}}),
	}
	w.handler = rest.New(rest.Options{Authenticate: func(_ context.Context, token string) (*earshot.Caller, error) {
		if callers[token] == nil {
			return nil, earshot.ErrNotAuthenticated
		}
		return callers[token], nil
	}}, api.Routes())
	return w
}

// send returns the status and body of a response.
func (w *sourceWorld) send(caller, method, path, body string) string {
	w.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+caller)
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	return strings.TrimSpace(fmt.Sprint(recorder.Code, " ", recorder.Body))
}

func (w *sourceWorld) expect(caller, method, path, body, want string) {
	w.t.Helper()
	if got := w.send(caller, method, path, body); got != want {
		w.t.Errorf("%s: %s %s %s\ngot  %s\nwant %s", caller, method, path, body, got, want)
	}
}

const addedFeed = `{"id":100,"name":"Press","kind":"feed","kindTitle":"Feeds","team":1,"teamName":"Acme",` +
	`"settings":{"feeds":"https://a.example/feed"},"hasSecret":true,"keep":"all","retentionDays":30,"paused":false,` +
	`"created":"2026-03-15T12:00:00Z","networks":["News"],"state":{"phase":"starting","lagSeconds":0},` +
	`"counters":{"events":0,"posts":0,"deletions":0,"skipped":{},"bytes":0,"reconnects":0,"gapSeconds":0},"activity":[],"gaps":[]}`

func (w *sourceWorld) addFeed() {
	w.t.Helper()
	w.expect("member", "POST", "/manage/v1/sources",
		`{"team":1,"name":"Press","kind":"feed","settings":{"feeds":"https://a.example/feed"},"secret":"very secret","keep":"all","retentionDays":30}`,
		"201 "+addedFeed)
}

func TestSourcesAreManaged(t *testing.T) {
	w := newSourceWorld(t)
	w.addFeed()
	w.expect("reader", "GET", "/manage/v1/sources?team=1", "", `200 {"items":[`+addedFeed+`]}`)
	w.expect("reader", "GET", "/manage/v1/sources/100", "", "200 "+addedFeed)
	w.expect("reader", "PATCH", "/manage/v1/sources/100", `{"paused":true}`, `403 {"message":"Access is denied","status":"error"}`)
	w.expect("member", "PATCH", "/manage/v1/sources/100", `{"paused":true}`, "200 "+strings.Replace(addedFeed, `"paused":false`, `"paused":true`, 1))
	w.expect("member", "DELETE", "/manage/v1/sources/100?withPosts=true", "", "204")
	w.expect("member", "GET", "/manage/v1/sources/100", "", `404 {"message":"Source 100 does not exist","status":"error"}`)
}

func TestSourcesOfOtherTeamsDoNotExist(t *testing.T) {
	w := newSourceWorld(t)
	w.addFeed()
	const none = `404 {"message":"Source 100 does not exist","status":"error"}`
	w.expect("other", "GET", "/manage/v1/sources", "", `200 {"items":[]}`)
	w.expect("other", "GET", "/manage/v1/sources/100", "", none)
	w.expect("other", "PATCH", "/manage/v1/sources/100", `{"paused":true}`, none)
	w.expect("other", "DELETE", "/manage/v1/sources/100?withPosts=true", "", none)
	w.expect("other", "GET", "/manage/v1/sources/100/opml", "", none)
	w.expect("other", "POST", "/manage/v1/sources/100/opml", "x", none)
}

func TestIncompleteSourcesAreRejected(t *testing.T) {
	w := newSourceWorld(t)
	f := func(path, body, want string) {
		t.Helper()
		w.expect("member", "POST", path, body, `400 {"message":"Invalid request body: `+want+`","status":"error"}`)
	}
	f("/manage/v1/sources", `{"kind":"feed"}`, "team is missing")
	f("/manage/v1/sources", `{"team":1}`, "kind is missing; GET /manage/v1/source-kinds lists the kinds")
	f("/manage/v1/sources/test", `{"kind":"feed"}`, "team is missing")
	f("/manage/v1/sources/rules", `{"team":1}`, "kind is missing; GET /manage/v1/source-kinds lists the kinds")
}

func TestSourceKindsAreListed(t *testing.T) {
	w := newSourceWorld(t)
	w.expect("reader", "GET", "/manage/v1/source-kinds", "", `200 {"items":[`+
		`{"name":"feed","title":"Feeds","description":"Reads feeds.","keep":"all","secret":"","settings":[`+
		`{"name":"feeds","title":"Feeds","help":"","required":true,"default":"","options":[],"long":true,"advanced":false},`+
		`{"name":"type","title":"Type","help":"","required":false,"default":"News","options":["News","Blogs"],"long":false,"advanced":true}],`+
		`"rules":false,"receives":false},`+
		`{"name":"webhook","title":"Webhook","description":"","keep":"all","secret":"token","settings":[],"rules":true,"receives":true}]}`)
}

func TestSourcesAreTested(t *testing.T) {
	w := newSourceWorld(t)
	const path, body = "/manage/v1/sources/test", `{"team":1,"kind":"feed","settings":{"feeds":"x"}}`
	w.expect("member", "POST", path, body,
		`200 {"posts":[{"guid":"g","url":"","date":"2026-03-15T12:00:00Z","author":"","title":"","contents":"tea","language":"","source":"News"}]}`)
	w.expect("reader", "POST", path, body, `403 {"message":"Access is denied","status":"error"}`)
	w.sources.err = fmt.Errorf("read https://a.example/feed: %w: the server asks for a password", connector.ErrAttention)
	w.expect("member", "POST", path, body,
		`422 {"message":"read https://a.example/feed: the source needs attention: the server asks for a password","status":"error"}`)
	w.sources.err = fmt.Errorf("wait: %w", context.DeadlineExceeded)
	w.expect("member", "POST", path, body, `422 {"message":"The source did not respond in time","status":"error"}`)
	w.sources.err = earshot.InvalidBody("settings.feeds is missing")
	w.expect("member", "POST", path, `{"id":100}`, `400 {"message":"Invalid request body: settings.feeds is missing","status":"error"}`)
	if w.sources.tried.ID != 100 {
		t.Errorf("tested %+v, want source 100", w.sources.tried)
	}
}

func TestRulesOfASource(t *testing.T) {
	w := newSourceWorld(t)
	const path, body = "/manage/v1/sources/rules", `{"team":1,"kind":"webhook"}`
	w.expect("member", "POST", path, body, `200 {"required":false,"items":[]}`)
	w.sources.rules = &connector.Rules{URL: "https://a.example/about", Items: []string{"Be kind"}, Version: "v1"}
	w.expect("member", "POST", path, body, `200 {"required":true,"url":"https://a.example/about","items":["Be kind"],"version":"v1"}`)
}

func TestFeedsAreExchangedAsOPML(t *testing.T) {
	w := newSourceWorld(t)
	w.addFeed()
	const path = "/manage/v1/sources/100/opml"
	w.expect("reader", "GET", path, "", `200 Press [{"https://a.example/feed" ""}]`)
	w.expect("reader", "POST", path, "https://b.example", `403 {"message":"Access is denied","status":"error"}`)
	w.expect("member", "POST", path, "<html>", `400 {"message":"Invalid request body: it is not OPML","status":"error"}`)
	w.expect("member", "POST", path, "", `400 {"message":"Invalid request body: the file has no feeds: no outline has an xmlUrl","status":"error"}`)
	want := strings.Replace(addedFeed, `"https://a.example/feed"`, `"https://a.example/feed\nhttps://b.example\ta b c\n"`, 1)
	for range 2 { // the second time nothing is new
		w.expect("member", "POST", path, "https://a.example/feed\nhttps://b.example\nhttps://b.example\n", "200 "+want)
	}
	w.expect("reader", "GET", path, "", `200 Press [{"https://a.example/feed" ""} {"https://b.example" "a b c"}]`)
}

func TestAWebhookHasAnEndpointAndNoFeeds(t *testing.T) {
	w := newSourceWorld(t)
	created := w.send("member", "POST", "/manage/v1/sources", `{"team":1,"name":"Shop","kind":"webhook","secret":"s"}`)
	var s struct{ Endpoint string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(created, "201 ")), &s); err != nil || s.Endpoint != "/ingest/v1/100" {
		t.Errorf("the endpoint is %q (%v) in %s", s.Endpoint, err, created)
	}
	w.expect("member", "GET", "/manage/v1/sources/100/opml", "", `400 {"message":"Source 100 has no feeds: its kind is webhook","status":"error"}`)
}

func TestRequestsOfNetworksReachTheirSource(t *testing.T) {
	w := newSourceWorld(t)
	w.expect("right", "POST", "/ingest/v1/7", "12345", `202 {"accepted":5}`)
	w.expect("right", "POST", "/ingest/v1/7", "", `400 {"message":"Invalid request body: it is empty","status":"error"}`)
	rejected := w.send("wrong", "POST", "/ingest/v1/7", "12345")
	if !strings.HasPrefix(rejected, "401 ") {
		t.Errorf("a wrong token: got %s", rejected)
	}
	// Neither the status nor the message reveals which sources exist.
	for _, id := range []string{"8", "0", "-1", "x", "99999999999999999999"} {
		w.expect("right", "POST", "/ingest/v1/"+id, "12345", rejected)
	}
}
