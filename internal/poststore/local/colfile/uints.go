package colfile

import (
	"fmt"
	"iter"
	"math"
)

// Uints contains a number per row. It is safe for concurrent use and valid while the file is open.
// Accessing a row beyond the last one is a programming error and panics.
type Uints struct {
	width    int
	base     uint64
	min, max uint64
	u8       []uint8 // only the slice of the column's width is set; the others are nil
	u16      []uint16
	u32      []uint32
	u64      []uint64
}

// Parameters of a section of uints.
const (
	uintsWidth = iota // bytes per row
	uintsBase         // added to each stored number
	uintsMin
	uintsMax
)

// At returns the number of a row.
func (u *Uints) At(row uint32) uint64 {
	switch u.width {
	case 1:
		return u.base + uint64(u.u8[row])
	case 2:
		return u.base + uint64(u.u16[row])
	case 4:
		return u.base + uint64(u.u32[row])
	default:
		return u.base + u.u64[row]
	}
}

// Min returns the smallest number, or 0 if there are no rows.
func (u *Uints) Min() uint64 { return u.min }

// Max returns the largest number, or 0 if there are no rows. A column of dictionary ids whose Max
// is less than the length of the dictionary needs no further checks.
func (u *Uints) Max() uint64 { return u.max }

// Base returns the number that callers of Visit must add to each element. It is 0 unless a
// different base makes the column narrower.
func (u *Uints) Base() uint64 { return u.base }

// Visit calls the function for the column's width with all rows as they are stored in the file. If
// all four functions call one generic function, the compiler generates a loop without branches for
// each width:
//
//	col.Visit(
//		func(v []uint8) { tally(v, rows, counts) },
//		func(v []uint16) { tally(v, rows, counts) },
//		func(v []uint32) { tally(v, rows, counts) },
//		func(v []uint64) { tally(v, rows, counts) })
//
// The slices are read-only memory; writing to them crashes the process.
func (u *Uints) Visit(b1 func([]uint8), b2 func([]uint16), b4 func([]uint32), b8 func([]uint64)) {
	switch u.width {
	case 1:
		b1(u.u8)
	case 2:
		b2(u.u16)
	case 4:
		b4(u.u32)
	default:
		b8(u.u64)
	}
}

// Values yields the elements of a slice, for use with [Writer.Uints].
func Values[T ~uint8 | ~uint16 | ~uint32 | ~uint64](s []T) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, v := range s {
			if !yield(uint64(v)) {
				return
			}
		}
	}
}

// Uints writes a column with one number per row, in the narrowest width that fits all numbers.
// Uints iterates over values twice.
func (w *Writer) Uints(name string, values iter.Seq[uint64]) error {
	return w.section(name, KindUints, func(e *entry, s *sink) error {
		lo, hi, n := minMax(values)
		if n != w.footer.rows {
			return fmt.Errorf("%d numbers for %d rows", n, w.footer.rows)
		}
		width, base := widthFor(hi), uint64(0)
		if narrow := widthFor(hi - lo); narrow < width {
			width, base = narrow, lo
		}
		e.count = n
		e.param = [4]uint64{uintsWidth: uint64(width), uintsBase: base, uintsMin: lo, uintsMax: hi}
		return writeUints(s, e, values)
	})
}

// minMax returns the smallest and the largest value, and the number of values.
func minMax(values iter.Seq[uint64]) (lo, hi, n uint64) {
	lo = math.MaxUint64
	for v := range values {
		lo, hi = min(lo, v), max(hi, v)
		n++
	}
	return min(lo, hi), hi, n
}

func widthFor(v uint64) int {
	switch {
	case v <= math.MaxUint8:
		return 1
	case v <= math.MaxUint16:
		return 2
	case v <= math.MaxUint32:
		return 4
	}
	return 8
}

func writeUints(s *sink, e *entry, values iter.Seq[uint64]) error {
	width, base, lo, hi := e.param[uintsWidth], e.param[uintsBase], e.param[uintsMin], e.param[uintsMax]
	n := uint64(0)
	for v := range values {
		if n++; n > e.count || v < lo || v > hi || s.err != nil {
			break
		}
		s.uint(v-base, width)
	}
	if s.err == nil && s.n != width*e.count {
		return errChanged
	}
	return s.err
}

func checkUintsEntry(e *entry, rows uint64) error {
	width, base, lo, hi := e.param[uintsWidth], e.param[uintsBase], e.param[uintsMin], e.param[uintsMax]
	switch {
	case e.count != rows:
		return fmt.Errorf("%d numbers for %d rows", e.count, rows)
	case width != 1 && width != 2 && width != 4 && width != 8, e.length != width*rows:
		return fmt.Errorf("%d bytes do not match %d rows of %d bytes", e.length, rows, width)
	case base > lo || lo > hi:
		return fmt.Errorf("inconsistent base %d, minimum %d and maximum %d", base, lo, hi)
	}
	return nil
}

func loadUints(s *rawSection) (reader, error) {
	u := &Uints{
		width: int(s.param[uintsWidth]),
		base:  s.param[uintsBase],
		min:   s.param[uintsMin],
		max:   s.param[uintsMax],
	}
	var top uint64
	switch u.width {
	case 1:
		u.u8 = view[uint8](s.data)
		top = maxOf(u.u8)
	case 2:
		u.u16 = view[uint16](s.data)
		top = maxOf(u.u16)
	case 4:
		u.u32 = view[uint32](s.data)
		top = maxOf(u.u32)
	default:
		u.u64 = view[uint64](s.data)
		top = maxOf(u.u64)
	}
	if top > u.max-u.base {
		return nil, fmt.Errorf("contains a number larger than the maximum %d", u.max)
	}
	return u, nil
}

// maxOf returns the largest number. Comparing four numbers at once is twice as fast.
func maxOf[T uint8 | uint16 | uint32 | uint64](s []T) uint64 {
	var a, b, c, d T
	for ; len(s) >= 4; s = s[4:] {
		a, b, c, d = max(a, s[0]), max(b, s[1]), max(c, s[2]), max(d, s[3])
	}
	for _, v := range s {
		a = max(a, v)
	}
	return uint64(max(a, b, c, d))
}

func (u *Uints) verify() error {
	lo, hi, _ := minMax(func(yield func(uint64) bool) {
		for row := range len(u.u8) + len(u.u16) + len(u.u32) + len(u.u64) {
			yield(u.At(uint32(row)))
		}
	})
	if lo != u.min || hi != u.max {
		return fmt.Errorf("got numbers from %d to %d, want %d to %d", lo, hi, u.min, u.max)
	}
	return nil
}
