package filter

import (
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query"
)

// TestLink checks that the filter of a link selects posts with that link, however it is written.
func TestLink(t *testing.T) {
	f := func(link string, with string, want bool) {
		t.Helper()
		q, err := query.Parse(strings.TrimPrefix(Link(link), "keywords:"))
		if err != nil {
			t.Fatalf("%s: %v", link, err)
		}
		d := query.NewDocument(&earshot.Post{Links: []string{"https://other.example", with}})
		if got := q.Match(d); got != want {
			t.Errorf("%s in a post with %s: got %t", link, with, got)
		}
	}
	f("example.com/a/b", "http://www.example.com/a/b/?utm_source=x", true)
	f("example.com/a/b", "https://example.com/a/c", false)
	f("example.com/watch?b=2&v=x1", "https://www.example.com/watch?v=x1&utm_source=y&b=2#top", true)
	f("example.com/watch?v=x1", "https://example.com/watch?v=x2", false)
	f("example.com/%C3%A4", "https://example.com/%C3%A4", true)
	f(`example.com/a"b*`, "https://example.com/a", false)
}

func TestAnd(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if err := Check(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	f(And(), "")
	f(And("", "author:ann", ""), "author:ann")
	f(And("author:ann|", Hashtag.Is("tea", "milk")), "author:ann|hashtag:tea,milk")
	f(Geolocation.Is("USA", "DEU"), "geolocation:USA;DEU")
	f(Without("", nil), "")
	f(Without("", []earshot.Source{"Twitter", "Reddit"}), "-source:Twitter,Reddit")
	f(Without(Keywords.Is("tea"), []earshot.Source{"Twitter"}), "keywords:tea|-source:Twitter")
}
