package enrich

import (
	"reflect"
	"testing"

	"earshot"
)

func TestCashtags(t *testing.T) {
	f := func(contents string, want ...string) {
		t.Helper()
		p := earshot.Post{Contents: contents}
		fillCashtags(&p)
		if !reflect.DeepEqual(p.Cashtags, want) {
			t.Errorf("%q: got %q, want %q", contents, p.Cashtags, want)
		}
	}
	f("no tags here, not even for $5 or $ 5 or $")
	f("$AAPL and ($TSLA), $tsla!", "aapl", "tsla")
	f("$BRK.B $BRK.B. $GOOG.", "brk.b", "goog")
	f("US$AAPL a$b $TOOLONGS $x1 $é")
	f("$$FB $FB$GE", "fb")
}

func TestEngagement(t *testing.T) {
	f := func(p earshot.Post, want earshot.Engagement) {
		t.Helper()
		fillEngagement(&p)
		if p.Engagement != want {
			t.Errorf("%s %q: got %s, want %s", p.Source, p.Contents, p.Engagement, want)
		}
	}
	f(earshot.Post{Source: earshot.Twitter, Contents: "coffee with @ann"}, earshot.OriginalPost)
	f(earshot.Post{Source: earshot.Twitter, Contents: "RT @ann: coffee"}, earshot.Retweet)
	f(earshot.Post{Source: earshot.Twitter, Contents: "RT the best coffee"}, earshot.OriginalPost)
	f(earshot.Post{Source: earshot.Mastodon, Contents: " @ann coffee"}, earshot.Reply)
	f(earshot.Post{Source: earshot.Bluesky, Contents: "coffee", ParentGUID: "1"}, earshot.Reply)
	f(earshot.Post{Source: earshot.News, Contents: "RT @ann: coffee"}, earshot.OriginalPost)
	f(earshot.Post{Source: earshot.Comments, Contents: "coffee"}, earshot.Comment)
	f(earshot.Post{Source: earshot.Forums, Contents: "coffee", ParentGUID: "1"}, earshot.Comment)
	f(earshot.Post{Source: earshot.Twitter, Contents: "RT @ann: coffee", Engagement: earshot.OriginalPost}, earshot.OriginalPost)
}

func TestDisplayName(t *testing.T) {
	f := func(author, username, want string) {
		t.Helper()
		if got := displayName(&earshot.Post{Author: author, AuthorUsername: username}); got != want {
			t.Errorf("%q, %q: got %q, want %q", author, username, got, want)
		}
	}
	f("acme (Acme Company)", "acme", "Acme Company")
	f("acme (Acme (Official))", "acme", "Acme (Official)")
	f("Kim Example", "", "Kim Example")
	f("Kim Example (she/her)", "kim", "Kim Example (she/her)")
	f("Kim", "", "Kim")
	f("@kim", "kim", "")
	f("", "", "")
}
