package earshot

import (
	"slices"
	"testing"
)

func TestAccountNames(t *testing.T) {
	f := func(p Post, want ...string) {
		t.Helper()
		if got := slices.Collect(p.AccountNames()); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(Post{})
	f(Post{Author: "@Ann"}, "ann")
	f(Post{Author: "Ann Lee"}, "ann lee")
	f(Post{AuthorUsername: " @ANN@Example.org ", Author: "ann@example.org (Ann)"}, "ann@example.org", "ann@example.org (ann)")
	f(Post{AuthorUsername: "ann", AuthorProfileID: "Did:1", PageID: "did:1"}, "ann", "did:1")
	f(Post{Source: Facebook, Author: "Bob", AuthorProfileID: "7", PageID: "8"}, "bob", "7")
	for name := range (&Post{Author: "a", PageID: "b"}).AccountNames() {
		if name != "a" {
			t.Errorf("the iteration continued with %q", name)
		}
		break
	}
}

func TestPostKeyTextIsSafeInURLs(t *testing.T) {
	for _, k := range []PostKey{
		{Source: Twitter, GUID: "1"},
		{Source: "News", GUID: "https://example.com/a?b=c&d=/"},
		{ContentSource: 7, GUID: "日本 😂\x00"},
	} {
		text := k.Text()
		for _, r := range text {
			if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
				t.Errorf("%v: got %s, want only URL-safe characters", k, text)
			}
		}
		if got, ok := ParsePostKey(text); !ok || got != k {
			t.Errorf("%s: got %v, %t, want %v", text, got, ok, k)
		}
	}
	for _, text := range []string{"", "x", "n1", "MC9", "MC8v", "MC9OZXdzLw", "MC9OZXdzL24x=", "MDAvTmV3cy9uMQ", "eC9OZXdzL24x"} {
		if k, ok := ParsePostKey(text); ok {
			t.Errorf("%s: got %v, want none", text, k)
		}
	}
}
