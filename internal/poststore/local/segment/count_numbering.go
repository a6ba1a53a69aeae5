package segment

import (
	"math/rand/v2"
	"slices"
)

// A numbering assigns consecutive numbers to codes, starting at 0, in the order in which they first
// occur. It is a minimal hash table that takes half the time of a map.
type numbering struct {
	codes []uint64 // indexed by number
	slots []uint32 // open addressing: number+1; 0 is free
	seed  uint64
}

func newNumbering() *numbering { return &numbering{slots: make([]uint32, 16), seed: rand.Uint64()} }

// number returns the number of a code, adding the code if it is new.
func (n *numbering) number(code uint64) uint32 {
	mask := uint64(len(n.slots) - 1)
	for i := mix64(code ^ n.seed); ; i++ {
		switch slot := n.slots[i&mask]; {
		case slot == 0:
			return n.add(code, i&mask)
		case n.codes[slot-1] == code:
			return slot - 1
		}
	}
}

// add adds a code whose slot is free.
func (n *numbering) add(code uint64, slot uint64) uint32 {
	n.codes = append(n.codes, code)
	n.slots[slot] = uint32(len(n.codes))
	if 2*len(n.codes) > len(n.slots) {
		n.grow()
	}
	return uint32(len(n.codes) - 1)
}

func (n *numbering) grow() {
	n.slots = make([]uint32, 2*len(n.slots))
	mask := uint64(len(n.slots) - 1)
	for number, code := range n.codes {
		i := mix64(code ^ n.seed)
		for n.slots[i&mask] != 0 {
			i++
		}
		n.slots[i&mask] = uint32(number + 1)
	}
}

// numberAll replaces each code with its number.
func (n *numbering) numberAll(codes []uint64) {
	for i, code := range codes {
		codes[i] = uint64(n.number(code))
	}
}

// bytes returns the memory used by the numbering.
func (n *numbering) bytes() int64 { return 8*int64(cap(n.codes)) + 4*int64(len(n.slots)) }

// mix64 spreads numbers that are close together over all 64 bits.
func mix64(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

// sortNumbers sorts numbers. For long slices it uses a radix sort that skips the bytes that all
// numbers share.
func sortNumbers(s []uint64) {
	if len(s) < 512 || slices.IsSorted(s) {
		slices.Sort(s)
		return
	}
	all, any := ^uint64(0), uint64(0)
	for _, v := range s {
		all &= v
		any |= v
	}
	from, to := s, make([]uint64, len(s))
	for shift := 0; shift < 64; shift += 8 {
		if (all^any)>>shift&0xff != 0 {
			sortByte(from, to, shift)
			from, to = to, from
		}
	}
	copy(s, from) // no-op if they are the same slice
}

// sortByte is a stable counting sort by one byte.
func sortByte(from, to []uint64, shift int) {
	var next [256]int
	for _, v := range from {
		next[v>>shift&0xff]++
	}
	sum := 0
	for b, n := range next {
		next[b] = sum
		sum += n
	}
	for _, v := range from {
		b := v >> shift & 0xff
		to[next[b]] = v
		next[b]++
	}
}
