package interest

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The file starts with a version byte. Uvarints follow: the number of entries and of postings; then
// the entries sorted by key, each as the difference from the previous key and twice the number of
// its postings, plus one if longer phrases start with it; then all postings in the same order. The
// file consists mostly of hashes, so compression would not make it smaller.

// maxEntries limits the memory that decode allocates.
const maxEntries = 1 << 20

var errDamaged = errors.New("the table of interests is damaged")

func encode(entries []entry) []byte {
	plain := []byte{Version}
	var postings []byte
	count := 0
	for _, e := range entries {
		count += len(e.postings)
	}
	plain = binary.AppendUvarint(plain, uint64(len(entries)))
	plain = binary.AppendUvarint(plain, uint64(count))
	var last key
	for _, e := range entries {
		plain = binary.AppendUvarint(plain, uint64(e.key-last))
		last = e.key
		kind := 2 * uint64(len(e.postings))
		if e.more {
			kind++
		}
		plain = binary.AppendUvarint(plain, kind)
		for _, p := range e.postings {
			postings = binary.AppendUvarint(postings, uint64(p))
		}
	}
	return append(plain, postings...)
}

func decode(file []byte) (*table, error) {
	if len(file) == 0 || file[0] != Version {
		return nil, fmt.Errorf("the table of interests does not have version %d", Version)
	}
	r := reader{plain: file[1:]}
	entries, postings := r.number(), r.number()
	if entries > maxEntries || postings > maxEntries {
		return nil, errDamaged
	}
	t := newTable(int(entries), int(postings))
	r.entries(t, int(entries))
	r.postings(t)
	if r.failed || len(r.plain) > 0 {
		return nil, errDamaged
	}
	return t, nil
}

// newTable returns an empty table with space for the given numbers of entries and postings.
func newTable(entries, postings int) *table {
	slots := 64
	for slots < 2*entries {
		slots *= 2
	}
	return &table{keys: make([]key, slots), values: make([]value, slots), postings: make([]posting, postings)}
}

// A reader reads numbers. At the end of the data it returns 0 and sets failed.
type reader struct {
	plain  []byte
	failed bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.plain)
	if size <= 0 {
		r.failed, r.plain = true, nil
		return 0
	}
	r.plain = r.plain[size:]
	return n
}

// entries reads n entries and marks the last posting of each. Every posting must belong to an
// entry.
func (r *reader) entries(t *table, n int) {
	var last key
	first := 0
	for range n {
		last += key(r.number())
		kind := r.number()
		count := kind / 2
		if r.failed || last == 0 || count > uint64(len(t.postings)-first) {
			r.failed = true
			return
		}
		v := value(first) << valueBits
		if kind&1 != 0 {
			v |= hasMore
		}
		if count > 0 {
			v |= hasPostings
			first += int(count)
			t.postings[first-1] = lastPosting
		}
		t.insert(last, v)
	}
	r.failed = r.failed || first < len(t.postings)
}

// postings reads the postings, which must refer to existing interests or to none.
func (r *reader) postings(t *table) {
	for i := range t.postings {
		p := posting(r.number())
		if p&lastPosting != 0 || p.interestIndex() >= len(list) && p.interestIndex() != nowhere || p.strength() > Bio {
			r.failed = true
			return
		}
		t.postings[i] |= p
	}
}
