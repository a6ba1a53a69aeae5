package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
)

// authenticate knows one token for each kind of caller.
func authenticate(_ context.Context, token string) (*earshot.Caller, error) {
	users := map[string]*earshot.User{
		"plain":   {ID: 1, Username: "pat"},
		"content": {ID: 2, Username: "con", Permissions: []earshot.Permission{earshot.ContentPermission}},
		"streams": {ID: 3, Username: "sam", Permissions: []earshot.Permission{earshot.StreamsPermission}},
		"admin":   {ID: 4, Username: "ada", Permissions: []earshot.Permission{earshot.AdminPermission}},
	}
	switch u := users[token]; {
	case u != nil:
		return earshot.NewCaller(u), nil
	case token == "noapi":
		return nil, earshot.Errorf(earshot.Unauthenticated, "Unauthorized")
	case token == "outage":
		return nil, errors.New("catalog is gone")
	case token == "nobody":
		return nil, nil
	}
	return nil, earshot.ErrNotAuthenticated
}

// none is for endpoints without parameters, and said is for endpoints whose response does not
// matter.
type none struct{}

type said struct {
	By     string  `json:"by"`
	Status Success `json:"status"`
}

func whoami(_ context.Context, c *earshot.Caller, _ none) (said, error) {
	if c == nil {
		return said{By: "nobody"}, nil
	}
	return said{By: c.Name}, nil
}

// request sends a request and returns the response. Headers alternate between names and values.
func request(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// check compares the status and body of a response.
func check(t *testing.T, w *httptest.ResponseRecorder, status int, body string) {
	t.Helper()
	if w.Code != status || w.Body.String() != body {
		t.Errorf("got  %d %s\nwant %d %s", w.Code, w.Body, status, body)
	}
}

func failureBody(message string) string { return `{"message":"` + message + `","status":"error"}` }

func TestAccess(t *testing.T) {
	h := New(Options{Authenticate: authenticate}, []Route{
		Handle("GET", "/public", Public, whoami),
		Handle("GET", "/signedin", SignedIn, whoami),
		Handle("GET", "/content", Content, whoami),
		Handle("GET", "/streams", Streams, whoami),
		Handle("GET", "/admin", Admin, whoami),
	})
	const unauthenticated = "Full authentication is required to access this resource"
	ok := func(target, by string, headers ...string) {
		t.Helper()
		check(t, request(h, "GET", target, "", headers...), 200, `{"by":"`+by+`","status":"success"}`)
	}
	no := func(target string, status int, message string, headers ...string) {
		t.Helper()
		check(t, request(h, "GET", target, "", headers...), status, failureBody(message))
	}
	ok("/public", "nobody")
	ok("/public?auth=plain", "pat")
	ok("/public?auth=stale", "nobody")
	ok("/public?auth=noapi", "nobody")
	no("/public?auth=outage", 500, "Internal error")
	ok("/signedin?auth=plain", "pat")
	ok("/signedin?AUTH=plain", "pat")
	ok("/signedin?x=1&auth=%70lain", "pat")
	ok("/signedin", "pat", "Authorization", "Bearer plain")
	ok("/signedin", "pat", "Authorization", "bearer  plain")
	ok("/signedin?auth=plain", "pat", "Authorization", "Bearer admin")
	ok("/signedin?auth=", "ada", "Authorization", "Bearer admin")
	no("/signedin", 401, unauthenticated)
	no("/signedin?auth=", 401, unauthenticated)
	no("/signedin?auth=stale", 401, unauthenticated)
	no("/signedin?auth=nobody", 401, unauthenticated)
	no("/signedin?auth=noapi", 401, "Unauthorized")
	no("/signedin?auth=outage", 500, "Internal error")
	no("/signedin", 401, unauthenticated, "Authorization", "Basic plain")
	no("/signedin", 401, unauthenticated, "Authorization", "plain")
	ok("/content?auth=content", "con")
	ok("/content?auth=admin", "ada")
	no("/content?auth=streams", 403, "Access is denied")
	no("/content", 401, unauthenticated)
	ok("/streams?auth=streams", "sam")
	no("/streams?auth=content", 403, "Access is denied")
	no("/streams", 401, "Required parameter 'auth' not provided")
	no("/streams?auth=", 401, "Required parameter 'auth' not provided")
	no("/streams?auth=stale", 401, unauthenticated)
	ok("/admin?auth=admin", "ada")
	no("/admin?auth=plain", 403, "Access is denied")
	no("/admin", 401, unauthenticated)
}

func TestTokensAreRejectedWithoutAuthenticate(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/x", SignedIn, whoami)})
	check(t, request(h, "GET", "/x?auth=plain", ""), 401,
		failureBody("Full authentication is required to access this resource"))
}

func TestChecksRunInOrder(t *testing.T) {
	type params struct {
		ID   int64          `query:"id,required"`
		Body map[string]int `body:"json"`
	}
	h := New(Options{Authenticate: authenticate}, []Route{
		Handle("POST", "/x", Content, func(context.Context, *earshot.Caller, params) (said, error) {
			return said{}, earshot.Errorf(earshot.NotFound, "Thing 1 does not exist")
		}),
	})
	f := func(method, target, body string, status int, message string) {
		t.Helper()
		check(t, request(h, method, target, body), status, failureBody(message))
	}
	f("GET", "/y", "{", 404, "No such endpoint: /y")
	f("GET", "/x", "{", 405, "Method GET is not supported for /x. Please use: POST")
	f("POST", "/x", "{", 401, "Full authentication is required to access this resource")
	f("POST", "/x?auth=plain", "{", 403, "Access is denied")
	f("POST", "/x?auth=content", "{", 400, "Required String parameter 'id' is not present")
	f("POST", "/x?auth=content&id=1", "{", 400, "Invalid request body: unexpected end of JSON input at byte 1")
	f("POST", "/x?auth=content&id=1", "{}", 404, "Thing 1 does not exist")
}

func TestServerTimeouts(t *testing.T) {
	h := http.NotFoundHandler()
	s := Server("127.0.0.1:0", h)
	got := []time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout}
	want := []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 2 * time.Minute}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("timeouts: got %v, want %v", got, want)
			break
		}
	}
	if s.MaxHeaderBytes+(4<<10) != 32<<10 || s.Addr != "127.0.0.1:0" {
		t.Errorf("got %d header bytes on %s", s.MaxHeaderBytes, s.Addr)
	}
}
