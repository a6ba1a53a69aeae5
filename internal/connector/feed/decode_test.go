package feed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/test/testenv"
)

var testNow = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

var emptyResponse = &http.Response{Header: http.Header{}}

// newTestClient returns a client of a source of team 7.
func newTestClient() *client {
	return &client{env: connector.Env{Source: &earshot.LiveSource{Team: 7}}}
}

// postsOf returns the posts of a document, as if it were read for the first time.
func postsOf(t *testing.T, body, contentType string) []earshot.Post {
	t.Helper()
	base, _ := url.Parse("https://site.example/feed.xml")
	doc, err := decode([]byte(body), contentType, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{client: newTestClient(), source: earshot.News, minInterval: time.Minute}
	p := &poll{feed: &subscription{Feed: Feed{URL: base.String()}}, resp: &response{Response: emptyResponse}}
	if err := r.compare(t.Context(), p, entries(doc, base, earshot.News), testNow); err != nil {
		t.Fatal(err)
	}
	return p.posts
}

func TestGUIDsOfOtherSites(t *testing.T) {
	var items strings.Builder
	for _, link := range []string{"/a", "https://www.site.example/b", "https://other.example/c", "https://site.example.other.example/d"} {
		fmt.Fprintf(&items, "<item><title>x</title><link>%s</link></item>", link)
	}
	var got []string
	for _, p := range postsOf(t, "<rss version='2.0'><channel><link>https://other.example/</link>"+items.String()+"</channel></rss>", "application/rss+xml") {
		got = append(got, p.GUID)
	}
	want := []string{"team 7 https://other.example/a", "https://www.site.example/b", "team 7 https://other.example/c", "team 7 https://site.example.other.example/d"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestItemsStoredWithoutTheTeam reads a feed whose item was delivered before guids named the team. It is
// neither delivered again nor changed.
func TestItemsStoredWithoutTheTeam(t *testing.T) {
	base, _ := url.Parse("https://site.example/feed.xml")
	doc, err := decode([]byte("<rss version='2.0'><channel><item><title>new title</title><link>https://other.example/c</link></item></channel></rss>"), "application/rss+xml", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	old := seen{hash("https://other.example/c"), 1, uint32(testNow.Unix())}
	r := &reader{client: newTestClient(), source: earshot.News, minInterval: time.Minute}
	p := &poll{feed: &subscription{Feed: Feed{URL: base.String()}}, resp: &response{Response: emptyResponse}, rec: record{Items: items{old}}}
	if err := r.compare(t.Context(), p, entries(doc, base, earshot.News), testNow); err != nil {
		t.Fatal(err)
	}
	if len(p.posts) != 0 || p.gap != nil || !slices.Equal(p.rec.Items, items{old}) {
		t.Errorf("got posts %+v, gap %v, record %v; want no change", p.posts, p.gap, p.rec.Items)
	}
}

func TestDecodeRSS(t *testing.T) {
	got := postsOf(t, `<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet href="x.xsl"?><!-- hello -->
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
	xmlns:media="http://search.yahoo.com/mrss/" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0">
<channel><title>News &amp; views</title><link>https://site.example/</link><language>de-DE</language>
<item>
	<title>Tom &amp;amp; Ann &lt;b&gt;win&lt;/b&gt;</title>
	<link>https://proxy.example/~r/1</link><feedburner:origLink>http://site.example:80/a?utm_source=rss&amp;id=1#top</feedburner:origLink>
	<guid isPermaLink="false">urn:1</guid><pubDate>Mon, 16 Nov 2026 10:00:00 +0100</pubDate><dc:creator>Ann Author</dc:creator>
	<category>Politics</category><category>#Berlin</category>
	<description>Short.</description>
	<content:encoded><![CDATA[<p>First <a href="/b?fbclid=x">link</a>.</p><p>Second<br>line<script>x()</script></p>
		<img src="i/cat.jpg" alt="A cat"><img src="https://stats.example/p.gif" width="1" height="1">]]></content:encoded>
	<enclosure url="https://cdn.example/e.mp3" type="audio/mpeg" length="1"/><media:content url="https://cdn.example/m.jpg" medium="image"/>
</item>
<item><title>No date, no guid</title><link>/c</link><description>List&lt;T&gt; is
plain</description><author>bob@site.example (Bob)</author></item>
<item><title>From the future</title><guid>https://site.example/d</guid><pubDate>Fri, 01 Jan 2038 00:00:00 GMT</pubDate></item>
<item><guid>only-a-guid</guid><description>Text</description><author>carl@site.example</author><pubDate>Mon, 16 Nov 2026 08:00:00 GMT</pubDate></item>
<item><guid>nothing</guid></item>
<item><link>https://site.example/c</link><title>No date, no guid</title><description>Listed twice</description></item>
</channel></rss>`, "text/xml")
	const feed = "https://site.example/feed.xml"
	want := []earshot.Post{
		{
			Source: earshot.News, GUID: "https://site.example/a?id=1", URL: "http://site.example/a?id=1", Site: "site.example", PageID: feed,
			Time: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC), Title: "Tom & Ann win", Contents: "First link.\n\nSecond\nline", Language: "de",
			Author: "Ann Author", Hashtags: []string{"berlin"}, Links: []string{"http://site.example/b"},
			Images:    []earshot.Image{{URL: "https://cdn.example/m.jpg"}, {URL: "http://site.example/i/cat.jpg", Alt: "A cat"}},
			MediaURLs: []string{"https://cdn.example/m.jpg", "http://site.example/i/cat.jpg", "https://cdn.example/e.mp3"},
		},
		{
			Source: earshot.News, GUID: "https://site.example/c", URL: "https://site.example/c", Site: "site.example", PageID: feed,
			Time: testNow, Title: "No date, no guid", Contents: "List<T> is\nplain", Language: "de", Author: "Bob",
		},
		{
			Source: earshot.News, GUID: "https://site.example/d", URL: "https://site.example/d", Site: "site.example", PageID: feed,
			Time: testNow, Title: "From the future", Contents: "From the future", Language: "de",
		},
		{
			Source: earshot.News, GUID: feed + " only-a-guid", PageID: feed,
			Time: time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC), Contents: "Text", Language: "de",
		},
	}
	compare(t, got, want)
}

func TestDecodeAtom(t *testing.T) {
	got := postsOf(t, `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="en" xml:base="https://site.example/x/">
<title>Videos</title><author><name>Channel</name><uri>https://site.example/channel</uri></author>
<entry><id>tag:1</id><title type="html">A &amp;lt;video&amp;gt;</title><link rel="alternate" href="watch?v=1"/><link rel="enclosure" type="image/png" href="https://cdn.example/1.png"/>
	<published>2026-11-15T10:00:00Z</published><updated>2026-11-16T10:00:00Z</updated>
	<author><name>Ann</name><uri>https://site.example/ann</uri></author><author><name>Bob</name></author>
	<media:group><media:thumbnail url="https://cdn.example/t.jpg"/><media:description>Line one
Line two</media:description></media:group></entry>
<entry><id>tag:2</id><title>Second</title><link href="https://site.example/2"/><updated>2026-11-14T10:00:00Z</updated>
	<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two</p></div></content><summary>Short</summary></entry>
</feed>`, "application/atom+xml")
	const feed = "https://site.example/feed.xml"
	want := []earshot.Post{
		{
			Source: earshot.News, GUID: "https://site.example/x/watch?v=1", URL: "https://site.example/x/watch?v=1", Site: "site.example", PageID: feed,
			Time: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC), Title: "A <video>", Contents: "Line one\nLine two", Language: "en",
			Author: "Ann, Bob", AuthorProfileID: "https://site.example/ann",
			Images: []earshot.Image{{URL: "https://cdn.example/1.png"}}, MediaURLs: []string{"https://cdn.example/1.png"},
		},
		{
			Source: earshot.News, GUID: "https://site.example/2", URL: "https://site.example/2", Site: "site.example", PageID: feed,
			Time: time.Date(2026, 11, 14, 10, 0, 0, 0, time.UTC), Title: "Second", Contents: "One\n\nTwo", Language: "en", Author: "Channel",
		},
	}
	compare(t, got, want)
}

func TestDecodeJSON(t *testing.T) {
	got := postsOf(t, "\ufeff"+` {"version":"https://jsonfeed.org/version/1.1","title":"Mine","language":"fr","authors":[{"name":"Ann","url":"https://ann.example/"}],
"items":[{"id":"1","url":"https://site.example/1","content_text":"a < b\nc","date_published":"2026-11-16T10:00:00+02:00","language":"es","tags":["#Go","news"],
	"attachments":[{"url":"https://cdn.example/1.mp4","mime_type":"video/mp4"}],"image":"https://cdn.example/1.jpg"},
	{"id":"2","content_html":"<img src='https://cdn.example/2.jpg' alt='Only a picture'>","date_modified":"2026-11-16T09:00:00Z","author":{"name":"Bob","url":"javascript:x"}}]}`, "application/json")
	const feed = "https://site.example/feed.xml"
	want := []earshot.Post{
		{
			Source: earshot.News, GUID: "https://site.example/1", URL: "https://site.example/1", Site: "site.example", PageID: feed,
			Time: time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC), Contents: "a < b\nc", Language: "es", Author: "Ann", Hashtags: []string{"go"},
			Images: []earshot.Image{{URL: "https://cdn.example/1.jpg"}}, MediaURLs: []string{"https://cdn.example/1.jpg", "https://cdn.example/1.mp4"},
		},
		{
			Source: earshot.News, GUID: feed + " 2", PageID: feed, Time: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC),
			Contents: "Only a picture", Language: "fr", Author: "Bob",
			Images: []earshot.Image{{URL: "https://cdn.example/2.jpg", Alt: "Only a picture"}}, MediaURLs: []string{"https://cdn.example/2.jpg"},
		},
	}
	compare(t, got, want)
}

