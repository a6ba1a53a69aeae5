package query

import (
	"testing"

	"earshot"
)

// matcher returns a function that checks what a query says of a text.
func matcher(t *testing.T) func(query, contents string, want bool) {
	return func(query, contents string, want bool) {
		t.Helper()
		if got := parse(t, query).Match(NewDocument(&earshot.Post{Contents: contents})); got != want {
			t.Errorf("%q on %q: got %t, want %t", query, contents, got, want)
		}
	}
}

func parse(t testing.TB, query string) *Query {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		t.Fatalf("Parse(%q): %v", query, err)
	}
	return q
}

func TestMatch(t *testing.T) {
	f := matcher(t)

	// Operators
	f(`apple AND NOT pie`, "apple juice", true)
	f(`apple AND NOT pie`, "apple pie", false)
	f(`apple pie`, "a pie with an apple", true)
	f(`apple pie`, "a pie", false)
	f(`apple OR pie tart`, "apple", true)
	f(`apple OR pie tart`, "pie", false)
	f(`(apple OR pie) tart`, "apple", false)
	f(`apple -(pie OR tart)`, "apple tart", false)
	f(`apple OR NOT pie`, "tart", true)
	f(`apple OR NOT pie`, "pie", false)
	f(`apple`, "", false)

	// Words
	f(`apple`, "APPLE!", true)
	f(`apple`, "pineapple apples", false)
	f(`apple`, "(apple)", true)
	f(`apple`, "_apple_ and **pie**", true)
	f(`snake_case`, "the snake_case name", true)
	f(`snake`, "the snake_case name", false)
	f(`10,000`, "over 10,000 people", true)
	f(`10`, "over 10,000 people", false)
	f(`1`, "1,a", true)

	// Phrases
	f(`"new york" OR nyc`, "New York pizza", true)
	f(`"new york"`, "a new one in york", false)
	f(`"new york"`, "new new york", true)
	f(`"new york"`, "new-york", true)
	f(`"a a b"`, "a a a b", true)
	f(`"york new"`, "new york", false)
	f(`o1-preview`, "the o1-preview model", true)
	f(`o1-preview`, "o1 preview", true)
	f(`o1-preview`, "o1", false)
	f(`U.S.`, "in the U.S. today", true)
	f(`U.S.`, "US", false)
	f(`AT&T`, "the AT&T network", true)
	f(`3.14`, "pi is 3.14159", false)
	f(`3.14`, "pi is 3.14", true)

	// Apostrophes
	f(`wendy's`, "at Wendys", true)
	f(`wendys`, "at Wendy's", true)
	f(`wendys`, "at Wendy’s", true)
	f(`wendy’s`, "at Wendy's", true)
	f(`wendy`, "at Wendy's", false)
	f(`dogs`, "the dogs' bowls", true)
	f(`rocknroll`, "rock'n'roll", true)
	f(`tis`, "'tis the season", true)
	f(`"1990 s"`, "the 1990's", true)
	f(`"1990 s"`, "the 1990’s", true)

	// Tags
	f(`apple`, "#apple", true)
	f(`apple`, "hello @Apple", true)
	f(`apple`, "buy $APPLE", true)
	f(`#apple`, "#Apple's best", true)
	f(`#apple`, "apple @apple $apple", false)
	f(`@apple`, "hi @apple, how are you", true)
	f(`@apple`, "joe@apple.com", false)
	f(`apple`, "joe@apple.com", true)
	f(`@joe`, "joe@apple.com", false)
	f(`#top`, "example.com/page/#top", false)
	f(`#39`, "&#39;", false)
	f(`"#apple pie"`, "#apple pie", true)
	f(`"apple pie"`, "#apple #pie", true)
	f(`$aapl`, "long $AAPL", true)
	f(`100`, "costs $100", true)
	f(`@some_one`, "by @Some_One_", false)
	f(`@some_one_`, "by @Some_One_", true)
	f(`#love`, "❤️#love", true)
	f(`#é`, "＃É", true)

	// Addresses
	f(`example`, "see https://www.example.com/apple-pie?id=7", true)
	f(`"apple pie"`, "see https://www.example.com/apple-pie?id=7", true)
}

func TestTitleAndContents(t *testing.T) {
	d := NewDocument(&earshot.Post{Title: "New", Contents: "York pizza"})
	for query, want := range map[string]bool{
		`new york`:     true,
		`"new york"`:   false,
		`"york pizza"`: true,
		`new`:          true,
	} {
		if got := parse(t, query).Match(d); got != want {
			t.Errorf("%q: got %t, want %t", query, got, want)
		}
	}
}

func TestResetForgets(t *testing.T) {
	d := NewDocument(&earshot.Post{Title: "apple #東京", Contents: "pie"})
	next := &earshot.Post{Contents: "tart"}
	d.Reset(next)
	if d.Post != next {
		t.Errorf("Post is not the one that Reset was given")
	}
	for query, want := range map[string]bool{`apple`: false, `pie`: false, `#東京`: false, `tart`: true} {
		if got := parse(t, query).Match(d); got != want {
			t.Errorf("%q after Reset: got %t, want %t", query, got, want)
		}
	}
}
