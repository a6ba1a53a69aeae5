package colfile

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// A ListMatcher finds the rows whose lists contain at least one number in a set. It is not safe for
// concurrent use, and it is valid while the file is open.
type ListMatcher struct {
	records *records
	reader  recordReader
	targets []uint8  // indexed by code: 1 for the numbers to find, otherwise 0
	codes   [][]byte // encoded codes of the numbers to find; nil if there are many
}

// Matcher returns a matcher for numbers, all of which must be below Limit.
func (l *Lists) Matcher(numbers []uint32) *ListMatcher {
	m := &ListMatcher{records: &l.records, reader: recordReader{records: &l.records}, targets: make([]uint8, len(l.frequent)+int(l.limit))}
	for _, n := range numbers {
		m.targets[len(l.frequent)+int(n)] = 1
	}
	for code, n := range l.frequent {
		m.targets[code] = m.targets[len(l.frequent)+int(n)]
	}
	const maxCodes = 4 // with more codes, decoding is faster than searching for each
	if len(numbers) > maxCodes {
		return m
	}
	for code, target := range m.targets {
		if target != 0 {
			m.codes = append(m.codes, binary.AppendUvarint(nil, uint64(code)))
		}
	}
	return m
}

// Match reports whether the list of a row contains one of the numbers. Rows may be in any order.
func (m *ListMatcher) Match(row uint32) bool { return m.matchRecord(m.reader.at(uint64(row))) != 0 }

// MatchRange sets the bits of the rows in [from, to) whose lists contain one of the numbers: bit
// i%64 of word i/64 for row i. It may also set the bits of up to 31 matching rows before and after
// the range. For many rows it is faster than Match.
func (m *ListMatcher) MatchRange(from, to uint32, into []uint64) {
	for b := uint64(from) / recordsPerBlock; b*recordsPerBlock < uint64(to); b++ {
		into[b/2] |= uint64(m.matchBlock(b)) << (b % 2 * recordsPerBlock)
	}
}

// matchBlock returns one bit per record of a block, which is 1 if the record contains one of the
// numbers.
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

// mayContain reports whether the bytes of one of the codes occur in records, possibly within other
// codes. Most numbers are rare, and searching for bytes is faster than decoding numbers.
func (m *ListMatcher) mayContain(records []byte) bool {
	return slices.ContainsFunc(m.codes, func(code []byte) bool {
		if len(code) == 1 {
			return bytes.IndexByte(records, code[0]) >= 0
		}
		return bytes.Contains(records, code)
	})
}

// matchRecord returns 1 if a record contains one of the numbers, otherwise 0.
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
		found |= m.targets[min(code, uint64(len(m.targets)-1))] // malformed codes may be larger
	}
	return found
}
