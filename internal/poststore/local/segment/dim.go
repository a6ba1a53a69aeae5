package segment

import (
	"fmt"
	"math"
	"strconv"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// A dimension assigns a code to each row and a key to each code. Several codes may have the same
// key.
type dimension interface {
	// span returns a number greater than every code.
	span() uint64

	// read sets codes[i] to the code of rows[i]. The rows must be in non-descending order.
	read(codes []uint64, rows []uint32)

	// keyFunc returns a function that appends the keys of codes. If dense is true, callers must
	// pass codes in ascending order, most of which occur.
	keyFunc(dense bool) keyFunc
}

// A keyFunc appends the key of a code. It appends nothing if rows with that code belong to no
// group.
type keyFunc func(dst []byte, code uint64) []byte

func (q *countQuery) dimension(d poststore.Dim, t *poststore.Tally) (dimension, error) {
	switch d {
	case poststore.ByHour, poststore.ByDay:
		return q.timeDim(d, t.Location())
	case poststore.ByClock:
		return q.clockDim(t.Location())
	case poststore.BySets:
		return q.setsDim(t.Sets)
	case poststore.BySource:
		return q.segment.dictDim(d, colSource, dictSource, appendText)
	case poststore.ByContentSource:
		return q.segment.numberDim(colContentSource, appendID)
	case poststore.BySite:
		return q.segment.dictDim(d, colSite, dictSite, appendDomain)
	case poststore.ByLanguage:
		return q.segment.dictDim(d, colLanguage, dictLanguage, appendText)
	case poststore.ByCountry, poststore.ByState, poststore.ByCity:
		return q.segment.dictDim(d, colPlace, dictPlace, placeKey(d))
	case poststore.ByGender:
		return q.segment.dictDim(d, colGender, dictGender, appendText)
	case poststore.ByAge:
		return q.segment.numberDim(colAgeGroup, appendAgeGroup)
	case poststore.ByAuthor:
		return q.segment.dictDim(d, colAuthor, dictAuthor, appendAuthorKey)
	case poststore.ByEngagement:
		return q.segment.dictDim(d, colEngagement, dictEngagement, appendText)
	case poststore.ByParent:
		return q.segment.dictDim(d, colParent, dictParent, appendText)
	case poststore.ByRetweeted:
		return q.segment.retweetDim()
	case poststore.ByPicture:
		return q.segment.numberDim(colPictures, nameAt([]string{"yes"}))
	case poststore.ByModels:
		return q.segment.numberDim(colModels, func(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) })
	}
	if c, ok := correctableDims[d]; ok {
		if q.corrections != nil {
			return q.correctedDim(c)
		}
		return q.segment.numberDim(c.column, c.key)
	}
	if list, ok := listDims[d]; ok {
		return q.segment.listDim(list)
	}
	return nil, fmt.Errorf("count by unknown dimension %d", d)
}

// A numberedDim replaces the codes of a dimension whose span exceeds maxSpan with consecutive
// numbers.
type numberedDim struct {
	dimension
	numbers *numbering
}

// limitSpan returns d, or a version of d with codes below maxSpan.
func limitSpan(d dimension) dimension {
	if d.span() <= maxSpan {
		return d
	}
	return &numberedDim{d, newNumbering()}
}

func (n *numberedDim) span() uint64 { return maxSpan }

func (n *numberedDim) read(codes []uint64, rows []uint32) {
	n.dimension.read(codes, rows)
	n.numbers.numberAll(codes)
}

func (n *numberedDim) keyFunc(bool) keyFunc {
	spell := n.dimension.keyFunc(false)
	return func(dst []byte, code uint64) []byte { return spell(dst, n.numbers.codes[code]) }
}

// bytes returns the memory used by the numbers.
func (n *numberedDim) bytes() int64 {
	size := n.numbers.bytes()
	if d, ok := n.dimension.(sized); ok {
		size += d.bytes()
	}
	return size
}

// A sized dimension uses memory that grows with the rows it reads.
type sized interface{ bytes() int64 }

// appendText appends a text that serves as the key unchanged.
func appendText(dst, text []byte) []byte { return append(dst, text...) }

func appendDomain(dst, host []byte) []byte {
	return append(dst, enginekit.RegisteredDomain(string(host))...)
}

// appendID appends an id, or nothing for 0.
func appendID(dst []byte, id uint64) []byte {
	if id == 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(id), 10)
}

func appendAgeGroup(dst []byte, group uint64) []byte {
	return append(dst, earshot.AgeGroup(min(group, math.MaxUint8)).String()...)
}

// nameAt returns a function that appends names[plusOne-1], or nothing for 0.
func nameAt(names []string) func(dst []byte, plusOne uint64) []byte {
	return func(dst []byte, plusOne uint64) []byte {
		if plusOne == 0 || plusOne > uint64(len(names)) {
			return dst
		}
		return append(dst, names[plusOne-1]...)
	}
}

// columnCodes implements a dimension whose codes are the numbers in a column minus its base.
type columnCodes struct{ values *colfile.Uints }

func (c columnCodes) elements() *colfile.Uints { return c.values }

func (c columnCodes) span() uint64 { return spanOf(c.values) }

func (c columnCodes) read(codes []uint64, rows []uint32) { readColumn(c.values, codes, rows) }

// spanOf returns a number greater than every element of a column.
func spanOf(values *colfile.Uints) uint64 {
	last := values.Max() - values.Base()
	return max(last, last+1) // avoid overflow at the maximum uint64
}

// readColumn sets into[i] to the element of rows[i].
func readColumn(values *colfile.Uints, into []uint64, rows []uint32) {
	values.Visit(
		func(v []uint8) { gather(v, into, rows) },
		func(v []uint16) { gather(v, into, rows) },
		func(v []uint32) { gather(v, into, rows) },
		func(v []uint64) { gather(v, into, rows) })
}

func gather[T uint8 | uint16 | uint32 | uint64](values []T, into []uint64, rows []uint32) {
	into = into[:len(rows)]
	for i, row := range rows {
		into[i] = uint64(values[row])
	}
}

// numberDim is a dimension whose keys are computed from numbers, without a dictionary.
type numberDim struct {
	columnCodes
	key func(dst []byte, number uint64) []byte
}

// numberDim returns the dimension of a column. key appends the key of a number.
func (s *Segment) numberDim(col string, key func(dst []byte, number uint64) []byte) (*numberDim, error) {
	values, err := s.Uints(col)
	if err != nil {
		return nil, err
	}
	return &numberDim{columnCodes{values}, key}, nil
}

func (n *numberDim) keyFunc(bool) keyFunc {
	return func(dst []byte, code uint64) []byte { return n.key(dst, code+n.values.Base()) }
}
