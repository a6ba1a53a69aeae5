package segment

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

// A authorSets is the authors of each group: pairs of a group and an author's number. For few
// groups and many rows it has a bit for each pair that could be, otherwise a list from
// which repeats are removed whenever it has doubled.
type authorSets struct {
	file      *Segment
	authors   *dictDim
	bits      []uint64 // of each group as many words
	words     uint64   // so many
	pairs     []uint64 // the group in the upper half, the author in the lower
	compacted int      // so many of the pairs are sorted and without repeats
}

// authorSets returns the authors of so many groups.
func (q *countQuery) authorSets(groups uint64) (*authorSets, error) {
	authors, err := q.segment.dictDim(poststore.ByAuthor, colAuthor, dictAuthor, appendAuthorKey)
	if err != nil {
		return nil, err
	}
	c := &authorSets{file: q.segment, authors: authors}
	// A list would take 64 bits for each of the rows.
	c.words = authors.span()/64 + 1
	if hi, all := bits.Mul64(groups, c.words); hi == 0 && all <= q.size {
		c.bits = make([]uint64, all)
	}
	return c, nil
}

// add adds the authors of rows to their groups.
func (c *authorSets) add(groups, scratch []uint64, rows []uint32) {
	c.authors.read(scratch, rows)
	scratch = scratch[:len(groups)]
	if c.bits != nil {
		for i, group := range groups {
			c.bits[group*c.words+scratch[i]/64] |= 1 << (scratch[i] % 64)
		}
		return
	}
	for i, group := range groups {
		c.pairs = append(c.pairs, group<<32|scratch[i])
	}
	const few = 1 << 20
	if len(c.pairs) > max(few, 2*c.compacted) {
		c.compactPairs()
	}
}

// compactPairs makes the pairs a sorted list without repeats.
func (c *authorSets) compactPairs() {
	sortNumbers(c.pairs)
	c.pairs = slices.Compact(c.pairs)
	c.compacted = len(c.pairs)
}

// authorsOf returns the authors of some of the groups, which ascend.
func (c *authorSets) authorsOf(groups []uint32) (m groupAuthors) {
	codes := c.codes(groups, &m)
	m.authorOf, m.authors, m.cached = c.file.hashAuthors(c.authors, codes)
	return m
}

// codes returns the codes of the authors of groups, one group after the other, and sets where
// those of each end.
func (c *authorSets) codes(groups []uint32, m *groupAuthors) (codes []uint64) {
	m.ends = make([]uint32, len(groups))
	if c.bits != nil {
		codes = make([]uint64, 0, c.cardinality())
		for i, group := range groups {
			codes = appendBits(codes, c.bits[uint64(group)*c.words:][:c.words])
			m.ends[i] = uint32(len(codes))
		}
		return codes
	}
	c.compactPairs()
	codes = make([]uint64, 0, len(c.pairs))
	pairs := c.pairs
	for i, group := range groups {
		for len(pairs) > 0 && pairs[0]>>32 < uint64(group) {
			pairs = pairs[1:]
		}
		for len(pairs) > 0 && pairs[0]>>32 == uint64(group) {
			codes = append(codes, pairs[0]&(1<<32-1))
			pairs = pairs[1:]
		}
		m.ends[i] = uint32(len(codes))
	}
	return codes
}

// cardinality returns how many bits are set.
func (c *authorSets) cardinality() (n int) {
	for _, word := range c.bits {
		n += bits.OnesCount64(word)
	}
	return n
}

// appendBits appends the places of the bits that are set.
func appendBits(to []uint64, words []uint64) []uint64 {
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint64(64*i+bits.TrailingZeros64(word)))
		}
	}
	return to
}

func (c *authorSets) bytes() int64 { return 8 * int64(cap(c.pairs)+len(c.bits)) }

// An authorHash stands for the key of an author, so that authors of several files can be
// compared without spelling them. It has 128 bits and is made with seeds that nobody knows,
// so no two authors have the same. The zero sum is of posts without an author.
type authorHash [2]uint64

// authorSeeds are what all sums of this process are made with.
var authorSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func hashAuthor(key []byte) authorHash {
	if len(key) == 0 {
		return authorHash{}
	}
	return authorHash{maphash.Bytes(authorSeeds[0], key), maphash.Bytes(authorSeeds[1], key)}
}

// authorHashCache keeps the sums of a dictionary of authors. To spell them takes most of the time
// of a question about authors.
type authorHashCache struct {
	mu     sync.Mutex
	hashes []authorHash // by number
}

// maxCachedAuthors is how many authors a file may have for their sums to be kept, which takes 16 MB.
const maxCachedAuthors = 1 << 20

// of returns the sums of all authors by number; nil when there are too many to keep, or when
// nobody has asked for many of them yet.
func (a *authorHashCache) of(dict *colfile.Strings, asked int) []authorHash {
	const few = 16
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.hashes != nil || dict.Len() > maxCachedAuthors || few*asked < dict.Len() {
		return a.hashes
	}
	sums := make([]authorHash, 0, dict.Len())
	var key []byte
	for c := dict.Cursor(0); c.Next(); {
		key = appendAuthorKey(key[:0], c.Text())
		sums = append(sums, hashAuthor(key))
	}
	a.hashes = sums
	return sums
}

// hashAuthors returns the sums of authors, and for each of the codes the place of its sum. The
// sums may be those that the file keeps, and are not to be changed.
func (s *Segment) hashAuthors(authors *dictDim, codes []uint64) (places []uint32, sums []authorHash, kept bool) {
	all, base := s.authorHashes.of(authors.dict, len(codes)), authors.values.Base()
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
	sums = make([]authorHash, len(distinct))
	places = make([]uint32, len(distinct))
	spell := authors.keyFunc(false)
	var key []byte
	for i, code := range distinct {
		places[i] = uint32(i)
		if all != nil {
			sums[i] = all[code+base]
			continue
		}
		key = spell(key[:0], code)
		sums[i] = hashAuthor(key)
	}
	if len(distinct) < len(codes) || !strictlyAscending(codes) {
		places = lookUp(codes, distinct, places)
	}
	return places, sums, false
}

// A authorTable gives numbers to sums: 0, 1, 2 and so on, in the order in which they first come.
type authorTable struct {
	hashes []authorHash // by number
	slots  []uint64     // number plus one and half of the sum, by the other half; 0 is free
}

// newAuthorTable returns a table with room for some sums.
func newAuthorTable(room int) *authorTable {
	slots := 16
	for slots < 2*room {
		slots *= 2
	}
	return &authorTable{hashes: make([]authorHash, 0, room), slots: make([]uint64, slots)}
}

// add returns the number of a sum.
func (t *authorTable) add(sum authorHash) uint32 {
	const half = 1<<32 - 1
	mask, tag := uint64(len(t.slots)-1), sum[1]&^half
	i := sum[0] & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if slot := t.slots[i]; slot&^half == tag && t.hashes[slot&half-1] == sum {
			return uint32(slot&half - 1)
		}
	}
	t.hashes = append(t.hashes, sum)
	t.slots[i] = tag | uint64(len(t.hashes))
	if 2*len(t.hashes) > len(t.slots) {
		t.grow()
	}
	return uint32(len(t.hashes) - 1)
}

func (t *authorTable) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := t.hashes[uint32(slot)-1][0] & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot
	}
}

// bytes returns how much memory the table takes.
func (t *authorTable) bytes() int64 { return 16*int64(cap(t.hashes)) + 8*int64(len(t.slots)) }
