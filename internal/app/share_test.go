package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/http/rest"
	"earshot/internal/report/pdftext"
)

// A shareWorld is an accessWorld with a secret of another team, and links of team Acme. Its clock can
// be changed.
type shareWorld struct {
	*accessWorld
	mu     sync.Mutex
	now    time.Time // guarded by mu
	log    sink
	secret string // the ID of a monitor of team Other, named "Secret"
	board  string // the token of a link to a dashboard
	locked string // the token of a link with worldPassword
}

// sharePosts are of a restricted source and of one that is not.
const sharePosts = `{"type":"Twitter","guid":"t1","url":"http://twitter.com/zoe/status/1","date":"2026-03-03T10:00:00Z","contents":"coffee restrictedwords #hushed","title":"hushed title","author":"zoe","authorUsername":"zoe"}
{"type":"Blogs","guid":"b1","url":"https://example.com/b1","date":"2026-03-03T11:00:00Z","contents":"coffee openwords","author":"bob"}
{"type":"Blogs","guid":"s1","url":"https://example.com/s1","date":"2026-03-03T11:00:00Z","contents":"classified plans","author":"eve"}
`

// advance moves the clock, which background work reads too.
func (w *shareWorld) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func newShareWorld(t *testing.T) *shareWorld {
	t.Helper()
	w := &shareWorld{now: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)}
	cfg := testConfig(t)
	cfg.RestrictedSources = config.New().RestrictedSources
	o := accessOptions()
	o.Log = slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.Now = func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.now
	}
	a, err := Open(t.Context(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	ready(t, a)
	w.accessWorld = newAccessWorld(t, a)
	w.secret = w.create("monitors", w.fill(`{"name":"Secret","team":{otherTeam},"keywords":"classified OR coffee","start":"2026-03-01"}`))
	w.admin("POST", "/manage/v1/posts", sharePosts)
	w.admin("PUT", w.fill("/manage/v1/monitors/{monitor}/posts/{post}/correction"), `{"sentiment":"negative"}`)
	w.admin("POST", "/manage/v1/annotations", w.fill(`{"monitor":{monitor},"start":"2026-03-03","text":"Launch day"}`))
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	var monitor, secret, team earshot.MonitorID
	for id, text := range map[*earshot.MonitorID]string{&monitor: w.ids["monitor"], &secret: w.secret, &team: w.ids["team"]} {
		if err := id.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	board := &earshot.Dashboard{ID: 77, Team: earshot.TeamID(team), Name: "Board", Range: "thismonth", Cards: []earshot.Card{
		{ID: 1, Kind: earshot.FiguresCard, Monitor: monitor, Width: 2},
		{ID: 2, Kind: earshot.PostsCard, Monitor: monitor, Filter: "keywords:coffee"},
		{ID: 3, Kind: earshot.VolumeCard, Monitor: secret}, // the team must never see it
		{ID: 4, Kind: earshot.ComparisonCard, Rows: []earshot.CardRow{{Monitor: monitor, Filter: "keywords:coffee"}, {Label: "Second", Monitor: monitor}}},
		{ID: 5, Kind: earshot.TopicsCard, Monitor: monitor},
		{ID: 7, Kind: earshot.VolumeCard, Monitor: monitor},
		{ID: 6, Kind: earshot.PostsCard, Monitor: monitor, Filter: "nonsense:secretfilter"},
	}}
	if err := a.catalog.Dashboards.Add(t.Context(), board.ID, board); err != nil {
		t.Fatal(err)
	}
	_, w.board = w.shareLink(`{"dashboard":77}`)
	_, w.locked = w.shareLink(w.fill(`{"monitor":{monitor},"range":"thismonth","password":"` + worldPassword + `"}`))
	return w
}

// visit sends a request without any credentials but those that sign adds.
func (w *shareWorld) visit(method, path, body string, sign func(*http.Request)) *httptest.ResponseRecorder {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, path, strings.NewReader(body))
	if sign != nil {
		sign(r)
	}
	recorder := httptest.NewRecorder()
	w.app.Handler().ServeHTTP(recorder, r)
	return recorder
}

// get visits a path, which must have the given status.
func (w *shareWorld) get(path string, status int) string {
	w.Helper()
	r := w.visit("GET", path, "", nil)
	if r.Code != status {
		w.Errorf("GET %s: got %d %s, want %d", path, r.Code, r.Body, status)
	}
	return r.Body.String()
}

// unlock returns the cookie of the locked link.
func (w *shareWorld) unlock() *http.Cookie {
	w.Helper()
	r := w.visit("POST", "/share/v1/"+w.locked+"/unlock", `{"password":"`+worldPassword+`"}`, nil)
	cookies := r.Result().Cookies()
	if r.Code != 204 || len(cookies) != 1 {
		w.Fatalf("unlock: got %d %s and %d cookies", r.Code, r.Body, len(cookies))
	}
	return cookies[0]
}

// internals are texts that no visitor may ever see.
func (w *shareWorld) internals() []string {
	return []string{"Secret", "classified", "restrictedwords", "hushed", "Call them", w.ids["tag"], w.ids["monitor"], w.secret, w.ids["team"], w.ids["filter"], "keywords:", "secretfilter", "member", "admin"}
}

// hides fails if a response reveals something internal.
func (w *shareWorld) hides(what, body string) {
	w.Helper()
	for _, text := range w.internals() {
		if strings.Contains(body, text) {
			w.Errorf("%s reveals %q:\n%s", what, text, body)
		}
	}
}

func TestAVisitorSeesWhatTheLinkShows(t *testing.T) {
	w := newShareWorld(t)
	page := w.get("/share/v1/"+w.board, 200)
	w.hides("the page", page)
	if want := `{"name":"Board","range":"thismonth","cards":[{"id":1,"kind":"figures","title":"","width":2,"monitor":0,"filter":"",`; !strings.HasPrefix(page, want) {
		t.Errorf("got %s\nwant %s", page, want)
	}
	var own, shared struct {
		Overview, Posts struct {
			Posts, Total int64
			Items        []struct{ URL, Contents string }
		}
	}
	w.decode(w.admin("GET", w.fill("/manage/v1/monitors/{monitor}/overview?range=thismonth&parts=days"), ""), &own.Overview)
	for card := 1; card <= 2; card++ {
		body := w.get(fmt.Sprintf("/share/v1/%s/cards/%d", w.board, card), 200)
		w.hides(fmt.Sprint("card ", card), body)
		if err := json.Unmarshal([]byte(body), &shared); err != nil {
			t.Fatal(err)
		}
	}
	if volume := w.get("/share/v1/"+w.board+"/cards/7", 200); !strings.Contains(volume, `{"id":2,"team":0,"monitor":null,"start":"2026-03-03","end":"2026-03-04","text":"Launch day","by":"",`) {
		t.Errorf("got %s, want annotations without their authors", volume)
	} else {
		w.hides("card 7", volume)
	}
	if own.Overview.Posts != 4 || shared.Overview.Posts != 4 || shared.Posts.Total != 4 {
		t.Errorf("got %d, %d and %d posts, want 4", own.Overview.Posts, shared.Overview.Posts, shared.Posts.Total)
	}
	if i := slices.IndexFunc(shared.Posts.Items, func(p struct{ URL, Contents string }) bool { return p.Contents == "coffee openwords" }); i < 0 {
		t.Errorf("got %+v, want the text of a blog", shared.Posts.Items)
	}
	if body := w.get("/share/v1/"+w.board+"/cards/3", 200); body != `{"overview":null,"topics":null,"posts":null,"comparison":null,"incidents":null,"removed":true}` {
		t.Errorf("a monitor of another team: got %s", body)
	}
	comparison := w.get("/share/v1/"+w.board+"/cards/4", 200)
	w.hides("card 4", comparison)
	if strings.Count(comparison, `"posts":4`) < 2 || !strings.Contains(comparison, `"label":"Second"`) {
		t.Errorf("got comparison %s", comparison)
	}
	w.hides("card 5", w.get("/share/v1/"+w.board+"/cards/5", 200))
	w.hides("card 6", w.get("/share/v1/"+w.board+"/cards/6", 422))
}

func TestReportsForVisitors(t *testing.T) {
	w := newShareWorld(t)
	r := w.visit("GET", "/share/v1/"+w.board+"/report?format=pdf&start=2020-01-01&monitor="+w.secret, "", nil)
	if r.Code != 200 || r.Header().Get("Content-Type") != "application/pdf" || !strings.HasPrefix(r.Body.String(), "%PDF-") {
		t.Fatalf("got %d %v", r.Code, r.Header())
	}
	checkVisitorHeader(t, r)
	pages, err := pdftext.Pages(r.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(pages, "\n")
	w.hides("the report", text)
	for _, want := range []string{"Board", "coffee openwords", "This monitor was removed", "This card cannot be shown"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s\nwant %s", text, want)
		}
	}
	if body := w.get("/share/v1/"+w.board+"/report?format=xlsx", 400); !strings.Contains(body, "'format'") {
		t.Errorf("got %s", body)
	}
	w.get("/share/v1/"+w.locked+"/report", 401)
	w.get("/share/v1/unknown/report", 404)
}

func TestNothingButTheTokenDecidesWhatIsShown(t *testing.T) {
	w := newShareWorld(t)
	paths := []string{"/share/v1/" + w.board, "/share/v1/" + w.board + "/cards/1", "/share/v1/" + w.board + "/cards/2"}
	for _, path := range paths {
		want := w.get(path, 200)
		for _, query := range []string{
			"id={secret}", "monitor={secret}", "monitorid={secret}", "monitor={monitor}", "team={otherTeam}", "teamid={otherTeam}", "dashboard=1", "card=3",
			"start=2026-03-03&end=2026-03-04", "start=1970-01-01", "range=last365", "RANGE=yesterday", "days=1",
			"filter=gender:F", "filter=keywords:classified", "keywords=classified", "parts=words,authors", "limit=500", "offset=1", "sort=oldest", "cursor=x",
			"full=true", "group=false", "copiesOf=x", "password=" + strings.ReplaceAll(worldPassword, " ", "+"), "token=" + w.locked, "format=csv",
		} {
			query = w.fill(strings.ReplaceAll(query, "{secret}", w.secret))
			if got := w.get(path+"?"+query, 200); got != want {
				t.Errorf("%s?%s:\ngot  %s\nwant %s", path, query, got, want)
			}
		}
		for name, c := range map[string]caller{"an administrator": {"admin", byToken}, "a session": {"admin", bySession}, "another team": {"outsider", byToken}, "a forged token": {by: byBadToken}} {
			r := w.visit("GET", path, "", func(r *http.Request) { w.sign(r, c) })
			if r.Code != 200 || r.Body.String() != want {
				t.Errorf("%s by %s: got %d %s\nwant %s", path, name, r.Code, r.Body, want)
			}
		}
		r := w.visit("GET", path, `{"monitor":`+w.secret+`,"filter":"","start":"2026-01-01"}`, func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-HTTP-Method-Override", "POST")
			r.Header.Set("X-Original-URL", "/manage/v1/monitors")
			r.Header.Set("X-Forwarded-For", "127.0.0.1")
		})
		if r.Code != 200 || r.Body.String() != want {
			t.Errorf("%s with a body: got %d %s", path, r.Code, r.Body)
		}
	}
}

