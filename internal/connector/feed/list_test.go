package feed

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"earshot/internal/test/testenv"
)

func TestParseFeeds(t *testing.T) {
	got, err := ParseFeeds("https://a.example/feed\tA  news\r\n\n  b.example/rss \nfeed://c.example/x\nhttps://A.example/feed\nhttp://intranet:8080/feed#top")
	want := []Feed{
		{"https://a.example/feed", "A news"}, {"https://b.example/rss", ""}, {"https://c.example/x", ""}, {"http://intranet:8080/feed", ""},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
	again, err := ParseFeeds(formatFeeds(got))
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("formatted and parsed again: got %q, %v", again, err)
	}
}

func TestParseFeedsRejects(t *testing.T) {
	f := func(setting, want string) {
		t.Helper()
		if _, err := ParseFeeds(setting); err == nil || err.Error() != want {
			t.Errorf("%.60q: got the error %v\nwant %s", setting, err, want)
		}
	}
	f("https://a.example\n\nftp://b.example/", "line 3: 'ftp://b.example/' is not a web address such as https://example.com/feed")
	f("hello", "line 1: 'hello' is not a web address such as https://example.com/feed")
	f("https:///feed", "line 1: 'https:///feed' is not a web address such as https://example.com/feed")
	f("https://a.example/two words", "line 1: 'https://a.example/two words' is not a web address such as https://example.com/feed")
	f("javascript:alert(1)", "line 1: 'javascript:alert(1)' is not a web address such as https://example.com/feed")
	f("https://ann:secret@a.example/", "line 1: 'https://ann:xxxxx@a.example/' contains a username or password; feeds behind a sign-in cannot be read")
	var many strings.Builder
	for i := range MaxFeeds + 1 {
		fmt.Fprintf(&many, "https://a.example/%d\n", i)
	}
	f(many.String(), "line 10001: a source can have at most 10000 feeds")
}

func TestCheck(t *testing.T) {
	f := func(s map[string]string, want string) {
		t.Helper()
		got := ""
		if err := Kind().Check(s, ""); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", s, got, want)
		}
	}
	f(map[string]string{"url": "example.com"}, "")
	f(map[string]string{"feeds": "https://a.example/\nhttps://b.example/", "type": "Forums", "full_text": "on", "min_interval": "1h30m"}, "")
	f(nil, "enter the address of a feed")
	f(map[string]string{"url": "x"}, "url: 'x' is not a web address such as https://example.com/feed")
	f(map[string]string{"feeds": "x"}, "feeds: line 1: 'x' is not a web address such as https://example.com/feed")
	f(map[string]string{"url": "a.example", "type": "Twitter"}, "type: 'Twitter' is not one of News, Blogs, Forums")
	f(map[string]string{"url": "a.example", "full_text": "yes"}, "full_text: 'yes' is neither on nor off")
	f(map[string]string{"url": "a.example", "min_interval": "5s"}, "min_interval: '5s' is not a time from 1m to 24h")
}

const opml = `<?xml version="1.0" encoding="ISO-8859-1"?>
<opml version="1.1"><head><title>Mine</title></head><body>
<outline text="Folder"><outline text="In &amp; out" title="" type="rss" xmlUrl="https://a.example/feed?a=1&amp;b=2" htmlUrl="https://a.example/"/>
  <outline text="Deeper"><outline TITLE="Caf` + "\xe9" + `" XMLURL="http://b.example/atom.xml"></outline></outline></outline>
<outline text="again" xmlUrl="https://a.example/feed?a=1&amp;b=2"/><outline text="empty" xmlUrl=" "/>
<outline text="bare & ampersand" xmlUrl="https://c.example/"/>
</body></opml>`

func TestParseOPML(t *testing.T) {
	got, err := ParseOPML(strings.NewReader(opml))
	want := []Feed{{"https://a.example/feed?a=1&b=2", "In & out"}, {"http://b.example/atom.xml", "Café"}, {"https://c.example/", "bare & ampersand"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %q, %v\nwant %q", got, err, want)
	}
	var b bytes.Buffer
	if err := WriteOPML(&b, "My <feeds>", append(got, Feed{URL: "https://d.example/"})); err != nil {
		t.Fatal(err)
	}
	again, err := ParseOPML(&b)
	want = append(want, Feed{"https://d.example/", "https://d.example/"})
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("written and parsed again: got %q, %v", again, err)
	}
}

func TestWriteOPML(t *testing.T) {
	var b bytes.Buffer
	if err := WriteOPML(&b, "My <feeds>", []Feed{{"https://a.example/?a=1&b=2", "A & B"}}); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>My &lt;feeds&gt;</title>
  </head>
  <body>
    <outline type="rss" text="A &amp; B" title="A &amp; B" xmlUrl="https://a.example/?a=1&amp;b=2"></outline>
  </body>
</opml>
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestParseOPMLRejects(t *testing.T) {
	testenv.SkipUnderRace(t)
	f := func(text, want string) {
		t.Helper()
		if _, err := ParseOPML(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%.60q: got the error %v\nwant %s", text, err, want)
		}
	}
	f("", "the file is empty, not OPML")
	f("no xml at all", "the file is empty, not OPML")
	f("<html><body></body></html>", "the file is not OPML: it starts with <html> instead of <opml>")
	f("<opml><body><outline text=", "line 1: unexpected EOF")
	f("<opml>\n<body>\n<outline xmlUrl='mailto:a@b.example'/>", "line 3: 'mailto:a@b.example' is not a web address such as https://example.com/feed")
	f("<opml>"+strings.Repeat("<outline>", 200), "the outlines are nested more than 100 levels deep")
	f("<opml>"+strings.Repeat("<outline/>", 2<<20), "the file is larger than 10 MB")
	f("<?xml version='1.0' encoding='klingon'?><opml/>", `the file is not OPML: xml: opening charset "klingon": unsupported charset: "klingon"`)
}

func FuzzParseOPML(f *testing.F) {
	f.Add(opml)
	f.Add("<opml><outline xmlUrl='feed:https://a.example/'>")
	f.Fuzz(func(t *testing.T, text string) {
		feeds, err := ParseOPML(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := ParseFeeds(formatFeeds(feeds))
		if err != nil || len(feeds) > 0 && !reflect.DeepEqual(feeds, again) {
			t.Errorf("as setting: got %q, %v; want %q", again, err, feeds)
		}
		var b bytes.Buffer
		if err := WriteOPML(&b, "x", feeds); err != nil {
			t.Fatal(err)
		}
		again, err = ParseOPML(&b)
		if err != nil || len(feeds) != len(again) {
			t.Errorf("written and parsed again: got %q, %v; want %q", again, err, feeds)
		}
	})
}

// formatFeeds is the inverse of [ParseFeeds].
func formatFeeds(feeds []Feed) string {
	var b strings.Builder
	for _, f := range feeds {
		b.WriteString(f.URL)
		if title := oneLine(f.Title); title != "" {
			b.WriteString("\t" + title)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
