package colfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
)

const (
	maxListLimit = 1 << 32 // numbers are uint32
	maxListLen   = 1 << 28 // numbers in a list, so that its bytes are less than 4 GiB
	maxFrequent  = 1 << 14 // codes of up to two bytes
)

// errChanged is returned when a sequence yields something else the second time.
var errChanged = errors.New("the sequence was not the same twice")

// Lists writes a list of numbers for each row. Every number must be less than limit,
// which the reader gets back; 8 bytes of memory for each number below it are needed for
// a while. lists is ranged over twice, and a list may be reused after it was yielded.
func (w *Writer) Lists(name string, limit int, lists iter.Seq[[]uint32]) error {
	return w.section(name, KindLists, func(e *entry, s *sink) error {
		if limit < 0 || uint64(limit) > maxListLimit {
			return fmt.Errorf("limit %d: must be 0 to %d", limit, uint64(maxListLimit))
		}
		counts, err := countNumbers(limit, lists, e)
		if err != nil {
			return err
		}
		if e.count != w.footer.rows {
			return fmt.Errorf("%d lists for %d rows", e.count, w.footer.rows)
		}
		return writeLists(s, e, newCode(counts), lists)
	})
}

// countNumbers returns how often each number occurs, and enters how many lists and
// numbers there are.
func countNumbers(limit int, lists iter.Seq[[]uint32], e *entry) ([]uint32, error) {
	e.param[listsLimit] = uint64(limit)
	counts := make([]uint32, limit)
	for list := range lists {
		if len(list) > maxListLen {
			return nil, fmt.Errorf("row %d: a list of %d numbers is too long", e.count, len(list))
		}
		for _, v := range list {
			if uint64(v) >= uint64(limit) {
				return nil, fmt.Errorf("row %d: number %d is not below %d", e.count, v, limit)
			}
			if counts[v]++; counts[v] == 0 {
				counts[v]-- // more often than can be counted is often enough
			}
		}
		e.param[listsTotal] += uint64(len(list))
		e.count++
	}
	return counts, nil
}

// A listCode gives numbers the codes that are written for them.
type listCode struct {
	frequent []uint32 // by code
	codes    []uint32 // 1 + code of the number, or 0
}

// newCode chooses how many numbers to make common: none, as many as fit into one byte,
// or as many as fit into two, whichever takes the least space with the table.
func newCode(counts []uint32) listCode {
	frequent := mostFrequent(counts)
	var best []uint32
	least := encodedSize(counts, nil)
	for _, n := range []int{1 << 7, maxFrequent} {
		common := frequent[:min(n, len(frequent))]
		if c := encodedSize(counts, common); c < least {
			best, least = common, c
		}
	}
	c := listCode{frequent: best, codes: make([]uint32, len(counts))}
	for i, v := range best {
		c.codes[v] = uint32(i) + 1
	}
	return c
}

// mostFrequent returns the numbers that may be worth the four bytes they take in the
// table, the most frequent first.
func mostFrequent(counts []uint32) []uint32 {
	var frequent []uint32
	for v, n := range counts {
		if n >= 4 {
			frequent = append(frequent, uint32(v))
		}
	}
	slices.SortFunc(frequent, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return frequent
}

// encodedSize returns how many bytes the lists take with these common numbers.
func encodedSize(counts, common []uint32) uint64 {
	bytes := uint64(0)
	for v, n := range counts {
		bytes += uint64(n) * varintLen(uint64(v+len(common)))
	}
	for code, v := range common {
		n := uint64(counts[v])
		bytes += 4 + n*varintLen(uint64(code)) - n*varintLen(uint64(v)+uint64(len(common)))
	}
	return bytes
}

func varintLen(v uint64) uint64 {
	n := uint64(1)
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

// append appends the code of v to b.
func (c *listCode) append(b []byte, v uint32) []byte {
	if code := c.codes[v]; code > 0 {
		return binary.AppendUvarint(b, uint64(code-1))
	}
	return binary.AppendUvarint(b, uint64(v)+uint64(len(c.frequent)))
}

func writeLists(s *sink, e *entry, c listCode, lists iter.Seq[[]uint32]) error {
	out := recordWriter{s: s}
	var record []byte
	var rows, total uint64
	for list := range lists {
		if rows++; rows > e.count || len(list) > maxListLen || s.err != nil {
			break
		}
		record = record[:0]
		for _, v := range list {
			if uint64(v) >= e.param[listsLimit] {
				return errChanged
			}
			record = c.append(record, v)
		}
		total += uint64(len(list))
		out.add(record)
	}
	out.flush()
	if s.err == nil && (rows != e.count || total != e.param[listsTotal]) {
		return errChanged
	}
	e.param[listsStream], e.param[listsFrequent] = s.n, uint64(len(c.frequent))
	s.pad()
	for _, v := range c.frequent {
		s.uint(uint64(v), 4)
	}
	s.pad()
	s.uint64s(out.offsets)
	return s.err
}
