package insight

import (
	"hash/maphash"
	"slices"
)

// A sample usually has a few tens of thousands of words. If it has far more, because texts are long
// or random, memory is reserved for words that occur more than once.
const (
	maxWords     = 500_000 // above this, the rarest words are dropped
	maxWordBytes = 256     // longer tokens are not words
)

// A wordIndex numbers words from 0 in the order in which they are added. It replaces a map, which
// takes more than twice the time, and lookups are most of the cost of a word cloud.
type wordIndex struct {
	words []string // by number
	slots []int32  // hash table with linear probing: 1 + the number of a word, or 0 if free
	seed  maphash.Seed
}

// number returns the number of a word. A new word gets the number len(words)-1.
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

// has reports whether a word has a number.
func (x *wordIndex) has(word string) bool {
	return len(x.slots) > 0 && x.slots[x.find(word)] != 0
}

// find returns the slot of a word, or the free slot where it belongs.
func (x *wordIndex) find(word string) uint64 {
	mask := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, word) & mask
	for x.slots[at] != 0 && x.words[x.slots[at]-1] != word {
		at = (at + 1) & mask
	}
	return at
}

// grow doubles the capacity. The number of slots is a power of two.
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

// dropRare removes the rarest words if there are too many, and renumbers the others in the same
// order. count returns the number of occurrences of a word. move is called for each remaining word.
func (x *wordIndex) dropRare(count func(n int) int64, move func(to, from int)) {
	if len(x.words) <= maxWords {
		return
	}
	for rare := int64(1); len(x.words) > maxWords/2; rare *= 2 {
		end := 0
		for n, word := range x.words {
			if count(n) > rare {
				x.words[end] = word
				move(end, n)
				end++
			}
		}
		clear(x.words[end:])
		x.words = x.words[:end]
	}
	clear(x.slots)
	for i, word := range x.words {
		x.slots[x.find(word)] = int32(i + 1)
	}
}
