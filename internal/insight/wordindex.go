package insight

import (
	"hash/maphash"
	"slices"
)

// A wordIndex numbers words, from 0, in the order in which they come. It does what a map
// does, in less than half of its time, which is most of what a word cloud takes.
type wordIndex struct {
	words []string // by number
	slots []int32  // 1 + the number of a word, where its hash says or after that; 0: free
	seed  maphash.Seed
}

// number returns the number of a word. It is len(words)-1 for one that is new.
func (x *wordIndex) number(word string) int {
	if 2*len(x.words) >= len(x.slots) {
		x.grow()
	}
	at := x.find(word)
	if x.slots[at] == 0 {
		x.words = append(x.words, word)
		x.slots[at] = int32(len(x.words))
	}
	return int(x.slots[at]) - 1
}

// find returns the slot of a word, or the one where it belongs.
func (x *wordIndex) find(word string) uint64 {
	mask := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, word) & mask
	for x.slots[at] != 0 && x.words[x.slots[at]-1] != word {
		at = (at + 1) & mask
	}
	return at
}

// grow makes room for twice as many words. The number of slots is a power of two.
func (x *wordIndex) grow() {
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots = make([]int32, max(1<<15, 2*len(x.slots)))
	x.words = slices.Grow(x.words, len(x.slots)/2-len(x.words))
	for i, word := range x.words {
		x.slots[x.find(word)] = int32(i + 1)
	}
}