func compare(t *testing.T, got, want []earshot.Post) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("post %d is missing: %+v", i, want[i])
		case i >= len(want):
			t.Errorf("unexpected post %d: %+v", i, got[i])
		case !reflect.DeepEqual(got[i], want[i]):
			t.Errorf("post %d\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

func TestGUIDs(t *testing.T) {
	f := func(name, items string, want ...string) {
		t.Helper()
		var got []string
		for _, p := range postsOf(t, "<rss><channel>"+items+"</channel></rss>", "") {
			got = append(got, strings.TrimPrefix(p.GUID, "https://site.example/"))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("links", `<item><link>http://site.example/1</link><title>a</title></item><item><link>http://site.example/2</link><title>b</title></item>`, "1", "2")
	f("items that share a link", `<item><link>/</link><guid>1</guid><title>a</title></item><item><link>/</link><guid>2</guid><title>b</title></item>`, "feed.xml 1", "feed.xml 2")
	f("items that share a link, without guids", `<item><link>/</link><title>a</title></item><item><link>/</link><title>b</title></item>`,
		"feed.xml https://site.example/#a", "feed.xml https://site.example/#b")
	f("versions of an article", `<item><link>/1</link><guid>https://site.example/1#0</guid><title>a</title></item><item><link>/1</link><guid>https://site.example/1#1</guid><title>b</title></item>`, "1")
	f("comments", `<item><link>/1#comment-5</link><title>a</title></item><item><link>/1#comment-6</link><title>b</title></item>`, "1#comment-5", "1#comment-6")
	f("no link, no guid", `<item><title>a</title></item><item><description>b</description></item>`, "feed.xml a", "feed.xml b")
	f("long guid", `<item><title>a</title><guid>`+strings.Repeat("x", 5000)+`</guid></item>`, "feed.xml "+hashText(strings.Repeat("x", 5000)))
}

func TestEncodings(t *testing.T) {
	f := func(name string, body []byte, contentType, want string) {
		t.Helper()
		posts := postsOf(t, string(body), contentType)
		if len(posts) != 1 || posts[0].Title != want {
			t.Errorf("%s: got %+v, want the title %q", name, posts, want)
		}
	}
	doc := func(declaration, title string) []byte {
		return []byte(declaration + "<rss><channel><item><title>" + title + "</title></item></channel></rss>")
	}
	wide := func(order binary.AppendByteOrder, mark bool) (b []byte) {
		text := string(doc(`<?xml version="1.0" encoding="utf-16"?>`, "Größe"))
		if mark {
			text = "\ufeff" + text
		}
		for _, u := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, u)
		}
		return b
	}
	f("UTF-8", doc("", "Größe"), "", "Größe")
	f("UTF-8 with a mark", doc("\ufeff", "Größe"), "", "Größe")
	f("declared", doc(`<?xml version="1.0" encoding="iso-8859-1"?>`, "Gr\xf6\xdfe"), "text/xml", "Größe")
	f("header", doc("", "\xcf\xf0\xe8\xe2\xe5\xf2"), "text/xml; charset=windows-1251", "Привет")
	f("the declaration is right", doc(`<?xml version="1.0" encoding="windows-1251"?>`, "\xcf\xf0\xe8\xe2\xe5\xf2"), "text/xml; charset=utf-8", "Привет")
	f("the declaration is wrong", doc(`<?xml version="1.0" encoding="iso-8859-1"?>`, "Größe"), "text/xml; charset=iso-8859-1", "Größe")
	f("declared as UTF-16", doc(`<?xml version="1.0" encoding="utf-16"?>`, "Größe"), "", "Größe")
	f("not declared", doc("", "Gr\xf6\xdfe"), "", "Größe")
	f("a broken character", doc(`<?xml version="1.0" encoding="utf-8"?>`, "Größ\xffe"), "", "Größ\uFFFDe")
	f("unknown encoding", doc(`<?xml version="1.0" encoding="klingon"?>`, "Größe"), "", "Größe")
	f("Japanese", doc(`<?xml version="1.0" encoding="iso-2022-jp"?>`, "\x1b$BF|K\\\x1b(B"), "", "日本")
	f("UTF-16", wide(binary.BigEndian, true), "", "Größe")
	f("UTF-16, little-endian, without a mark", wide(binary.LittleEndian, false), "", "Größe")
	f("XML 1.1", doc(`<?xml version="1.1"?>`, "Größe"), "", "Größe")
	f("a long comment first", doc("<!--"+strings.Repeat("x", 10_000)+"-->", "Größe"), "", "Größe")
	f("control characters", doc("", "a\x00b\x08c"), "", "abc")
}

func TestDecodeRejects(t *testing.T) {
	testenv.SkipUnderRace(t)
	f := func(name, body, contentType, want string) {
		t.Helper()
		began := time.Now()
		doc, err := decode([]byte(body), contentType, time.Second)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want an error with %q", name, doc, err, want)
		}
		if took := time.Since(began); took > decodeTime {
			t.Errorf("%s took %v", name, took)
		}
	}
	f("empty", " \n", "", "empty")
	f("page", "<!DOCTYPE html><html>", "", "web page")
	f("XHTML", `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html>`, "", "web page")
	f("fragment of a page", "<div>hello</div>", "text/html", "web page")
	f("sitemap", "<urlset></urlset>", "application/xml", "not an RSS")
	f("text", "hello", "text/plain", "not an RSS")
	f("error as JSON", `{"error":"no"}`, "", "not a JSON Feed")
	f("array", `[1]`, "", "not an RSS")
	f("broken XML", "<rss><channel><item><title>x", "", "cannot be parsed")
	f("wrong types", `{"version":"https://jsonfeed.org/version/1","items":[7]}`, "", "cannot be parsed")
	f("null item", `{"version":"https://jsonfeed.org/version/1","items":[null]}`, "", "cannot be parsed")
	f("deep elements", "<rss><channel><item>"+strings.Repeat("<x:y>", 1<<20), "", "nested too deeply")
	f("deep elements with attributes", "<rss><channel><item>"+strings.Repeat("<x:y a='>'>", 1<<20), "", "nested too deeply")
	f("deep JSON", `{"items":`+strings.Repeat("[", 1<<20), "", "cannot be parsed")
	f("slow to parse", "<rss xmlns:x='y'><channel><item><x:y>"+strings.Repeat("t<x:z/>", maxBody/7), "", "cannot be parsed")
}

