package segment

import (
	"math"
	"slices"

	"earshot/internal/model/people"
)

// A partial is the result of a tally in one segment: its groups, in no particular order. Several
// groups may have the same key.
type partial struct {
	keys     []keyList    // indexed by dimension
	keyIndex [][]uint32   // indexed by dimension and group: index in keys
	posts    []uint32     // indexed by group
	sums     [][]int64    // indexed by measure and group; nil for Authors
	authors  groupAuthors // set if a measure is Authors

	bearers    *people.Population // set if the tally is by ethnicity; the other fields are then empty
	topAuthors *authorCounts      // set if the tally returns only the largest authors; there are then no keys
}

// groupAuthors are the authors of groups. Authors with the same hash are the same author.
type groupAuthors struct {
	authors []authorHash
	cached  bool     // authors belongs to the segment's cache
	ends    []uint32 // indexed by group: end of its authors in members
	members []uint32 // indexes in authors
}

// at returns the authors of a group as indexes in m.authors.
func (m *groupAuthors) at(group uint32) []uint32 {
	if group == 0 {
		return m.members[:m.ends[0]]
	}
	return m.members[m.ends[group-1]:m.ends[group]]
}

// newPartial returns a partial given the codes of groups by dimension. It drops groups without a
// key in some dimension and returns the indexes of the remaining ones.
func newPartial(dims []dimension, codes [][]uint64, groups int) (p partial, kept []uint32) {
	p.keys = make([]keyList, len(dims))
	p.keyIndex = make([][]uint32, len(dims))
	for i, d := range dims {
		p.keyIndex[i], p.keys[i] = spellKeys(d, codes[i])
	}
	kept = make([]uint32, 0, groups)
	for group := range uint32(groups) {
		if !slices.ContainsFunc(p.keyIndex, func(index []uint32) bool { return index[group] == noKey }) {
			kept = append(kept, group)
		}
	}
	for i := range p.keyIndex {
		p.keyIndex[i] = choose(p.keyIndex[i], kept)
	}
	return p, kept
}

// choose returns the elements of s at the given indexes.
func choose[T any](s []T, indexes []uint32) []T {
	chosen := make([]T, len(indexes))
	for i, index := range indexes {
		chosen[i] = s[index]
	}
	return chosen
}

// bytes returns the memory used by the partial.
func (p *partial) bytes() int64 {
	size := 4*int64(len(p.posts)+len(p.authors.ends)+len(p.authors.members)) + p.topAuthors.bytes()
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

// A keyList is a list of keys, stored as one text and the end of each key.
type keyList struct {
	text []byte
	ends []uint32
}

func (k *keyList) at(i int) []byte {
	if i == 0 {
		return k.text[:k.ends[0]]
	}
	return k.text[k.ends[i-1]:k.ends[i]]
}

func (k *keyList) bytes() int64 { return int64(len(k.text)) + 4*int64(len(k.ends)) }

// noKey is the index of a code without a key.
const noKey = math.MaxUint32

// spellKeys returns the keys of codes and, for each code, the index of its key. Dictionaries are
// sorted, so entries with the same key are mostly adjacent and share it.
func spellKeys(d dimension, codes []uint64) (keyIndex []uint32, keys keyList) {
	if len(codes) == 0 {
		return nil, keyList{}
	}
	distinct, same := distinctCodes(codes)
	const maxGap = 16 // average gap above which looking up each key is faster than reading all
	key := d.keyFunc(distinct[len(distinct)-1]-distinct[0] <= maxGap*uint64(len(distinct)))
	const typicalLength = 12
	keys = keyList{make([]byte, 0, typicalLength*len(distinct)), make([]uint32, 0, len(distinct))}
	keyIndex = make([]uint32, len(distinct))
	var text []byte
	for i, code := range distinct {
		switch text = key(text[:0], code); {
		case len(text) == 0:
			keyIndex[i] = noKey
			continue
		case len(keys.ends) == 0 || string(keys.at(len(keys.ends)-1)) != string(text):
			keys.text = append(keys.text, text...)
			keys.ends = append(keys.ends, uint32(len(keys.text)))
		}
		keyIndex[i] = uint32(len(keys.ends) - 1)
	}
	if !same {
		keyIndex = lookUp(codes, distinct, keyIndex)
	}
	return keyIndex, keys
}

// distinctCodes returns the distinct codes in ascending order, and whether they are identical to
// codes.
func distinctCodes(codes []uint64) (distinct []uint64, same bool) {
	for i := 1; i < len(codes); i++ {
		if codes[i-1] >= codes[i] {
			distinct = slices.Clone(codes)
			sortNumbers(distinct)
			return slices.Compact(distinct), false
		}
	}
	return codes, true
}

// lookUp returns, for each code, the value at the code's index in distinct.
func lookUp(codes, distinct []uint64, values []uint32) []uint32 {
	found := make([]uint32, len(codes))
	if first, last := distinct[0], distinct[len(distinct)-1]; last-first <= uint64(8*len(codes)) {
		table := make([]uint32, last-first+1)
		for i, code := range distinct {
			table[code-first] = values[i]
		}
		for i, code := range codes {
			found[i] = table[code-first]
		}
		return found
	}
	for i, code := range codes {
		at, _ := slices.BinarySearch(distinct, code)
		found[i] = values[at]
	}
	return found
}
