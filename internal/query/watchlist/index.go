package watchlist

import (
	"cmp"
	"iter"
	"slices"
)

// An index maps features to postings. It is a hash trie with two levels. It is immutable: a change
// copies the affected buckets and blocks, and shares all others.
type index [1 << blockBits]*block

// A block is the second level of the trie.
type block [1 << bucketBits]bucket

// A bucket contains the features that start with the same bits, and the postings of each.
type bucket struct {
	bloom    uint64 // Bloom filter of the features, because most lookups fail
	features []feature
	lists    []postingList // none of them is empty
}

// Numbers of feature bits that select the block, the bucket and the bit of the Bloom filter.
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

// A change adds a posting to a feature, or removes the posting of a slot.
type change struct {
	feature feature
	remove  bool
	posting
}

// apply returns an index with all changes applied. It sorts the changes in place. For each feature,
// it removes postings before it adds others.
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

// split splits changes after the leading ones for which belongs returns true.
func split(changes []change, belongs func(change) bool) (leading, rest []change) {
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

// change applies the changes of one feature. The bucket must not be shared yet.
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

// A postingList is an unordered list of postings. It is immutable: a change creates a new list,
// which shares the full chunks.
type postingList struct {
	tail   []posting   // less than a chunk; most lists have only a tail
	chunks [][]posting // full chunks
}

// chunkSize trades the cost of copying the tail for each change against the number of chunks.
const chunkSize = 256

// all yields the postings in any order.
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
	tail := slices.Concat(l.tail, added)
	if len(tail) < chunkSize {
		return postingList{tail, l.chunks}
	}
	chunks := slices.Clone(l.chunks)
	for len(tail) >= chunkSize {
		chunks = append(chunks, slices.Clone(tail[:chunkSize]))
		tail = tail[chunkSize:]
	}
	return postingList{slices.Clone(tail), chunks}
}

// remove returns the list without the posting of a slot. If the posting is in a chunk, another
// posting takes its place.
func (l postingList) remove(slot uint32) postingList {
	hasSlot := func(p posting) bool { return p.slot == slot }
	if i := slices.IndexFunc(l.tail, hasSlot); i >= 0 {
		return postingList{slices.Concat(l.tail[:i], l.tail[i+1:]), l.chunks}
	}
	for c, chunk := range l.chunks {
		if i := slices.IndexFunc(chunk, hasSlot); i >= 0 {
			return l.replace(c, i)
		}
	}
	return l
}

// replace replaces a posting of a chunk with one from the tail.
func (l postingList) replace(c, i int) postingList {
	tail, chunks := l.tail, slices.Clone(l.chunks)
	if last := len(chunks) - 1; len(tail) == 0 {
		tail = chunks[last]
		if chunks = chunks[:last]; c == last {
			return postingList{slices.Concat(tail[:i], tail[i+1:]), chunks}
		}
	}
	chunks[c] = slices.Clone(chunks[c])
	chunks[c][i] = tail[len(tail)-1]
	return postingList{slices.Clone(tail[:len(tail)-1]), chunks}
}
