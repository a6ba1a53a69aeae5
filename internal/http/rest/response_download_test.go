package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
)

// downloads returns a handler that responds with what write writes.
func downloads(o Options, write func(ctx context.Context, w io.Writer) error) http.Handler {
	return New(o, []Route{Handle("POST", "/x", Public, func(context.Context, *earshot.Caller, struct{}) (Download, error) {
		return Download{Type: "application/x-tar", Name: "a b.tar", Write: write}, nil
	})})
}

func TestDownloadIsSentAsItIsWritten(t *testing.T) {
	f := func(parts ...string) {
		t.Helper()
		w := request(downloads(Options{}, func(_ context.Context, w io.Writer) error {
			for _, p := range parts {
				if _, err := io.WriteString(w, p); err != nil {
					return err
				}
			}
			return nil
		}), "POST", "/x", "")
		if w.Code != 200 || w.Body.String() != strings.Join(parts, "") {
			t.Errorf("got %d %s, want %v", w.Code, w.Body, parts)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/x-tar", "Content-Disposition": `attachment; filename="a b.tar"`, "Cache-Control": "no-store",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
	f()
	f("one")
	f("one", "two")
}

func TestDownloadThatFailsBeforeFirstByteReturnsError(t *testing.T) {
	w := request(downloads(Options{}, func(context.Context, io.Writer) error {
		return earshot.Errorf(earshot.Unavailable, "Not now")
	}), "POST", "/x", "")
	check(t, w, 503, failureBody("Not now"))
	if got := w.Header().Get("Content-Disposition"); got != "" {
		t.Errorf("Content-Disposition: got %s, want none", got)
	}
}

func TestDownloadThatFailsLaterIsAborted(t *testing.T) {
	server := httptest.NewServer(downloads(Options{}, func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("x", 100_000))
		return errors.Join(err, errors.New("broken"))
	}))
	defer server.Close()
	resp, err := server.Client().Post(server.URL+"/x", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestDownloadEndsWhenServerStops(t *testing.T) {
	stopping := make(chan struct{})
	h := downloads(Options{Stopping: stopping}, func(_ context.Context, w io.Writer) error {
		close(stopping)
		_, err := io.WriteString(w, "x")
		return err
	})
	if w := request(h, "POST", "/x", ""); w.Code != 503 {
		t.Errorf("got %d %s, want 503", w.Code, w.Body)
	}
}

func TestDownloadExtendsDeadline(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	downloads(Options{Now: func() time.Time { return now }}, func(_ context.Context, w io.Writer) error {
		for range 4 {
			if _, err := io.WriteString(w, "x"); err != nil {
				return err
			}
			now = now.Add(700 * time.Millisecond)
		}
		return nil
	}).ServeHTTP(w, httptest.NewRequest("POST", "/x", nil))
	want := "read 00:00:00, write 12:01:00, write 12:01:01, write 12:01:02"
	if got := strings.Join(w.set, ", "); got != want {
		t.Errorf("got deadlines %s, want %s", got, want)
	}
}

func TestDownloadWithTagIsCacheable(t *testing.T) {
	h := New(Options{}, []Route{Handle("GET", "/x", Public, func(context.Context, *earshot.Caller, struct{}) (Download, error) {
		return Download{Type: "text/plain", Tag: "v1", Write: func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "content")
			return err
		}}, nil
	})})
	f := func(shown string, status int, body string) {
		t.Helper()
		w := request(h, "GET", "/x", "", "If-None-Match", shown)
		if w.Code != status || w.Body.String() != body {
			t.Errorf("shown %s: got %d %q, want %d %q", shown, w.Code, w.Body, status, body)
		}
		for name, want := range map[string]string{"ETag": `"v1"`, "Cache-Control": "private, no-cache", "Content-Disposition": ""} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("shown %s: got %s %q, want %q", shown, name, got, want)
			}
		}
	}
	f("", 200, "content")
	f(`"v0"`, 200, "content")
	f(`"v1"`, 304, "")
	f(`"v0", W/"v1"`, 304, "")
}
