package segment

import (
	"hash/maphash"
	"slices"
	"sync"

	"earshot/internal/poststore/local/colfile"
)

// An authorSum stands for the key of an author, so that authors of several files can be
// compared without spelling them. It has 128 bits and is made with seeds that nobody knows,
// so no two authors have the same. The zero sum is of posts without an author.
type authorSum [2]uint64

// authorSeeds are what all sums of this process are made with.
var authorSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func authorSumOf(key []byte) authorSum {
	if len(key) == 0 {
		return authorSum{}
	}
	return authorSum{maphash.Bytes(authorSeeds[0], key), maphash.Bytes(authorSeeds[1], key)}
}

// authorSums keeps the sums of a dictionary of authors. To spell them takes most of the time
// of a question about authors.
type authorSums struct {
	mu   sync.Mutex
	kept []authorSum // by number
}

// mostSums is how many authors a file may have for their sums to be kept, which takes 16 MB.
const mostSums = 1 << 20

// of returns the sums of all authors by number; nil when there are too many to keep, or when
// nobody has asked for many of them yet.
func (a *authorSums) of(dict *colfile.Strings, asked int) []authorSum {
	const few = 16
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kept != nil || dict.Len() > mostSums || few*asked < dict.Len() {
		return a.kept
	}
	sums := make([]authorSum, 0, dict.Len())
	var key []byte
	for c := dict.Cursor(0); c.Next(); {
		key = appendAuthorKey(key[:0], c.Text())
		sums = append(sums, authorSumOf(key))
	}
	a.kept = sums
	return sums
}

// sumAuthors returns the sums of authors, and for each of the codes the place of its sum. The
// sums may be those that the file keeps, and are not to be changed.
func (f *File) sumAuthors(authors *names, codes []uint64) (places []uint32, sums []authorSum, kept bool) {
	all, base := f.authors.of(authors.dict, len(codes)), authors.values.Base()
	const dense = 4
	if all != nil && dense*len(codes) >= len(all) {
		places = make([]uint32, len(codes))
		for i, code := range codes {
			places[i] = uint32(code + base)
		}
		return places, all, true
	}
	distinct := codes
	if !strictlyAscending(codes) {
		distinct = slices.Clone(codes)
		sortNumbers(distinct)
		distinct = slices.Compact(distinct)
	}
	sums = make([]authorSum, len(distinct))
	places = make([]uint32, len(distinct))
	spell := authors.speller(false)
	var key []byte
	for i, code := range distinct {
		places[i] = uint32(i)
		if all != nil {
			sums[i] = all[code+base]
			continue
		}
		key = spell(key[:0], code)
		sums[i] = authorSumOf(key)
	}
	if len(distinct) < len(codes) || !strictlyAscending(codes) {
		places = lookUp(codes, distinct, places)
	}
	return places, sums, false
}

// A sumTable gives numbers to sums: 0, 1, 2 and so on, in the order in which they first come.
type sumTable struct {
	sums  []authorSum // by number
	slots []uint64    // number plus one and half of the sum, by the other half; 0 is free
}

// newSumTable returns a table with room for some sums.
func newSumTable(room int) *sumTable {
	slots := 16
	for slots < 2*room {
		slots *= 2
	}
	return &sumTable{sums: make([]authorSum, 0, room), slots: make([]uint64, slots)}
}

// add returns the number of a sum.
func (t *sumTable) add(sum authorSum) uint32 {
	const half = 1<<32 - 1
	mask, tag := uint64(len(t.slots)-1), sum[1]&^half
	i := sum[0] & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if slot := t.slots[i]; slot&^half == tag && t.sums[slot&half-1] == sum {
			return uint32(slot&half - 1)
		}
	}
	t.sums = append(t.sums, sum)
	t.slots[i] = tag | uint64(len(t.sums))
	if 2*len(t.sums) > len(t.slots) {
		t.grow()
	}
	return uint32(len(t.sums) - 1)
}

func (t *sumTable) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := t.sums[uint32(slot)-1][0] & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot
	}
}

// bytes returns how much memory the table takes.
func (t *sumTable) bytes() int64 { return 16*int64(cap(t.sums)) + 8*int64(len(t.slots)) }
