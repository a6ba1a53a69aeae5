package clickhouse

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/ClickHouse/ch-go/proto"
)

// Columns of strings that are ready to be sent: their values are in the Native format from the
// beginning, and the copies of a row are copies of bytes.

// A textColumn is a column of type String.
type textColumn struct {
	data []byte // each value after its length
	ends []int  // of the rows in data
}

func (c *textColumn) Append(s string) {
	c.data = append(binary.AppendUvarint(c.data, uint64(len(s))), s...)
	c.ends = append(c.ends, len(c.data))
}

func (c *textColumn) AppendBytes(s []byte) {
	c.data = append(binary.AppendUvarint(c.data, uint64(len(s))), s...)
	c.ends = append(c.ends, len(c.data))
}

// start returns where a row starts in data.
func (c *textColumn) start(row int) int {
	if row == 0 {
		return 0
	}
	return c.ends[row-1]
}

// repeatRow adds a copy of a row.
func (c *textColumn) repeatRow(row int) {
	c.data = append(c.data, c.data[c.start(row):c.ends[row]]...)
	c.ends = append(c.ends, len(c.data))
}

// repeat adds copies of rows.
func (c *textColumn) repeat(rows []int) {
	size := 0
	for _, row := range rows {
		size += c.ends[row] - c.start(row)
	}
	c.data, c.ends = slices.Grow(c.data, size), slices.Grow(c.ends, len(rows))
	for _, row := range rows {
		c.repeatRow(row)
	}
}

// repeatRange adds copies of the rows [from, to).
func (c *textColumn) repeatRange(from, to int) {
	for row := from; row < to; row++ {
		c.repeatRow(row)
	}
}

// omit adds an empty string for each of some rows.
func (c *textColumn) omit(rows []int) {
	c.ends = slices.Grow(c.ends, len(rows))
	for range rows {
		c.Append("")
	}
}

// Reset removes all rows.
func (c *textColumn) Reset() { c.data, c.ends = c.data[:0], c.ends[:0] }

// Type implements [proto.ColInput].
func (c *textColumn) Type() proto.ColumnType { return proto.ColumnTypeString }

// Rows implements [proto.ColInput].
func (c *textColumn) Rows() int { return len(c.ends) }

// EncodeColumn implements [proto.ColInput].
func (c *textColumn) EncodeColumn(b *proto.Buffer) { b.Buf = append(b.Buf, c.data...) }

// WriteColumn implements [proto.ColInput]. It does not copy the values.
func (c *textColumn) WriteColumn(w *proto.Writer) { w.ChainWrite(c.data) }

// A termColumn is a column of type LowCardinality(String): a dictionary, and the number of each row's
// value in it. The server would otherwise build the dictionary from the strings of all rows.
type termColumn struct {
	numbers map[string]uint32
	terms   textColumn // the dictionary
	rows    []uint32
}

func (c *termColumn) Append(s string) { c.rows = append(c.rows, c.number(s)) }

// number returns the number of a value in the dictionary.
func (c *termColumn) number(s string) uint32 {
	n, ok := c.numbers[s]
	if !ok {
		n = c.add(s)
	}
	return n
}

// numberOf is number for bytes.
func (c *termColumn) numberOf(s []byte) uint32 {
	n, ok := c.numbers[string(s)]
	if !ok {
		n = c.add(string(s))
	}
	return n
}

// add adds a value to the dictionary.
func (c *termColumn) add(s string) uint32 {
	if c.numbers == nil {
		c.numbers = map[string]uint32{}
	}
	n := uint32(len(c.numbers))
	c.numbers[s] = n
	c.terms.Append(s)
	return n
}

// AppendNumber adds a row with a value of the dictionary.
func (c *termColumn) AppendNumber(n uint32) { c.rows = append(c.rows, n) }

// repeat adds copies of rows.
func (c *termColumn) repeat(rows []int) { repeat(&c.rows, rows) }

// repeatRange adds copies of the rows [from, to).
func (c *termColumn) repeatRange(from, to int) { c.rows = append(c.rows, c.rows[from:to]...) }

// omit adds an empty string for each of some rows.
func (c *termColumn) omit(rows []int) {
	if len(rows) > 0 {
		repeatValue(&c.rows, c.number(""), len(rows))
	}
}

// Reset removes all rows and the dictionary.
func (c *termColumn) Reset() {
	clear(c.numbers)
	c.terms.Reset()
	c.rows = c.rows[:0]
}

// Type implements [proto.ColInput].
func (c *termColumn) Type() proto.ColumnType {
	return proto.ColumnTypeLowCardinality.Sub(proto.ColumnTypeString)
}

// Rows implements [proto.ColInput].
func (c *termColumn) Rows() int { return len(c.rows) }

// The format of a LowCardinality column: the version of the format, then flags and the size of the
// numbers, the dictionary, and the numbers.
const (
	termVersion = 1
	ownTerms    = 1<<9 | 1<<10 // the block has its own dictionary
)