// TestHostileDocuments checks that documents that are valid, but made to harm, give few posts.
func TestHostileDocuments(t *testing.T) {
	testenv.SkipUnderRace(t)
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "<item><title>%d</title></item>", i)
	}
	if posts := postsOf(t, "<rss><channel>"+many.String()+"</channel></rss>", ""); len(posts) != maxItems {
		t.Errorf("got %d posts, want %d", len(posts), maxItems)
	}
	huge := strings.Repeat("word ", 1<<20)
	for _, p := range postsOf(t, "<rss><channel><item><title>"+huge+"</title><guid>"+huge+"</guid><link>https://site.example/"+
		strings.ReplaceAll(huge, " ", "")+"</link><description>"+huge+"</description><author>"+huge+"</author></item></channel></rss>", "") {
		if n := len(p.Title) + len(p.GUID) + len(p.URL) + len(p.Contents) + len(p.Author); n > 40_000 {
			t.Errorf("a post has %d bytes", n)
		}
	}
	entities := `<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><rss><channel><item><title>x &b;</title></item></channel></rss>`
	for _, p := range postsOf(t, entities, "") {
		if strings.Contains(p.Title, "aaaa") {
			t.Error("an entity was expanded")
		}
	}
}

// corpus returns the test feeds of the parser's module, by name, if they are there.
func corpus(t testing.TB) map[string][]byte {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/mmcdole/gofeed").Output()
	if err != nil {
		testenv.SkipMissing(t, "the source of the parser is not here")
	}
	root := filepath.Join(strings.TrimSpace(string(dir)), "testdata")
	files := map[string][]byte{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, filepath.Join(root, "translator", "json")) && strings.HasSuffix(path, "_expected.json") {
			return err
		}
		body, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, root+"/")] = body
		return err
	})
	if err != nil {
		testenv.SkipMissing(t, fmt.Sprint("the source of the parser is not here: ", err))
	}
	return files
}

