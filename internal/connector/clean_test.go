package connector

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/ingest/item"
)

func TestClean(t *testing.T) {
	day := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	p := earshot.Post{
		GUID: "1", Time: day, URL: "https://www.Example.com/a", Title: "a\x00b", Contents: "bad \xff and\x07" + strings.Repeat("é", 20_000),
		Author: " Ann\x01 ", Bio: strings.Repeat("x", 3000), Language: "pt-BR",
		Hashtags: append([]string{"#Go", "go", " "}, make([]string, 200)...), Mentions: []string{"@Ann"},
		Links:  []string{"javascript:alert(1)", "https://a.example/"},
		Images: []earshot.Image{{URL: "data:text/html,x"}, {URL: "https://a.example/i.png", Alt: " cat "}},
	}
	if skip := Clean(&p); skip != "" {
		t.Fatal(skip)
	}
	if n := utf8.RuneCountInString(p.Contents); n != item.MaxContents || !strings.HasPrefix(p.Contents, "bad \uFFFD and é") {
		t.Errorf("contents have %d characters and start with %.20q", n, p.Contents)
	}
	p.Contents, p.Bio = "", p.Bio[:len(p.Bio)-item.MaxText]
	want := earshot.Post{
		GUID: "1", Time: day, URL: "https://www.Example.com/a", Site: "example.com", Title: "a b", Author: "Ann", Language: "pt",
		Hashtags: []string{"go"}, Mentions: []string{"ann"}, Links: []string{"https://a.example/"},
		Images: []earshot.Image{{URL: "https://a.example/i.png", Alt: "cat"}},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
}

func TestCleanSkips(t *testing.T) {
	day := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f := func(p earshot.Post, want string) {
		t.Helper()
		if got := Clean(&p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(earshot.Post{GUID: "1", Time: day, Contents: "x"}, "")
	f(earshot.Post{GUID: "1", Time: day, Contents: " \n\x00"}, "no text")
	f(earshot.Post{Time: day, Contents: "x"}, "no usable id")
	f(earshot.Post{GUID: strings.Repeat("x", 3000), Time: day, Contents: "x"}, "no usable id")
	f(earshot.Post{GUID: "1\n\x00", Time: day, Contents: "x"}, "no usable id")
	f(earshot.Post{GUID: "1", Contents: "x"}, "no usable date")
	f(earshot.Post{GUID: "1", Time: day.AddDate(1000, 0, 0), Contents: "x"}, "no usable date")
}

func TestResponseError(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f := func(status int, header, value string, after time.Duration, attention bool) {
		t.Helper()
		h := http.Header{}
		h.Set(header, value)
		if header == "X-RateLimit-Reset" {
			h.Set("X-RateLimit-Remaining", "0")
		}
		resp := &http.Response{StatusCode: status, Status: http.StatusText(status), Header: h, Request: &http.Request{URL: &url.URL{Host: "a.example"}}}
		err := ResponseError(resp, now)
		var retry *RetryError
		var got time.Duration
		if errors.As(err, &retry) {
			got = retry.After
		}
		if (err == nil) != (status < 400) || got != after || errors.Is(err, ErrAttention) != attention {
			t.Errorf("%d with %s %s: got %v, which asks to wait %v; want %v", status, header, value, err, got, after)
		}
	}
	f(200, "Retry-After", "5", 0, false)
	f(404, "", "", 0, false)
	f(500, "", "", 0, false)
	f(401, "", "", 0, true)
	f(403, "", "", 0, true)
	f(403, "Retry-After", "30", 30*time.Second, false)
	f(429, "", "", time.Minute, false)
	f(429, "Retry-After", "7", 7*time.Second, false)
	f(429, "Retry-After", "-7", time.Second, false)
	f(429, "Retry-After", "99999999999999999", maxRetryAfter, false)
	f(429, "Retry-After", "Mon, 16 Nov 2026 12:02:00 GMT", 2*time.Minute, false)
	f(429, "X-RateLimit-Reset", "2026-11-16T12:05:00.441909Z", 5*time.Minute+441909*time.Microsecond, false)
	f(503, "Retry-After", "9", 9*time.Second, false)
	f(503, "Retry-After", "soon", 0, false)
}
