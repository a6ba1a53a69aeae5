package langid

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Weights are the trained weights of one script.
type Weights struct {
	Script    string    // as returned by NGrams
	Languages []string  // at most 48; may contain duplicates
	Bias      []float64 // bias of each language
	Buckets   int       // a power of two, at least 2; each holds four n-grams
	Entries   []Entry   // most important first; the last ones are dropped if they do not fit
}

// An Entry holds the weights of an n-gram, in natural logarithms. It has either a row with a weight
// for each language, or up to two votes.
type Entry struct {
	NGram uint32
	Row   []float32
	Votes [2]Vote
}

// A Vote is a weight for one language. Negative weights count as 0.
type Vote struct {
	Language int
	Weight   float32
}

// NGrams scans a text as [Model.Detect] does. It returns the name of the text's script, or "", and
// the hashes of the n-grams of each word if several languages share the script.
func NGrams(text string) (script string, words [][]uint32) {
	var t scan
	t.read(text)
	trait := traits[t.script()]
	if trait.maxNGram == 0 {
		return trait.name, nil
	}
	var q queue
	gaps := t.gaps(&q.gaps)
	for i := range gaps[1:] {
		n := t.ngrams(q.ngrams[:], int(gaps[i]), int(gaps[i+1]), trait.maxNGram)
		word := make([]uint32, n)
		for j, g := range q.ngrams[:n] {
			word[j] = uint32(g)
		}
		words = append(words, word)
	}
	return trait.name, words
}

// InnerNGrams returns the script of letters and the hashes of the n-grams inside any word that
// contains them, up to the letters themselves. It returns no n-grams for letters of several scripts.
func InnerNGrams(letters string) (script string, grams []uint32) {
	word := []rune(letters)
	used := noScript
	for i, r := range word {
		s := latin
		if r >= utf8.RuneSelf {
			s = scriptOf(r)
		}
		if i > 0 && s != used {
			return "", nil
		}
		used, word[i] = s, fold(r)
	}
	trait := traits[used]
	for from := range word {
		var g ngram
		for _, r := range word[from:min(from+trait.maxNGram, len(word))] {
			g = g.next(r)
			grams = append(grams, uint32(g))
		}
	}
	return trait.name, grams
}

// newTable quantizes weights and builds the hash table.
func newTable(w Weights) (*table, error) {
	if len(w.Languages) > maxClasses || len(w.Bias) != len(w.Languages) || w.Buckets < 2 || w.Buckets&(w.Buckets-1) != 0 {
		return nil, fmt.Errorf("%s: invalid table with %d languages, %d biases and %d buckets", w.Script, len(w.Languages), len(w.Bias), w.Buckets)
	}
	b := &table{
		languages: w.Languages,
		shift:     shiftFor(w.Buckets),
		buckets:   make([]bucket, w.Buckets),
		width:     (len(w.Languages) + 7) / 8,
	}
	for _, bias := range w.Bias {
		b.bias = append(b.bias, int32(math.Round(bias*unitsPerNat)))
	}
	for _, e := range w.Entries {
		b.insert(e)
	}
	return b, nil
}

// insert adds an n-gram if its bucket has a free slot and no n-gram with the same tag.
func (b *table) insert(e Entry) {
	at, tag := b.locate(ngram(e.NGram))
	bucket := b.buckets[at][:]
	free := slices.Index(bucket, 0)
	if free < 0 || slices.ContainsFunc(bucket[:free], func(s slot) bool { return s>>(32-tagBits) == tag }) {
		return
	}
	value := e.slot()
	if e.Row != nil {
		row := len(b.rows) / (8 * b.width)
		if row > 0xFFFF {
			return
		}
		value = isRow<<16 | slot(row)
		b.appendRow(e.Row)
	}
	if value != 0 {
		bucket[free] = tag<<(32-tagBits) | value
	}
}

func (e *Entry) slot() slot {
	first, second := e.Votes[0], e.Votes[1]
	return slot(first.Language)<<16 | first.rounded()<<11 | slot(second.Language)<<5 | second.rounded()
}

func (v Vote) rounded() slot {
	return slot(min(max(math.Round(float64(v.Weight)*unitsPerNat/slotUnit), 0), maxSlotWeight))
}

func (b *table) appendRow(weights []float32) {
	for i := range 8 * b.width {
		value := 0.0
		if i < len(weights) {
			value = min(max(math.Round(float64(weights[i])*unitsPerNat), -rowZero), rowZero-1)
		}
		b.rows = append(b.rows, byte(value+rowZero))
	}
}
