package colfile

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// Sets contains a set of rows per key, for example the rows with a term (its posting list), the
// rows that a monitor matches, or the rows with a flag. Keys are either consecutive numbers from 0,
// such as dictionary ids, or any ascending numbers. A missing key has an empty set. Sets is safe
// for concurrent use and valid while the file is open.
//
// Most terms occur in few posts, so a set of up to 256 rows is stored as varints of the distances
// between rows, which take two or three bytes per row. Larger sets are roaring bitmaps in their
// portable format, read in place.
type Sets struct {
	records records
	stream  []byte   // the records, interleaved with the bitmaps
	keys    []uint64 // nil if they are consecutive from 0
	rows    uint64
	total   uint64    // total number of rows in all sets
	bitsets sync.Pool // *[]uint64 with one bit per row, all zero
}

const maxSmallSet = 256

// Parameters of a section of sets.
const (
	setsStream = iota // size of records and bitmaps in bytes
	setsKeyed         // 1 if the keys are listed
	setsTotal         // total number of rows in all sets
)

// Len returns the number of keys.
func (s *Sets) Len() int { return int(s.records.n) }

// Keys yields the keys in ascending order.
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

// Cardinality returns the number of rows in the set of a key.
func (s *Sets) Cardinality(key uint64) int { return s.find(key).cardinality() }

// Contains reports whether a row is in the set of a key. To check many rows of a large set, use
// Bitmap.
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

// Rows yields the rows in the set of a key in ascending order.
func (s *Sets) Rows(key uint64) iter.Seq[uint32] { return s.find(key).rows }

// Append appends the rows in the set of a key in ascending order and returns the extended slice.
func (s *Sets) Append(dst []uint32, key uint64) []uint32 {
	set := s.find(key)
	if set.bitmap != nil {
		return appendBitmap(slices.Grow(dst, set.count), set.bitmap)
	}
	return set.small.append(dst)
}

// Bitmap returns the set of a key. A large set refers to the file: the bitmap may be modified
// because its containers are copied on write, but neither it nor anything derived from it may be
// used after the file is closed, unless CloneCopyOnWriteContainers was called.
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
		panic(fmt.Sprintf("colfile: a checked bitmap cannot be read: %v", err))
	}
	return b
}

// A set locates the rows of a key, which are either a small set or a bitmap.
type set struct {
	small  smallSet
	bitmap []byte // a roaring bitmap
	count  int    // number of rows in the bitmap
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

// decode decodes a record. The lowest bit of its first number is 0 for a small set; the remaining
// bits are the first row. It is 1 for a bitmap; the remaining bits are its cardinality, and its
// offset and length in the stream follow.
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

// A smallSet is a sequence of varints: twice the first row, then the number of rows that lie
// between each row and the next.
type smallSet struct {
	varints []byte
	maxRows uint64 // number of rows in the file
}

// rows yields the rows. Malformed bytes yield wrong rows, but they are ascending and within the
// file.
func (s smallSet) rows(yield func(uint32) bool) {
	next := uint64(0) // smallest possible next row
	for rest, shift := s.varints, 1; len(rest) > 0; shift = 0 {
		v, after, _ := uvarint(rest)
		row := next + v>>shift
		if row >= s.maxRows || !yield(uint32(row)) {
			return
		}
		next, rest = row+1, after
	}
}

// append appends the same rows that rows yields.
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

// sparseFactor decides how Or computes a union. If the file has more than sparseFactor rows per row
// of the union, Or sorts the rows. Otherwise it sets one bit per row, which is faster.
const sparseFactor = 1024

// Or adds the rows in the sets of all keys to a bitmap without sharing memory with the file. It is
// meant for thousands of keys: the cost depends on the number of rows in the sets, not on the
// number of keys. Or iterates over keys twice.
func (s *Sets) Or(keys iter.Seq[uint64], into *roaring.Bitmap) {
	total := 0
	for key := range keys {
		total += s.Cardinality(key)
	}
	if total == 0 {
		return
	}
	if uint64(total) < s.rows/sparseFactor {
		rows := make([]uint32, 0, total)
		for key := range keys {
			rows = s.Append(rows, key)
		}
		slices.Sort(rows)
		into.AddMany(rows)
		return
	}
	words := s.bitsets.Get().(*[]uint64)
	for key := range keys {
		set := s.find(key)
		if set.bitmap != nil {
			setBitmapBits(*words, set.bitmap)
			continue
		}
		for row := range set.small.rows {
			(*words)[row/64] |= 1 << (row % 64)
		}
	}
	if into.IsEmpty() {
		into.Clear()
		into.FromDense(*words, true)
	} else {
		into.Or(roaring.FromDense(*words, true))
	}
	clear(*words)
	s.bitsets.Put(words)
}

func checkSetsEntry(e *entry, _ uint64) error {
	keyed := e.param[setsKeyed]
	if e.count > e.length || keyed > 1 {
		return fmt.Errorf("%d sets do not fit in %d bytes", e.count, e.length)
	}
	return checkLayout(e, e.param[setsStream], keyed*e.count+ceilDiv(e.count, recordsPerBlock))
}

func loadSets(src *rawSection) (reader, error) {
	stream := src.param[setsStream]
	tail := view[uint64](src.data[align(stream):])
	s := &Sets{stream: src.data[:stream], rows: src.rows, total: src.param[setsTotal]}
	if src.param[setsKeyed] == 1 {
		s.keys, tail = tail[:src.count], tail[src.count:]
	}
	s.records = records{s.stream, tail, src.count}
	s.bitsets.New = func() any {
		words := make([]uint64, ceilDiv(s.rows, 64))
		return &words
	}
	if err := s.records.check(); err != nil {
		return nil, err
	}
	return s, s.check()
}

// check verifies that every bitmap is well-formed and contains only rows of the file, because the
// roaring library trusts its input. Small sets are safe regardless of their bytes.
func (s *Sets) check() error {
	for i := range s.records.n {
		found, ok := s.decode(s.records.at(i))
		if ok && found.bitmap != nil {
			var n uint64
			n, ok = checkBitmap(found.bitmap, s.rows)
			ok = ok && n == uint64(found.count)
		}
		if !ok {
			return fmt.Errorf("set %d: %w", i, errMalformed)
		}
	}
	return nil
}

// verify checks that keys are ascending and that small sets contain only rows of the file.
func (s *Sets) verify() error {
	for i := 1; i < len(s.keys); i++ {
		if s.keys[i-1] >= s.keys[i] {
			return fmt.Errorf("key %d is not greater than the previous one", i)
		}
	}
	total := uint64(0)
	for i := range s.records.n {
		found, _ := s.decode(s.records.at(i))
		n := uint64(found.count)
		if found.bitmap == nil {
			n = 0
			for range found.small.rows {
				n++
			}
			if n != uint64(found.cardinality()) {
				return fmt.Errorf("set %d: %w", i, errMalformed)
			}
		}
		total += n
	}
	if total != s.total {
		return fmt.Errorf("got a total of %d rows in all sets, want %d", total, s.total)
	}
	return nil
}