func TestPathTricks(t *testing.T) {
	w := newShareWorld(t)
	for _, suffix := range []string{
		"/cards/0", "/cards/-1", "/cards/999", "/cards/77", "/cards/1.0", "/cards/01x", "/cards/1%00", "/cards/%31/2", "/cards/99999999999999999999",
		"/cards/{monitor}", "/cards/" + w.secret, "/cards", "/cards/", "/cards/1/2", "/cards/1%2F..%2F3", "/cards/..%2F..%2F" + w.locked + "%2Fcards%2F1",
		"/../" + w.locked, "/..", "/%2e%2e/" + w.locked, "%2Fcards%2F1", "/cards%2F1", "/monitors/{monitor}/posts", "/posts", "/overview", "/export", "/uses", "//cards//1",
		"/dashboards/77", "/report/../../../manage/v1/monitors", ";/cards/1", "%00", "/cards/1;x=2",
	} {
		path := w.fill("/share/v1/" + w.board + suffix)
		r := w.visit("GET", path, "", nil)
		if r.Code != 404 && r.Code != 400 && r.Code != 401 {
			t.Errorf("GET %s: got %d %s, want 404", path, r.Code, r.Body)
		}
		if strings.Contains(r.Body.String(), w.board) {
			t.Errorf("GET %s: the message shows the token: %s", path, r.Body)
		}
		w.hides(path, strings.ReplaceAll(r.Body.String(), w.secret, ""))
	}
	for _, path := range []string{"/share/v1/" + w.board, "/share/v1/" + w.board + "/cards/1"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
			if r := w.visit(method, path, `{}`, nil); r.Code != 405 || strings.Contains(r.Body.String(), w.board) {
				t.Errorf("%s %s: got %d %s, want 405 without the token", method, path, r.Code, r.Body)
			}
		}
		if r := w.visit("HEAD", path, "", nil); r.Code != 200 || r.Body.Len() > 0 {
			t.Errorf("HEAD %s: got %d %s", path, r.Code, r.Body)
		}
		if r := w.visit("HEAD", strings.ReplaceAll(path, w.board, w.locked), "", nil); r.Code != 401 {
			t.Errorf("HEAD of the locked link: got %d, want 401", r.Code)
		}
	}
	for _, path := range []string{"/share/v1/" + w.board + "/unlock", "/share/v1/" + w.locked + "/unlock"} {
		for _, method := range []string{"GET", "HEAD", "PUT", "OPTIONS"} {
			if r := w.visit(method, path, "", nil); r.Code != 405 {
				t.Errorf("%s %s: got %d, want 405", method, path, r.Code)
			}
		}
	}
}

