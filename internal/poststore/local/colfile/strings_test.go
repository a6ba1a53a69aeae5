package colfile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func openStrings(t *testing.T, texts []string) *Strings {
	t.Helper()
	path := write(t, Options{}, func(w *Writer) error { return w.Strings("s", bytesOf(texts)) })
	return must[*Strings](t)(reopen(t, path).Strings("s"))
}

func TestStrings(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct {
		name  string
		texts []string
	}{
		{"none", nil},
		{"only the empty string", []string{""}},
		{"one", []string{"word"}},
		{"the empty string and others", []string{"", "\x00", "a"}},
		{"each is a prefix of the next", []string{"a", "aa", "aaa", "aab", "ab", "b"}},
		{"arbitrary bytes", []string{"\x00", "\x00\x00", "a\xff", "\xff", "\xff\xff"}},
		{"long strings with long common prefixes", []string{long, long + "a", long + "b", long + "b" + long}},
		{"exactly one block", manyTexts(16)},
		{"one more than a block", manyTexts(17)},
		{"many blocks", manyTexts(1000)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkStrings(t, openStrings(t, tt.texts), tt.texts) })
	}
}

func manyTexts(n int) []string {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("w%06d", i*i))
	}
	return texts
}

// checkStrings compares a dictionary with a slice.
func checkStrings(t *testing.T, s *Strings, want []string) {
	t.Helper()
	if s.Len() != len(want) {
		t.Fatalf("got %d strings, want %d", s.Len(), len(want))
	}
	for id, text := range want {
		if got := s.At(uint32(id)); got != text {
			t.Fatalf("string %d: got %q, want %q", id, got, text)
		}
		checkFind(t, s, want, text)
		for _, other := range []string{text + "\x00", text + "x", text[:len(text)/2]} {
			checkFind(t, s, want, other)
			checkPrefix(t, s, want, other)
		}
	}
	for _, other := range []string{"", "\x00", "m", "\xff", "\xff\xff", "\xff\xff\xff"} {
		checkFind(t, s, want, other)
		checkPrefix(t, s, want, other)
	}
	for _, from := range []int{0, 1, 15, 16, 17, len(want) / 2, len(want), len(want) + 100} {
		checkCursor(t, s, want, from)
	}
}

func checkFind(t *testing.T, s *Strings, want []string, text string) {
	t.Helper()
	id, ok := s.Find(text)
	wantID, wantOK := slices.BinarySearch(want, text)
	if ok != wantOK || ok && int(id) != wantID {
		t.Fatalf("find %q: got %d, %t, want %d, %t", text, id, ok, wantID, wantOK)
	}
}

func checkPrefix(t *testing.T, s *Strings, want []string, p string) {
	t.Helper()
	from, to := s.Prefix(p)
	wantFrom, _ := slices.BinarySearch(want, p)
	wantTo := wantFrom
	for wantTo < len(want) && strings.HasPrefix(want[wantTo], p) {
		wantTo++
	}
	if int(from) != wantFrom || int(to) != wantTo {
		t.Fatalf("prefix %q: got %d to %d, want %d to %d", p, from, to, wantFrom, wantTo)
	}
}

func checkCursor(t *testing.T, s *Strings, want []string, from int) {
	t.Helper()
	next := from
	for c := s.Cursor(uint32(from)); c.Next(); next++ {
		if int(c.ID()) != next || string(c.Text()) != want[next] {
			t.Fatalf("cursor from %d: got %d %q, want %d %q", from, c.ID(), c.Text(), next, want[next])
		}
	}
	if next != max(from, len(want)) {
		t.Fatalf("cursor from %d ended at %d of %d", from, next, len(want))
	}
}

func TestRandomStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		texts := make([]string, rng.IntN(400))
		for i := range texts {
			text := make([]byte, rng.IntN(9))
			for j := range text {
				text[j] = "ab\x00\xff"[rng.IntN(4)] // few letters, so that prefixes are common
			}
			texts[i] = string(text)
		}
		slices.Sort(texts)
		texts = slices.Compact(texts)
		checkStrings(t, openStrings(t, texts), texts)
	}
}

func TestStringsAppendExtends(t *testing.T) {
	s := openStrings(t, []string{"one", "only", "other"})
	if got, want := string(s.Append([]byte("the "), 2)), "the other"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnsortedStrings(t *testing.T) {
	for _, texts := range [][]string{{"b", "a"}, {"a", "a"}, {"", ""}} {
		w := newWriter(t, Options{})
		err := w.Strings("s", bytesOf(texts))
		if err == nil || !strings.Contains(err.Error(), "is not greater than the previous one") {
			t.Errorf("%q: got %v", texts, err)
		}
	}
}
