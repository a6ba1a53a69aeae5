package enrich

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"earshot"
)

func TestSite(t *testing.T) {
	f := func(address, want string) {
		t.Helper()
		if got := siteOf(address); got != want {
			t.Errorf("siteOf(%q): got %q, want %q", address, got, want)
		}
	}
	f("https://www.Example.com/path?q=1", "example.com")
	f("http://blog.example.com:8080", "blog.example.com")
	f("http://twitter.com/acme/status/1", "twitter.com")
	f("https://user:secret@example.com/", "example.com")
	f("https://example.com?x=http://other.com", "example.com")
	f("https://example.com#part", "example.com")
	f("https://example.com./", "example.com")
	f("https://xn--bcher-kva.example/", "xn--bcher-kva.example")
	f("https://BÜCHER.example/", "bücher.example")
	f("http://[2001:DB8::1]:80/", "2001:db8::1")
	f("http://192.0.2.1:8080/", "192.0.2.1")
	f("//example.com/", "")
	f("example.com/page", "")
	f("urn:isbn:1", "")
	f("http://", "")
	f("http:// not a host/", "")
	f("", "")
}

func TestHashtags(t *testing.T) {
	f := func(contents string, want ...string) {
		t.Helper()
		p := earshot.Post{Contents: contents}
		fillHashtags(&p)
		if !reflect.DeepEqual(p.Hashtags, want) {
			t.Errorf("%q: got %q, want %q", contents, p.Hashtags, want)
		}
	}
	f("no tags here")
	f("#Apple and #pie", "apple", "pie")
	f("#apple #APPLE #Apple", "apple")
	f("#apple's (#pie), #tart.", "apple", "pie", "tart")
	f("#snake_case #2024goals", "snake_case", "2024goals")
	f("we are #1, C# is not, nor are # and ##")
	f("&#39; page.html#top example.com/#top word#tag")
	f("##twice", "twice")
	f("#東京 ＃大阪 #été #हिन्दी", "東京", "大阪", "été", "हिन्दी")
	f("🔥#hot", "hot")
	f("bad \xff#utf", "utf")
	f("#")
}

func TestManyHashtags(t *testing.T) {
	var text strings.Builder
	for range 3 {
		for i := range 5_000 {
			text.WriteString("#t")
			text.WriteString(strings.Repeat("x", i%50))
			text.WriteByte(' ')
		}
	}
	p := earshot.Post{Contents: text.String()}
	fillHashtags(&p)
	if len(p.Hashtags) != 50 {
		t.Errorf("got %d distinct hashtags, want 50", len(p.Hashtags))
	}
}

func TestLinks(t *testing.T) {
	f := func(contents string, want ...string) {
		t.Helper()
		p := earshot.Post{Contents: contents}
		fillLinks(&p)
		if !reflect.DeepEqual(p.Links, want) {
			t.Errorf("%q: got %q, want %q", contents, p.Links, want)
		}
	}
	f("no links here, not even ://")
	f("see https://example.com/a and HTTP://example.org", "https://example.com/a", "HTTP://example.org")
	f("see https://example.com/a, https://example.com/a.", "https://example.com/a")
	f("(https://example.com/a_(b)) [x](https://example.com/c)", "https://example.com/a_(b)", "https://example.com/c")
	f(`<a href="https://example.com/a?b=c&d=e">`, "https://example.com/a?b=c&d=e")
	f("“https://example.com/”!", "https://example.com/")
	f("https:// http://... ftp://example.com")
	f("日本https://example.com/日本 語", "https://example.com/日本")
	f("http://example.com/" + strings.Repeat("a", 3_000))
}

func TestUsername(t *testing.T) {
	f := func(source earshot.Source, author, want string) {
		t.Helper()
		p := earshot.Post{Source: source, Author: author}
		fillUsername(&p)
		if p.AuthorUsername != want {
			t.Errorf("%s, %q: got %q, want %q", source, author, p.AuthorUsername, want)
		}
	}
	f(earshot.Twitter, "acme_co (Acme Company)", "acme_co")
	f(earshot.Twitter, " @acme_co (Acme (Official)) ", "acme_co")
	f(earshot.Bluesky, "acme.example.com (Acme)", "acme.example.com")
	f(earshot.Twitter, "Acme Company (official)", "")
	f(earshot.Twitter, "acme_co", "acme_co")
	f(earshot.Twitter, "acme (", "")
	f(earshot.Twitter, "", "")
	f(earshot.News, "acme_co (Acme Company)", "")
}

