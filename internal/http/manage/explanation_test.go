package manage

import (
	"strings"
	"testing"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/poststore"
	"earshot/internal/query"
)

// TestLongResponses checks that requests that take a pass over texts count as long, so that one user
// cannot keep others waiting.
func TestLongResponses(t *testing.T) {
	for _, p := range []rest.Weighted{
		explanationParams{}, topicsParams{}, changesParams{}, compareParams{}, authorParams{}, authorPostsParams{},
		postsParams{Group: true}, postsParams{Copies: "x"}, postsParams{Sort: postOrder{order: poststore.MostRelevant, given: true}},
	} {
		if got := p.ResponseMemory(); got < rest.LongResponse {
			t.Errorf("%T: got %d bytes, want at least %d", p, got, rest.LongResponse)
		}
	}
	if got := (postsParams{}).ResponseMemory(); got != 0 {
		t.Errorf("the newest posts take %d bytes, want 0", got)
	}
}

// TestLinkFilter checks that the filter of a link selects posts with that link, however it is written.
func TestLinkFilter(t *testing.T) {
	f := func(link string, with string, want bool) {
		t.Helper()
		q, err := query.Parse(strings.TrimPrefix(linkFilter(link), "keywords:"))
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
