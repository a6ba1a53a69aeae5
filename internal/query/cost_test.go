package query

import (
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	f := func(text string, want int, part string) {
		t.Helper()
		q := parse(t, text)
		if got := q.Cost(); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
		if got, _ := q.MostExpensive(); got != part {
			t.Errorf("%s: the most expensive part is %s, want %s", text, got, part)
		}
	}
	f(`coffee`, 1, `coffee`)
	f(`coffee -tea`, 2, `coffee`)
	f(`("new york" OR nyc) AND pizza`, 8, `"new york"`)
	f(`iphon* OR colo*r`, 118, `colo*r`)
	f(`a NEAR/5 b`, 22, `a NEAR/5 b`)
	f(`a NEAR/5 (b NEAR/5 c)`, 51, `a NEAR/5 (b NEAR/5 c)`)
	f(`x AND ("a b c"~5 OR NOT {B T})`, 89, `"a b c"~5`)
	f(`(ab* AND abc* AND abd*)~3`, 7569, `(ab* AND abc* AND abd*)~3`)
	f(`site:example.com OR title:a`, 7, `title:a`)
}

// TestCostOfOrdinaryQueries checks that 1,000 ordinary queries cost a small part of what a team may
// spend, and that nested operators, which take quadratic time, cost as much.
func TestCostOfOrdinaryQueries(t *testing.T) {
	ordinary := parse(t, `("acme phone" OR acmephone OR #acme OR @acme OR (acme NEAR/5 (phone OR mobile))) AND (buy* OR price OR review OR "how to") -(jobs OR hiring OR "we are hiring")`)
	if got := ordinary.Cost(); got > 100 {
		t.Errorf("got %d for %s, want at most 100", got, ordinary)
	}
	nested := func(n int) int {
		return parse(t, strings.Repeat("((a ONEAR/1 ", n)+"a"+strings.Repeat(") ONEAR/1 a)", n)).Cost()
	}
	if few, many := nested(9), nested(90); many < 50*few {
		t.Errorf("got %d for 18 nested operators and %d for 180, want at least 50 times as much", few, many)
	}
}
