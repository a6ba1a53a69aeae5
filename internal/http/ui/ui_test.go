package ui_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"earshot/internal/http/rest"
	"earshot/internal/http/ui"
)

const (
	index  = "<!doctype html><title>Earshot</title>"
	shared = "<!doctype html><title>Shared page</title>"
	script = "console.log('the same again and again, the same again and again, the same again and again')"
)

// app serves a small web app with the same handler as the program.
func app() http.Handler {
	list, err := os.ReadFile("../../../web/src/pages.json")
	if err != nil {
		panic(err)
	}
	files := fstest.MapFS{
		"index.html":         {Data: []byte(index)},
		"pages.json":         {Data: list},
		"share.html":         {Data: []byte(shared)},
		"favicon.svg":        {Data: []byte("<svg/>")},
		"favicon.ico":        {Data: []byte("icon")},
		"secret.txt":         {Data: []byte("not listed")},
		"assets/app-1a2b.js": {Data: []byte(script)},
		"assets/x.unknown":   {Data: []byte("?")},
	}
	return rest.New(rest.Options{NotFound: ui.NotFound(files)}, ui.Routes(files))
}

func request(h http.Handler, method, path string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(r *http.Response) string {
	b, _ := io.ReadAll(r.Body)
	return string(b)
}

func TestPagesServeIndex(t *testing.T) {
	h := app()
	for _, path := range []string{
		"/", "/signin", "/monitors", "/monitors/1", "/monitors/1/posts?start=2026-03-01", "/compare", "/streams", "/streams/2", "/analysis", "/analysis/3",
		"/content", "/admin", "/admin/users/4", "/connect", "/account", "/account/",
	} {
		r := request(h, "GET", path)
		if got := text(r); r.StatusCode != 200 || got != index {
			t.Errorf("%s: got %d %s, want the index", path, r.StatusCode, got)
		}
		if got := r.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: got Cache-Control %s, want no-cache", path, got)
		}
	}
}

// TestVisitorsGetTheirOwnPage serves visitors of share links a document without the app.
func TestVisitorsGetTheirOwnPage(t *testing.T) {
	h := app()
	for _, path := range []string{"/share", "/share/token", "/share/token/x", "/share/token?x=/monitors"} {
		if r := request(h, "GET", path); r.StatusCode != 200 || text(r) != shared || r.Header.Get("X-Robots-Tag") != "noindex, nofollow" {
			t.Errorf("%s: got %d %v, want the page of visitors", path, r.StatusCode, r.Header)
		}
	}
	for _, path := range []string{"/share/v1/token", "/share/v1/token/cards/1", "/share/v1/"} {
		if r := request(h, "GET", path, "Accept", "text/html"); r.StatusCode != 404 || !strings.HasPrefix(text(r), `{"message":`) {
			t.Errorf("%s: got %d, want JSON", path, r.StatusCode)
		}
	}
	if r := request(h, "GET", "/shares"); r.StatusCode != 200 || text(r) != index {
		t.Errorf("/shares: got %d, want the index", r.StatusCode)
	}
}

func TestUnknownPathsAreNotFound(t *testing.T) {
	h := app()
	for _, path := range []string{"/nothing", "/index.html", "/secret.txt", "/assets", "/assets/none.js", "/assets/app-1a2b.js/x", "/compare/1", "/api/nothing", "/manage/v1"} {
		r := request(h, "GET", path)
		if got, want := text(r), `{"message":"No such endpoint: `+path+`","status":"error"}`; r.StatusCode != 404 || got != want {
			t.Errorf("got %d %s\nwant 404 %s", r.StatusCode, got, want)
		}
		if got := r.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: got Cache-Control %s, want no-store", path, got)
		}
	}
	if r := request(h, "POST", "/"); r.StatusCode != 405 {
		t.Errorf("POST: got %d, want 405", r.StatusCode)
	}
}

// TestUnknownPages answers browsers with the app, which says that there is no such page, and
// programs with JSON.
func TestUnknownPages(t *testing.T) {
	h := app()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	f := func(method, path, accept, kind, want string) {
		t.Helper()
		r := request(h, method, path, "Accept", accept)
		if got := text(r); r.StatusCode != 404 || got != want || r.Header.Get("Content-Type") != kind || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s %s: got %d %s, %v\nwant 404 %s", method, path, r.StatusCode, got, r.Header, want)
		}
	}
	problem := func(path string) string { return `{"message":"No such endpoint: ` + path + `","status":"error"}` }
	f("GET", "/nothing", browser, "text/html; charset=utf-8", index)
	f("HEAD", "/nothing", browser, "text/html; charset=utf-8", "")
	f("GET", "/compare/1", browser, "text/html; charset=utf-8", index)
	f("GET", "/nothing", "*/*", "application/json;charset=UTF-8", problem("/nothing"))
	f("POST", "/nothing", browser, "application/json;charset=UTF-8", problem("/nothing"))
	f("GET", "/api/nothing", browser, "application/json;charset=UTF-8", problem("/api/nothing"))
	f("GET", "/api", browser, "application/json;charset=UTF-8", problem("/api"))
	f("GET", "/manage/v1/nothing", browser, "application/json;charset=UTF-8", problem("/manage/v1/nothing"))
	f("GET", "/assets/none.js", browser, "application/json;charset=UTF-8", problem("/assets/none.js"))
	if r := request(h, "GET", "/nothing", "Accept", browser); r.Header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("got headers %v, want those of all pages", r.Header)
	}
}