func TestAll(t *testing.T) {
	posts := []earshot.Post{
		{
			Source: earshot.Twitter, URL: "https://www.twitter.com/acme/status/1",
			Author: "acme (Acme)", Title: "News @ann https://example.com/1", Contents: "on #pie by @Bob https://example.com/2",
		}, {
			Source: earshot.Twitter, URL: "https://twitter.com/acme/status/2", Site: "given.example",
			Author: "acme (Acme)", AuthorUsername: "given", Contents: "@ann on #pie https://example.com/2",
			Engagement: earshot.Reply, EngagingWith: "@Given",
			Hashtags: []string{"#Given", " given", "", "＃Other"}, Mentions: []string{"@Given", "given ", "＠", "Other"}, Links: []string{"given"},
		},
	}
	given := posts[1]
	want := []earshot.Post{
		{
			Source: earshot.Twitter, URL: "https://www.twitter.com/acme/status/1", Site: "twitter.com",
			Author: "acme (Acme)", AuthorUsername: "acme", Title: "News @ann https://example.com/1", Contents: "on #pie by @Bob https://example.com/2",
			Engagement: earshot.OriginalPost, Hashtags: []string{"pie"}, Mentions: []string{"ann", "bob"}, Links: []string{"https://example.com/1", "https://example.com/2"},
		}, {
			Source: earshot.Twitter, URL: "https://twitter.com/acme/status/2", Site: "given.example",
			Author: "acme (Acme)", AuthorUsername: "given", Contents: "@ann on #pie https://example.com/2",
			Engagement: earshot.Reply, EngagingWith: "Given",
			Hashtags: []string{"given", "other"}, Mentions: []string{"given", "other"}, Links: []string{"given"},
		},
	}
	e := New()
	for _, pass := range []string{"first", "second"} {
		e.All(posts)
		for i := range posts {
			facts := posts[i]
			clearInferred(&facts)
			if !reflect.DeepEqual(facts, want[i]) {
				t.Errorf("%s pass, post %d:\n got %+v\nwant %+v", pass, i, facts, want[i])
			}
		}
	}
	if given.Hashtags[0] != "#Given" || given.Mentions[0] != "@Given" {
		t.Errorf("the caller's lists have changed: %q, %q", given.Hashtags, given.Mentions)
	}
}

func FuzzAll(f *testing.F) {
	f.Add("https://www.example.com/", "acme (Acme)", "on #pie https://example.com/2 ＃é")
	f.Add("https://www.example.com/", "acme (Acme)", "@ann@example.social ＠bob.shop, a@b.c @é-@acmeさん")
	f.Fuzz(func(t *testing.T, address, author, contents string) {
		posts := []earshot.Post{
			{Source: earshot.Twitter, URL: address, Author: author, Contents: contents},
			{Source: earshot.Mastodon, Engagement: earshot.Reply, Contents: contents},
		}
		e := New()
		e.All(posts)
		once := slices.Clone(posts)
		if e.All(posts); !reflect.DeepEqual(posts, once) {
			t.Errorf("enriching twice:\n got %+v\nwant %+v", posts, once)
		}
	})
}

func BenchmarkAll(b *testing.B) {
	post := earshot.Post{
		Source: earshot.Twitter, URL: "https://twitter.com/acme/status/1", Author: "acme (Acme)",
		Contents: "Just tried the new @acme phone at the store on 5th Ave, and it's great! Battery lasts 2 days #tech #acme https://example.com/review-1",
	}
	e, posts := New(), make([]earshot.Post, 1)
	b.ReportAllocs()
	for b.Loop() {
		posts[0] = post
		e.All(posts)
	}
}
