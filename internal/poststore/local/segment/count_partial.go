package segment

import (
	"math"
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

// A keyList is keys one after another.
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

// noKey is the place of the key of a code that has none.
const noKey = math.MaxUint32

// spellKeys returns the keys of codes, and for each of the codes the place of its key.
func spellKeys(d dimension, codes []uint64) (places []uint32, keys keyList) {
	if strictlyAscending(codes) {
		return spellAscending(d, codes)
	}
	distinct := slices.Clone(codes)
	sortNumbers(distinct)
	distinct = slices.Compact(distinct)
	found, keys := spellAscending(d, distinct)
	return lookUp(codes, distinct, found), keys
}

func strictlyAscending(codes []uint64) bool {
	for i := 1; i < len(codes); i++ {
		if codes[i-1] >= codes[i] {
			return false
		}
	}
	return true
}

// lookUp returns for each of the codes what was found for it among the distinct ones.
func lookUp(codes, distinct []uint64, found []uint32) []uint32 {
	places := make([]uint32, len(codes))
	if first, last := distinct[0], distinct[len(distinct)-1]; last-first <= uint64(8*len(codes)) {
		table := make([]uint32, last-first+1)
		for i, code := range distinct {
			table[code-first] = found[i]
		}
		for i, code := range codes {
			places[i] = table[code-first]
		}
		return places
	}
	for i, code := range codes {
		at, _ := slices.BinarySearch(distinct, code)
		places[i] = found[at]
	}
	return places
}

// spellAscending is spell for codes that ascend. Dictionaries are in order, so texts with
// the same key mostly follow one another, and share it.
func spellAscending(d dimension, codes []uint64) (places []uint32, keys keyList) {
	if len(codes) == 0 {
		return nil, keyList{}
	}
	const near = 16
	key := d.keyFunc(codes[len(codes)-1]-codes[0] <= near*uint64(len(codes)))
	const length = 12 // of many keys; longer ones make it grow
	keys = keyList{make([]byte, 0, length*len(codes)), make([]uint32, 0, len(codes))}
	places = make([]uint32, len(codes))
	var text []byte
	for i, code := range codes {
		switch text = key(text[:0], code); {
		case len(text) == 0:
			places[i] = noKey
			continue
		case len(keys.ends) == 0 || string(keys.at(len(keys.ends)-1)) != string(text):
			keys.text = append(keys.text, text...)
			keys.ends = append(keys.ends, uint32(len(keys.text)))
		}
		places[i] = uint32(len(keys.ends) - 1)
	}
	return places, keys
}
