package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/account"
	"earshot/internal/config"
	"earshot/internal/connector"
	"earshot/internal/http/rest"
	"earshot/internal/model/enrich"
)

// maxResponseTime is far more than any response of a small installation takes, even while other
// tests run.
const maxResponseTime = 20 * time.Second

// FuzzHTTP sends sequences of requests to all routes, by all kinds of callers. The input chooses the
// routes, parameters, headers and bodies. checkResponse has what must always be true. To fuzz for
// an hour:
//
//	go test ./internal/app -run '^$' -fuzz '^FuzzHTTP$' -fuzztime 1h
func FuzzHTTP(f *testing.F) {
	for seed := range 32 {
		f.Add(bytes.Repeat([]byte{byte(seed*8 + 1), byte(seed), 3, byte(7 * seed)}, 48))
	}
	log := &secretFinder{}
	next := make(chan *accessWorld, 1)
	prepare := func() { next <- openFuzzed(detached{f}, log) }
	go prepare()
	w := <-next
	go prepare()
	f.Cleanup(func() {
		for _, w := range []*accessWorld{w, <-next} {
			w.close()
		}
	})
	inputs := 0
	f.Fuzz(func(t *testing.T, input []byte) {
		w.TB = t
		// A new app now and then, so that objects do not pile up. It takes longer than an input
		// may, so it opens in the background.
		if inputs++; inputs > 500 || w.isBroken() {
			select {
			case fresh := <-next:
				w.close()
				w, inputs = fresh, 0
				w.TB = t
				go prepare()
			default:
				return
			}
		}
		d := &dice{input: input}
		for range 1 + d.roll(4) {
			w.fuzzRequest(t, d, log)
		}
	})
}

// A detached TB can be used in the background, while inputs are tested.
type detached struct{ testing.TB }

