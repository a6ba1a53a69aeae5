package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
)

func panicking(context.Context, *earshot.Caller, none) (said, error) { panic("index out of range") }

// logTo returns a logger that writes to b without timestamps.
func logTo(b *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// logged returns what one request logs.
func logged(o Options, err error, method, target string, headers ...string) string {
	var b bytes.Buffer
	o.Log = logTo(&b)
	o.Authenticate = authenticate
	began := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	times := []time.Time{began, began.Add(1500 * time.Microsecond)}
	o.Now = func() time.Time { t := times[0]; times = times[1:]; return t }
	h := giving(o, "ok", err)
	request(h, method, target, "", append(headers, "X-Request-Id", "r-1")...)
	return b.String()
}

func TestAccessLog(t *testing.T) {
	f := func(method, target, want string) {
		t.Helper()
		if got := logged(Options{}, nil, method, target); got != want+"\n" {
			t.Errorf("got  %swant %s", got, want)
		}
	}
	f("GET", "/x?auth=plain&password=secret",
		`level=INFO msg=request id=r-1 method=GET path=/x status=200 bytes=4 duration=1.5ms user=pat address=192.0.2.1`)
	f("HEAD", "/x",
		`level=INFO msg=request id=r-1 method=HEAD path=/x status=200 bytes=0 duration=1.5ms user="" address=192.0.2.1`)
	f("GET", "/y%0Alevel=ERROR",
		`level=INFO msg=request id=r-1 method=GET path="/y\nlevel=ERROR" status=404 bytes=64 duration=1.5ms user="" address=192.0.2.1`)
	f(strings.Repeat("M", 30), "/x",
		`level=INFO msg=request id=r-1 method=MMMMMMMMMMMMMMMMMMMM… path=/x status=405 bytes=102 duration=1.5ms user="" address=192.0.2.1`)
}

func TestTokensInPathsAreHidden(t *testing.T) {
	const token = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"
	f := func(path, want string) {
		t.Helper()
		if got := hideSecrets(strings.ReplaceAll(path, "TOKEN", token)); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	f("/share/TOKEN", "/share/…")
	f("/share/v1/TOKEN", "/share/v1/…")
	f("/share/v1/TOKEN/cards/12", "/share/v1/…/cards/12")
	f("/share/v1/TOKEN/unlock/", "/share/v1/…/unlock/")
	f("/share/v1//x/TOKEN/cards", "/share/v1//…/…/cards")
	f("/Share/v1%2FTOKEN", "/Share/…")
	f("/proxy/share/TOKEN", "/proxy/share/…")
	f("/share/12345678901234567890", "/share/…")
	f("/feed/v1/TOKEN", "/feed/v1/…")
	f("/feed/v1/TOKEN/", "/feed/v1/…/")
	f("/feed/v1%2FTOKEN", "/feed/…")
	f("/Feed/TOKEN.xml", "/Feed/…")
	f("/proxy/feed/v1/TOKEN", "/proxy/feed/v1/…")
	f("/manage/v1/shares/7/uses", "/manage/v1/shares/7/uses")
	f("/manage/v1/feeds/7", "/manage/v1/feeds/7")
	f("/manage/v1/monitors/7/posts/TOKEN", "/manage/v1/monitors/7/posts/"+token)
	log := logged(Options{}, nil, "PUT", "/share/v1/"+token)
	if strings.Contains(log, token) || !strings.Contains(log, "path=/share/v1/… status=404") {
		t.Errorf("got log %s", log)
	}
	if got := request(giving(Options{}, "ok", nil), "GET", "/share/v1/"+token, "").Body.String(); got != failureBody("No such endpoint: /share/v1/…") {
		t.Errorf("got %s", got)
	}

	// Routes with a token hide it wherever they are.
	var b bytes.Buffer
	type params struct {
		Token string `path:"token"`
	}
	route := Handle("GET", "/visit/{token}/page", Public, func(context.Context, *earshot.Caller, params) (string, error) { return "ok", nil })
	h := New(Options{Log: logTo(&b)}, []Route{route})
	for _, path := range []string{"/visit/" + token + "/page", "/visit/" + token + "/page/", "/visit/" + token[:30] + "%78" + token[31:] + "/page"} {
		request(h, "GET", path, "")
	}
	if got := b.String(); strings.Contains(got, token[:20]) || strings.Count(got, "path=/visit/…/page") != 3 || strings.Count(got, "status=200") != 3 {
		t.Errorf("got log %s", got)
	}
}

func TestErrorsAreLoggedOnce(t *testing.T) {
	f := func(err error, status int, want string) {
		t.Helper()
		got := logged(Options{}, err, "GET", "/x?auth=plain")
		line, rest, _ := strings.Cut(got, "\n")
		if want == "" {
			line, rest = "", got
		}
		if line != want || strings.Count(rest, "\n") != 1 || !strings.Contains(rest, fmt.Sprintf("msg=request id=r-1 method=GET path=/x status=%d ", status)) {
			t.Errorf("got  %s\nwant %s and a request line with status %d", got, want, status)
		}
	}
	f(errors.New("disk on fire"), 500, `level=ERROR msg="request failed" id=r-1 method=GET path=/x error="disk on fire"`)
	f(context.DeadlineExceeded, 500, `level=ERROR msg="request failed" id=r-1 method=GET path=/x error="context deadline exceeded"`)
	f(earshot.Errorf(earshot.NotFound, "Monitor 1 does not exist"), 404, "")
	f(&earshot.Error{Kind: earshot.StorageFull, Message: "full", Err: errors.New("no space left")}, 507,
		`level=WARN msg="request failed" id=r-1 method=GET path=/x error="full: no space left"`)
}

func TestDisconnectedClient(t *testing.T) {
	var b bytes.Buffer
	h := giving(Options{Log: logTo(&b)}, none{}, fmt.Errorf("tally: %w", context.Canceled))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil).WithContext(ctx))
	check(t, w, 503, failureBody("The request was interrupted. Please try again"))
	if got := b.String(); strings.Contains(got, "level=ERROR") || !strings.Contains(got, `msg="request interrupted"`) {
		t.Errorf("got log %s", got)
	}
}

