package query

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot"
)

func TestEdits(t *testing.T) {
	f := func(a, b string, want int) {
		t.Helper()
		if got := Edits(a, b); got != want {
			t.Errorf("%s, %s: got %d, want %d", a, b, got, want)
		}
		if got := Edits(b, a); got != want {
			t.Errorf("%s, %s: got %d, want %d", b, a, got, want)
		}
	}
	f("", "", 0)
	f("kelvarro", "kelvarro", 0)
	f("kelvaro", "kelvarro", 1)
	f("kelvrraro", "kelvarro", 2)
	f("klevarro", "kelvarro", 1) // neighbors swapped
	f("elvarro", "kelvarro", 1)
	f("ca", "abc", 3) // no character is edited twice
	f("кофе", "кофэ", 1)
	f("", "abc", 3)
}

// A wordList is a vocabulary in memory.
type wordList []string

func newWordList(text string) (list wordList) {
	d := NewDocument(&earshot.Post{Title: "title", Contents: text})
	for i := range d.Len() {
		list = append(list, string(d.AppendKey(nil, i)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (l wordList) Prefix(prefix string) (from, to uint32) {
	for _, key := range l {
		if key < prefix {
			from++
		}
		if key < prefix || strings.HasPrefix(key, prefix) {
			to++
		}
	}
	return from, to
}

func (l wordList) Keys(from, to uint32) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		for i := from; i < to; i++ {
			if !yield(i, []byte(l[i])) {
				return
			}
		}
	}
}

// TestSimilar compares Similar with a loop over random vocabularies, some of which have many words
// with the same prefix.
func TestSimilar(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	word := func() string {
		b := make([]rune, 1+random.IntN(6))
		for i := range b {
			b[i] = []rune("abcé日")[min(random.IntN(8), 4)]
		}
		return []string{"", "", "#", "@"}[random.IntN(4)] + string(b)
	}
	found := 0
	for range 300 {
		var words []string
		for range random.IntN(400) {
			words = append(words, word())
		}
		list := newWordList(strings.Join(words, " "))
		plain, ok := Plain(word())
		if !ok {
			continue
		}
		edits := random.IntN(3)
		var got, want []string
		for spelling, keys := range Similar(list, plain, edits) {
			got = append(got, fmt.Sprint(string(spelling), " ", keys.Edits, list[keys.From:keys.To]))
		}
		for i := 0; i < len(list); {
			spelling, _, _ := strings.Cut(list[i], keySeparator)
			from := i
			for i < len(list) && strings.HasPrefix(list[i]+keySeparator, spelling+keySeparator) {
				i++
			}
			if n := Edits(plain, spelling); n <= edits && spelling != "" {
				want = append(want, fmt.Sprint(spelling, " ", n, list[from:i]))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d edits from %s in %q:\ngot  %q\nwant %q", edits, plain, list, got, want)
		}
		found += len(got)
	}
	if found < 500 {
		t.Errorf("found only %d words: the cases are not varied enough", found)
	}
}

func TestPlain(t *testing.T) {
	f := func(text, want string, ok bool) {
		t.Helper()
		if got, gotOK := Plain(text); got != want || gotOK != ok {
			t.Errorf("%s: got %q, %t", text, got, gotOK)
		}
	}
	f("Café", "cafe", true)
	f("#Café", "cafe", true)
	f("wendy's", "wendys", true)
	f("two words", "", false)
	f("", "", false)
}
