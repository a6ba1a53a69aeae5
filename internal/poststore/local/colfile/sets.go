package colfile

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// Sets has a set of rows for each of its keys: the rows with a word, the rows that a
// monitor matches, the rows that a flag is set for. Keys are 0, 1, 2 and so on, such as
// the ids of a dictionary, or any ascending numbers; those that are not there have
// empty sets. It is safe for parallel use and valid while the file is open.
//
// Most words are in few posts, so a set of up to 256 rows is written as varints of the
// distances between them, two or three bytes a row. Larger ones are roaring bitmaps in
// their portable form, which are read where they lie.
type Sets struct {
	records records
	stream  []byte   // the records and, among them, the bitmaps
	keys    []uint64 // nil when they are 0, 1, 2 and so on
	rows    uint64
	total   uint64    // rows in all sets
	bitsets sync.Pool // of *[]uint64, a bit for each row, all zero
}

const maxSmallSet = 256

// Parameters of a section of sets.
const (
	setsStream = iota // bytes of records and bitmaps
	setsKeyed         // 1 when the keys are listed
	setsTotal         // rows in all sets
)

// Len returns the number of keys.
func (s *Sets) Len() int { return int(s.records.n) }

// Keys yields the keys, ascending.
func (s *Sets) Keys() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range s.records.n {
			key := i
			if s.keys != nil {
				key = s.keys[i]
			}
			if !yield(key) {
				return
			}
		}
	}
}

// Cardinality returns how many rows the set of a key has.
func (s *Sets) Cardinality(key uint64) int { return s.find(key).cardinality() }

// Contains reports whether a row is in the set of a key. For many rows of a large set,
// take its Bitmap.
func (s *Sets) Contains(key uint64, row uint32) bool {
	set := s.find(key)
	if set.bitmap != nil {
		return bitmapContains(set.bitmap, row)
	}
	for r := range set.small.rows {
		if r >= row {
			return r == row
		}
	}
	return false
}

// Rows yields the rows of a key's set, ascending.
func (s *Sets) Rows(key uint64) iter.Seq[uint32] { return s.find(key).rows }

// Append appends the rows of a key's set, ascending, and returns the extended slice.
func (s *Sets) Append(dst []uint32, key uint64) []uint32 {
	set := s.find(key)
	if set.bitmap != nil {
		return appendBitmap(slices.Grow(dst, set.count), set.bitmap)
	}
	return set.small.append(dst)
}

// Bitmap returns the set of a key. A large one lies in the file: the bitmap may be
// changed, its containers are copied then, but neither it nor what is made of it may be
// used when the file is no longer open, unless CloneCopyOnWriteContainers was called.
func (s *Sets) Bitmap(key uint64) *roaring.Bitmap {
	b := roaring.New()
	set := s.find(key)
	if set.bitmap == nil {
		for row := range set.small.rows {
			b.Add(row)
		}
		return b
	}
	if _, err := b.FromBuffer(set.bitmap); err != nil {
		panic(fmt.Sprintf("segment: a bitmap that was checked cannot be read: %v", err))
	}
	return b
}

// A set is where the rows of a key are: in one of the two.
type set struct {
	small  smallSet
	bitmap []byte // a roaring bitmap
	count  int    // rows of the bitmap
}

func (s set) cardinality() int {
	if s.bitmap != nil {
		return s.count
	}
	return countVarints(s.small.varints)
}

func (s set) rows(yield func(uint32) bool) {
	if s.bitmap != nil {
		yieldBitmap(s.bitmap, yield)
		return
	}
	s.small.rows(yield)
}

// find returns the set of a key.
func (s *Sets) find(key uint64) set {
	if s.keys != nil {
		i, ok := slices.BinarySearch(s.keys, key)
		if !ok {
			return set{}
		}
		key = uint64(i)
	}
	if key >= s.records.n {
		return set{}
	}
	found, _ := s.decode(s.records.at(key))
	return found
}

// decode reads a record. The lowest bit of its first number tells what it is: 0 for a
// small set, whose first row that number is without the bit; 1 for a bitmap, and then
// the number is its cardinality, and its offset and length in the stream follow.
func (s *Sets) decode(record []byte) (found set, ok bool) {
	if len(record) == 0 || record[0]&1 == 0 {
		return set{small: smallSet{record, s.rows}}, true
	}
	count, rest, ok1 := uvarint(record)
	offset, rest, ok2 := uvarint(rest)
	length, rest, ok3 := uvarint(rest)
	size := uint64(len(s.stream))
	if !ok1 || !ok2 || !ok3 || len(rest) > 0 || offset > size || length > size-offset || length == 0 {
		return set{}, false
	}
	return set{bitmap: s.stream[offset : offset+length], count: int(count >> 1)}, true
}

// A smallSet is varints: twice the first row, then how many rows lie between one and the
// next.
type smallSet struct {
	varints []byte
	maxRows uint64 // rows of the file
}

// rows yields the rows. In nonsense they are wrong, but ascending and rows of the file.
func (s smallSet) rows(yield func(uint32) bool) {
	next := uint64(0) // the least that the next row can be
	for rest, shift := s.varints, 1; len(rest) > 0; shift = 0 {
		v, after, _ := uvarint(rest)
		row := next + v>>shift
		if row >= s.maxRows || !yield(uint32(row)) {
			return
		}
		next, rest = row+1, after
	}
}

// append appends the rows, as rows yields them.
func (s smallSet) append(dst []uint32) []uint32 {
	next := uint64(0)
	for rest, shift := s.varints, 1; len(rest) > 0; shift = 0 {
		v := uint64(rest[0])
		if v < 0x80 {
			rest = rest[1:]
		} else {
			v, rest, _ = uvarint(rest)
		}
		row := next + v>>shift
		if row >= s.maxRows {
			break
		}
		dst = append(dst, uint32(row))
		next = row + 1
	}
	return dst
}
