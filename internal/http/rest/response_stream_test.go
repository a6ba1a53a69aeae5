package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
)

// streams returns a handler that responds with what write writes.
func streams(o Options, write func(w io.Writer) error) http.Handler {
	return giving(o, Streamed[pageResponse]{Write: write}, nil)
}

// writing returns a function that writes text in pieces of size bytes and then returns err.
func writing(text string, size int, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := io.WriteString(w, rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return err
	}
}

func TestShortStreamedResponseHasContentLength(t *testing.T) {
	f := func(length, size int, contentLength string) {
		t.Helper()
		text := `"` + strings.Repeat("x", length-2) + `"`
		w := request(streams(Options{}, writing(text, size, nil)), "GET", "/x", "", "X-Request-Id", "r1")
		if w.Code != 200 || w.Body.String() != text {
			t.Errorf("got %d and %d bytes, want 200 and %d", w.Code, w.Body.Len(), length)
		}
		want := http.Header{
			"Content-Type":           {"application/json;charset=UTF-8"},
			"X-Content-Type-Options": {"nosniff"},
			"Cache-Control":          {"no-store"},
			"X-Request-Id":           {"r1"},
		}
		if contentLength != "" {
			want.Set("Content-Length", contentLength)
		}
		if length >= minCompressed {
			want.Set("Vary", "Accept-Encoding")
		}
		checkHeader(t, w.Header(), want)
	}
	f(2, 100, "2")
	f(chunkSize, 100, fmt.Sprint(chunkSize)) // short enough for a Content-Length
	f(chunkSize+1, 100, "")
	f(5*chunkSize+77, 1000, "")
	f(3*chunkSize, 3*chunkSize, "") // in one write
}

func TestStreamedResponseArrivesComplete(t *testing.T) {
	text := `"` + strings.Repeat("0123456789", chunkSize/2) + `"`
	server := httptest.NewServer(streams(Options{}, writing(text, 777, nil)))
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != text || resp.ContentLength != -1 {
		t.Errorf("got %d bytes of %d, length %d, %v", len(got), len(text), resp.ContentLength, err)
	}
	resp, err = server.Client().Head(server.URL + "/x")
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != jsonType {
		t.Errorf("HEAD: got %v, %v", resp, err)
	}
}

func TestStreamedResponseThatFailsEarlyReturnsError(t *testing.T) {
	w := request(streams(Options{}, writing(strings.Repeat("x", chunkSize), 100, earshot.Errorf(earshot.Unavailable, "Not now"))), "GET", "/x", "")
	check(t, w, 503, failureBody("Not now"))
	w = request(streams(Options{}, writing("x", 1, errors.New("disk on fire"))), "GET", "/x", "")
	check(t, w, 500, failureBody("Internal error"))
}

func TestStreamedResponseThatFailsLaterIsAborted(t *testing.T) {
	server := httptest.NewServer(streams(Options{}, writing(strings.Repeat("x", 10*chunkSize), 100, errors.New("broken"))))
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

func TestStreamedResponseExtendsDeadline(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	streams(Options{Now: func() time.Time { return now }}, func(w io.Writer) error {
		for range 5 {
			if _, err := io.WriteString(w, strings.Repeat("x", chunkSize)); err != nil {
				return err
			}
			now = now.Add(700 * time.Millisecond)
		}
		return nil
	}).ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	want := "read 00:00:00, write 12:01:00, write 12:01:02, write 12:01:03"
	if got := strings.Join(w.set, ", "); got != want {
		t.Errorf("got deadlines %s, want %s", got, want)
	}
}

func TestStreamedResponseShape(t *testing.T) {
	r := Handle("GET", "/x", Public, func(context.Context, *earshot.Caller, none) (Streamed[pageResponse], error) {
		return Streamed[pageResponse]{}, nil
	})
	got := Describe([]Route{r})[0].Response
	if got == nil || len(got.Members) != 3 || got.Members[0].Name != "url" {
		t.Errorf("got %+v, want the members of pageResponse", got)
	}
}