func TestPanics(t *testing.T) {
	var b bytes.Buffer
	routes := []Route{
		Handle("GET", "/panic", Public, panicking),
		Handle("GET", "/abort", Public, func(context.Context, *earshot.Caller, none) (none, error) { panic(http.ErrAbortHandler) }),
		Plain("GET", "/late", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half an ans"))
			panic("late")
		})),
	}
	h := New(Options{Log: logTo(&b)}, routes)

	check(t, request(h, "GET", "/panic", "", "X-Request-Id", "r-1"), 500, failureBody("Internal error"))
	want := `level=ERROR msg="request panicked" id=r-1 method=GET path=/panic panic="index out of range" stack="goroutine `
	if got := b.String(); !strings.HasPrefix(got, want) || strings.Count(got, "level=ERROR") != 1 || !strings.Contains(got, "rest.panicking") {
		t.Errorf("got log %s\nwant it to begin with %s", got, want)
	}

	for _, path := range []string{"/abort", "/late"} {
		func() {
			defer func() {
				if got := recover(); got != http.ErrAbortHandler {
					t.Errorf("%s: got panic %v, want http.ErrAbortHandler", path, got)
				}
			}()
			request(h, "GET", path, "")
		}()
	}
}

func TestRequestID(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/x", Public, whoami)})
	f := func(sent string, kept bool) {
		t.Helper()
		got := request(h, "GET", "/x", "", "X-Request-Id", sent).Header().Get("X-Request-Id")
		if kept != (got == sent) || !isRequestID(got) {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
	f("abc-DEF_1.2", true)
	f(strings.Repeat("x", 64), true)
	f(strings.Repeat("x", 65), false)
	f("", false)
	f("a b", false)
	f("a\x00b", false)
	f("é", false)
	first, second := request(h, "GET", "/y", ""), request(h, "GET", "/y", "")
	random := regexp.MustCompile(`^[A-Z2-7]{26}$`)
	a, b := first.Header().Get("X-Request-Id"), second.Header().Get("X-Request-Id")
	if !random.MatchString(a) || !random.MatchString(b) || a == b {
		t.Errorf("got ids %q and %q, want two different ones", a, b)
	}
}

func TestObserve(t *testing.T) {
	var got []string
	o := Options{Authenticate: authenticate, Observe: func(route, method string, status int, d time.Duration) {
		got = append(got, fmt.Sprintf("%s %s %d %t", route, method, status, d >= 0))
	}}
	h := New(o, []Route{
		Handle("GET", "/s/{id}", SignedIn, showID),
		Plain("GET", "/healthz", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})),
	})
	request(h, "GET", "/s/1?auth=plain", "")
	request(h, "HEAD", "/s/1?auth=plain", "")
	request(h, "GET", "/s/1", "")
	request(h, "GET", "/healthz", "")
	request(h, "GET", "/nowhere", "")
	request(h, "BREW", "/healthz", "")
	want := []string{
		"/s/{id} GET 200 true", "/s/{id} HEAD 200 true", "/s/{id} GET 401 true", "/healthz GET 200 true", " GET 404 true", " OTHER 405 true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
