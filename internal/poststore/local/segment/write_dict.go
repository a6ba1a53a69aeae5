package segment

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// An interner assigns numbers to distinct texts in the order in which they first occur, and finally
// sorts them for a dictionary. The empty text is always included. All texts are stored in one
// slice, which avoids an allocation per text.
type interner struct {
	seed   maphash.Seed
	table  []uint32 // open addressing by hash: number of the text plus 1; the length is a power of two
	hashes []uint32 // indexed by number
	ends   []int    // indexed by number: end of the text in bytes
	bytes  []byte
	order  []rankedText
	rank   []uint32
}

// A rankedText is a text to sort. Texts are compared by their first 8 bytes and, if those are
// equal, in full.
type rankedText struct {
	prefix uint64
	number uint32
}

// reset removes all texts except the empty one.
func (n *interner) reset() {
	if n.table == nil {
		n.seed = maphash.MakeSeed()
		n.table = make([]uint32, 64)
	}
	n.table = n.table[:64] // clearing a large table would take too long for few texts
	clear(n.table)
	n.hashes, n.ends, n.bytes = n.hashes[:0], n.ends[:0], n.bytes[:0]
	n.add(nil)
}

// len returns the number of texts.
func (n *interner) len() int { return len(n.ends) }

func (n *interner) text(number uint32) []byte {
	from := 0
	if number > 0 {
		from = n.ends[number-1]
	}
	return n.bytes[from:n.ends[number]]
}

// add returns the number of a text, adding it if it is new.
func (n *interner) add(text []byte) uint32 {
	sum := uint32(maphash.Bytes(n.seed, text))
	mask := uint32(len(n.table) - 1)
	slot := sum & mask
	for ; n.table[slot] > 0; slot = (slot + 1) & mask {
		number := n.table[slot] - 1
		if n.hashes[number] == sum && string(n.text(number)) == string(text) {
			return number
		}
	}
	number := uint32(len(n.ends))
	n.table[slot] = number + 1
	n.hashes = append(n.hashes, sum)
	n.bytes = append(n.bytes, text...)
	n.ends = append(n.ends, len(n.bytes))
	if 2*len(n.ends) > len(n.table) {
		n.grow()
	}
	return number
}

// grow doubles the size of the table.
func (n *interner) grow() {
	size := 2 * len(n.table)
	n.table = slices.Grow(n.table[:0], size)[:size]
	clear(n.table)
	mask := uint32(len(n.table) - 1)
	for number, sum := range n.hashes {
		slot := sum & mask
		for n.table[slot] > 0 {
			slot = (slot + 1) & mask
		}
		n.table[slot] = uint32(number) + 1
	}
}

// sort sorts the texts. Afterward sorted yields them, and rank maps the number of a text to its
// dictionary id.
func (n *interner) sort() {
	n.order = n.order[:0]
	for number := range uint32(n.len()) {
		n.order = append(n.order, rankedText{prefix64(n.text(number)), number})
	}
	slices.SortFunc(n.order, func(a, b rankedText) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Compare(string(n.text(a.number)), string(n.text(b.number)))
	})
	n.rank = append(n.rank[:0], make([]uint32, n.len())...)
	for i, r := range n.order {
		n.rank[r.number] = uint32(i)
	}
}

// sorted yields the texts in order.
func (n *interner) sorted(yield func([]byte) bool) {
	for _, r := range n.order {
		if !yield(n.text(r.number)) {
			return
		}
	}
}

// prefix64 returns the first 8 bytes of a text as a number with the same sort order.
func prefix64(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var b [8]byte
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}