// TestAVisitorsTokenOpensNothingElse sends every request of the access matrix with what a visitor has.
func TestAVisitorsTokenOpensNothingElse(t *testing.T) {
	w := newShareWorld(t)
	cookie := w.unlock()
	bearer := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }
	}
	named := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
			r.Header.Set("X-CSRF-Token", value)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	}
	ways := map[string]func(*http.Request){
		"bearer":             bearer(w.board),
		"bearer with cookie": bearer(cookie.Value),
		"auth": func(r *http.Request) {
			q := r.URL.Query()
			q.Set("auth", w.board)
			r.URL.RawQuery = q.Encode()
		},
		"session cookie":              named("earshot_session", w.board),
		"session cookie with cookie":  named("earshot_session", cookie.Value),
		"share cookie":                named(cookie.Name, cookie.Value),
		"share cookie with the token": named(cookie.Name, w.board),
	}
	rows := readAccess(t)
	checked := 0
	for _, route := range w.app.routes {
		i := slices.IndexFunc(rows, func(r *accessRow) bool { return r.isFor(route) })
		if i < 0 || strings.HasPrefix(route.Path, "/share/v1/") {
			continue // files and pages are public; TestAccessMatrix makes sure that the others are listed
		}
		row := rows[i]
		path, body := w.fill(strings.ReplaceAll(row.path+row.query, "+}", "}")), w.fill(strings.ReplaceAll(row.body, "+}", "}"))
		if route.Access == rest.Public && strings.Contains(path+body, passwordOf("member")) || strings.Contains(path, "password=") {
			continue // signs in with a password
		}
		if strings.HasSuffix(path, "/tokens") || strings.HasSuffix(path, "/session") && route.Method == "POST" {
			continue
		}
		anonymous := w.visit(route.Method, path, body, nil)
		for way, sign := range ways {
			got := w.visit(route.Method, path, body, sign)
			checked++
			switch {
			case route.Access == rest.Public || path == "/manage/v1/session":
				if got.Code/100 == 2 && anonymous.Code/100 != 2 {
					t.Errorf("%s %s by %s: got %d, anonymous gets %d", route.Method, path, way, got.Code, anonymous.Code)
				}
			case got.Code != 401:
				t.Errorf("%s %s by %s: got %d %s, want 401", route.Method, path, way, got.Code, got.Body)
			}
			if strings.Contains(got.Body.String(), `"username"`) {
				t.Errorf("%s %s by %s: got a user: %s", route.Method, path, way, got.Body)
			}
		}
	}
	if checked < 7*80 {
		t.Errorf("checked only %d requests", checked)
	}
}

