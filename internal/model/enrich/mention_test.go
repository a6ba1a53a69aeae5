package enrich

import (
	"reflect"
	"strings"
	"testing"

	"earshot"
)

func TestMentions(t *testing.T) {
	on := earshot.Twitter
	f := func(contents string, want ...string) {
		t.Helper()
		p := earshot.Post{Source: on, Contents: contents}
		fillMentions(&p)
		if !reflect.DeepEqual(p.Mentions, want) {
			t.Errorf("%s, %q: got %q, want %q", on, contents, p.Mentions, want)
		}
	}
	f("nobody here")
	f("@Ann and @bob_2", "ann", "bob_2")
	f("@ann @ANN @Ann", "ann")
	f(".@ann's (@bob), @cid: @dan. “@eve”", "ann", "bob", "cid", "dan", "eve")
	f("mail me@example.com or first.last@example.com")
	f("example.com/@ann &@ann word@ann _@ann 5@ann")
	f("12 @5 each, @ 6, @@ and @_")
	f("@@twice ＠wide", "twice", "wide")
	f("@ann@mastodon.example hello", "ann@mastodon.example", "ann")
	f("see @Ann@Social.Example. And @bob@x-y.example-", "ann@social.example", "ann", "bob@x-y.example", "bob")
	f("@ann@bob @cid@.example @dan@", "ann", "cid", "dan")
	f("@acmeさん @acme社 @acme님 @2acmeครับ", "acme", "2acme")
	f("@東京 @josé @анна @2さん", "東京", "josé", "анна")
	f("🔥@hot bad \xff@utf", "hot", "utf")
	f("@acme.shop @acme-shop", "acme")
	f("@")

	on = earshot.Instagram
	f("@acme.shop @acme-shop @acme. @acme.. @ann.b.c", "acme.shop", "acme", "ann.b.c")
	on = earshot.Bluesky
	f("@ann.my-site.example, @bob.", "ann.my-site.example", "bob")
	on = earshot.Mastodon
	f("@ann.b@social.example", "ann.b@social.example", "ann.b")
	on = ""
	f("@ann.b", "ann")
}

func TestMentionsInTitleComeFirst(t *testing.T) {
	p := earshot.Post{Title: "for @bob", Contents: "@ann and @bob"}
	fillMentions(&p)
	if want := []string{"bob", "ann"}; !reflect.DeepEqual(p.Mentions, want) {
		t.Errorf("got %q, want %q", p.Mentions, want)
	}
}

func TestEngagingWith(t *testing.T) {
	f := func(as earshot.Engagement, contents, want string) {
		t.Helper()
		p := earshot.Post{Source: earshot.Mastodon, Engagement: as, Contents: contents}
		fillEngagingWith(&p)
		if p.EngagingWith != want {
			t.Errorf("%s, %q: got %q, want %q", as, contents, p.EngagingWith, want)
		}
	}
	f(earshot.Retweet, "RT @Ann: hello @bob", "Ann")
	f(earshot.OriginalPost, "RT @ann hello", "ann")
	f("", "  rt: @ann hello", "ann")
	f(earshot.Reply, "RT @ann hello", "ann")
	f(earshot.Reply, "@ann @bob hello", "ann")
	f(earshot.Reply, "@Ann@social.example hello", "Ann@social.example")
	f(earshot.Comment, " ＠ann, hello", "ann")
	f(earshot.Comment, "hello @ann", "")
	f(earshot.Reply, ".@ann hello", "")
	f(earshot.Reply, "@5 is late", "")
	f(earshot.Retweet, "@ann hello", "")
	f(earshot.Retweet, "hello RT @ann", "")
	f(earshot.OriginalPost, "@ann hello", "")
	f(earshot.OriginalPost, "RT hello @ann", "")
	f(earshot.OriginalPost, "ART @ann", "")
	f(earshot.Reply, "rt", "")
	f(earshot.Reply, "", "")
}

func TestManyMentions(t *testing.T) {
	for _, piece := range []string{"@", "@1", "@a@b", "@a.", "@a@b.c-", "＠a@"} {
		p := earshot.Post{Source: earshot.Mastodon, Contents: strings.Repeat(piece, 200_000)}
		fillMentions(&p)
		if len(p.Mentions) > 3 {
			t.Errorf("%q repeated: got %d mentions", piece, len(p.Mentions))
		}
	}
}
