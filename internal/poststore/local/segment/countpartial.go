package segment

import (
	"slices"

	"earshot/internal/model/people"
)

// A partial is what one file has for a tally: its groups, without any order. More than
// one of them may have the same key.
type partial struct {
	keys     []keyList    // of each dimension
	keyIndex [][]uint32   // for each dimension, of each group the place of its key in keys
	posts    []uint32     // of each group
	sums     [][]int64    // for each measure, of each group; nil for Authors
	authors  groupAuthors // when a measure is Authors

	bearers    *people.Bearers // when it is by ethnicity, and then nothing else
	topAuthors *authorCounts   // when the largest authors are kept, and then no keys and values
}

// groupAuthors are the authors of groups. One may have the same sum as another.
type groupAuthors struct {
	authors  []authorHash
	cached   bool     // the sums are the file's
	ends     []uint32 // of each group in of
	authorOf []uint32 // places in authors
}

// at returns the authors of a group.
func (m *groupAuthors) at(group uint32) []uint32 {
	if group == 0 {
		return m.authorOf[:m.ends[0]]
	}
	return m.authorOf[m.ends[group-1]:m.ends[group]]
}

// newPartial returns a partial of groups that have codes in some dimensions, and which of
// so many groups are kept: those that have a key in every dimension.
func newPartial(dims []dimension, codes [][]uint64, groups int) (p partial, kept []uint32) {
	p.keys = make([]keyList, len(dims))
	p.keyIndex = make([][]uint32, len(dims))
	for i, d := range dims {
		p.keyIndex[i], p.keys[i] = spellKeys(d, codes[i])
	}
	kept = make([]uint32, 0, groups)
	for group := range uint32(groups) {
		if !slices.ContainsFunc(p.keyIndex, func(of []uint32) bool { return of[group] == noKey }) {
			kept = append(kept, group)
		}
	}
	for i := range p.keyIndex {
		p.keyIndex[i] = choose(p.keyIndex[i], kept)
	}
	return p, kept
}

// choose returns the elements at some places.
func choose[T any](s []T, places []uint32) []T {
	chosen := make([]T, len(places))
	for i, place := range places {
		chosen[i] = s[place]
	}
	return chosen
}

// bytes returns how much memory the partial takes.
func (p *partial) bytes() int64 {
	size := 4*int64(len(p.posts)+len(p.authors.ends)+len(p.authors.authorOf)) + p.topAuthors.bytes()
	if !p.authors.cached {
		size += 16 * int64(len(p.authors.authors))
	}
	for i := range p.keys {
		size += p.keys[i].bytes() + 4*int64(len(p.keyIndex[i]))
	}
	for _, s := range p.sums {
		size += 8 * int64(len(s))
	}
	return size
}
