package classify

import (
	"encoding/binary"
	"math/bits"
)

// SumColumns is how many weights rows have that a Sum adds up.
const SumColumns = 10

// A Sum adds up rows of tables with SumColumns weights. The zero Sum is ready.
type Sum [SumColumns]int32

// Add adds the rows of the features that t knows; t has SumColumns weights a row. It does
// what Row and AddRow would for each of them, but eight weights at once and without a
// branch that depends on what memory answers, so that many lookups are under way at a time.
func (s *Sum) Add(t *Table, features []uint64) {
	for len(features) > maxPacked {
		s.addPacked(t, features[:maxPacked])
		features = features[maxPacked:]
	}
	s.addPacked(t, features)
}

// AddRow adds one row; nil counts as nought.
func (s *Sum) AddRow(row []byte) {
	if row == nil {
		return
	}
	for k, weight := range row[:SumColumns] {
		s[k] += int32(int8(weight))
	}
}

// maxPacked is how many bytes two bytes can add up.
const maxPacked = 256

// eachByte128 makes bytes of -128...127 such of 0...255, with 128 more.
const eachByte128 = highBits

// addPacked adds no more than maxPacked rows. A line has five of them: four that are
// told by its first eight bytes, and one more.
func (s *Sum) addPacked(t *Table, features []uint64) {
	var even, odd, rest uint64 // sums of the weights 0, 2, 4, 6; 1, 3, 5, 7; 8 and 9
	var known int32
	for _, feature := range features {
		at, check := t.place(feature)
		line := (*[lineBytes]byte)(t.lines[at*lineBytes:])
		equal := zeros(binary.LittleEndian.Uint64(line[:]) ^ check*eachPair)
		fifth := uint64(binary.LittleEndian.Uint16(line[8:])) ^ check
		found := equal | (fifth-1)&(1<<63)
		mask := uint64(int64(found|-found) >> 63) // all bits when one of them is it
		if line[lineBytes-1]&^byte(mask) != 0 {
			s.AddRow(t.row(t.after(at), check)) // it may lie in a line after this
			continue
		}
		from := 10 + 10*(bits.TrailingZeros64(equal)>>4) // where none is equal, that is the fifth
		row := (binary.LittleEndian.Uint64(line[from:]) ^ eachByte128) & mask
		even += row & evenBytes
		odd += row >> 8 & evenBytes
		last := (uint64(binary.LittleEndian.Uint16(line[from+8:])) ^ 0x8080) & mask
		rest += last&0xff | last>>8<<32
		known += int32(mask & 1)
	}
	for i := range 4 {
		s[2*i] += int32(even>>(16*i)&0xffff) - 128*known
		s[2*i+1] += int32(odd>>(16*i)&0xffff) - 128*known
	}
	s[8] += int32(rest&0xffff) - 128*known
	s[9] += int32(rest>>32) - 128*known
}
