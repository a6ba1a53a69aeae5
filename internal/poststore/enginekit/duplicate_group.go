package enginekit

import (
	"math/bits"
	"slices"
)

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
	groups []leader

	kept     [][]uint32 // shingles of leaders, in chunks
	shingles shingleSet // scratch space: of the text that is being added
	touched  uint64     // the compiler must not optimize Touch away
}

// A leader describes the leader of a group. It is small, because there are many.
type leader struct {
	bits     uint64
	kept     uint32 // where its shingles are: 1 plus the number of shingles before them; 0: not kept
	shingles uint8
}

// The shingles of leaders are kept in chunks until there are maxKept, which take 64 MB. Those of
// other leaders must be computed again.
const (
	keptChunk = 1 << 16
	maxKept   = 1 << 24
)

// Reserve allocates memory for a number of texts, most of which lead a group.
func (g *Grouper) Reserve(texts int) {
	g.texts.reserve(texts)
	for i := range g.bands {
		g.bands[i].reserve(texts)
	}
	g.groups = slices.Grow(g.groups, texts/2)
}

// Touch loads what Add needs for a text into the CPU's caches. A loop over several texts takes less
// time than Add alone would spend waiting for memory.
func (g *Grouper) Touch(k *Sketch) {
	g.touched += uint64(g.texts.get(k.text))
	for i, band := range k.bands {
		if group := g.bands[i].get(band); group != 0 {
			g.touched += g.groups[group-1].bits
		}
	}
}

// Add adds a text with its shingles and returns its group. Groups are numbered from 0 in the order
// of their leaders. shinglesOf returns the shingles of the leader of a group, in case they were not
// kept.
func (g *Grouper) Add(k *Sketch, shingles []uint32, shinglesOf func(group int) []uint32) (group int) {
	if k.words == 0 {
		return g.lead(k, nil)
	}
	own := g.texts.slot(k.text)
	if *own == 0 {
		*own = uint32(g.near(k, shingles, shinglesOf)) + 1
	}
	return int(*own) - 1
}

// lead adds a group.
func (g *Grouper) lead(k *Sketch, shingles []uint32) (group int) {
	g.groups = append(g.groups, leader{bits: k.bits, shingles: k.outline.shingles, kept: g.keep(shingles)})
	return len(g.groups) - 1
}

// keep stores shingles and returns where they are.
func (g *Grouper) keep(shingles []uint32) (at uint32) {
	if len(shingles) == 0 {
		return 0
	}
	n := len(g.kept)
	if n == 0 {
		g.kept = append(g.kept, nil) // grows, because there may be few texts
		n++
	} else if len(g.kept[n-1])+len(shingles) > keptChunk {
		if n == maxKept/keptChunk {
			return 0
		}
		g.kept = append(g.kept, make([]uint32, 0, keptChunk))
		n++
	}
	chunk := &g.kept[n-1]
	at = uint32((n-1)*keptChunk+len(*chunk)) + 1
	*chunk = append(*chunk, shingles...)
	return at
}

// shinglesOf returns the shingles of a leader if they were kept.
func (g *Grouper) shinglesOf(l leader) (shingles []uint32, kept bool) {
	if l.kept == 0 {
		return nil, false
	}
	from := l.kept - 1
	return g.kept[from/keptChunk][from%keptChunk:][:l.shingles], true
}

// near returns the group of a text that is not a duplicate.
func (g *Grouper) near(k *Sketch, shingles []uint32, shinglesOf func(group int) []uint32) (group int) {
	if k.words < minNearWords {
		return g.lead(k, nil)
	}
	found := len(g.groups)
	filled := false
	var seen [sketchBands]uint32 // the first leader of each band, plus 1
	for i, band := range k.bands {
		seen[i] = g.bands[i].get(band)
		first := int(seen[i]) - 1
		if first < 0 || first >= found || slices.Contains(seen[:i], seen[i]) || !k.maySimilar(g.groups[first].outline()) {
			continue
		}
		if !filled {
			g.shingles.fill(shingles)
			filled = true
		}
		others, kept := g.shinglesOf(g.groups[first])
		if !kept {
			others = shinglesOf(first)
		}
		if g.shingles.isSimilar(len(shingles), others) {
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
	return g.lead(k, shingles)
}

func (l leader) outline() outline { return outline{bits: l.bits, shingles: l.shingles} }

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
