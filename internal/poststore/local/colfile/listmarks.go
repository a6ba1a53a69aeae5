package colfile

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ListMarks finds the rows of lists that have one of some numbers. It is for one goroutine,
// and valid while the file is open.
type ListMarks struct {
	records *records
	reader  recordReader
	wanted  []uint8  // 1 for a number that is looked for, by its code
	codes   [][]byte // of those, as records have them; nil: there are too many to look for each
}

// Marks returns what finds the rows with some numbers, which are all below the limit.
func (l *Lists) Marks(numbers []uint32) *ListMarks {
	m := &ListMarks{records: &l.records, reader: recordReader{of: &l.records}, wanted: make([]uint8, len(l.common)+int(l.limit))}
	for _, n := range numbers {
		m.wanted[len(l.common)+int(n)] = 1
	}
	for code, n := range l.common {
		m.wanted[code] = m.wanted[len(l.common)+int(n)]
	}
	const few = 4
	if len(numbers) > few {
		return m
	}
	for code, is := range m.wanted {
		if is != 0 {
			m.codes = append(m.codes, binary.AppendUvarint(nil, uint64(code)))
		}
	}
	return m
}

// Has reports whether the list of a row has one of the numbers. Rows may come in any order.
func (m *ListMarks) Has(row uint32) bool { return m.in(m.reader.at(uint64(row))) != 0 }

// Run sets the bits of rows whose lists have one of the numbers, from a row to before another.
// Bit i%64 of word i/64 stands for the ith row. Up to 31 rows before and behind are looked at,
// too. For many rows that is quicker than Has.
func (m *ListMarks) Run(from, to uint32, into []uint64) {
	for b := uint64(from) / recordsPerBlock; b*recordsPerBlock < uint64(to); b++ {
		into[b/2] |= uint64(m.block(b)) << (b % 2 * recordsPerBlock)
	}
}

// block returns a bit for each record of a block that has one of the numbers.
func (m *ListMarks) block(b uint64) (found uint32) {
	data := m.records.stream[m.records.offsets[b]:]
	width, n := int(data[0]), m.records.inBlock(b)
	lengths, rest := data[1:1+width*n], data[1+width*n:]
	if m.codes != nil && !m.mayBeIn(rest[:lengthOf(lengths, width, 0, n)]) {
		return 0
	}
	for j := range n {
		length := lengthAt(lengths, width, j)
		found |= uint32(m.in(rest[:length])) << j
		rest = rest[length:]
	}
	return found
}

// mayBeIn reports whether one of the codes stands somewhere in records, perhaps as a part of
// others. Most numbers are rare, and bytes are quicker to search than numbers are to read.
func (m *ListMarks) mayBeIn(records []byte) bool {
	return slices.ContainsFunc(m.codes, func(code []byte) bool {
		if len(code) == 1 {
			return bytes.IndexByte(records, code[0]) >= 0
		}
		return bytes.Contains(records, code)
	})
}

// in returns 1 for a record with one of the numbers, else 0.
func (m *ListMarks) in(record []byte) (found uint8) {
	for i := 0; i < len(record); i++ {
		code := uint64(record[i])
		if code >= 0x80 {
			code &= 0x7f
			for shift := 7; ; shift += 7 {
				i++ // the last byte of a record ends a number
				code |= uint64(record[i]&0x7f) << shift
				if record[i] < 0x80 {
					break
				}
			}
		}
		found |= m.wanted[min(code, uint64(len(m.wanted)-1))] // in nonsense it is wrong
	}
	return found
}