func (detached) Context() context.Context          { return context.Background() }
func (detached) Helper()                           {}
func (detached) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (detached) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// openFuzzed opens an app without models, which have their own fuzz tests.
func openFuzzed(t testing.TB, log *secretFinder) *accessWorld {
	dir, err := os.MkdirTemp("", "earshot-fuzz-")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.AnalysisWait = dir, 0, 1
	o := testOptions(log)
	o.Enrich = enrich.Facts()
	o.SourceKinds = []connector.Kind{quietKind()}
	a, err := Open(context.Background(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	ready(t, a)
	return newAccessWorld(t, a)
}

// close closes the app and removes its data.
func (w *accessWorld) close() {
	w.app.Close()
	os.RemoveAll(w.app.config.Data)
}

// isBroken reports whether earlier requests removed what later ones need.
func (w *accessWorld) isBroken() bool {
	for _, name := range []string{"admin", "member", "bare", "noapi", "outsider"} {
		s, err := w.app.Accounts.StartSession(context.Background(), account.Credentials{Username: name, Password: passwordOf(name)})
		if err != nil {
			return true
		}
		u, err := w.app.Accounts.FindUser(s.Caller.User)
		if err != nil || u.APIAccess != (name != "noapi") {
			return true
		}
	}
	return w.as(caller{user: "member"}, "GET", w.fill("/manage/v1/monitors/{monitor}"), "").Code != 200
}

// fuzzRequest sends one request and checks its response.
func (w *accessWorld) fuzzRequest(t *testing.T, d *dice, log *secretFinder) {
	route := w.app.routes[(d.roll(256)*256+d.roll(256))%len(w.app.routes)]
	var shown rest.Description
	if described := rest.Describe([]rest.Route{route}); len(described) == 1 {
		shown = described[0]
	}
	if strings.HasSuffix(route.Path, "/backup") && d.roll(16) > 0 {
		return // takes much longer than the rest
	}
	limit := maxResponseTime
	if strings.HasSuffix(route.Path, "/events") {
		limit = 20 * time.Millisecond // these responses do not end
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()

	method := route.Method
	if d.roll(16) == 0 {
		method = d.choose("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "X-"+strings.Repeat("Y", 300))
	}
	address := d.path(w, route.Path) + d.query(w, shown)
	u, err := url.ParseRequestURI(address)
	if err != nil {
		return // net/http rejects it before it reaches the handler
	}
	body := d.body(w, shown)
	r := httptest.NewRequestWithContext(ctx, "GET", "/", bytes.NewReader(body))
	r.Method, r.URL, r.RequestURI = method, u, address
	w.sign(r, d.caller())
	d.headers(r)

	recorder := httptest.NewRecorder()
	start := time.Now()
	func() {
		defer func() {
			if v := recover(); v != nil && !isAbort(v) {
				panic(v)
			}
		}()
		w.app.Handler().ServeHTTP(recorder, r)
	}()
	request := fmt.Sprintf("%s %s\n%v\n%.2000q", method, address, r.Header, body)
	if took := time.Since(start); took > maxResponseTime {
		t.Errorf("%s\ntook %v", request, took)
	}
	if problem := checkResponse(recorder, r); problem != "" {
		t.Errorf("%s\ngot %d %.2000s\n%s\n%s", request, recorder.Code, recorder.Body, problem, log.errors())
	}
	if problem := log.problem(); problem != "" {
		t.Errorf("%s\n%s", request, problem)
	}
}

// isAbort reports whether a panic closes the connection on purpose.
func isAbort(v any) bool {
	err, ok := v.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// checkResponse returns what is wrong with a response: an internal error, a body that is not what
// its type says, an error without a message, or a secret.
func checkResponse(w *httptest.ResponseRecorder, r *http.Request) string {
	body := w.Body.Bytes()
	switch {
	case w.Code == 500:
		return "an internal error"
	case w.Code < 200 || w.Code > 599:
		return "an invalid status"
	case w.Header().Get("X-Request-Id") == "":
		return "no request ID"
	case w.Header().Get("X-Content-Type-Options") != "nosniff" && w.Code != http.StatusNoContent && strings.HasPrefix(r.URL.Path, "/api/"):
		return "no nosniff"
	}
	if secret := findSecret(body); secret != "" {
		return "the body has the secret " + secret
	}
	for _, values := range w.Header() {
		if secret := findSecret([]byte(strings.Join(values, " "))); secret != "" {
			return "a header has the secret " + secret
		}
	}
	if w.Code == http.StatusRequestedRangeNotSatisfiable {
		return "" // of a static page, with a plain text
	}
	if r.Method == http.MethodHead {
		if len(body) > 0 {
			return "a body in the response to HEAD"
		}
		return ""
	}
	kind, _, _ := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if kind == "application/json" && !json.Valid(body) {
		return "invalid JSON"
	}
	if w.Code >= 400 {
		var e struct{ Message, Status string }
		if err := json.Unmarshal(body, &e); err != nil || e.Message == "" || e.Status != "error" {
			return "not an error body"
		}
		if len(e.Message) > 2000 {
			return "an error message that echoes too much"
		}
	}
	return ""
}

// findSecret returns a secret in the text, or "".
func findSecret(text []byte) string {
	for _, secret := range []string{"$argon2id$", worldPassword, url.QueryEscape(worldPassword)} {
		if bytes.Contains(text, []byte(secret)) {
			return secret
		}
	}
	return ""
}

// A secretFinder reads a log. It keeps only what should not be there: secrets, panics and errors.
type secretFinder struct {
	mu    sync.Mutex
	found []string // guarded by mu
	lines []string // guarded by mu: errors
}

func (s *secretFinder) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if findSecret(p) != "" || bytes.Contains(p, []byte("panicked")) {
		s.found = append(s.found, string(p))
	}
	if bytes.Contains(p, []byte("level=ERROR")) {
		s.lines = append(s.lines, string(p))
	}
	return len(p), nil
}

func (s *secretFinder) problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.found, "")
}

func (s *secretFinder) errors() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "")
}

// dice make choices. Each takes a byte of the input, or is 0 at its end.
type dice struct{ input []byte }

// roll returns a number from 0 to n-1.
func (d *dice) roll(n int) int {
	if len(d.input) == 0 {
		return 0
	}
	b := d.input[0]
	d.input = d.input[1:]
	return int(b) % n
}

func (d *dice) choose(from ...string) string { return from[d.roll(len(from))] }

func (d *dice) caller() caller {
	users := []string{"member", "admin", "bare", "outsider", "noapi", ""}
	c := caller{user: users[d.roll(len(users))]}
	if c.user == "noapi" {
		c.by = bySession
	} else {
		c.by = []credential{byToken, byToken, bySession, byPermanentToken, byBareSession, byOtherSite, byBadToken}[d.roll(7)]
	}
	if c.by == byBadToken {
		c.user = ""
	}
	return c
}

// path returns a route's path with values for its variables, sometimes disfigured.
func (d *dice) path(w *accessWorld, pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, "{"); ok {
			segments[i] = url.PathEscape(d.text(w, strings.TrimRight(name, ".}")))
		}
	}
	path := strings.Join(segments, "/")
	switch d.roll(24) {
	case 1:
		return path + "/"
	case 2:
		return "/" + path
	case 3:
		return path + "/.."
	case 4:
		return path + "/%2e%2e%2f%00"
	case 5:
		return strings.ToUpper(path)
	}
	return path
}

