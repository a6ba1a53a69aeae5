package feed

import (
	"net/url"
	"slices"
	"testing"
)

func TestFeedLinks(t *testing.T) {
	base, _ := url.Parse("https://a.example/blog/page")
	f := func(page string, want ...string) {
		t.Helper()
		if got := feedLinks([]byte(page), base); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", page, got, want)
		}
	}
	f("")
	f(`<link rel="alternate" type="application/rss+xml" href="feed">`, "https://a.example/blog/feed")
	f(`<link rel="alternate" type="application/rss+xml" href="feed"><link rel="alternate" type="application/rss+xml" href="/blog/feed#x">`, "https://a.example/blog/feed")
	f(`<base href="https://b.example/x/"><link rel="alternate" type="application/atom+xml" href="feed">`, "https://b.example/x/feed")
	f(`<link rel=alternate type=application/json href=/wp-json/1><link rel=alternate type=application/rss+xml href=/comments/feed><link rel=alternate type=application/feed+json href=/f.json>`,
		"https://a.example/f.json", "https://a.example/wp-json/1", "https://a.example/comments/feed")
	f(`<link rel="feed" href="/x?a=1&amp;b=2">`, "https://a.example/x?a=1&b=2")
	f(`<link rel="stylesheet" type="text/css" href="x"><link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="text/html" href="/m">`)
	f(`<link rel="alternate" type="application/rss+xml"><link rel="alternate" type="application/rss+xml" href="javascript:x"><link rel="alternate" type="application/rss+xml" href="https://u:p@b.example/">`)
	f(`<script>"<link rel=alternate type=application/rss+xml href=/no>"</script><!-- <link rel=alternate type=application/rss+xml href=/no> -->`)
}