// EncodeState implements [proto.StateEncoder].
func (c *termColumn) EncodeState(b *proto.Buffer) { b.PutInt64(termVersion) }

// EncodeColumn implements [proto.ColInput].
func (c *termColumn) EncodeColumn(b *proto.Buffer) {
	if len(c.rows) > 0 {
		c.encodeStart(b)
		c.terms.EncodeColumn(b)
		c.encodeRows(b)
	}
}

// WriteColumn implements [proto.ColInput]. It does not copy the dictionary.
func (c *termColumn) WriteColumn(w *proto.Writer) {
	if len(c.rows) > 0 {
		w.ChainBuffer(c.encodeStart)
		c.terms.WriteColumn(w)
		w.ChainBuffer(c.encodeRows)
	}
}

func (c *termColumn) numberSize() proto.CardinalityKey {
	switch n := c.terms.Rows(); {
	case n <= math.MaxUint8:
		return proto.KeyUInt8
	case n <= math.MaxUint16:
		return proto.KeyUInt16
	}
	return proto.KeyUInt32
}

// encodeStart encodes what precedes the dictionary.
func (c *termColumn) encodeStart(b *proto.Buffer) {
	b.PutInt64(ownTerms | int64(c.numberSize()))
	b.PutInt64(int64(c.terms.Rows()))
}

// encodeRows encodes the number of each row's value.
func (c *termColumn) encodeRows(b *proto.Buffer) {
	b.PutInt64(int64(len(c.rows)))
	size := c.numberSize()
	b.Buf = slices.Grow(b.Buf, len(c.rows)<<size)
	switch size {
	case proto.KeyUInt8:
		for _, n := range c.rows {
			b.Buf = append(b.Buf, uint8(n))
		}
	case proto.KeyUInt16:
		for _, n := range c.rows {
			b.Buf = binary.LittleEndian.AppendUint16(b.Buf, uint16(n))
		}
	default:
		for _, n := range c.rows {
			b.Buf = binary.LittleEndian.AppendUint32(b.Buf, n)
		}
	}
}

// A listColumn is a column of arrays: all elements, and where each row ends.
type listColumn[E elements] struct {
	elements E
	ends     proto.ColUInt64
}

type elements interface {
	proto.ColInput
	Append(string)
	repeatRange(from, to int)
	Reset()
}

func newList[E elements](of E) *listColumn[E] { return &listColumn[E]{elements: of} }

// Append adds a row.
func (c *listColumn[E]) Append(values []string) {
	for _, v := range values {
		c.elements.Append(v)
	}
	c.end()
}

// end ends a row whose elements were added.
func (c *listColumn[E]) end() { c.ends = append(c.ends, uint64(c.elements.Rows())) }

// repeatRow adds a copy of a row.
func (c *listColumn[E]) repeatRow(row int) {
	from := uint64(0)
	if row > 0 {
		from = c.ends[row-1]
	}
	c.elements.repeatRange(int(from), int(c.ends[row]))
	c.end()
}

// repeat adds copies of rows.
func (c *listColumn[E]) repeat(rows []int) {
	c.ends = slices.Grow(c.ends, len(rows))
	for _, row := range rows {
		c.repeatRow(row)
	}
}

// omit adds an empty array for each of some rows.
func (c *listColumn[E]) omit(rows []int) {
	for range rows {
		c.end()
	}
}

// Reset removes all rows.
func (c *listColumn[E]) Reset() {
	c.elements.Reset()
	c.ends = c.ends[:0]
}

// Type implements [proto.ColInput].
func (c *listColumn[E]) Type() proto.ColumnType { return c.elements.Type().Array() }

// Rows implements [proto.ColInput].
func (c *listColumn[E]) Rows() int { return len(c.ends) }

// EncodeState implements [proto.StateEncoder].
func (c *listColumn[E]) EncodeState(b *proto.Buffer) {
	if e, ok := any(c.elements).(proto.StateEncoder); ok {
		e.EncodeState(b)
	}
}

// EncodeColumn implements [proto.ColInput].
func (c *listColumn[E]) EncodeColumn(b *proto.Buffer) {
	c.ends.EncodeColumn(b)
	c.elements.EncodeColumn(b)
}

// WriteColumn implements [proto.ColInput]. It does not copy the elements.
func (c *listColumn[E]) WriteColumn(w *proto.Writer) {
	c.ends.WriteColumn(w)
	c.elements.WriteColumn(w)
}

// repeat adds copies of rows to a column of numbers.
func repeat[S ~[]E, E any](column *S, rows []int) {
	values := slices.Grow(*column, len(rows))
	for _, row := range rows {
		values = append(values, values[row])
	}
	*column = values
}

// repeatValue adds n rows with the same value to a column of numbers.
func repeatValue[S ~[]E, E any](column *S, value E, n int) {
	values := slices.Grow(*column, n)
	for range n {
		values = append(values, value)
	}
	*column = values
}
