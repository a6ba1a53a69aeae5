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
	maxListLen   = 1 << 28 // maximum length of a list, so that it takes less than 4 GiB
	maxFrequent  = 1 << 14 // number of codes of up to two bytes
)

// errChanged is returned if a sequence yields different values the second time.
var errChanged = errors.New("sequence yielded different values the second time")

// Lists writes a list of numbers per row. Every number must be less than limit, which [Lists.Limit]
// returns. Writing takes 8 bytes of memory per number below limit. Lists iterates over lists twice,
// and lists may reuse a slice after yielding it.
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
		return writeLists(s, e, newListCode(counts), lists)
	})
}

// countNumbers returns the number of occurrences of each number, and sets the numbers of lists and
// of their elements in e.
func countNumbers(limit int, lists iter.Seq[[]uint32], e *entry) ([]uint32, error) {
	e.param[listsLimit] = uint64(limit)
	counts := make([]uint32, limit)
	for list := range lists {
		if len(list) > maxListLen {
			return nil, fmt.Errorf("row %d: list of %d numbers is too long", e.count, len(list))
		}
		for _, v := range list {
			if uint64(v) >= uint64(limit) {
				return nil, fmt.Errorf("row %d: number %d is not below %d", e.count, v, limit)
			}
			if counts[v]++; counts[v] == 0 {
				counts[v]-- // saturate
			}
		}
		e.param[listsTotal] += uint64(len(list))
		e.count++
	}
	return counts, nil
}

// A listCode assigns codes to numbers.
type listCode struct {
	frequent []uint32 // indexed by code
	codes    []uint32 // indexed by number: code of a frequent number plus 1, or 0
}

// newListCode chooses how many of the most frequent numbers get low codes: none, as many as fit
// into one byte, or as many as fit into two, whichever takes the least space including the table.
func newListCode(counts []uint32) listCode {
	var frequent []uint32
	for v, n := range counts {
		if n >= 4 { // a number takes four bytes in the table
			frequent = append(frequent, uint32(v))
		}
	}
	slices.SortFunc(frequent, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var best []uint32
	minSize := encodedSize(counts, nil)
	for _, n := range []int{1 << 7, maxFrequent} {
		table := frequent[:min(n, len(frequent))]
		if size := encodedSize(counts, table); size < minSize {
			best, minSize = table, size
		}
	}
	c := listCode{frequent: best, codes: make([]uint32, len(counts))}
	for i, v := range best {
		c.codes[v] = uint32(i) + 1
	}
	return c
}

// encodedSize returns the size of the lists, in bytes, with a table of frequent numbers.
func encodedSize(counts, frequent []uint32) uint64 {
	size := uint64(0)
	for v, n := range counts {
		size += uint64(n) * varintLen(uint64(v+len(frequent)))
	}
	for code, v := range frequent {
		n := uint64(counts[v])
		size += 4 + n*varintLen(uint64(code)) - n*varintLen(uint64(v)+uint64(len(frequent)))
	}
	return size
}

func varintLen(v uint64) uint64 {
	n := uint64(1)
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}

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
