package sentiment

import (
	"slices"
	"testing"

	"earshot/internal/model/classify"
)

// features returns the features of composition of a text, given the attributes of its words.
func features(text string, attrs ...classify.Attr) []uint64 {
	var t classify.Text
	t.Tokenize(text, 100)
	for i, attr := range attrs {
		t.Tokens[i].Attr |= attr
	}
	return appendComposition(nil, t.Tokens)
}

func TestCompositionGeneralizesOverLexicons(t *testing.T) {
	shared := func(a, b []uint64) (n int) {
		for _, f := range a {
			if slices.Contains(b, f) {
				n++
			}
		}
		return n
	}
	f := func(a, b []uint64, want int) {
		t.Helper()
		if got := shared(a, b); got != want {
			t.Errorf("%d features are the same, want %d", got, want)
		}
	}
	const good, bad, negated = classify.Good, classify.Bad, classify.Negated
	// The first words and, of the rated words, the words before, the negation and the start.
	f(features("hardly awful now", 0, bad|negated), features("hardly bad here", 0, bad|negated), 5)
	f(features("hardly awful now", 0, bad|negated), features("hardly nice here", 0, good|negated), 1)
	// The order of positive and negative words.
	f(features("nice x awful y", good, 0, bad), features("good z bad w", good, 0, bad), 4)
	f(features("nice x awful y", good, 0, bad), features("bad z good w", bad, 0, good), 0)
}

func TestLongerNGramsStopAtPunctuation(t *testing.T) {
	var text classify.Text
	text.Tokenize("很好吃的", 100)
	if got := appendLonger(nil, text.Tokens, 4); len(got) != 1 {
		t.Errorf("%d n-grams of four letters, want 1", len(got))
	}
	text.Tokenize("很好吃!的", 100)
	if got := appendLonger(nil, text.Tokens, 4); len(got) != 0 {
		t.Errorf("%d n-grams across an exclamation mark, want none", len(got))
	}
}
