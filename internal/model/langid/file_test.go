package langid

import (
	"bytes"
	"errors"
	"testing"
)

// toy returns weights that distinguish two languages by one n-gram each.
func toy() []Weights {
	grams := firstNGrams("жъжъ")
	return []Weights{{
		Script:    "Cyrillic",
		Languages: []string{"ru", "bg", "uk"},
		Bias:      []float64{0.5, 0, 0},
		Buckets:   16,
		Entries: []Entry{
			{NGram: grams[0], Row: []float32{-1, 2, -100}},
			{NGram: grams[1], Votes: [2]Vote{{Language: 2, Weight: 1}, {Language: 1, Weight: 1.5}}},
		},
	}}
}

// firstNGrams returns the n-grams of the first word.
func firstNGrams(text string) []uint32 {
	_, words := NGrams(text)
	return words[0]
}

func TestEncodeRoundTrip(t *testing.T) {
	file, err := Encode(toy())
	if err != nil {
		t.Fatal(err)
	}
	m, err := decode(file)
	if err != nil {
		t.Fatal(err)
	}
	grams := firstNGrams("жъжъ")
	b := m.tables[cyrillic]
	var s votes
	copy(s.totals[:], b.bias)
	b.addAll(&s, &queue{ngrams: [maxQueued + maxNGrams]ngram{ngram(grams[0]), ngram(grams[1])}, n: 2})
	base := s.totals[0] + unitsPerNat/2
	got := [3]int32{s.totals[0] - base, s.totals[1] - base, s.totals[2] - base}
	want := [3]int32{-8, 56, -112}
	if got != want {
		t.Errorf("got sums %v, want %v", got, want)
	}
	if code, _ := m.Detect("жъжъ"); code != "bg" {
		t.Errorf("got %q, want bg", code)
	}
}

func TestEncodeIsDeterministic(t *testing.T) {
	first, _ := Encode(toy())
	second, _ := Encode(toy())
	if !bytes.Equal(first, second) {
		t.Error("encoding twice gives different files")
	}
}

func TestEncodeRejectsInvalidTables(t *testing.T) {
	for _, script := range []string{"", "Thai", "Runic"} {
		w := toy()
		w[0].Script = script
		if _, err := Encode(w); err == nil {
			t.Errorf("no error for script %q", script)
		}
	}
	w := toy()
	w[0].Buckets = 3
	if _, err := Encode(w); err == nil {
		t.Error("no error for 3 buckets")
	}
}

func TestDecodeRejectsDamagedFiles(t *testing.T) {
	file, err := Encode(toy())
	if err != nil {
		t.Fatal(err)
	}
	for n := range file {
		if _, err := decode(file[:n]); !errors.Is(err, errBadModel) {
			t.Fatalf("file of %d bytes, truncated to %d: got error %v", len(file), n, err)
		}
	}
}

func TestBucketValid(t *testing.T) {
	f := func(u bucket, want bool) {
		t.Helper()
		if got := u.valid(10); got != want {
			t.Errorf("%x: got %v, want %v", u, got, want)
		}
	}
	const tag = 1 << (32 - tagBits)
	f(bucket{}, true)
	f(bucket{tag | isRow<<16 | 9, 2*tag | isRow<<16 | 9}, true)
	f(bucket{tag | isRow<<16 | 10}, false)
	f(bucket{tag | 1, tag | 2}, false)
	f(bucket{1, 0, 0, 2}, false)
}

func FuzzDecode(f *testing.F) {
	file, err := Encode(toy())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Fuzz(func(t *testing.T, file []byte) {
		if m, err := decode(file); err == nil {
			m.Detect("жъжъ and more")
		}
	})
}