// TestCorpus decodes the test feeds of the parser's module.
func TestCorpus(t *testing.T) {
	base, _ := url.Parse("https://site.example/feed.xml")
	documents, failed, posts := 0, 0, 0
	for name, body := range corpus(t) {
		if strings.HasSuffix(name, ".json") && !bytes.Contains(body, []byte("jsonfeed.org")) {
			continue // expected result of a test
		}
		documents++
		doc, err := decode(body, "", decodeTime)
		if err != nil {
			failed++
			t.Logf("%s: %v", name, err)
			continue
		}
		for _, e := range entries(doc, base, earshot.News) {
			e.post.GUID = e.key(base.String(), 1, false)
			if e.post.Time.IsZero() {
				e.post.Time = testNow
			}
			before := e.post
			if skip := clean(&e.post, base.String()); skip != "" {
				if before.Title != "" {
					t.Errorf("%s: an item with the title %q was skipped: %s", name, before.Title, skip)
				}
				continue
			}
			posts++
			checkPost(t, name, &e.post)
		}
	}
	t.Logf("%d documents, %d of them rejected, with %d posts", documents, failed, posts)
	if documents > 0 && (documents < 500 || failed > 5 || posts < 100) {
		t.Errorf("%d documents, %d of them rejected, with %d posts", documents, failed, posts)
	}
}

