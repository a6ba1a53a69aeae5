package watchlist

import (
	"cmp"
	"iter"
	"slices"
)

// An index finds the postings under a number. It is immutable: a change copies the
// buckets that it concerns, and what leads to them, and shares the others.
type index [1 << blockBits]*block

// A block is a part of the directory.
type block [1 << bucketBits]bucket

// A bucket is the numbers that begin with the same bits, and the postings under each.
type bucket struct {
	bloom    uint64 // six more bits of each number: most that are looked up are not there
	features []feature
	lists    []postingList // none is empty
}

// How many bits of a number lead to its block, its bucket and its mark in holds.
const (
	blockBits  = 6
	bucketBits = 6
	bloomBits  = 6

	blockShift  = 32 - blockBits
	bucketShift = blockShift - bucketBits
	bloomShift  = bucketShift - bloomBits
)

func (n feature) block() feature   { return n >> blockShift }
func (n feature) bucket() feature  { return n >> bucketShift % (1 << bucketBits) }
func (n feature) bloomBit() uint64 { return 1 << (n >> bloomShift % (1 << bloomBits)) }

func newIndex() *index {
	x, empty := new(index), new(block)
	for i := range x {
		x[i] = empty
	}
	return x
}

// find returns the postings under a number.
func (x *index) find(n feature) postingList {
	b := &x[n.block()][n.bucket()]
	if b.bloom&n.bloomBit() != 0 {
		for i, other := range b.features {
			if other == n {
				return b.lists[i]
			}
		}
	}
	return postingList{}
}

// A change of an index adds a posting under a number, or removes that of the slot.
type change struct {
	feature feature
	remove  bool
	posting
}

// apply returns the index with all the changes, which it sorts. Of those to one
// number, removals are made first, whatever their order.
func (x *index) apply(changes []change) *index {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.feature, b.feature) })
	made := *x
	for len(changes) > 0 {
		i := changes[0].feature.block()
		var part []change
		part, changes = split(changes, func(c change) bool { return c.feature.block() == i })
		made[i] = made[i].apply(part)
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

func (b *block) apply(changes []change) *block {
	made := *b
	for len(changes) > 0 {
		i := changes[0].feature.bucket()
		var part []change
		part, changes = split(changes, func(c change) bool { return c.feature.bucket() == i })
		made[i] = made[i].apply(part)
	}
	return &made
}

func (b bucket) apply(changes []change) bucket {
	b.features, b.lists = slices.Clone(b.features), slices.Clone(b.lists)
	for len(changes) > 0 {
		n := changes[0].feature
		var part []change
		part, changes = split(changes, func(c change) bool { return c.feature == n })
		b.change(n, part)
	}
	b.bloom = 0
	for _, n := range b.features {
		b.bloom |= n.bloomBit()
	}
	return b
}

// change makes the changes to one number in a bucket of which nobody knows yet.
func (b *bucket) change(n feature, changes []change) {
	i := slices.Index(b.features, n)
	if i < 0 {
		i = len(b.features)
		b.features, b.lists = append(b.features, n), append(b.lists, postingList{})
	}
	var added []posting
	for _, c := range changes {
		if c.remove {
			b.lists[i] = b.lists[i].remove(c.slot)
		} else {
			added = append(added, c.posting)
		}
	}
	if b.lists[i] = b.lists[i].add(added); b.lists[i].empty() {
		b.features, b.lists = slices.Delete(b.features, i, i+1), slices.Delete(b.lists, i, i+1)
	}
}

// A postingList is the postings under a number, in no order. It is immutable: what
// changes it makes another, which shares the full chunks.
type postingList struct {
	tail   []posting   // less than a chunk; all there are under most numbers
	chunks [][]posting // chunks
}

const chunkSize = 256

// all yields the postings.
func (l postingList) all() iter.Seq[posting] {
	return func(yield func(posting) bool) {
		for _, chunk := range append([][]posting{l.tail}, l.chunks...) {
			for _, p := range chunk {
				if !yield(p) {
					return
				}
			}
		}
	}
}

func (l postingList) empty() bool { return len(l.tail) == 0 && len(l.chunks) == 0 }

// add returns the list with more postings.
func (l postingList) add(added []posting) postingList {
	if len(added) == 0 {
		return l
	}
	few := slices.Concat(l.tail, added)
	if len(few) < chunkSize {
		return postingList{few, l.chunks}
	}
	more := slices.Clone(l.chunks)
	for len(few) >= chunkSize {
		more = append(more, slices.Clone(few[:chunkSize]))
		few = few[chunkSize:]
	}
	return postingList{slices.Clone(few), more}
}

// remove returns the list without the posting of an entry. Another one takes its
// place when that is in a chunk.
func (l postingList) remove(slot uint32) postingList {
	of := func(p posting) bool { return p.slot == slot }
	if i := slices.IndexFunc(l.tail, of); i >= 0 {
		return postingList{slices.Concat(l.tail[:i], l.tail[i+1:]), l.chunks}
	}
	for c, chunk := range l.chunks {
		if i := slices.IndexFunc(chunk, of); i >= 0 {
			return l.replace(c, i)
		}
	}
	return l
}

// replace puts one of few in the place of a posting of a chunk.
func (l postingList) replace(c, i int) postingList {
	few, more := l.tail, slices.Clone(l.chunks)
	if last := len(more) - 1; len(few) == 0 {
		few = more[last]
		if more = more[:last]; c == last {
			return postingList{slices.Concat(few[:i], few[i+1:]), more}
		}
	}
	more[c] = slices.Clone(more[c])
	more[c][i] = few[len(few)-1]
	return postingList{slices.Clone(few[:len(few)-1]), more}
}
