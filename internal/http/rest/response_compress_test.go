package rest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"

	"earshot"
	"earshot/internal/limit"
)

// decode returns a body without its coding.
func decode(t *testing.T, coding string, body io.Reader) string {
	t.Helper()
	var err error
	switch coding {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(body)
		t.Cleanup(z.Close)
		body = z
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compressible returns a handler with a route for each kind of response. All contain text.
func compressible(text string) http.Handler {
	file := func(kind string) func(context.Context, *earshot.Caller, none) (Download, error) {
		return func(context.Context, *earshot.Caller, none) (Download, error) {
			return Download{Type: kind, Tag: "t", Write: func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}}, nil
		}
	}
	value := func(context.Context, *earshot.Caller, none) (string, error) { return text, nil }
	return New(Options{Authenticate: authenticate, Session: inSession}, []Route{
		Handle("GET", "/value", SignedIn, value),
		Handle("POST", "/value", SignedIn, value),
		Handle("GET", "/parts", SignedIn, func(context.Context, *earshot.Caller, none) ([]string, error) {
			return []string{text, strings.Repeat("x", maxResponseBuffer), "end"}, nil
		}),
		Handle("GET", "/stream", SignedIn, func(context.Context, *earshot.Caller, none) (Streamed[string], error) {
			return Streamed[string]{Write: writing(strings.Repeat(text, 1+2*chunkSize/max(1, len(text))), 1000, nil)}, nil
		}),
		Handle("GET", "/error", SignedIn, func(context.Context, *earshot.Caller, none) (string, error) {
			return "", earshot.Errorf(earshot.Invalid, "%s", text)
		}),
		Handle("GET", "/events", SignedIn, func(context.Context, *earshot.Caller, none) (Events, error) {
			return Events{Write: func(_ context.Context, send func(Event) error) error { return send(Event{Data: []byte(text)}) }}, nil
		}),
		Handle("GET", "/csv", SignedIn, file("text/csv; charset=utf-8")),
		Handle("GET", "/lines", SignedIn, file("application/x-ndjson")),
		Handle("GET", "/svg", SignedIn, file("image/svg+xml")),
		Handle("GET", "/picture", SignedIn, file("image/png")),
		Handle("GET", "/workbook", SignedIn, file("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
		Handle("GET", "/tar", SignedIn, file("application/x-tar")),
	})
}

func TestResponsesAreCompressed(t *testing.T) {
	long, short := strings.Repeat("coffee ", 200), strings.Repeat("x", minCompressed-10)
	f := func(method, path, text, accept, want string) {
		t.Helper()
		h := compressible(text)
		plain := request(h, method, path, "", "Authorization", "Bearer plain")
		w := request(h, method, path, "", "Authorization", "Bearer plain", "Accept-Encoding", accept)
		got := w.Header().Get("Content-Encoding")
		if got != want || w.Code != plain.Code {
			t.Fatalf("%s %s, %s: got %d %q, want %d %q", method, path, accept, w.Code, got, plain.Code, want)
		}
		if length := w.Header().Get("Content-Length"); length != "" && method != "HEAD" && length != strconv.Itoa(w.Body.Len()) {
			t.Errorf("%s %s: the length is %s, but the body has %d bytes", method, path, length, w.Body.Len())
		}
		if want != "" && method != "HEAD" && w.Body.Len() > plain.Body.Len()/2 {
			t.Errorf("%s %s: got %d bytes of %d", method, path, w.Body.Len(), plain.Body.Len())
		}
		if want != "" && method != "HEAD" && decode(t, want, w.Body) != plain.Body.String() {
			t.Errorf("%s %s: the content is different", method, path)
		}
		if vary := w.Header().Get("Vary"); want != "" && vary != "Accept-Encoding" {
			t.Errorf("%s %s: Vary is %q", method, path, vary)
		}
	}
	for _, path := range []string{"/value", "/parts", "/stream", "/error", "/csv", "/lines", "/svg"} {
		f("GET", path, long, "gzip", "gzip")
		f("GET", path, long, "zstd", "zstd")
		f("GET", path, long, "", "")
	}
	f("POST", "/value", long, "gzip", "gzip")
	f("HEAD", "/value", long, "gzip", "gzip")
	f("HEAD", "/parts", long, "gzip", "gzip")
	f("GET", "/value", short, "gzip", "")
	for _, path := range []string{"/events", "/picture", "/workbook", "/tar"} {
		f("GET", path, long, "gzip, zstd", "")
	}

	f("GET", "/value", long, "gzip, deflate, br, zstd", "zstd")
	f("GET", "/value", long, "zstd;q=0.5, gzip;q=0.8", "gzip")
	f("GET", "/value", long, "GZIP ; Q=1.0, zstd;q=0", "gzip")
	f("GET", "/value", long, "*", "zstd")
	f("GET", "/value", long, "*;q=0.1, zstd;q=0", "gzip")
	f("GET", "/value", long, "gzip;q=0", "")
	f("GET", "/value", long, "gzip;q=x, br", "")
	f("GET", "/value", long, "identity", "")
}

func TestCompressedHeadHasTheHeadersOfGet(t *testing.T) {
	h := compressible(strings.Repeat("coffee ", 1000))
	for _, path := range []string{"/value", "/stream", "/csv"} {
		headers := []string{"Authorization", "Bearer plain", "Accept-Encoding", "gzip", "X-Request-Id", "r1"}
		get, head := request(h, "GET", path, "", headers...), request(h, "HEAD", path, "", headers...)
		checkHeader(t, head.Header(), get.Header())
		if head.Body.Len() > 0 {
			t.Errorf("%s: HEAD has a body of %d bytes", path, head.Body.Len())
		}
	}
}

// TestCompressedTagIsWeak checks that a compressed response has a weak tag, which is still recognized.
func TestCompressedTagIsWeak(t *testing.T) {
	h := compressible(strings.Repeat("coffee ", 1000))
	f := func(wantCode int, wantTag string, headers ...string) {
		t.Helper()
		w := request(h, "GET", "/csv", "", append(headers, "Authorization", "Bearer plain")...)
		if got := w.Header().Get("ETag"); w.Code != wantCode || got != wantTag {
			t.Errorf("got %d %s, want %d %s", w.Code, got, wantCode, wantTag)
		}
	}
	f(200, `"t"`)
	f(200, `W/"t"`, "Accept-Encoding", "gzip")
	f(304, `"t"`, "Accept-Encoding", "gzip", "If-None-Match", `W/"t"`)
	f(304, `"t"`, "If-None-Match", `"t"`)
}

// TestCompressedDownloadIsSentAsItIsFlushed reads the first part of a response before the second part
// is written.
func TestCompressedDownloadIsSentAsItIsFlushed(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		read := make(chan struct{})
		server := httptest.NewServer(New(Options{}, []Route{Handle("GET", "/x", Public, func(context.Context, *earshot.Caller, none) (Download, error) {
			return Download{Type: "text/csv", Write: func(ctx context.Context, w io.Writer) error {
				if _, err := io.WriteString(w, "first"); err != nil {
					return err
				}
				if err := w.(interface{ Flush() error }).Flush(); err != nil {
					return err
				}
				select {
				case <-read:
				case <-ctx.Done():
					return ctx.Err()
				}
				_, err := io.WriteString(w, ",second")
				return err
			}}, nil
		})}))
		defer server.Close()
		r, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/x", nil)
		r.Header.Set("Accept-Encoding", coding)
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var body io.Reader
		if coding == "gzip" {
			body, err = gzip.NewReader(resp.Body)
		} else {
			body, err = zstd.NewReader(resp.Body, zstd.WithDecoderConcurrency(1))
		}
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 5)
		if _, err := io.ReadFull(body, first); err != nil || string(first) != "first" {
			t.Fatalf("%s: got %q, %v", coding, first, err)
		}
		close(read)
		if rest, err := io.ReadAll(body); err != nil || string(rest) != ",second" {
			t.Errorf("%s: got %q, %v", coding, rest, err)
		}
	}
}

// TestResponseIsNotCompressedWithoutMemory checks that a response does not wait for the memory of a
// compressor.
func TestResponseIsNotCompressedWithoutMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits(0, 0)
		all := l.Memory.Lease(limit.Client{User: 1})
		if err := all.Grow(t.Context(), l.Memory.Total()); err != nil {
			t.Fatal(err)
		}
		other := l.Memory.Lease(limit.Client{User: 2})
		if err := other.Grow(t.Context(), l.Memory.Total()/2); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		text := `"` + strings.Repeat("x", 2*chunkSize) + `"`
		w := request(streams(Options{Limits: l}, writing(text, 1000, nil)), "GET", "/x", "", "Accept-Encoding", "gzip")
		if coding := w.Header().Get("Content-Encoding"); coding != "" || w.Body.String() != text || time.Since(began) > 0 {
			t.Errorf("got %d bytes with the coding %q after %v", w.Body.Len(), coding, time.Since(began))
		}
		other.Close()
		all.Close()
		w = request(streams(Options{Limits: l}, writing(text, 1000, nil)), "GET", "/x", "", "Accept-Encoding", "gzip")
		if coding := w.Header().Get("Content-Encoding"); coding != "gzip" {
			t.Errorf("got the coding %q", coding)
		}
	})
}

// TestLongResponsesAreCompressedInParts checks that only a small part of a long response is held
// back.
func TestLongResponsesAreCompressedInParts(t *testing.T) {
	for _, coding := range []string{"gzip", "zstd"} {
		w := httptest.NewRecorder()
		h := streams(Options{}, func(to io.Writer) error {
			noise := bytes.Repeat([]byte("0"), 1000)
			for i := range 2000 {
				copy(noise, strconv.Itoa(i*i))
				if _, err := to.Write(noise); err != nil {
					return err
				}
				if sent := i*1000 - (1 << 20); sent > 0 && w.Body.Len() == 0 {
					t.Fatalf("%s: nothing is sent after %d bytes", coding, i*1000)
				}
			}
			return nil
		})
		r := httptest.NewRequest("GET", "/x", nil)
		r.Header.Set("Accept-Encoding", coding)
		h.ServeHTTP(w, r)
		if got := decode(t, coding, w.Body); len(got) != 2_000_000 {
			t.Errorf("%s: got %d bytes", coding, len(got))
		}
	}
}
