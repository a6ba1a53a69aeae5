package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
)

// An accessWorld is an app with two teams, users of every kind and one object of every kind, all of
// team Acme. Its IDs are in ids, by the names that the access matrix uses.
type accessWorld struct {
	testing.TB
	app *App
	ids map[string]string
	n   int // counter for unique names
}

// worldPassword is the password of all users but admin.
const worldPassword = "tea kettle whistle"

// passwordOf returns the password of a user.
func passwordOf(username string) string {
	if username == "admin" {
		return rootPassword
	}
	return worldPassword
}

func newAccessWorld(t testing.TB, a *App) *accessWorld {
	t.Helper()
	w := &accessWorld{TB: t, app: a, ids: map[string]string{}}
	w.ids["team"] = w.create("teams", `{"name":"Acme"}`)
	w.ids["otherTeam"] = w.create("teams", `{"name":"Other"}`)
	w.ids["admin"] = fmt.Sprint(a.Accounts.ListUsers()[0].ID)
	user := func(name, team, rights string) {
		w.ids[name] = w.create("users", fmt.Sprintf(`{"username":"%s","password":"%s","teams":[%s],%s}`, name, worldPassword, w.ids[team], rights))
	}
	user("member", "team", `"apiAccess":true,"permissions":["content","streams"]`)
	user("bare", "team", `"apiAccess":true`)
	user("noapi", "team", `"permissions":["content","streams"]`)
	user("outsider", "otherTeam", `"apiAccess":true,"permissions":["content","streams"]`)
	w.ids["monitor"] = w.monitor()
	w.ids["filter"] = w.filter()
	w.ids["realtime"] = w.monitor()
	w.admin("GET", w.fill("/api/realtime/monitor/enable?id={realtime}"), "")
	w.ids["stream"] = w.stream()
	w.ids["dashboard"] = w.dashboard()
	w.ids["card"] = "1"
	w.ids["picture"] = strings.Repeat("ab", 32)
	if err := a.Pictures.Cache.SetThumbnail(w.ids["picture"], []byte("\xff\xd8\xff\xd9")); err != nil {
		t.Fatal(err)
	}
	w.ids["channel"] = w.channel()
	w.ids["source"] = w.source()
	w.ids["live"] = w.live()
	w.ids["opinion"] = w.create("monitors", w.fill(`{"name":"Opinion","type":"OPINION","team":{team},"keywords":"coffee","start":"2026-03-01","sources":["Twitter"],"categories":[{"name":"Good"},{"name":"Bad"}]}`))
	var opinion struct{ Categories []struct{ ID int64 } }
	w.decode(w.admin("GET", w.fill("/manage/v1/monitors/{opinion}"), ""), &opinion)
	w.ids["category"] = fmt.Sprint(opinion.Categories[0].ID)
	w.ids["twitter"] = w.create("monitors", w.fill(`{"name":"T","type":"SOCIAL","team":{team},"start":"2026-03-01","account":{"network":"Twitter","handle":"acme"}}`))
	w.ids["facebook"] = w.create("monitors", w.fill(`{"name":"F","type":"SOCIAL","team":{team},"start":"2026-03-01","account":{"network":"Facebook","pageId":"123"}}`))
	w.ids["instagram"] = w.create("monitors", w.fill(`{"name":"I","type":"SOCIAL","team":{team},"start":"2026-03-01","account":{"network":"Instagram","handle":"acme"}}`))
	w.admin("POST", "/manage/v1/posts", `{"type":"Twitter","guid":"1","url":"http://twitter.com/ann/status/1","date":"2026-03-02T10:00:00Z","contents":"coffee is good","author":"ann"}`+"\n"+
		`{"type":"Blogs","url":"https://example.com/2","date":"2026-03-02T11:00:00Z","contents":"more coffee","author":"bob"}`+"\n")
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.ids["result"] = w.result()
	w.ids["training"] = w.training()
	var posts struct{ Items []struct{ Key string } }
	w.decode(w.admin("GET", w.fill("/manage/v1/monitors/{monitor}/posts?start=2026-03-01&end=2026-03-08"), ""), &posts)
	if len(posts.Items) == 0 {
		t.Fatal("the monitor has no posts")
	}
	w.ids["post"] = posts.Items[0].Key
	w.ids["annotation"], w.ids["view"], w.ids["tag"], w.ids["note"] = w.annotation(), w.view(), w.tag(), w.note()
	w.ids["share"], w.ids["token"] = w.shareLink(w.fill(`{"monitor":{monitor},"start":"2026-03-01","end":"2026-03-08"}`))
	w.ids["card"] = "1"
	w.ids["report"], w.ids["feed"], w.ids["client"] = w.report(), w.feed(), w.client()
	var feed struct{ Path string }
	w.decode(w.admin("POST", "/manage/v1/feeds", w.fill(`{"kind":"posts","monitor":{monitor}}`)), &feed)
	w.ids["feedToken"] = strings.TrimPrefix(feed.Path, "/feed/v1/")
	w.ids["rule"], w.ids["signal"], w.ids["comment"] = w.rule(), w.signal(), "1"
	return w
}