func TestLinksThatDoNotWorkLookTheSame(t *testing.T) {
	w := newShareWorld(t)
	create := func(change string) (id, token string) {
		w.Helper()
		return w.shareLink(w.fill(`{"monitor":{monitor}` + change + `}`))
	}
	_, expired := create(`,"expires":"2026-03-15T13:00:00Z"`)
	_, expiredLocked := create(`,"expires":"2026-03-15T13:00:00Z","password":"` + worldPassword + `"`)
	id, revoked := create(``)
	w.admin("DELETE", "/manage/v1/shares/"+id, "")
	if body := w.get("/share/v1/"+expired, 200); !strings.Contains(body, `"expires":"2026-03-15T13:00:00Z"`) {
		t.Errorf("got %s", body)
	}
	removed := w.monitor()
	_, ofRemoved := w.shareLink(`{"monitor":` + removed + `}`)
	w.admin("DELETE", "/manage/v1/monitors/"+removed, "")
	w.advance(time.Hour)

	unknown := strings.Repeat("A", 43)
	show := func(token, rest string) string {
		method, body := "GET", ""
		if rest == "/unlock" {
			method, body = "POST", `{"password":"x"}`
		}
		r := w.visit(method, "/share/v1/"+token+rest, body, nil)
		r.Header().Del("X-Request-Id")
		return fmt.Sprint(r.Code, r.Header(), r.Body)
	}
	for _, rest := range []string{"", "/cards/1", "/cards/99", "/unlock"} {
		want := show(unknown, rest)
		if !strings.Contains(want, `{"message":"This link is not valid or has expired","status":"error"}`) || !strings.HasPrefix(want, "404") {
			t.Errorf("%s: got %s", rest, want)
		}
		for name, token := range map[string]string{"expired": expired, "expired and locked": expiredLocked, "revoked": revoked, "of a removed monitor": ofRemoved, "short": "x", "long": strings.Repeat("y", 3000)} {
			if got := show(token, rest); got != want {
				t.Errorf("%s%s:\ngot  %s\nwant %s", name, rest, got, want)
			}
		}
	}
	if err := w.app.catalog.Dashboards.Remove(t.Context(), 77); err != nil {
		t.Fatal(err)
	}
	w.get("/share/v1/"+w.board, 404)
}

