package segment

import (
	"math/bits"
	"slices"

	"earshot/internal/poststore"
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
	authors, err := q.file.dictDim(poststore.ByAuthor, colAuthor, dictAuthor, appendAuthorKey)
	if err != nil {
		return nil, err
	}
	c := &authorSets{file: q.file, authors: authors}
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