func (w *accessWorld) monitor() string {
	return w.create("monitors", w.fill(`{"name":"Coffee {n}","team":{team},"keywords":"coffee","start":"2026-03-01"}`))
}

func (w *accessWorld) filter() string {
	return w.create("monitors/"+w.ids["monitor"]+"/filters", w.fill(`{"name":"Filter {n}","gender":"F"}`))
}

func (w *accessWorld) stream() string {
	return w.create("streams", w.fill(`{"name":"Stream {n}","team":{team}}`))
}

func (w *accessWorld) dashboard() string {
	return w.create("dashboards", w.fill(`{"name":"Dashboard {n}","team":{team},"cards":[{"kind":"volume","monitor":{monitor}}]}`))
}

func (w *accessWorld) channel() string {
	return w.create("channels", w.fill(`{"name":"Channel {n}","team":{team},"kind":"webhook","url":"https://127.0.0.1:1/hook"}`))
}

// delivery returns a delivery that failed, because no channel may send to this address.
func (w *accessWorld) delivery() string {
	var d struct{ ID int64 }
	w.decode(w.admin("POST", "/manage/v1/channels/"+w.channel()+"/test", ""), &d)
	return fmt.Sprint(d.ID)
}

func (w *accessWorld) source() string {
	var r struct{ ContentSource struct{ ID int64 } }
	w.decode(w.admin("POST", "/api/content/sources", w.fill(`{"teamid":{team},"name":"Source {n}"}`)), &r)
	if r.ContentSource.ID == 0 {
		w.Fatal("no content source")
	}
	return fmt.Sprint(r.ContentSource.ID)
}

func (w *accessWorld) live() string {
	return w.create("sources", w.fill(`{"name":"Live {n}","kind":"quiet","team":{team}}`))
}

func (w *accessWorld) annotation() string {
	return w.create("annotations", w.fill(`{"monitor":{monitor},"start":"2026-03-02","text":"Launch {n}"}`))
}

func (w *accessWorld) rule() string {
	return w.create("rules", w.fill(`{"monitor":{monitor},"kind":"post","name":"Rule {n}"}`))
}

// signal returns a new signal with a comment.
func (w *accessWorld) signal() string {
	w.Helper()
	id, err := w.app.catalog.NextIDs(w.Context(), 1)
	if err != nil {
		w.Fatal(err)
	}
	m, err := strconv.ParseInt(w.ids["monitor"], 10, 64)
	if err != nil {
		w.Fatal(err)
	}
	monitor, ok := w.app.catalog.FindMonitor(earshot.MonitorID(m))
	if !ok {
		w.Fatal("no monitor")
	}
	raised := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	sig := &earshot.Signal{
		ID: earshot.SignalID(id), Team: monitor.Team, Monitor: monitor.ID, Kind: earshot.VolumeSignal, Metric: earshot.PostsMetric, State: earshot.Firing, Severity: earshot.Warning,
		Title: "Coffee: 3 times as many posts as expected", From: raised.Add(-time.Hour), To: raised, Raised: raised,
		Comments: []earshot.SignalComment{{ID: 1, Text: "Seen", By: "member", Time: raised}},
	}
	if err := w.app.catalog.Signals.Add(w.Context(), sig.ID, sig); err != nil {
		w.Fatal(err)
	}
	return fmt.Sprint(id)
}

