package htmltext

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	f := func(html, want string) {
		t.Helper()
		if got := Text(html); got != want {
			t.Errorf("Text(%q)\n got %q\nwant %q", html, got, want)
		}
	}
	f(``, "")
	f(`plain text`, "plain text")
	f(" plain \t text\n", "plain text")
	f(`AT&T and 5 < 6`, "AT&T and 5 < 6")
	f(`Tom &amp; Ann &#8212; &eacute;&nbsp;x`, "Tom & Ann — é x")
	f(`<p>one</p><p>two</p>`, "one\n\ntwo")
	f(`<p>one<br>two<br/><br>three<br><br><br><br>four</p>`, "one\ntwo\n\nthree\n\nfour")
	f(`<div>one</div><div>two</div>`, "one\ntwo")
	f(`<div><div><p>one</p></div></div>  <p> two </p>`, "one\n\ntwo")
	f(`<ul><li>one</li><li>two</li></ul>after`, "one\ntwo\n\nafter")
	f(`<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>`, "a b\nc")
	f(`<b>bold</b>er <i>it</i>`, "bolder it")
	f("<pre>a  b\n  c\n\n\n\nd</pre> e\nf", "a b\nc\n\nd\n\ne f")
	f(`a<script>alert("<p>no</p>")</script>b<style>p{}</style>c<!-- no -->d`, "abcd")
	f(`<svg><svg><text>no</text></svg>no</svg>yes`, "yes")
	f(`<title>no</title>yes<noscript><p>no</p></noscript>`, "yes")
	f(`<p>unclosed <b>bold<p>next`, "unclosed bold\n\nnext")
	f(`</p></span></pre></script>text`, "text")
	f("a\x00b\x07c\xffd", "a b c\uFFFDd")
	f(`fine <img class="emoji" alt="🙂" src="x.png"> so`, "fine 🙂 so")
	f(`<img src="http://a/b.png" alt="not text">text`, "text")

	// Links and hidden parts as Mastodon writes them.
	f(`<p>see <a href="https://example.com/a/b/c"><span class="invisible">https://</span><span class="ellipsis">example.com/a</span><span class="invisible">/b/c</span></a> now</p>`,
		"see example.com/a… now")
	f(`<p><span class="h-card"><a href="https://m.example/@ann" class="u-url mention">@<span>ann</span></a></span> hello</p>`, "@ann hello")
	f(`<span class="invisible">no<span>no</span>no</span>yes`, "yes")
	f(`<p><span class="invisible">no</p><p>yes</p>`, "yes")
}

func TestParse(t *testing.T) {
	base, _ := url.Parse("https://news.example/2026/story")
	got := Parse(`<a href="/about">x</a><a href="https://b.example/?a=1&amp;b=2">y</a><a href="other">z</a>
		<a href="/about">x</a><a href="javascript:alert(1)">no</a><a href="mailto:a@b.example">no</a><a href="https://%zz/">no</a><a>no</a><a href="#top"></a>
		<img src="i.png" alt=" a  cat "><img src="data:image/png;base64,AAAA"><IMG SRC=//cdn.example/j.jpg><img src="i.png" alt="again"><img src="p.gif" width="1" height=1><img src="k.png" width="100">`, base)
	want := Document{
		Text:  "xyz xnononono",
		Links: []string{"https://news.example/about", "https://b.example/?a=1&b=2", "https://news.example/2026/other"},
		Images: []Image{
			{"https://news.example/2026/i.png", "a cat"},
			{"https://cdn.example/j.jpg", ""},
			{"https://news.example/2026/k.png", ""},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestLinks(t *testing.T) {
	got := Parse(`<a href="/relative">x</a><a class="u-url mention" href="https://m.example/@ann">x</a>
		<a class="mention hashtag" href="https://m.example/tags/go">x</a><a class="hashtag" href="https://m.example/tags/go">x</a>
		<a href="https://go.dev/">x</a><a href=" HTTP://go.dev ">x</a>`, nil).Links
	if want := []string{"https://go.dev/", "http://go.dev"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHostile checks that huge and deeply nested HTML takes time in proportion to its size.
func TestHostile(t *testing.T) {
	const n = 1 << 20
	for name, unit := range map[string]string{
		"nested blocks":     "<div>",
		"nested spans":      "<span class=ellipsis>",
		"hidden spans":      "<span class=invisible>",
		"nested svg":        "<svg>",
		"open tags":         "<",
		"open comments":     "<!--",
		"entities":          "&amp;",
		"broken entities":   "&#99999999999;",
		"attributes":        "<a b=c ",
		"links":             "<a href=http://x/>",
		"distinct pictures": "<img src=http://x/><p>",
		"spaces":            " \n",
	} {
		began := time.Now()
		doc := Parse(strings.Repeat(unit, n/len(unit)), nil)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		if len(doc.Text) > 2*n {
			t.Errorf("%s became %d bytes", name, len(doc.Text))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`<p>see <a href="https://example.com/a"><span class="invisible">https://</span><span class="ellipsis">example.com</span></a></p>`)
	f.Add("<pre>a\n\n b</pre><script>x</script><img class=emoji alt='&#x1F642;'><table><tr><td>1<td>2")
	f.Add("<![CDATA[ x ]]><?php y ?><!doctype html><svg><p></svg>")
	base, _ := url.Parse("https://news.example/")
	f.Fuzz(func(t *testing.T, s string) {
		d := Parse(s, base)
		switch {
		case !utf8.ValidString(d.Text):
			t.Errorf("invalid UTF-8: %q", d.Text)
		case strings.TrimSpace(d.Text) != d.Text:
			t.Errorf("space around %q", d.Text)
		case strings.Contains(d.Text, "\n\n\n") || strings.Contains(d.Text, "  "):
			t.Errorf("too much space in %q", d.Text)
		}
		for _, link := range append(Parse(s, nil).Links, d.Links...) {
			if u, err := url.Parse(link); err != nil || !strings.HasPrefix(u.Scheme, "http") {
				t.Errorf("bad link %q", link)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	s := strings.Repeat(`<p>Some <b>words</b> &amp; a <a href="https://example.com/a?b=c" class="x">link</a>.<br/>A second line of a paragraph.</p>`, 40)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(s, nil)
	}
}
