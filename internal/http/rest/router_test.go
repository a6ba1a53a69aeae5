package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"earshot"
)

// named returns an endpoint that responds with name.
func named(name string) func(context.Context, *earshot.Caller, none) (string, error) {
	return func(context.Context, *earshot.Caller, none) (string, error) { return name, nil }
}

type idParams struct {
	ID string `path:"id"`
}

func showID(_ context.Context, _ *earshot.Caller, p idParams) (string, error) {
	return "id " + p.ID, nil
}

func TestRouting(t *testing.T) {
	h := New(Options{}, []Route{
		Handle("GET", "/", Public, named("root")),
		Handle("GET", "/api/stream/list", Public, named("list")),
		Handle("DELETE", "/api/stream/list", Public, named("unlist")),
		Handle("POST", "/api/stream/list", Public, named("relist")),
		Handle("GET", "/api/stream/{id}", Public, showID),
		Handle("GET", "/api/stream/{id}/posts", Public, showID),
		Handle("GET", "/api/stream/list/all", Public, named("all")),
		Plain("GET", "/files/{file...}", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "file "+r.URL.Path)
		})),
	})
	ok := func(method, path, want string) {
		t.Helper()
		check(t, request(h, method, path, ""), 200, want)
	}
	missing := func(path, shown string) {
		t.Helper()
		check(t, request(h, "GET", path, ""), 404, failureBody("No such endpoint: "+shown))
	}
	ok("GET", "/", `"root"`)
	ok("GET", "/api/stream/list", `"list"`)
	ok("GET", "/api/stream/list/", `"list"`)
	ok("GET", "/api/stream/list//", `"list"`)
	ok("GET", "/api/stream/%6Cist", `"list"`)
	ok("DELETE", "/api/stream/list", `"unlist"`)
	ok("GET", "/api/stream/7", `"id 7"`)
	ok("GET", "/api/stream/7/posts/", `"id 7"`)
	ok("GET", "/api/stream/list/posts", `"id list"`)
	ok("GET", "/api/stream/list/all", `"all"`)
	ok("GET", "/api/stream/a%2Fb+c%20d", `"id a/b+c d"`)
	ok("GET", "/files/a/b.js", `file /files/a/b.js`)
	missing("/files", "/files")
	missing("/api/stream", "/api/stream")
	missing("/api//stream/7", "/api//stream/7")
	missing("/api/stream//posts", "/api/stream//posts")
	missing("/API/stream/list", "/API/stream/list")
	missing("/api/stream/7/posts/8", "/api/stream/7/posts/8")
	missing("/a<b>?auth=secret", "/a<b>")
	missing("/"+strings.Repeat("é", 300), "/"+strings.Repeat("é", 199)+"…")
}

func TestMethodNotAllowed(t *testing.T) {
	h := New(Options{}, []Route{
		Handle("POST", "/x", Public, named("post")),
		Handle("GET", "/x", Public, named("get")),
		Handle("POST", "/y", Public, named("post")),
	})
	f := func(method, path, allow string) {
		t.Helper()
		w := request(h, method, path, "")
		message := fmt.Sprintf("Method %s is not supported for %s. Please use: %s", method, path, allow)
		if method == "HEAD" {
			check(t, w, 405, "")
		} else {
			check(t, w, 405, failureBody(message))
		}
		if got := w.Header().Get("Allow"); got != allow {
			t.Errorf("%s %s: got Allow %q, want %q", method, path, got, allow)
		}
	}
	f("DELETE", "/x", "GET, POST")
	f("OPTIONS", "/x", "GET, POST")
	f("GET", "/y", "POST")
	f("HEAD", "/y", "POST")
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/x", Public, whoami)})
	get, head := request(h, "GET", "/x", ""), request(h, "HEAD", "/x", "")
	check(t, get, 200, `{"by":"nobody","status":"success"}`)
	check(t, head, 200, "")
	for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control"} {
		if g, h := get.Header().Get(name), head.Header().Get(name); g != h || g == "" {
			t.Errorf("%s: got %q for GET and %q for HEAD", name, g, h)
		}
	}
}

func TestBadRoutesPanic(t *testing.T) {
	f := func(want string, routes ...Route) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); got != want {
				t.Errorf("got panic %q, want %q", got, want)
			}
		}()
		New(Options{}, routes)
	}
	h := http.NotFoundHandler()
	f("rest: duplicate route GET /x", Plain("GET", "/x", h), Plain("GET", "/x", h))
	f("rest: duplicate route GET /{b}", Plain("GET", "/{a}", h), Plain("GET", "/{b}", h))
	f(`rest: path "x" must start with a slash and not end with one`, Plain("GET", "x", h))
	f(`rest: path "/x/" must start with a slash and not end with one`, Plain("GET", "/x/", h))
	f(`rest: path "/{x" has a malformed segment "{x"`, Plain("GET", "/{x", h))
	f(`rest: path "/{}" has a malformed segment "{}"`, Plain("GET", "/{}", h))
	f(`rest: path "/a{x}" is malformed`, Plain("GET", "/a{x}", h))
	f(`rest: path "/a//b" is malformed`, Plain("GET", "/a//b", h))
	f(`rest: path "/{x...}/y" is malformed`, Plain("GET", "/{x...}/y", h))
	f("rest: route GET /x is incomplete: use Handle or Plain", Route{Method: "GET", Path: "/x"})
}
