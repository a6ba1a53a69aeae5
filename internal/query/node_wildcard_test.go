package query

import (
	"math/rand/v2"
	"strings"
	"testing"

	"earshot"
)

// TestWildcardsInLongTexts compares the sorted-word search of long texts with the reference
// matcher.
func TestWildcardsInLongTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	letters := []rune("aabcdé1*?")
	random := func(n, kinds int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteRune(letters[r.IntN(kinds)])
		}
		return b.String()
	}
	found := 0
	for range 100 {
		var words []string
		for range 65 + r.IntN(300) {
			words = append(words, []string{"", "", "#", "#東京"}[r.IntN(4)]+random(5, 7))
		}
		d := NewDocument(&earshot.Post{Contents: strings.Join(words, " ")})
		for range 50 {
			pattern := []string{"", "#"}[r.IntN(2)] + "a" + random(6, 9) + "*"
			q, err := Parse(pattern)
			if err != nil {
				continue
			}
			want := referenceSpans(q.root.(spanNode), &d.main)
			got := d.main.pool.newSpans()
			q.root.(spanNode).addSpans(&d.main, anyEnd, got)
			count := 0
			for _, run := range got.groups {
				for at := run.starts.next(0); at >= 0; at = run.starts.next(at + 1) {
					if count++; !want[referenceSpan{at, at + run.width}] {
						t.Fatalf("%s on %q: unexpected match at %d", q, d.Post.Contents, at)
					}
				}
			}
			got.free()
			if count != len(want) {
				t.Fatalf("%s on %q: found %d times, want %d", q, d.Post.Contents, count, len(want))
			}
			found += count
		}
	}
	if found < 1000 {
		t.Errorf("only %d matches: the cases are too hard", found)
	}
}
