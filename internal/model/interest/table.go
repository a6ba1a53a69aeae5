package interest

import "math/bits"

// A key stands for a phrase, or for how one begins: a hash of 48 bits of its words.
// That two phrases have the same is as good as impossible, and a word that is in no
// phrase has the key of one about once in four billion.
type key uint64

// What keys of phrases, and of tags by their sigil, begin with.
const phraseStart key = 0

func tagStart(sigil byte) key { return key(sigil) }

// then returns the key of what k stands for, followed by a word.
func (k key) then(hash uint64) key {
	const odd = 0x9E3779B97F4A7C15
	mixed := (bits.RotateLeft64(uint64(k), 29) ^ hash) * odd
	return key((mixed ^ mixed>>32) * odd >> 16)
}

// A table has the phrases: for each key what it indicates, and whether longer phrases
// begin with it. It is open-addressed, and less than half full.
type table struct {
	maybe    [1 << 19 / 64]uint64 // a set of bits: most words of a text are in no phrase, and one lookup shows it
	keys     []key                // 0 where there is none
	values   []value
	postings []posting
}

// A value says what a phrase indicates: the number of its first posting, if it has any,
// and whether longer phrases begin with it.
type value uint32

const (
	hasPostings value = 1 << iota
	hasMore
	valueBits = iota
)

// A posting is what a phrase indicates of one interest: the place of the interest in
// list, the number of the term among those of the interest, and its strength.
type posting uint32

const (
	// lastPosting marks the last one of a phrase.
	lastPosting posting = 1 << 31
	// nowhere is the place of no interest, for phrases that indicate nothing.
	nowhere = 1<<15 - 1
	// maxTerm is the largest number of a term.
	maxTerm = 1<<12 - 1
)

func newPosting(place int, term uint16, s Strength) posting {
	return posting(place)<<16 | posting(term)<<4 | posting(s)
}

func (p posting) interestIndex() int { return int(p &^ lastPosting >> 16) }
func (p posting) term() uint16       { return uint16(p>>4) & maxTerm }
func (p posting) strength() Strength { return Strength(p & 0xF) }

// lookup returns the value of a key, 0 when the table does not have it.
func (t *table) lookup(k key) value {
	if t.maybe[k/64%key(len(t.maybe))]&(1<<(k%64)) == 0 {
		return 0
	}
	for i := t.slot(k); t.keys[i] != 0; i = (i + 1) & (len(t.keys) - 1) {
		if t.keys[i] == k {
			return t.values[i]
		}
	}
	return 0
}

func (t *table) slot(k key) int { return int(k>>20) & (len(t.keys) - 1) }

// longest returns the value of the longest phrase that words begin with, and how
// many of them it is. It returns 0 when there is none.
func (t *table) longest(words []word) (found value, length int) {
	k := phraseStart
	for i, w := range words {
		if i > 0 && (!w.linked || w.sigil != 0) {
			break
		}
		k = k.then(w.hash)
		v := t.lookup(k)
		if v&hasPostings != 0 {
			found, length = v, i+1
		}
		if v&hasMore == 0 {
			break
		}
	}
	return found, length
}

// tag returns the value of a word with a sigil.
func (t *table) tag(w word) value { return t.lookup(tagStart(w.sigil).then(w.hash)) }

// insert makes room for a key. The table must have slots enough.
func (t *table) insert(k key, v value) {
	t.maybe[k/64%key(len(t.maybe))] |= 1 << (k % 64)
	i := t.slot(k)
	for t.keys[i] != 0 {
		i = (i + 1) & (len(t.keys) - 1)
	}
	t.keys[i], t.values[i] = k, v
}
