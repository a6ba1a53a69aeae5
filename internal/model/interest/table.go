package interest

import "math/bits"

// A key represents a phrase or a prefix of one: a 48-bit hash of its words. A collision between two
// phrases is practically impossible, and an unrelated word has the key of a phrase about once in
// four billion.
type key uint64

// Initial keys of phrases, and of tags by their sigil.
const phraseStart key = 0

func tagStart(sigil byte) key { return key(sigil) }

// then returns the key of k's phrase extended by a word.
func (k key) then(hash uint64) key {
	const odd = 0x9E3779B97F4A7C15
	mixed := (bits.RotateLeft64(uint64(k), 29) ^ hash) * odd
	return key((mixed ^ mixed>>32) * odd >> 16)
}

// A table maps each key to what the phrase indicates and whether longer phrases start with it. It
// uses open addressing and is less than half full.
type table struct {
	maybe    [1 << 19 / 64]uint64 // Bloom filter, because most words are in no phrase
	keys     []key                // 0 marks a free slot
	values   []value
	postings []posting
}

// A value contains the index of a phrase's first posting, if any, and whether longer phrases start
// with it.
type value uint32

const (
	hasPostings value = 1 << iota
	hasMore
	valueBits = iota
)

// A posting is what a phrase indicates about one interest: the index of the interest in list, the
// number of the term within the interest, and its strength.
type posting uint32

const (
	// lastPosting marks the last posting of a phrase.
	lastPosting posting = 1 << 31
	// nowhere is the interest index of phrases that indicate nothing.
	nowhere = 1<<15 - 1
	// maxTerm is the maximum number of a term.
	maxTerm = 1<<12 - 1
)

func newPosting(place int, term uint16, s Strength) posting {
	return posting(place)<<16 | posting(term)<<4 | posting(s)
}

func (p posting) interestIndex() int { return int(p &^ lastPosting >> 16) }
func (p posting) term() uint16       { return uint16(p>>4) & maxTerm }
func (p posting) strength() Strength { return Strength(p & 0xF) }

// lookup returns the value of a key, or 0.
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

// longest returns the value of the longest phrase at the start of words, and its length in words.
// Both are 0 if there is none.
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

// insert adds a key. The table must have a free slot.
func (t *table) insert(k key, v value) {
	t.maybe[k/64%key(len(t.maybe))] |= 1 << (k % 64)
	i := t.slot(k)
	for t.keys[i] != 0 {
		i = (i + 1) & (len(t.keys) - 1)
	}
	t.keys[i], t.values[i] = k, v
}