func TestLockedLinks(t *testing.T) {
	w := newShareWorld(t)
	path := "/share/v1/" + w.locked
	for _, rest := range []string{"", "/cards/1", "/cards/99"} {
		if body := w.get(path+rest, 401); body != `{"message":"This link requires a password","status":"error"}` {
			t.Errorf("%s: got %s", rest, body)
		}
	}
	r := w.visit("POST", path+"/unlock", `{"password":"wrong password"}`, nil)
	if r.Code != 401 || len(r.Result().Cookies()) > 0 || !strings.Contains(r.Body.String(), "The password is incorrect") {
		t.Errorf("got %d %s %v", r.Code, r.Body, r.Header())
	}
	if r := w.visit("POST", path+"/unlock", `{"password":"`+worldPassword+`"}`, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }); r.Code != 403 {
		t.Errorf("from another site: got %d, want 403", r.Code)
	}
	cookie := w.unlock()
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != path || cookie.Domain != "" || cookie.Expires.Sub(w.now) != 12*time.Hour {
		t.Errorf("got cookie %+v", cookie)
	}
	with := func(list ...*http.Cookie) func(*http.Request) {
		return func(r *http.Request) {
			for _, c := range list {
				r.AddCookie(c)
			}
		}
	}
	for _, rest := range []string{"", "/cards/1"} {
		if r := w.visit("GET", path+rest, "", with(cookie)); r.Code != 200 {
			t.Errorf("%s with the cookie: got %d %s", rest, r.Code, r.Body)
		}
	}
	if r := w.visit("GET", path, "", with(cookie, cookie)); r.Code != 401 {
		t.Errorf("two cookies: got %d, want 401", r.Code)
	}
	session := func(r *http.Request) { w.sign(r, caller{"admin", bySession}) }
	if r := w.visit("GET", path, "", session); r.Code != 401 {
		t.Errorf("a session instead of the password: got %d, want 401", r.Code)
	}
	id := w.app.Shares.List(w.admins())[2].ID
	w.admin("PATCH", fmt.Sprint("/manage/v1/shares/", id), `{"password":"another whistle"}`)
	if r := w.visit("GET", path, "", with(cookie)); r.Code != 401 {
		t.Errorf("after a change of the password: got %d, want 401", r.Code)
	}
	for i := range 12 {
		r = w.visit("POST", path+"/unlock", fmt.Sprintf(`{"password":"guess %d"}`, i), nil)
	}
	if r.Code != 429 || r.Header().Get("Retry-After") == "" {
		t.Errorf("guessing: got %d %v, want 429", r.Code, r.Header())
	}
}