func (d *dice) query(w *accessWorld, route rest.Description) string {
	var query []string
	for _, p := range route.Params {
		if p.In != "query" || !p.Required && d.roll(3) > 0 {
			continue
		}
		value := p.Example
		if d.roll(3) > 0 || value == "" || strings.HasSuffix(strings.ToLower(p.Name), "id") {
			value = d.text(w, p.Name)
		}
		query = append(query, p.Name+"="+url.QueryEscape(value))
	}
	switch d.roll(24) {
	case 1:
		query = append(query, "%zz=%", "a;b", "=")
	case 2:
		query = append(query, query...)
	case 3:
		query = append(query, "auth="+url.QueryEscape(d.text(w, "auth")))
	case 4:
		query = append(query, strings.Repeat("x=&", 2000))
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + strings.Join(query, "&")
}

// body returns a body of about the shape that the route expects.
func (d *dice) body(w *accessWorld, route rest.Description) []byte {
	if route.Body == nil && d.roll(8) > 0 && !strings.HasSuffix(route.Path, "/posts") {
		return nil
	}
	switch d.roll(12) {
	case 1:
		return d.rest()
	case 2:
		return []byte(strings.Repeat("[", 2000))
	case 3:
		return []byte(d.choose("null", "[]", "{}", `""`, "0", "{", "\xff\xfe", "", `{"items":null}`, `[null]`, "{}{}"))
	case 4:
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprintf(z, `{"items":[%s]}`, strings.Repeat(" ", 1<<16))
		z.Close()
		return b.Bytes()
	}
	if route.Body == nil {
		return fmt.Appendf(nil, `{"type":%q,"url":%q,"date":%q,"contents":%q,"geolocation":{"id":%q}}`+"\n%s",
			d.text(w, "source"), d.text(w, "url"), d.text(w, "date"), d.text(w, "keywords"), d.text(w, "location"), d.rest())
	}
	return d.json(w, nil, "", route.Body, 0)
}

// json appends JSON of a shape, sometimes of another.
func (d *dice) json(w *accessWorld, b []byte, name string, s *rest.Shape, depth int) []byte {
	if d.roll(32) == 1 {
		return append(b, d.choose("null", "[]", "{}", `"x"`, "-1", "1e400", "0.5", "true", `[[]]`)...)
	}
	if depth > 6 {
		return append(b, "null"...)
	}
	switch s.Kind {
	case rest.ArrayShape:
		b = append(b, '[')
		for i := range d.roll(4) {
			if i > 0 {
				b = append(b, ',')
			}
			b = d.json(w, b, name, s.Elem, depth+1)
		}
		return append(b, ']')
	case rest.MapShape:
		b = append(b, '{')
		b = strconv.AppendQuote(b, "key")
		b = append(b, ':')
		return append(d.json(w, b, name, s.Elem, depth+1), '}')
	case rest.ObjectShape:
		b = append(b, '{')
		first := true
		for _, m := range s.Members {
			if !m.Required && d.roll(4) == 0 {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(strconv.AppendQuote(b, m.Name), ':')
			if m.Example != "" && d.roll(2) == 0 && m.Shape.Kind == rest.StringShape {
				b = strconv.AppendQuote(b, m.Example)
				continue
			}
			b = d.json(w, b, m.Name, m.Shape, depth+1)
		}
		return append(b, '}')
	case rest.BooleanShape:
		return append(b, d.choose("true", "false", `"true"`, `"yes"`)...)
	}
	text := d.text(w, name)
	if _, err := strconv.ParseInt(text, 10, 64); err == nil && d.roll(8) > 0 {
		return append(b, text...)
	}
	quoted, _ := json.Marshal(text)
	return append(b, quoted...)
}

// rest returns the remaining input.
func (d *dice) rest() []byte {
	rest := d.input
	d.input = nil
	return rest
}

// texts are values for parameters, by a word that their names contain.
var texts = []struct {
	name   string
	values []string
}{
	{"start", []string{"2026-03-01", "2026-03-02T00:00:00", "0001-01-01", "9999-12-31", "2026-03-01T00:00:01", "1772409600", "-1"}},
	{"end", []string{"2026-03-08", "2026-03-03T00:00:00", "9999-12-31", "2026-03-01"}},
	{"date", []string{"2026-03-02T10:00:00Z", "2026-03-02T10:00:00", "0000-00-00T00:00:00Z", "9999-12-31T23:59:59+14:00"}},
	{"filter", []string{"gender:F", "keywords:coffee|site:example.com", "category:1,2", "geolocation:USA;FRA.11", "|", "a:b:c|", "keywords:(((((", "language:" + strings.Repeat("x,", 500)}},
	{"keywords", []string{"coffee", `"a b" NEAR/3 (c OR d*)`, "AND OR NOT", "author: x", "NEAR/99999999999", strings.Repeat("(", 5000), strings.Repeat("a* ", 300), "x~y", "-", "\x00", "<script>"}},
	{"query", []string{"coffee", `author:"x" OR url:y`, `"unclosed`, "a NEAR/0 b", "((a OR b) NEAR/5 c)~3"}},
	{"timezone", []string{"UTC", "America/New_York", "../etc/passwd", "Local", "+25:00"}},
	{"username", []string{"member", "new {n}", "ADMIN", "nobody"}},
	{"password", []string{"wrong horse staple", "short", "aaaaaaaaaaaa"}},
	{"type", []string{"BUZZ", "OPINION", "SOCIAL", "include", "exclude", "Twitter", "COUNTRY"}},
	{"group", []string{"HOURLY", "DAILY", "WEEKLY", "MONTHLY", "daily"}},
	{"source", []string{"Twitter", "TWITTER", "Blogs", "CUSTOM:Source 1", "News"}},
	{"analysis", []string{"volume", "sentiment", "affinity", "reach", "location", "ethnicity"}},
	{"country", []string{"USA", "FRA", "XXX", "us"}},
	{"location", []string{"USA.CA", "FRA.Paris", "USA.CA.San Diego"}},
	{"url", []string{"https://example.com/1", "javascript:alert(1)", "http://twitter.com/a/status/1", "//x", "http://[::1", "data:text/html,x"}},
	{"permissions", []string{"content", "streams", "admin", "root"}},
	{"sortorder", []string{"0", "-1"}},
	{"cursor", []string{"", "1", "-1", "abc", "9223372036854775807"}},
	{"limit", []string{"1", "0", "1000", "1001"}},
	{"count", []string{"1", "100", "101", "0"}},
	{"language", []string{"en", "xx", "all"}},
	{"gender", []string{"M", "F", "X"}},
	{"format", []string{"csv", "ndjson", "xml"}},
}

// hostile are values that no parameter expects.
var hostile = []string{
	"", "0", "-1", "1", "9223372036854775807", "9223372036854775808", "1e9", "NaN", "true", "null", "\x00", "\xff\xfe", "\u202e",
	"../../etc/passwd", "%2e%2e%2f", "<script>alert(1)</script>", "=1+1", "a\r\nSet-Cookie: x=y", "{}", "[]", "'", `"`, `\`, "🙂", strings.Repeat("x", 5000),
}

// text returns a value for a parameter: an ID, a value that fits its name, or anything.
func (d *dice) text(w *accessWorld, name string) string {
	lower := strings.ToLower(name)
	switch choice := d.roll(16); {
	case choice == 1:
		return d.choose(hostile...)
	case choice == 2:
		n := min(d.roll(24), len(d.input))
		text := string(d.input[:n])
		d.input = d.input[n:]
		return text
	case choice > 2:
		for _, t := range texts {
			if strings.Contains(lower, t.name) {
				return w.fill(d.choose(t.values...))
			}
		}
	}
	names := []string{"monitor", "filter", "opinion", "twitter", "facebook", "instagram", "stream", "source", "team", "otherTeam", "category", "result", "training", "post", "bare"}
	for _, n := range names { // most IDs fit, so that requests succeed
		if d.roll(4) > 0 && (strings.Contains(lower, n) || n == "source" && lower == "documenttype") {
			return w.ids[n]
		}
	}
	return w.ids[d.choose(names...)]
}

// headers adds headers that clients do not usually send.
func (d *dice) headers(r *http.Request) {
	switch d.roll(24) {
	case 1:
		r.Header.Set("Content-Encoding", d.choose("gzip", "br", "identity", "gzip, gzip"))
	case 2:
		r.Header.Set("X-Request-Id", d.choose("a b", strings.Repeat("x", 100), "\x00"))
	case 3:
		r.Header.Set("Authorization", d.choose("Bearer", "Basic x", "Bearer  ", "bearer "+strings.Repeat("y", 9000)))
	case 4:
		r.Header.Set("Origin", d.choose("null", "http://evil.example", "http://example.com"))
	case 5:
		r.Header.Set("Range", d.choose("bytes=0-1", "bytes=-1", "x"))
	case 6:
		r.Header.Set("Last-Event-ID", d.choose("x", "-1", "99999999999999999999"))
	case 7:
		r.Header.Add("Cookie", "earshot_session="+string(d.rest()))
	case 8:
		r.Header.Set("Content-Type", d.choose("text/plain", "multipart/form-data", "\x00"))
	case 9:
		r.Header.Set("If-None-Match", "*")
	case 10:
		r.Host = d.choose("", "evil.example", "a b", "[::1]:80")
	case 11:
		r.RemoteAddr = d.choose("", "x", "[fe80::1%eth0]:1", "10.0.0.1:80")
	}
}
