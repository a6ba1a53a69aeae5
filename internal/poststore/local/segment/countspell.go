package segment

import (
	"math"
	"slices"
)

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
