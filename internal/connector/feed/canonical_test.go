package feed

import "testing"

func TestCanonical(t *testing.T) {
	f := func(address, want string) {
		t.Helper()
		got := ""
		if u := canonical(address); u != nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("canonical(%q) = %q, want %q", address, got, want)
		}
	}
	f("https://News.Example:443/a/B?id=7&utm_source=rss&utm_Medium=x#top", "https://news.example/a/B?id=7")
	f("http://news.example:80", "http://news.example/")
	f("http://news.example:8080/?fbclid=1&gclid=2&mc_cid=3&b=2&a=1&", "http://news.example:8080/?b=2&a=1")
	f("https://news.example/?utm_source=x", "https://news.example/")
	f("https://news.example/?u%74m_source=x&q=%26", "https://news.example/?q=%26")
	f("https://news.example/?", "https://news.example/")
	f("https://news.example/a#comment-12", "https://news.example/a#comment-12")
	f("https://forum.example/t/7#p345", "https://forum.example/t/7#p345")
	f("https://news.example/a#xtor=RSS-3", "https://news.example/a")
	f("https://app.example/#!/a/b", "https://app.example/#!/a/b")
	f("https://user:pass@news.example/", "https://news.example/")
	f("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/")
	f(" https://news.example/ü ", "https://news.example/%C3%BC")
	f("javascript:alert(1)", "")
	f("/relative", "")
	f("https:opaque", "")
	f("https://%zz/", "")
}

func TestRobots(t *testing.T) {
	f := func(text, path string, want bool) {
		t.Helper()
		if got := parseRobots([]byte(text)).allowed(path); got != want {
			t.Errorf("%q, %s: got %v", text, path, got)
		}
	}
	f("", "/a", true)
	f("User-agent: *\nDisallow: /", "/a", false)
	f("User-agent: *\nDisallow: /", "/robots.txt", true)
	f("User-agent: *\nDisallow:", "/a", true)
	f("\uFEFFuser-agent : * # all\r\n disallow : /private # x\r\n", "/private/a", false)
	f("User-agent: *\nDisallow: /private", "/public", true)
	// The longest pattern wins, and allowing wins if they are equally long.
	f("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true)
	f("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", false)
	f("User-agent: *\nDisallow: /a\nAllow: /a", "/a", true)
	f("User-agent: *\nAllow: /a\nDisallow: /a", "/a", true)
	// A group for this program replaces the one for all, wherever it is.
	f("User-agent: Earshot\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/b", true)
	f("User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: earshot/1.0\nDisallow: /a", "/b", true)
	f("User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: earshot/1.0\nDisallow: /a", "/a", false)
	f("User-agent: earshot\nDisallow: /a\nUser-agent: other\nDisallow: /b\nUser-agent: earshot\nDisallow: /c", "/c", false)
	f("User-agent: earshot\nDisallow: /a\nUser-agent: other\nDisallow: /b", "/b", true)
	f("User-agent: earshotter\nDisallow: /", "/a", true)
	f("Disallow: /", "/a", true)
	f("User-agent: *\nCrawl-delay: 5\nUser-agent: x\nDisallow: /", "/a", false)
	// Wildcards and escapes.
	f("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", false)
	f("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", true)
	f("User-agent: *\nDisallow: /a*b*c", "/a-b-b-c-d", false)
	f("User-agent: *\nDisallow: /a*b*c", "/a-c-b", true)
	f("User-agent: *\nDisallow: *?print=", "/a?print=1", false)
	f("User-agent: *\nDisallow: /a$", "/a", false)
	f("User-agent: *\nDisallow: /a$", "/ab", true)
	f("User-agent: *\nDisallow: /%7Ejoe/ü", "/~joe/%c3%bc", false)
	f("User-agent: *\nDisallow: /a%2fb", "/a/b", true)
}

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /*a*b$\nAllow: /%C3%bc", "/xaxb")
	f.Add("user-agent: earshot\nuser-agent: *\ndisallow: *", "%")
	f.Fuzz(func(t *testing.T, text, path string) {
		r := parseRobots([]byte(text))
		if !r.allowed("/robots.txt") {
			t.Error("robots.txt itself is not allowed")
		}
		if got := r.allowed(path); got != r.allowed(normalizePath(path)) {
			t.Errorf("%q: got %v, but not if it is normalized", path, got)
		}
	})
}
