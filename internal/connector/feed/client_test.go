package feed

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"earshot/internal/connector"
	"earshot/internal/fetch"
	"earshot/internal/test/testenv"
)

// TestResponses reads one feed from a server through the client that sources have.
func TestResponses(t *testing.T) {
	f := func(name string, handler http.HandlerFunc, want string) {
		t.Helper()
		s := httptest.NewServer(handler)
		defer s.Close()
		w := newWorld(t, connector.Settings{"url": s.URL + "/feed"})
		env := w.env()
		env.HTTP = fetch.HTTP(fetch.Options{UserAgent: "Earshot/test", Allow: func(to netip.AddrPort) bool { return to.Addr().IsLoopback() }})
		posts, err := Kind().New(env).Sample(t.Context(), 5)
		got := fmt.Sprint(err)
		if err == nil && len(posts) > 0 {
			got = posts[0].Title
		}
		if got = strings.ReplaceAll(got, s.Listener.Addr().String(), "HOST"); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	zip := func(body []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(body)
		z.Close()
		return b.Bytes()
	}
	compressed := func(body []byte) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("Accept-Encoding is %q", r.Header.Get("Accept-Encoding"))
			}
			rw.Header().Set("Content-Encoding", "gzip")
			rw.Write(body)
		}
	}
	feed := rssOf(article("/1", time.Now(), "one"))
	f("gzip", compressed(zip(feed)), "one")
	f("broken gzip", compressed(zip(feed)[:30]), "HOST cannot be read: unexpected EOF")
	f("not gzip", compressed(feed), "HOST cannot be read: gzip: invalid header")
	f("gzip bomb", compressed(zip(make([]byte, 100<<20))), "HOST sent more than 10 MB")
	if !testenv.Race { // decoding has a time limit
		f("large", func(rw http.ResponseWriter, r *http.Request) {
			rw.Write(rssOf("<title>large</title><description>" + strings.Repeat("x", maxBody-1000) + "</description>"))
		}, "large")
	}
	f("too large", func(rw http.ResponseWriter, r *http.Request) {
		for range 11 {
			rw.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
	}, "HOST sent more than 10 MB")
	f("too large by its header", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Length", "99999999999")
	}, "HOST sent more than 10 MB")
	f("cut", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Length", "5000")
		rw.Write(feed)
	}, "HOST cannot be read: unexpected EOF")
	f("dropped", func(rw http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "HOST cannot be read: EOF")
	f("redirect to a private address", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://10.0.0.1/feed", http.StatusFound)
	}, "10.0.0.1 is not a public address")
	f("redirect to metadata", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://169.254.169.254/latest", http.StatusMovedPermanently)
	}, "169.254.169.254 is not a public address")
	f("many headers", func(rw http.ResponseWriter, r *http.Request) {
		for i := range 2000 {
			rw.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 100))
		}
	}, "HOST cannot be read")
	f("huge validators", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", strings.Repeat("x", 20_000))
		rw.Write(feed)
	}, "one")
}

// TestLargeFeedsShareMemory reads many large feeds at the same time.
func TestLargeFeedsShareMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	body := rssOf("<title>large</title><description>" + strings.Repeat("word ", 1<<20) + "</description>")
	var list []string
	for range 12 {
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { rw.Write(body) }))
		defer s.Close()
		list = append(list, s.URL+"/feed")
	}
	w := newWorld(t, listOf(list...))
	env := w.env()
	env.HTTP = fetch.HTTP(fetch.Options{UserAgent: "Earshot/test", Allow: func(to netip.AddrPort) bool { return to.Addr().IsLoopback() }})
	var most uint64
	w.sink.onDeliver = func() {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Kind().New(env).Run(ctx, "", w.sink) }()
	defer func() {
		cancel()
		<-done
	}()
	deadline := time.After(time.Minute)
	for w.sink.snapshot().versions < len(list) {
		select {
		case err := <-done:
			t.Fatal(err)
		case <-deadline:
			t.Fatalf("got %d posts after a minute", w.sink.snapshot().versions)
		case <-time.After(time.Millisecond):
		}
	}
	if limit := uint64(120 << 20); most > limit {
		t.Errorf("the heap had %d MB, want at most %d", most>>20, limit>>20)
	}
}
