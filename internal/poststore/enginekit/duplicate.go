package enginekit

import (
	"math"
	"math/bits"
	"slices"

	"earshot/internal/poststore"
	"earshot/internal/query"
)

// Two texts are duplicates if they have the same words in the same order. URLs, mentions, and a
// leading "RT" are ignored, so a repost is a duplicate of its original. Two texts of at least
// minNearWords words are near-duplicates if the Jaccard similarity of their shingles is at least
// minSimilarity. A shingle is a pair of consecutive words. A text of a dozen words remains a
// near-duplicate if one word is replaced or a few are added.
const (
	minNearWords  = 5
	minSimilarity = 0.6
	maxShingles   = 128 // of a longer text, those with the lowest hashes count
)

// Near-duplicates are found by MinHash. Two texts are compared if both minima of a band are equal.
// With similarity s, that is the case for at least one band with probability 1-(1-s²)⁴: 0.93 for
// 0.7, 0.98 for 0.8. More bands would find more, and take more time and memory.
const (
	sketchBands = 4
	sketchRows  = 2
)

// A Sketch describes a text for finding its duplicates.
type Sketch struct {
	text  uint64              // hash of the words in order
	words int                 // number of words
	bands [sketchBands]uint32 // combined minima of each band
	outline
}

// An outline excludes most texts that are not similar. Each shingle sets one bit.
type outline struct {
	bits     uint64
	shingles uint8
}

// maySimilar reports whether texts with these outlines may be similar. A bit that only one of them
// has stands for at least one shingle that only this one has.
func (a outline) maySimilar(b outline) bool {
	// Similar texts have at least this many common shingles.
	common := int(math.Ceil(minSimilarity / (1 + minSimilarity) * float64(int(a.shingles)+int(b.shingles)) * (1 - 1e-9)))
	return int(a.shingles)-bits.OnesCount64(a.bits&^b.bits) >= common && int(b.shingles)-bits.OnesCount64(b.bits&^a.bits) >= common
}

// WordHash returns the hash of a word for a [Sketcher], which is 0 for tokens that are ignored. It
// is the same in every process.
func WordHash(t query.KeyToken) uint32 {
	if t.Sigil == '@' {
		return 0
	}
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range t.Plain {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return min(max(uint32(mix64(h)>>32), 1), math.MaxUint32-1) // engines may use the other values
}

// rtHash is the hash of the word that begins a repost.
var rtHash = WordHash(query.KeyToken{Plain: []byte("rt")})

// A Sketcher computes sketches and shingles. It reuses memory, so it must not be used concurrently.
type Sketcher struct {
	words    []uint32
	shingles []uint32
}

// Reset starts a new text.
func (s *Sketcher) Reset() { s.words = s.words[:0] }

// Add adds the hash of the next word.
func (s *Sketcher) Add(word uint32) {
	if word == 0 || len(s.words) == 0 && word == rtHash || len(s.words) == poststore.MaxWords {
		return
	}
	s.words = append(s.words, word)
}

// Sketch returns the sketch and the shingles of the text. A text that is too short for
// near-duplicates has no shingles. They are valid until the next call.
func (s *Sketcher) Sketch() (k Sketch, shingles []uint32) {
	k.words, k.text = len(s.words), uint64(len(s.words))
	for _, w := range s.words {
		k.text = mix64(k.text ^ uint64(w)<<17 ^ 0x9e3779b97f4a7c15)
	}
	if k.words < minNearWords {
		return k, nil
	}
	shingles = s.Shingles()
	k.outline.shingles = uint8(len(shingles))
	for _, x := range shingles {
		k.bits |= 1 << (x >> 26)
	}
	for band := range k.bands {
		hash := uint64(band + 1)
		for _, f := range minHashes[band*sketchRows:][:sketchRows] {
			least := uint32(math.MaxUint32)
			for _, x := range shingles {
				least = min(least, f.of(x))
			}
			hash = mix64(hash ^ uint64(least)*0xd6e8feb86659fd93)
		}
		k.bands[band] = uint32(hash >> 32)
	}
	return k, shingles
}

// Shingles returns the hashes of the text's shingles in any order, without duplicates. They are
// valid until the next call.
func (s *Sketcher) Shingles() []uint32 {
	s.shingles = s.shingles[:0]
	if len(s.words)-1 <= maxShingles {
		var set shingleSet
		for i := 1; i < len(s.words); i++ {
			if x := s.shingle(i); set.add(x) {
				s.shingles = append(s.shingles, x)
			}
		}
		return s.shingles
	}
	for i := 1; i < len(s.words); i++ {
		s.shingles = append(s.shingles, s.shingle(i))
	}
	slices.Sort(s.shingles)
	s.shingles = slices.Compact(s.shingles)
	s.shingles = s.shingles[:min(len(s.shingles), maxShingles)]
	return s.shingles
}

// shingle returns the hash of the pair that ends with word i, which is never 0.
func (s *Sketcher) shingle(i int) uint32 {
	return max(uint32(mix64(uint64(s.words[i-1])<<32|uint64(s.words[i]))>>32), 1)
}

// A shingleSet is a hash table of at most maxShingles shingles. A slot is free if it is 0.
type shingleSet [2 * maxShingles]uint32

// add reports whether the set did not have the shingle yet.
func (t *shingleSet) add(x uint32) bool {
	at := t.find(x)
	isNew := t[at] == 0
	t[at] = x
	return isNew
}

// find returns the slot of a shingle, or the free slot where it belongs.
func (t *shingleSet) find(x uint32) uint32 {
	at := x % uint32(len(t))
	for t[at] != 0 && t[at] != x {
		at = (at + 1) % uint32(len(t))
	}
	return at
}

// fill replaces the shingles.
func (t *shingleSet) fill(shingles []uint32) {
	clear(t[:])
	for _, x := range shingles {
		t.add(x)
	}
}

// isSimilar reports whether the text with the shingles of the set, which are n, and the text with the
// given shingles are near-duplicates.
func (t *shingleSet) isSimilar(n int, others []uint32) bool {
	common := 0
	for _, x := range others {
		if t[t.find(x)] != 0 {
			common++
		}
	}
	return float64(common) >= minSimilarity*float64(n+len(others)-common)
}

// A minHash is one of the hash functions of MinHash: multiply-add-shift with random constants.
type minHash struct{ factor, offset uint64 }

func (f minHash) of(x uint32) uint32 { return uint32((f.factor*uint64(x) + f.offset) >> 32) }

var minHashes = newMinHashes()

func newMinHashes() (all [sketchBands * sketchRows]minHash) {
	state := uint64(0)
	next := func() uint64 { // SplitMix64
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for i := range all {
		all[i] = minHash{next() | 1, next()}
	}
	return all
}

// mix64 folds the 128 bits of a product, so that each bit of the result depends on all of x.
func mix64(x uint64) uint64 {
	high, low := bits.Mul64(x^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return high ^ low
}
