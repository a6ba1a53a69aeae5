package query

import (
	"fmt"
	"testing"
	"unicode"

	"earshot"
)

// TestEveryCharacter checks for words with each Unicode character that the normal form parses to
// the same tree and that a text matches itself.
func TestEveryCharacter(t *testing.T) {
	if testing.Short() {
		t.Skip("all of Unicode takes a while")
	}
	d := NewDocument(&earshot.Post{})
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S, unicode.P, unicode.Cf) {
			continue
		}
		if unicode.In(r, unicode.Han, unicode.Hangul) && r%64 != 0 {
			continue // thousands of similar characters
		}
		for _, text := range []string{fmt.Sprintf("%c", r), fmt.Sprintf("a%ca", r), fmt.Sprintf("#%c%c", r, r), fmt.Sprintf("가%c가", r)} {
			q, err := Parse(text)
			if err != nil {
				continue
			}
			again, err := Parse(q.String())
			if err != nil {
				t.Errorf("%U: %q prints %q, which does not parse: %v", r, text, q, err)
				continue
			}
			if dump(again.root) != dump(q.root) {
				t.Errorf("%U: %q prints %q, which parses to %q", r, text, q, again)
			}
			if r == '＊' || r == '？' {
				continue // wildcards in a query, but not in a text
			}
			if d.Reset(&earshot.Post{Contents: text}); !q.Match(d) {
				t.Errorf("%U: %q does not match itself", r, text)
			}
		}
	}
}