func (w *accessWorld) view() string {
	return w.create("views", w.fill(`{"name":"View {n}","path":"/monitors/{monitor}?range=lastweek"}`))
}

// tag returns a new tag.
func (w *accessWorld) tag() string {
	name := w.fill("tag{n}")
	w.admin("PATCH", w.fill("/manage/v1/monitors/{monitor}/posts/{post}/mark"), fmt.Sprintf(`{"tags":["%s"]}`, name))
	return name
}

// corrected corrects a post and returns its key.
func (w *accessWorld) corrected() string {
	w.admin("PUT", w.fill("/manage/v1/monitors/{monitor}/posts/{post}/correction"), `{"sentiment":"negative"}`)
	return w.ids["post"]
}

// unsampled removes the samples of the monitor, so that its posts can be drawn, and returns the monitor.
func (w *accessWorld) unsampled() string {
	var labels struct{ Samples []struct{ ID int64 } }
	w.decode(w.admin("GET", w.fill("/manage/v1/monitors/{monitor}/labels"), ""), &labels)
	for _, s := range labels.Samples {
		w.admin("DELETE", fmt.Sprint("/manage/v1/samples/", s.ID), "")
	}
	return w.ids["monitor"]
}

// sample draws all posts of the monitor.
func (w *accessWorld) sample() string {
	var labels struct{ Samples []struct{ ID int64 } }
	w.decode(w.admin("POST", "/manage/v1/monitors/"+w.unsampled()+"/samples", `{"start":"2026-03-01"}`), &labels)
	return fmt.Sprint(labels.Samples[0].ID)
}

// labeled returns a post of a sample that every member has labeled.
func (w *accessWorld) labeled() string {
	w.sample()
	for _, user := range []string{"bare", "member", "noapi", "admin"} {
		by := bySession
		if user == "admin" {
			by = byToken
		}
		if r := w.as(caller{user, by}, "PUT", w.fill("/manage/v1/monitors/{monitor}/posts/{post}/label"), `{"sentiment":"negative"}`); r.Code != 200 {
			w.Fatalf("%s cannot label: %d %s", user, r.Code, r.Body)
		}
	}
	return w.ids["post"]
}

// note returns a new note of member.
func (w *accessWorld) note() string {
	var mark struct{ Notes []struct{ ID int64 } }
	w.decode(w.as(caller{user: "member"}, "POST", w.fill("/manage/v1/monitors/{monitor}/posts/{post}/notes"), `{"text":"Call them"}`), &mark)
	if len(mark.Notes) == 0 {
		w.Fatal("no notes")
	}
	return fmt.Sprint(mark.Notes[len(mark.Notes)-1].ID)
}

// shareLink creates a share link and returns its ID and its token.
func (w *accessWorld) shareLink(body string) (id, token string) {
	var l struct {
		ID   int64
		Path string
	}
	w.decode(w.admin("POST", "/manage/v1/shares", body), &l)
	return fmt.Sprint(l.ID), strings.TrimPrefix(l.Path, "/share/")
}

// invited returns the token of a new invitation.
func (w *accessWorld) invited() string {
	var l struct{ Path string }
	w.decode(w.admin("POST", "/manage/v1/invitations", w.fill(`{"team":{team}}`)), &l)
	return strings.TrimPrefix(l.Path, "/invitation#token=")
}

func (w *accessWorld) report() string {
	return w.create("reports", w.fill(`{"name":"Report {n}","team":{team},"monitors":[{monitor}],"cron":"0 8 * * 1"}`))
}

// client has a logo of one pixel.
func (w *accessWorld) client() string {
	return w.create("clients", w.fill(`{"name":"Client {n}","team":{team},"logo":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="}`))
}

func (w *accessWorld) feed() string {
	return w.create("feeds", w.fill(`{"kind":"posts","monitor":{monitor}}`))
}

