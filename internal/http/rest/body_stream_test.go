package rest

import (
	"bufio"
	"context"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
)

type streamParams struct {
	Body *BodyStream `body:"stream"`
}

// countLines responds with the number of lines in the body.
func countLines(_ context.Context, _ *earshot.Caller, p streamParams) (int, error) {
	lines := bufio.NewScanner(p.Body)
	n := 0
	for lines.Scan() {
		n++
	}
	return n, lines.Err()
}

func TestBodyStream(t *testing.T) {
	h := New(Options{MaxBody: 10}, []Route{Handle("POST", "/x", Public, countLines)})
	long := strings.Repeat("a line\n", 100_000)
	f := func(body, encoding string, status int, want string) {
		t.Helper()
		if status != 200 {
			want = failureBody(want)
		}
		check(t, request(h, "POST", "/x", body, "Content-Encoding", encoding), status, want)
	}
	f("", "", 200, "0")
	f("", "gzip", 200, "0")
	f(long, "", 200, "100000")
	f(zipped(long), "gzip", 200, "100000")
	f(zipped(long)[:500], "gzip", 400, "Invalid request body: it is incomplete")
	f(long, "gzip", 400, "Invalid request body: it is not valid gzip data")
	f("{}", "gzip", 400, "Invalid request body: it is not valid gzip data")
	f(long, "zstd", 400, "Invalid request body: Content-Encoding 'zstd' is not supported; send gzip or no encoding")
}

func TestBodyStreamEndsWhenServerStops(t *testing.T) {
	stopping := make(chan struct{})
	var got int
	h := New(Options{Stopping: stopping}, []Route{Handle("POST", "/x", Public, func(_ context.Context, _ *earshot.Caller, p streamParams) (int, error) {
		lines := bufio.NewScanner(p.Body)
		for lines.Scan() {
			if got++; got == 10 {
				close(stopping)
			}
		}
		return got, lines.Err()
	})})
	endless := strings.NewReader(strings.Repeat("a line\n", 1_000_000))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/x", endless))
	if w.Code != 503 || w.Header().Get("Retry-After") != "5" || got >= 1_000_000 {
		t.Errorf("got %d %s after %d lines, want an error that the server is stopping", w.Code, w.Body, got)
	}
}

// A deadlineRecorder records the deadlines that are set.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	set []string
}

func (w *deadlineRecorder) SetReadDeadline(t time.Time) error {
	w.set = append(w.set, "read "+t.Format(time.TimeOnly))
	return nil
}

func (w *deadlineRecorder) SetWriteDeadline(t time.Time) error {
	w.set = append(w.set, "write "+t.Format(time.TimeOnly))
	return nil
}

// A slowBody is a body that pauses before each line.
type slowBody struct {
	lines int
	wait  func()
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.lines == 0 {
		return 0, io.EOF
	}
	b.lines--
	b.wait()
	return copy(p, "    \n"), nil // spaces are the beginning of JSON
}

func TestBodyStreamExtendsDeadlines(t *testing.T) {
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	h := New(Options{Now: func() time.Time { return now }}, []Route{Handle("POST", "/x", Public, countLines)})
	waits := []time.Duration{0, 50 * time.Second, 100 * time.Millisecond, 50 * time.Second}
	body := &slowBody{lines: len(waits), wait: func() { now = now.Add(waits[0]); waits = waits[1:] }}
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	h.ServeHTTP(w, httptest.NewRequest("POST", "/x", body))
	check(t, w.ResponseRecorder, 200, "4")
	want := []string{
		"read 12:01:00", "write 12:05:00",
		"read 12:01:50", "write 12:05:50", // after the first 50 seconds, but not after another 100 ms
		"read 12:02:40", "write 12:06:40",
	}
	if !slices.Equal(w.set, want) {
		t.Errorf("got deadlines\n%s\nwant\n%s", strings.Join(w.set, "\n"), strings.Join(want, "\n"))
	}
}
