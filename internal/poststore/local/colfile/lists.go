package colfile

import "fmt"

// Lists contains a list of numbers per row, in the order in which they were written. It is safe for
// concurrent use and valid while the file is open. Accessing a row beyond the last one is a
// programming error and panics.
//
// A list is a sequence of varints. Numbers that are frequent in the section get the lowest codes,
// which a table translates. The code of any other number is the number plus the length of the
// table. The words of tweets, as dictionary ids, take 1.8 bytes each instead of 3.0.
type Lists struct {
	records  records
	frequent []uint32 // maps the lowest codes to numbers
	limit    uint64
	total    uint64
}

// Parameters of a section of lists.
const (
	listsStream   = iota // size of the records in bytes
	listsLimit           // every number is less than this
	listsFrequent        // length of the table
	listsTotal           // total length of all lists
)

// Limit returns the limit passed to [Writer.Lists]. All numbers are less than it, so lists of ids
// whose Limit is the length of the dictionary need no further checks.
func (l *Lists) Limit() int { return int(l.limit) }

// Total returns the total length of all lists.
func (l *Lists) Total() int { return int(l.total) }

// Append appends the list of a row to dst and returns the extended slice.
func (l *Lists) Append(dst []uint32, row uint32) []uint32 {
	return l.append(dst, l.records.at(uint64(row)))
}

func (l *Lists) append(dst []uint32, record []byte) []uint32 {
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
		dst = append(dst, l.number(code))
	}
	return dst
}

// A ListReader reads the lists of consecutive rows faster than [Lists.Append]. It is not safe for
// concurrent use, and it is valid while the file is open.
type ListReader struct {
	lists   *Lists
	records recordReader
}

// Reader returns a new reader.
func (l *Lists) Reader() *ListReader {
	return &ListReader{l, recordReader{records: &l.records}}
}

// Clone returns another reader of the same lists.
func (r *ListReader) Clone() *ListReader { return r.lists.Reader() }

// Append appends the list of a row to dst and returns the extended slice. Rows may be in any order.
func (r *ListReader) Append(dst []uint32, row uint32) []uint32 {
	return r.lists.append(dst, r.records.at(uint64(row)))
}

// Pair returns the numbers of a list with at most two numbers, as most lists have, and the length
// of the list. If n is 3, the list has more numbers or large ones, and the caller must use Append.
func (r *ListReader) Pair(row uint32) (one, two uint32, n int) {
	switch record := r.records.at(uint64(row)); {
	case len(record) == 0:
		return 0, 0, 0
	case len(record) == 1:
		one = r.lists.number(uint64(record[0]))
		return one, one, 1
	case len(record) == 2 && record[0]|record[1] < 0x80:
		return r.lists.number(uint64(record[0])), r.lists.number(uint64(record[1])), 2
	case len(record) == 2: // one number
		one = r.lists.number(uint64(record[0]&0x7f) | uint64(record[1])<<7)
		return one, one, 1
	}
	return 0, 0, 3
}

// number returns the number of a code. For malformed bytes it is wrong but below the limit.
func (l *Lists) number(code uint64) uint32 {
	if code < uint64(len(l.frequent)) {
		return l.frequent[code]
	}
	return uint32(min(code-uint64(len(l.frequent)), l.limit-1))
}

// Len returns the length of a row's list.
func (l *Lists) Len(row uint32) int { return countVarints(l.records.at(uint64(row))) }

// countVarints counts the bytes that end a number.
func countVarints(b []byte) int {
	n := 0
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

func checkListsEntry(e *entry, rows uint64) error {
	frequent := e.param[listsFrequent]
	switch {
	case e.count != rows:
		return fmt.Errorf("%d lists for %d rows", e.count, rows)
	case e.param[listsLimit] > maxListLimit, frequent > maxFrequent, e.param[listsTotal] > e.length:
		return fmt.Errorf("too many numbers: %d below %d, %d of them frequent", e.param[listsTotal], e.param[listsLimit], frequent)
	}
	return checkLayout(e, e.param[listsStream], ceilDiv(frequent, 2)+ceilDiv(rows, recordsPerBlock))
}

func loadLists(s *rawSection) (reader, error) {
	stream, frequent := s.param[listsStream], s.param[listsFrequent]
	tail := s.data[align(stream):]
	l := &Lists{
		records: records{
			stream:  s.data[:stream],
			offsets: view[uint64](tail[8*ceilDiv(frequent, 2):]),
			n:       s.rows,
		},
		frequent: view[uint32](tail[:4*frequent]),
		limit:    s.param[listsLimit],
		total:    s.param[listsTotal],
	}
	if err := l.records.check(); err != nil {
		return nil, err
	}
	return l, l.check()
}

// check verifies that Append can read every list.
func (l *Lists) check() error {
	for _, v := range l.frequent {
		if uint64(v) >= l.limit {
			return fmt.Errorf("number %d is not below %d", v, l.limit)
		}
	}
	for row := range l.records.n {
		if l.limit > 0 {
			break // number turns any code into a number below the limit
		}
		if len(l.records.at(row)) > 0 {
			return fmt.Errorf("row %d: %w", row, errMalformed)
		}
	}
	return nil
}

// verify decodes every number.
func (l *Lists) verify() error {
	total := uint64(0)
	for row := range l.records.n {
		for rest := l.records.at(row); len(rest) > 0; total++ {
			code, after, ok := uvarint(rest)
			if !ok || code >= l.limit+uint64(len(l.frequent)) {
				return fmt.Errorf("row %d: %w", row, errMalformed)
			}
			rest = after
		}
	}
	if total != l.total {
		return fmt.Errorf("got %d numbers, want %d", total, l.total)
	}
	return nil
}