func (w *accessWorld) result() string {
	var r struct{ ResultID int64 }
	w.decode(w.as(caller{user: "member"}, "POST", "/api/results", analysisRequest), &r)
	return fmt.Sprint(r.ResultID)
}

const analysisRequest = `{"analysis":["volume"],"keywords":"coffee","sources":["TWITTER","BLOGS"],"startDate":"2026-03-02T00:00:00","endDate":"2026-03-03T00:00:00","timezone":"UTC"}`

func (w *accessWorld) training() string {
	w.admin("POST", w.fill("/manage/v1/monitors/{opinion}/training"),
		w.fill(`{"categoryId":{category},"documents":[{"url":"https://example.com/t{n}","title":"t","contents":"coffee","author":"a","language":"en","date":"2026-03-02T00:00:00Z"}]}`))
	var list struct{ Items []struct{ ID string } }
	w.decode(w.admin("GET", w.fill("/manage/v1/monitors/{opinion}/training"), ""), &list)
	if len(list.Items) == 0 {
		w.Fatal("no training posts")
	}
	return list.Items[0].ID
}

// fill replaces {name} by the ID of that name. Each {n} is a new number.
func (w *accessWorld) fill(text string) string {
	for strings.Contains(text, "{n}") {
		w.n++
		text = strings.Replace(text, "{n}", fmt.Sprint(w.n), 1)
	}
	for name, id := range w.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// create creates an object and returns its ID.
func (w *accessWorld) create(kind, body string) string {
	w.Helper()
	var r struct{ ID int64 }
	if w.decode(w.admin("POST", "/manage/v1/"+kind, body), &r); r.ID == 0 {
		w.Fatalf("%s %s: no ID", kind, body)
	}
	return fmt.Sprint(r.ID)
}

func (w *accessWorld) admin(method, path, body string) *httptest.ResponseRecorder {
	w.Helper()
	r := w.as(caller{user: "admin"}, method, path, body)
	if r.Code/100 != 2 {
		w.Fatalf("%s %s %s: got %d %s", method, path, body, r.Code, r.Body)
	}
	return r
}

func (w *accessWorld) decode(r *httptest.ResponseRecorder, v any) {
	w.Helper()
	if err := json.Unmarshal(r.Body.Bytes(), v); err != nil {
		w.Fatalf("%v in %s", err, r.Body)
	}
}

// A caller is who sends a request, and how.
type caller struct {
	user string // "" for nobody
	by   credential
}

type credential int

const (
	byToken          credential = iota // expires after 24 hours
	byPermanentToken                   //
	byBadToken                         // forged
	bySession                          // the web app
	byBareSession                      // only the cookie: no CSRF token, and a browser that says nothing about the origin
	byOtherSite                        // the cookie, sent by a page of another site
)

// as sends a request with fresh credentials.
func (w *accessWorld) as(c caller, method, path, body string) *httptest.ResponseRecorder {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, path, strings.NewReader(body))
	w.sign(r, c)
	recorder := httptest.NewRecorder()
	w.app.Handler().ServeHTTP(recorder, r)
	return recorder
}

// sign adds fresh credentials to a request.
func (w *accessWorld) sign(r *http.Request, c caller) {
	w.Helper()
	if c.by == byBadToken {
		r.Header.Set("Authorization", "Bearer "+strings.Repeat("x", 88))
	}
	if c.user == "" {
		return
	}
	in := account.Credentials{Username: c.user, Password: passwordOf(c.user), Permanent: c.by == byPermanentToken}
	if c.by == byToken || c.by == byPermanentToken {
		token, err := w.app.Accounts.SignIn(w.Context(), in)
		if err != nil {
			w.Fatalf("%s: %v", c.user, err)
		}
		r.Header.Set("Authorization", "Bearer "+token.Text)
		return
	}
	session, err := w.app.Accounts.StartSession(w.Context(), in)
	if err != nil {
		w.Fatalf("%s: %v", c.user, err)
	}
	r.AddCookie(&http.Cookie{Name: "earshot_session", Value: session.Cookie})
	switch c.by {
	case bySession:
		r.Header.Set("X-CSRF-Token", session.CSRF)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	case byOtherSite:
		r.Header.Set("X-CSRF-Token", session.CSRF)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
}
