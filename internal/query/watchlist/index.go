package watchlist

import (
	"cmp"
	"slices"
)

// An index finds the postings under a number. It is immutable: a change copies the
// buckets that it concerns, and what leads to them, and shares the others.
type index [1 << blockBits]*block

// A block is a part of the directory.
type block [1 << bucketBits]bucket

// A bucket is the numbers that begin with the same bits, and the postings under each.
type bucket struct {
	holds   uint64 // six more bits of each number: most that are looked up are not there
	numbers []number
	lists   []list // none is empty
}

// How many bits of a number lead to its block, its bucket and its mark in holds.
const (
	blockBits  = 6
	bucketBits = 6
	markBits   = 6

	blockShift  = 32 - blockBits
	bucketShift = blockShift - bucketBits
	markShift   = bucketShift - markBits
)

func (n number) block() number  { return n >> blockShift }
func (n number) bucket() number { return n >> bucketShift % (1 << bucketBits) }
func (n number) mark() uint64   { return 1 << (n >> markShift % (1 << markBits)) }

func newIndex() *index {
	x, empty := new(index), new(block)
	for i := range x {
		x[i] = empty
	}
	return x
}

// find returns the postings under a number.
func (x *index) find(n number) list {
	b := &x[n.block()][n.bucket()]
	if b.holds&n.mark() != 0 {
		for i, other := range b.numbers {
			if other == n {
				return b.lists[i]
			}
		}
	}
	return list{}
}

// A change of an index adds a posting under a number, or removes that of the slot.
type change struct {
	number number
	remove bool
	posting
}

// with returns the index with all the changes, which it sorts. Of those to one
// number, removals are made first, whatever their order.
func (x *index) with(changes []change) *index {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.number, b.number) })
	made := *x
	for len(changes) > 0 {
		i := changes[0].number.block()
		var part []change
		part, changes = split(changes, func(c change) bool { return c.number.block() == i })
		made[i] = made[i].with(part)
	}
	return &made
}

// split returns those at the beginning that belong, and the rest.
func split(changes []change, belongs func(change) bool) (these, others []change) {
	for i, c := range changes {
		if !belongs(c) {
			return changes[:i], changes[i:]
		}
	}
	return changes, nil
}

func (b *block) with(changes []change) *block {
	made := *b
	for len(changes) > 0 {
		i := changes[0].number.bucket()
		var part []change
		part, changes = split(changes, func(c change) bool { return c.number.bucket() == i })
		made[i] = made[i].with(part)
	}
	return &made
}

func (b bucket) with(changes []change) bucket {
	b.numbers, b.lists = slices.Clone(b.numbers), slices.Clone(b.lists)
	for len(changes) > 0 {
		n := changes[0].number
		var part []change
		part, changes = split(changes, func(c change) bool { return c.number == n })
		b.change(n, part)
	}
	b.holds = 0
	for _, n := range b.numbers {
		b.holds |= n.mark()
	}
	return b
}

// change makes the changes to one number in a bucket of which nobody knows yet.
func (b *bucket) change(n number, changes []change) {
	i := slices.Index(b.numbers, n)
	if i < 0 {
		i = len(b.numbers)
		b.numbers, b.lists = append(b.numbers, n), append(b.lists, list{})
	}
	var added []posting
	for _, c := range changes {
		if c.remove {
			b.lists[i] = b.lists[i].without(c.slot)
		} else {
			added = append(added, c.posting)
		}
	}
	if b.lists[i] = b.lists[i].plus(added); b.lists[i].empty() {
		b.numbers, b.lists = slices.Delete(b.numbers, i, i+1), slices.Delete(b.lists, i, i+1)
	}
}