// admins returns a caller who may see everything.
func (w *shareWorld) admins() *earshot.Caller {
	return earshot.NewCaller(&earshot.User{Permissions: []earshot.Permission{earshot.AdminPermission}})
}

func TestVisitorsAreLimited(t *testing.T) {
	w := newShareWorld(t)
	codes := map[int]int{}
	var last *httptest.ResponseRecorder
	for range 1100 {
		last = w.visit("GET", "/share/v1/"+w.board, "", nil)
		codes[last.Code]++
	}
	if codes[200] != 1000 || codes[429] != 100 || last.Header().Get("Retry-After") != "60" {
		t.Errorf("got %v and %v, want 1000 responses and 100 refusals", codes, last.Header())
	}
	checkVisitorHeader(t, last)
	if r := w.admin("GET", "/manage/v1/monitors", ""); r.Code != 200 {
		t.Errorf("the app from the same address: got %d", r.Code)
	}
}

func checkVisitorHeader(t *testing.T, r *httptest.ResponseRecorder) {
	t.Helper()
	for name, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Access-Control-Allow-Origin": "",
	} {
		if got := r.Header().Get(name); got != want {
			t.Errorf("%d: %s: got %q, want %q", r.Code, name, got, want)
		}
	}
}

func TestVisitorHeaders(t *testing.T) {
	w := newShareWorld(t)
	for _, path := range []string{w.board, w.board + "/cards/1", w.board + "/cards/99", w.locked, "unknown"} {
		checkVisitorHeader(t, w.visit("GET", "/share/v1/"+path, "", nil))
	}
	page := w.visit("GET", "/share/"+w.board, "", func(r *http.Request) { r.Header.Set("Accept", "text/html") })
	if page.Header().Get("X-Robots-Tag") == "" || page.Header().Get("Referrer-Policy") != "no-referrer" || strings.Contains(page.Body.String(), w.board) {
		t.Errorf("the page: got %d %v", page.Code, page.Header())
	}
}

