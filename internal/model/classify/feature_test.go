package classify

import (
	"slices"
	"testing"
)

func TestAppendWords(t *testing.T) {
	var text Text
	text.Tokenize("so very good", 100)
	text.Tokens[2].Attr |= Negated
	so, very, good := Hash("so"), Hash("very"), Hash("good")
	got := text.AppendWords(nil)
	want := []uint64{
		so,
		very, Mix(so, very),
		good, Mix(good, saltNegated), Mix(very, good), Mix(so, Mix(very, good)), Mix(so^saltSkip, good),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestAppendNGrams(t *testing.T) {
	part := func(s string) uint64 {
		h := uint64(saltNGram)
		for i := range len(s) {
			h = hashByte(h, s[i])
		}
		return h
	}
	f := func(form string, want ...string) {
		t.Helper()
		var hashes []uint64
		for _, w := range want {
			hashes = append(hashes, part(w))
		}
		got := AppendNGrams(nil, []byte(form))
		if !slices.Equal(got, hashes) {
			t.Errorf("n-grams of %q: got %x, want those of %q", form, got, want)
		}
		if CountNGrams([]byte(form)) != len(want) {
			t.Errorf("CountNGrams(%q) = %d, want %d", form, CountNGrams([]byte(form)), len(want))
		}
	}
	f("")
	f("a", "_a_")
	f("né", "_né", "_né_", "né_")
	f("좋아", "_좋", "_좋아", "_좋아_", "좋아", "좋아_", "아_")
	f("good", "_go", "_goo", "_good", "goo", "good", "good_", "ood", "ood_", "od_")
}

func TestMixDependsOnOrder(t *testing.T) {
	if Mix(1, 2) == Mix(2, 1) {
		t.Error("Mix(1, 2) and Mix(2, 1) are the same")
	}
}

func TestASCIINGramsMatchRuneNGrams(t *testing.T) {
	for _, word := range []string{"__", "_a_", "_ab_", "_abc_", "_lovely_"} {
		got, want := appendASCIINGrams(nil, []byte(word)), appendRuneNGrams(nil, []byte(word), 3)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %x, want %x", word, got, want)
		}
	}
}
