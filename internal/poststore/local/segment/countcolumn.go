package segment

import "earshot/internal/poststore/local/colfile"

// A columnCodes is the codes of a dimension that a column of the file has: its numbers, less
// its base.
type columnCodes struct{ values *colfile.Uints }

func (c columnCodes) elements() *colfile.Uints { return c.values }

func (c columnCodes) span() uint64 { return spanOf(c.values) }

func (c columnCodes) read(codes []uint64, rows []uint32) { readColumn(c.values, codes, rows) }

// spanOf returns what is more than every element of a column.
func spanOf(values *colfile.Uints) uint64 {
	most := values.Max() - values.Base()
	return max(most, most+1) // the largest number of all has no successor
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

// numberDim is a dimension whose codes say all by themselves.
type numberDim struct {
	columnCodes
	key func(dst []byte, number uint64) []byte
}

// numberDim returns a column of numbers, and how their keys are spelled.
func (f *Segment) numberDim(col string, key func(dst []byte, number uint64) []byte) (*numberDim, error) {
	values, err := f.Uints(col)
	if err != nil {
		return nil, err
	}
	return &numberDim{columnCodes{values}, key}, nil
}

func (n *numberDim) keyFunc(bool) keyFunc {
	return func(dst []byte, code uint64) []byte { return n.key(dst, code+n.values.Base()) }
}