func TestFiles(t *testing.T) {
	h := app()
	f := func(path, kind, cache, want string) {
		t.Helper()
		r := request(h, "GET", path)
		if got := text(r); r.StatusCode != 200 || got != want || r.ContentLength != int64(len(want)) {
			t.Errorf("%s: got %d %q of %d bytes, want %q", path, r.StatusCode, got, r.ContentLength, want)
		}
		if r.Header.Get("Content-Type") != kind || r.Header.Get("Cache-Control") != cache || r.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got headers %v, want %s and %s", path, r.Header, kind, cache)
		}
	}
	const year = "public, max-age=31536000, immutable"
	f("/assets/app-1a2b.js", "text/javascript; charset=utf-8", year, script)
	f("/assets/x.unknown", "application/octet-stream", year, "?")
	f("/favicon.ico", "image/x-icon", "no-cache", "icon")
	f("/favicon.svg", "image/svg+xml", "no-cache", "<svg/>")
	f("/robots.txt", "text/plain; charset=utf-8", "no-cache", "User-agent: *\nDisallow: /\n")
	f("/", "text/html; charset=utf-8", "no-cache", index)
}

func TestSecurityHeaders(t *testing.T) {
	h := app()
	want := map[string]string{
		"Content-Security-Policy":    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; frame-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
		"X-Content-Type-Options":     "nosniff",
		"Referrer-Policy":            "no-referrer",
		"X-Frame-Options":            "DENY",
		"Cross-Origin-Opener-Policy": "same-origin",
		"Permissions-Policy":         "camera=(), microphone=(), geolocation=()",
	}
	for _, path := range []string{"/", "/monitors/1", "/assets/app-1a2b.js", "/assets/none.js", "/favicon.svg", "/robots.txt"} {
		for _, tag := range []string{"", "*"} {
			r := request(h, "GET", path, "If-None-Match", tag)
			for name, value := range want {
				if got := r.Header.Get(name); got != value {
					t.Errorf("%s, %d: got %s: %s\nwant %s", path, r.StatusCode, name, got, value)
				}
			}
		}
	}
}

func TestGzip(t *testing.T) {
	h := app()
	f := func(accepts string, want bool) {
		t.Helper()
		r := request(h, "GET", "/assets/app-1a2b.js", "Accept-Encoding", accepts)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("%q: got gzip %v, want %v", accepts, got, want)
		}
		body := text(r)
		if len(body) != int(r.ContentLength) {
			t.Errorf("%q: got %d bytes, Content-Length %d", accepts, len(body), r.ContentLength)
		}
		if !want {
			return
		}
		z, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, []byte(script)) {
			t.Errorf("got %s %v, want the script", plain, err)
		}
	}
	f("gzip, deflate, br, zstd", true)
	f("br;q=1.0, GZIP;q=0.5", true)
	f("*", true)
	f("gzip;q=0", false)
	f("gzip; q=0.000", false)
	f("gzip;q=x", false)
	f("*, gzip;q=0", false)
	f("br", false)
	f("", false)
	if r := request(h, "GET", "/assets/x.unknown", "Accept-Encoding", "gzip"); r.Header.Get("Content-Encoding") != "" {
		t.Error("content that does not get shorter is compressed")
	}
}

func TestEntityTags(t *testing.T) {
	h := app()
	const path = "/assets/app-1a2b.js"
	plain := request(h, "GET", path).Header.Get("ETag")
	zipped := request(h, "GET", path, "Accept-Encoding", "gzip").Header.Get("ETag")
	if plain == "" || zipped == "" || plain == zipped {
		t.Fatalf("got tags %s and %s, want different ones", plain, zipped)
	}
	f := func(tag string, want int) {
		t.Helper()
		r := request(h, "GET", path, "If-None-Match", tag)
		if r.StatusCode != want || want == 304 && (text(r) != "" || r.Header.Get("ETag") != plain) {
			t.Errorf("%s: got %d with %v, want %d", tag, r.StatusCode, r.Header, want)
		}
	}
	f(plain, 304)
	f("W/"+plain, 304)
	f(`"other", `+plain, 304)
	f("*", 304)
	f(zipped, 200)
	f(`"other"`, 200)
	f(strings.Trim(plain, `"`), 200)
	if request(h, "GET", "/").Header.Get("ETag") == plain {
		t.Error("two files have the same tag")
	}
}

func TestHeadHasNoBody(t *testing.T) {
	h := app()
	r := request(h, "HEAD", "/signin")
	if got := text(r); r.StatusCode != 200 || got != "" || r.Header.Get("Content-Length") != "37" {
		t.Errorf("got %d %q and length %s, want 200 without a body and length 37", r.StatusCode, got, r.Header.Get("Content-Length"))
	}
	if r := request(h, "HEAD", "/assets/none.js"); r.StatusCode != 404 || text(r) != "" {
		t.Errorf("empty list: got %d", r.StatusCode)
	}
}

func TestEmbeddedAppIsServed(t *testing.T) {
	h := rest.New(rest.Options{}, ui.Routes(ui.Files()))
	r := request(h, "GET", "/")
	if got := text(r); r.StatusCode != 200 || !strings.Contains(got, "Earshot") {
		t.Errorf("got %d %s, want a page of Earshot", r.StatusCode, got)
	}
}

func TestHandlerPanicsWithoutIndex(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it is served")
		}
	}()
	ui.Handler(fstest.MapFS{"a.js": {}})
}
