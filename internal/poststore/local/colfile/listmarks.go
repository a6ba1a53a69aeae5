package colfile

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// ListMatcher finds the rows of lists that have one of some numbers. It is for one goroutine,
// and valid while the file is open.
type ListMatcher struct {
	records *records
	reader  recordReader
	targets []uint8  // 1 for a number that is looked for, by its code
	codes   [][]byte // of those, as records have them; nil: there are too many to look for each
}

// Matcher returns what finds the rows with some numbers, which are all below the limit.
func (l *Lists) Matcher(numbers []uint32) *ListMatcher {
	m := &ListMatcher{records: &l.records, reader: recordReader{records: &l.records}, targets: make([]uint8, len(l.frequent)+int(l.limit))}
	for _, n := range numbers {
		m.targets[len(l.frequent)+int(n)] = 1
	}
	for code, n := range l.frequent {
		m.targets[code] = m.targets[len(l.frequent)+int(n)]
	}
	const few = 4
	if len(numbers) > few {
		return m
	}
	for code, is := range m.targets {
		if is != 0 {
			m.codes = append(m.codes, binary.AppendUvarint(nil, uint64(code)))
		}
	}
	return m
}

// Match reports whether the list of a row has one of the numbers. Rows may come in any order.
func (m *ListMatcher) Match(row uint32) bool { return m.matchRecord(m.reader.at(uint64(row))) != 0 }

// MatchRange sets the bits of rows whose lists have one of the numbers, from a row to before another.
// Bit i%64 of word i/64 stands for the ith row. Up to 31 rows before and behind are looked at,
// too. For many rows that is quicker than Has.
func (m *ListMatcher) MatchRange(from, to uint32, into []uint64) {
	for b := uint64(from) / recordsPerBlock; b*recordsPerBlock < uint64(to); b++ {
		into[b/2] |= uint64(m.matchBlock(b)) << (b % 2 * recordsPerBlock)
	}
}

// matchBlock returns a bit for each record of a block that has one of the numbers.
func (m *ListMatcher) matchBlock(b uint64) (found uint32) {
	data := m.records.stream[m.records.offsets[b]:]
	width, n := int(data[0]), m.records.blockLen(b)
	lengths, rest := data[1:1+width*n], data[1+width*n:]
	if m.codes != nil && !m.mayContain(rest[:sumLengths(lengths, width, 0, n)]) {
		return 0
	}
	for j := range n {
		length := lengthAt(lengths, width, j)
		found |= uint32(m.matchRecord(rest[:length])) << j
		rest = rest[length:]
	}
	return found
}

// mayContain reports whether one of the codes stands somewhere in records, perhaps as a part of
// others. Most numbers are rare, and bytes are quicker to search than numbers are to read.
func (m *ListMatcher) mayContain(records []byte) bool {
	return slices.ContainsFunc(m.codes, func(code []byte) bool {
		if len(code) == 1 {
			return bytes.IndexByte(records, code[0]) >= 0
		}
		return bytes.Contains(records, code)
	})
}

// matchRecord returns 1 for a record with one of the numbers, else 0.
func (m *ListMatcher) matchRecord(record []byte) (found uint8) {
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
		found |= m.targets[min(code, uint64(len(m.targets)-1))] // in nonsense it is wrong
	}
	return found
}
