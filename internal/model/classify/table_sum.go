package classify

import (
	"encoding/binary"
	"math/bits"
)

// SumColumns is the width of the rows that a [Sum] adds.
const SumColumns = 10

// A Sum is a sum of rows with SumColumns weights. The zero value is ready to use.
type Sum [SumColumns]int32

// Add adds the rows of the features that t contains. It is equivalent to [Table.Row] and
// [Sum.AddRow], but processes eight weights at once and avoids branches on loaded data, so that
// many lookups are in flight.
func (s *Sum) Add(t *Table, features []uint64) {
	for len(features) > maxPackedRows {
		s.addPacked(t, features[:maxPackedRows])
		features = features[maxPackedRows:]
	}
	s.addPacked(t, features)
}

// AddRow adds one row, which may be nil.
func (s *Sum) AddRow(row []byte) {
	if row == nil {
		return
	}
	for k, weight := range row[:SumColumns] {
		s[k] += int32(int8(weight))
	}
}

// maxPackedRows is the number of unsigned bytes whose sum always fits into 16 bits.
const maxPackedRows = 256

// eachByte128 maps bytes from -128...127 to 0...255 by adding 128 to each.
const eachByte128 = highBits

// addPacked adds at most maxPackedRows rows. A line has five slots; the tags of the first four fill
// its first eight bytes.
func (s *Sum) addPacked(t *Table, features []uint64) {
	var even, odd, rest uint64 // sums of weights 0, 2, 4, 6; of 1, 3, 5, 7; of 8 and 9
	var known int32
	for _, feature := range features {
		at, check := t.locate(feature)
		line := (*[lineBytes]byte)(t.lines[at*lineBytes:])
		equal := zeros(binary.LittleEndian.Uint64(line[:]) ^ check*eachPair)
		fifth := uint64(binary.LittleEndian.Uint16(line[8:])) ^ check
		found := equal | (fifth-1)&(1<<63)
		mask := uint64(int64(found|-found) >> 63) // all ones if a slot matches
		if line[lineBytes-1]&^byte(mask) != 0 {
			s.AddRow(t.row(t.nextLine(at), check)) // may be in a later line
			continue
		}
		// This is the fifth slot if none of the first four matches.
		from := 10 + 10*(bits.TrailingZeros64(equal)>>4)
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