func TestTokensAreNotLoggedOrStored(t *testing.T) {
	w := newShareWorld(t)
	cookie := w.unlock()
	for _, path := range []string{"", "/", "/cards/1", "/cards/x", "/unlock", "/nothing/here", "%2Fcards", "/%2e%2e/x", "?auth=" + w.locked} {
		for _, before := range []string{"/share/v1/", "/share/", "/share//v1//", "/SHARE/v1/", "/x/../share/v1/", "/share/v1/x/", "/share/v2/"} {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				r := w.visit(method, before+w.locked+path, `{"password":"`+worldPassword+`"}`, func(r *http.Request) { r.AddCookie(cookie) })
				if strings.Contains(r.Body.String(), w.locked) {
					t.Errorf("%s %s: the response contains the token: %s", method, before+path, r.Body)
				}
			}
		}
	}
	records := w.dump()
	_, metrics := get(t, w.app, "/metrics")
	for name, text := range map[string]string{"log": w.log.String(), "metrics": metrics, "catalog": records} {
		for _, secret := range []string{w.locked, w.locked[:42], w.locked[1:], w.board, cookie.Value, worldPassword} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s contains a secret", name)
			}
		}
	}
	if !strings.Contains(w.log.String(), "path=/share/v1/…/cards/1 status=200") {
		t.Error("there is no access log of visitors")
	}
}

// dump returns all share links as they are stored.
func (w *shareWorld) dump() string {
	w.Helper()
	var b bytes.Buffer
	for _, l := range w.app.catalog.ShareLinks.List() {
		if err := json.NewEncoder(&b).Encode(l); err != nil {
			w.Fatal(err)
		}
	}
	if !strings.Contains(b.String(), "TokenHash") {
		w.Fatal("there are no links")
	}
	return b.String()
}

func TestUsesOfALink(t *testing.T) {
	w := newShareWorld(t)
	id, token := w.shareLink(`{"dashboard":77,"name":"For Ann"}`)
	from := func(address string) func(*http.Request) {
		return func(r *http.Request) { r.RemoteAddr = address + ":1234" }
	}
	w.visit("GET", "/share/v1/"+token, "", from("198.51.100.7"))
	w.visit("GET", "/share/v1/"+token+"/cards/1", "", from("198.51.100.7"))
	w.advance(time.Minute)
	w.admin("DELETE", "/manage/v1/shares/"+id, "")
	w.visit("GET", "/share/v1/"+token, "", from("203.0.113.9"))
	want := `{"items":[{"time":"2026-03-15T12:01:00Z","network":"203.0.113.0/24","refused":"revoked"},{"time":"2026-03-15T12:00:00Z","network":"198.51.100.0/24","refused":""}]}`
	if got := w.admin("GET", "/manage/v1/shares/"+id+"/uses", "").Body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	list := w.admin("GET", "/manage/v1/shares?dashboard=77", "").Body.String()
	if !strings.Contains(list, `"name":"For Ann","state":"revoked","target":"Board","dashboard":77,`) || !strings.Contains(list, `"views":1,"lastUsed":"2026-03-15T12:01:00Z"`) {
		t.Errorf("got %s", list)
	}
	if strings.Contains(list, token) {
		t.Error("the list shows the token")
	}
}

func TestSharesWaitUntilTheJournalIsProcessed(t *testing.T) {
	w := newShareWorld(t)
	w.app.ready.Store(false)
	w.get("/share/v1/"+w.board, 503)
	w.get("/share/v1/"+w.board+"/cards/1", 503)
}
