package feed

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"earshot/internal/connector"
)

var withText = connector.Settings{"url": "https://a.example/feed", "full_text": "on"}

// articlePage returns a page with a long article between navigation and advertisements.
func articlePage(word string) string {
	return "<!doctype html><html><head><title>Story</title><script>track()</script></head><body><nav><a href=/>Home</a> <a href=/sport>Sport</a></nav>" +
		"<div class=sidebar><a href=/x>Read this next</a></div><article><h1>Story</h1>" +
		strings.Repeat("<p>A sentence about "+word+", which is long enough to count as part of an article, with commas, and more.</p>", 12) +
		`<p>See <a href="https://other.example/?utm_source=x">there</a>.</p></article><footer>All rights reserved</footer></body></html>`
}

func TestFullText(t *testing.T) {
	bubble(t, withText, func(t *testing.T, w *world) {
		w.site("a.example", "/feed",
			"<link>https://news.example/1</link><title>one</title><description>Short …</description>",
			"<link>https://news.example/2</link><title>two</title><description>&lt;p&gt;"+strings.Repeat("The feed has all of it. ", 200)+"</description>",
			"<link>https://news.example/private/3</link><title>three</title><description>Short</description>",
			"<link>https://news.example/4</link><title>four</title><description>Short</description>",
			"<link>https://down.example/5</link><title>five</title><description>Short</description>",
			"<link>https://news.example/6</link><title>six</title><description>Short</description>",
		)
		w.handle("news.example", "", func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(rw, articlePage("zebras"))
		})
		w.handle("news.example", "/robots.txt", func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprint(rw, "User-agent: *\nDisallow: /private/\n")
		})
		w.handle("news.example", "/4", answer(http.StatusNotFound))
		w.handle("news.example", "/6", answer(http.StatusFound, "Location: /private/6"))
		w.handle("down.example", "", answer(http.StatusInternalServerError))
		w.start()
		w.pass(2 * time.Minute)
		w.sink.expect(t, "five", "four", "one", "six", "three", "two")
		for _, p := range w.sink.snapshot().posts {
			switch p.Title {
			case "one":
				if !strings.Contains(p.Contents, "zebras") || strings.Contains(p.Contents, "Home") || strings.Contains(p.Contents, "track") {
					t.Errorf("got the article %q", p.Contents)
				}
				if len(p.Links) != 1 || p.Links[0] != "https://other.example/" {
					t.Errorf("got the links %q", p.Links)
				}
			case "two":
				if !strings.HasPrefix(p.Contents, "The feed has all of it.") {
					t.Errorf("got %q", p.Contents)
				}
			default:
				if p.Contents != "Short" {
					t.Errorf("%s: got %q, want the text of the feed", p.Title, p.Contents)
				}
			}
		}
		w.expect("a.example/feed", "news.example/robots.txt", "news.example/1", "news.example/4", "down.example/robots.txt", "news.example/6")
		// What is known is not fetched again.
		w.pass(time.Hour)
		for _, r := range w.requests() {
			if r != "a.example/feed" {
				t.Errorf("unexpected request %s", r)
			}
		}
	})
}

func TestRobotsOfServers(t *testing.T) {
	f := func(name string, robots http.HandlerFunc, want bool) {
		t.Helper()
		bubble(t, withText, func(t *testing.T, w *world) {
			w.handle("a.example", "", func(rw http.ResponseWriter, r *http.Request) { fmt.Fprint(rw, articlePage("zebras")) })
			w.site("a.example", "/feed", "<link>/1</link><title>one</title>")
			w.handle("a.example", "/robots.txt", robots)
			w.start()
			w.pass(time.Minute)
			for _, p := range w.sink.snapshot().posts {
				if got := strings.Contains(p.Contents, "zebras"); got != want {
					t.Errorf("%s: the article was fetched: %v, want %v", name, got, want)
				}
			}
			w.sink.expect(t, "one")
		})
	}
	f("none", answer(http.StatusNotFound), true)
	f("denied", answer(http.StatusForbidden), true)
	f("broken", answer(http.StatusBadGateway), false)
	f("too many requests", answer(http.StatusTooManyRequests), false)
	f("huge", func(rw http.ResponseWriter, r *http.Request) {
		fmt.Fprint(rw, "User-agent: *\nDisallow: /1\n", strings.Repeat("#", 5<<20))
	}, false)
	f("elsewhere", answer(http.StatusMovedPermanently, "Location: https://missing.example/robots.txt"), false)
}

func TestExtractRejects(t *testing.T) {
	u, _ := url.Parse("https://a.example/")
	for name, body := range map[string]string{
		"deep":   strings.Repeat("<div>", 100_000),
		"many":   "<p>" + strings.Repeat("<b>x</b>", 100_000),
		"binary": strings.Repeat("\x00\xff", 1000),
	} {
		began := time.Now()
		doc, err := extract([]byte(body), "text/html", u)
		if err == nil && len(doc.Text) > 0 && name != "binary" {
			t.Errorf("%s: got %.100q, want an error", name, doc.Text)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if _, err := extract([]byte("%PDF"), "application/pdf", u); err == nil || errors.Is(err, errDisallowed) {
		t.Errorf("PDF: got the error %v", err)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte(articlePage("zebras")), "text/html")
	f.Add([]byte("<table><tr><td><p>x<br><br>y<noscript><img src=x></noscript>"), "text/html; charset=windows-1251")
	u, _ := url.Parse("https://a.example/story")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		if doc, err := extract(body, contentType, u); err != nil && doc.Text != "" {
			t.Error("a text and an error")
		}
	})
}

func FuzzDiscover(f *testing.F) {
	f.Add([]byte(`<base href="/x/"><link rel=alternate type="application/rss+xml" href="feed"><link rel=feed href=//b.example/#x>`))
	f.Add([]byte("<link rel='alternate' type='application/json' href='javascript:x'><link"))
	base, _ := url.Parse("https://a.example/page")
	f.Fuzz(func(t *testing.T, body []byte) {
		list := discover(body, base)
		if len(list) > maxCandidates+len(usualPaths) {
			t.Errorf("got %d candidates", len(list))
		}
		for _, candidate := range list {
			if u, err := url.Parse(candidate); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
				t.Errorf("bad candidate %q", candidate)
			}
		}
	})
}