// checkPost checks what all posts have in common.
func checkPost(t testing.TB, name string, p *earshot.Post) {
	t.Helper()
	for _, s := range []string{p.GUID, p.Title, p.Contents, p.Author, p.URL} {
		if !utf8.ValidString(s) {
			t.Errorf("%s: invalid UTF-8: %q", name, s)
		}
	}
	switch {
	case p.GUID == "" || p.Source == "" || p.Time.IsZero() || strings.TrimSpace(p.Contents) == "":
		t.Errorf("%s: incomplete post %+v", name, p)
	case len(p.GUID) > 2048 || utf8.RuneCountInString(p.Contents) > 16_384:
		t.Errorf("%s: the post is too large", name)
	case p.URL != "" && !strings.HasPrefix(p.URL, "http"):
		t.Errorf("%s: the link is %q", name, p.URL)
	}
	for _, link := range append(append([]string{}, p.Links...), p.MediaURLs...) {
		if earshot.IsUnsafeLink(link) || !strings.HasPrefix(link, "http") {
			t.Errorf("%s: a link is %q", name, link)
		}
	}
	if again := *p; connector.Clean(&again) != "" || !reflect.DeepEqual(again, *p) {
		t.Errorf("%s: the post is not clean: %+v", name, p)
	}
}

func FuzzDecode(f *testing.F) {
	for name, body := range corpus(f) {
		if len(body) < 4<<10 && !strings.Contains(name, "expected") {
			f.Add(body, "text/xml")
		}
	}
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"content_html":"<p>x"}]}`), "application/feed+json; charset=utf-16")
	base, _ := url.Parse("https://site.example/feed.xml")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		doc, err := decode(body, contentType, decodeTime)
		if err != nil {
			return
		}
		r := &reader{client: newTestClient(), source: earshot.Blogs, minInterval: time.Minute}
		p := &poll{feed: &subscription{Feed: Feed{URL: base.String()}}, resp: &response{Response: emptyResponse}}
		p.rec.Hints = documentHints(doc)
		list := entries(doc, base, earshot.Blogs)
		if err := r.compare(t.Context(), p, list, testNow); err != nil {
			t.Fatal(err)
		}
		seenGUIDs := map[string]bool{}
		for i := range p.posts {
			checkPost(t, "post", &p.posts[i])
			if seenGUIDs[p.posts[i].GUID] {
				t.Errorf("two posts have the guid %q", p.posts[i].GUID)
			}
			seenGUIDs[p.posts[i].GUID] = true
			if p.posts[i].Time.After(testNow) {
				t.Errorf("a post is from the future: %v", p.posts[i].Time)
			}
		}
		if next := time.Unix(p.rec.Next, 0); next.Before(testNow.Add(time.Minute)) || next.After(testNow.Add(9*24*time.Hour)) {
			t.Errorf("the next poll is at %v", next)
		}
		// Reading the same document again finds nothing new.
		again := &poll{feed: p.feed, rec: p.rec, resp: p.resp}
		if err := r.compare(t.Context(), again, entries(doc, base, earshot.Blogs), testNow.Add(time.Hour)); err != nil || len(again.posts) != 0 || again.gap != nil {
			t.Errorf("read again: got %+v, %v, %v", again.posts, again.gap, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	var items []fakeItem
	for i := range 30 {
		items = append(items, fakeItem{i, fmt.Sprint("Article ", i), strings.Repeat("<p>Some words of an article, with a <a href='https://a.example/'>link</a>.</p>", 20), testNow})
	}
	base, _ := url.Parse("https://site.example/feed.xml")
	for _, format := range []string{"rss", "atom", "json"} {
		body := render(format, "https://site.example", items)
		b.Run(format, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				doc, err := decode(body, "", decodeTime)
				if err != nil || len(entries(doc, base, earshot.News)) != len(items) {
					b.Fatal(err)
				}
			}
		})
	}
}
