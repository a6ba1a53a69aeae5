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

// Shingles returns the hashes of the text's shingles in ascending order, without duplicates. They
// are valid until the next call.
func (s *Sketcher) Shingles() []uint32 {
	s.shingles = s.shingles[:0]
	for i := 1; i < len(s.words); i++ {
		s.shingles = append(s.shingles, uint32(mix64(uint64(s.words[i-1])<<32|uint64(s.words[i]))>>32))
	}
	slices.Sort(s.shingles)
	s.shingles = slices.Compact(s.shingles)
	s.shingles = s.shingles[:min(len(s.shingles), maxShingles)]
	return s.shingles
}

// AreSimilar reports whether two texts with the given shingles are near-duplicates.
func AreSimilar(a, b []uint32) bool {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	return float64(common) >= minSimilarity*float64(len(a)+len(b)-common)
}

// A Grouper divides texts into groups of duplicates and near-duplicates. Texts must be added in
// chronological order. The first text of a group is its leader, and all others are duplicates or
// near-duplicates of it. A text joins, in this order:
//
//   - the group of an earlier text that it is a duplicate of,
//   - of the leaders that are the first in one of its bands, the earliest that it is a
//     near-duplicate of,
//   - a new group.
//
// A text without words always forms a group of its own.
//
// The groups therefore depend only on the texts and their order, each text is in one group, and the
// time to add a text does not depend on the number of groups.
type Grouper struct {
	texts  hashTable[uint64]
	bands  [sketchBands]hashTable[uint32]
	groups []outline // of the leaders
}

// Reserve allocates memory for a number of texts, most of which lead a group.
func (g *Grouper) Reserve(texts int) {
	g.texts.reserve(texts)
	for i := range g.bands {
		g.bands[i].reserve(texts)
	}
	g.groups = slices.Grow(g.groups, texts/2)
}

// Groups returns the number of groups.
func (g *Grouper) Groups() int { return len(g.groups) }

// Add adds a text and returns its group. Groups are numbered from 0 in the order of their leaders.
// similar reports whether the text is a near-duplicate of the leader of a group.
func (g *Grouper) Add(k *Sketch, similar func(group int) bool) (group int) {
	if k.words == 0 {
		return g.lead(k)
	}
	own := g.texts.slot(k.text)
	if *own == 0 {
		*own = uint32(g.near(k, similar)) + 1
	}
	return int(*own) - 1
}

// lead adds a group.
func (g *Grouper) lead(k *Sketch) (group int) {
	g.groups = append(g.groups, k.outline)
	return len(g.groups) - 1
}

// near returns the group of a text that is no duplicate.
func (g *Grouper) near(k *Sketch, similar func(group int) bool) (group int) {
	if k.words < minNearWords {
		return g.lead(k)
	}
	found := len(g.groups)
	for i, band := range k.bands {
		first := int(g.bands[i].get(band)) - 1
		if first >= 0 && first < found && k.maySimilar(g.groups[first]) && similar(first) {
			found = first
		}
	}
	if found < len(g.groups) {
		return found
	}
	for i, band := range k.bands {
		if first := g.bands[i].slot(band); *first == 0 {
			*first = uint32(found) + 1
		}
	}
	return g.lead(k)
}

// A hashTable maps hashes to numbers, which are 0 at first. It takes a quarter of the time of a map.
type hashTable[H uint32 | uint64] struct {
	slots []hashSlot[H]
	used  int
}

// A hashSlot is free if its value is 0.
type hashSlot[H uint32 | uint64] struct {
	hash  H
	value uint32
}

// get returns the number of a hash.
func (t *hashTable[H]) get(hash H) uint32 {
	if len(t.slots) == 0 {
		return 0
	}
	return t.slots[t.find(hash)].value
}

// slot returns the number of a hash. The caller must set it unless it is set, before the next call.
func (t *hashTable[H]) slot(hash H) *uint32 {
	if 3*t.used >= 2*len(t.slots) {
		t.grow()
	}
	s := &t.slots[t.find(hash)]
	if s.value == 0 {
		s.hash = hash
		t.used++
	}
	return &s.value
}

// find returns the index of a hash, or the free index where it belongs.
func (t *hashTable[H]) find(hash H) int {
	mask := uint64(len(t.slots) - 1)
	at := mix64(uint64(hash)) & mask
	for t.slots[at].value != 0 && t.slots[at].hash != hash {
		at = (at + 1) & mask
	}
	return int(at)
}

// reserve allocates memory for a number of hashes. The number of slots is a power of two.
func (t *hashTable[H]) reserve(n int) {
	if t.slots == nil {
		t.slots = make([]hashSlot[H], max(1<<8, 1<<bits.Len(uint(3*n/2))))
	}
}

func (t *hashTable[H]) grow() {
	old := t.slots
	t.slots = make([]hashSlot[H], max(1<<8, 2*len(old)))
	for _, s := range old {
		if s.value != 0 {
			t.slots[t.find(s.hash)] = s
		}
	}
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
