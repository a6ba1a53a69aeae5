package postfile

import (
	"math/bits"
	"slices"

	"earshot/internal/poststore"
)

// A crowd is the authors of each group: pairs of a group and an author's number. For few
// groups and many rows it has a bit for each pair that could be, otherwise a list from
// which repeats are removed whenever it has doubled.
type crowd struct {
	file    *File
	authors *names
	bits    []uint64
	pairs   []uint64 // the group in the upper half, the author in the lower
	settled int      // so many of the pairs are sorted and without repeats
}

// crowd returns the authors of so many groups.
func (q *question) crowd(groups uint64) (*crowd, error) {
	authors, err := q.file.names(poststore.ByAuthor, colAuthor, dictAuthor, appendAuthorKey)
	if err != nil {
		return nil, err
	}
	c := &crowd{file: q.file, authors: authors}
	// A list would take 64 bits for each of the rows.
	if hi, all := bits.Mul64(groups, authors.span()); hi == 0 && all <= 64*q.size {
		c.bits = make([]uint64, all/64+1)
	}
	return c, nil
}

// add adds the authors of rows to their groups.
func (c *crowd) add(groups, scratch []uint64, rows []uint32) {
	c.authors.read(scratch, rows)
	scratch = scratch[:len(groups)]
	if c.bits != nil {
		span := c.authors.span()
		for i, group := range groups {
			bit := group*span + scratch[i]
			c.bits[bit/64] |= 1 << (bit % 64)
		}
		return
	}
	for i, group := range groups {
		c.pairs = append(c.pairs, group<<32|scratch[i])
	}
	const few = 1 << 20
	if len(c.pairs) > max(few, 2*c.settled) {
		c.settle()
	}
}

// settle makes the pairs a sorted list without repeats.
func (c *crowd) settle() {
	span := c.authors.span()
	for word, set := range c.bits {
		for ; set != 0; set &= set - 1 {
			pair := uint64(word*64 + bits.TrailingZeros64(set))
			c.pairs = append(c.pairs, pair/span<<32|pair%span)
		}
	}
	c.bits = nil
	sortNumbers(c.pairs)
	c.pairs = slices.Compact(c.pairs)
	c.settled = len(c.pairs)
}

// of returns the authors of some of the groups, which ascend.
func (c *crowd) of(groups []uint32) members {
	c.settle()
	var m members
	var numbers []uint64
	pairs := c.pairs
	for _, group := range groups {
		for len(pairs) > 0 && pairs[0]>>32 < uint64(group) {
			pairs = pairs[1:]
		}
		for len(pairs) > 0 && pairs[0]>>32 == uint64(group) {
			numbers = append(numbers, pairs[0]&(1<<32-1))
			pairs = pairs[1:]
		}
		m.ends = append(m.ends, uint32(len(numbers)))
	}
	m.of, m.authors, m.kept = c.file.sumAuthors(c.authors, numbers)
	return m
}

func (c *crowd) bytes() int64 { return 8 * int64(cap(c.pairs)+len(c.bits)) }
