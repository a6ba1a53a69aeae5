package segment

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// having returns the rows among others whose posts have one of some keys: those that Count
// puts into a row with it. Which keys these are is asked once for each code, not of each row.
func (x *index) having(h *poststore.Having, among *roaring.Bitmap) query.RowSet {
	rows, err := x.rowsHaving(h, x.orAll(among))
	if err != nil {
		x.err = err
		return query.RowSet{Matches: roaring.New()}
	}
	return query.RowSet{Matches: rows}
}

func (x *index) rowsHaving(h *poststore.Having, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	if h.By == poststore.ByRetweeted {
		rows = x.mayRetweet(h.Keys, rows)
	}
	if rows.IsEmpty() || len(h.Keys) == 0 || !slices.Contains(poststore.Dims, h.By) {
		return roaring.New(), nil
	}
	if list, ok := listDims[h.By]; ok {
		return x.havingListKey(h, list, rows)
	}
	q := &countQuery{segment: x.file, rows: rows, size: rows.GetCardinality(), stopped: x.stopped, budget: NewBudget(MaxQueryBytes)}
	d, err := q.dimension(h.By, &poststore.Tally{Zone: h.Zone})
	if err != nil {
		return nil, err
	}
	return x.havingCode(d, newWantedKeys(h.Keys), rows), nil
}

// mayRetweet returns the rows whose parent may be what keys of ByRetweeted name. There are few,
// and many parents with many sources to be spelled otherwise.
func (x *index) mayRetweet(keys []string, rows *roaring.Bitmap) *roaring.Bitmap {
	wanted := wantedKeys{}
	for _, key := range keys {
		for i, c := range key {
			if c == ' ' { // the name of the source may have some, too
				wanted.add(key[i+1:])
			}
		}
	}
	return x.Field("parentGuid", func(p *earshot.Post) bool { return wanted[p.ParentGUID] }, rows).Possible()
}

// havingCode returns the rows whose code in a dimension has one of some keys.
func (x *index) havingCode(d dimension, keys wantedKeys, rows *roaring.Bitmap) *roaring.Bitmap {
	wanted := x.matchCodes(d, keys, rows.GetCardinality())
	codes := make([]uint64, chunkRows)
	return x.filterChunks(rows, func(some []uint32) []uint32 {
		codes := codes[:len(some)]
		d.read(codes, some)
		marks := wanted(codes)
		n := 0
		for i, row := range some {
			some[n] = row
			n += int(marks[codes[i]])
		}
		return some[:n]
	})
}

// matchCodes returns a function that has a 1 for each of some codes that is wanted. It may
// put other codes in their place.
func (x *index) matchCodes(d dimension, keys wantedKeys, rows uint64) func(codes []uint64) (marks []uint8) {
	const few, perRow = 4096, 4
	if d.span() <= max(few, perRow*rows) {
		all := make([]uint8, d.span())
		spell, key := d.keyFunc(true), []byte(nil)
		for code := range all {
			if code%chunkRows == 0 && x.stopped() != nil {
				break
			}
			key = spell(key[:0], uint64(code))
			all[code] = keys.match(key)
		}
		return func([]uint64) []uint8 { return all }
	}
	numbers, spell, key, marks := newNumbering(), d.keyFunc(false), []byte(nil), []uint8(nil)
	return func(codes []uint64) []uint8 {
		numbers.numberAll(codes)
		for _, code := range numbers.codes[len(marks):] {
			key = spell(key[:0], code)
			marks = append(marks, keys.match(key))
		}
		return marks
	}
}

// havingListKey is rowsHaving for a dimension of which a row may have several values.
func (x *index) havingListKey(h *poststore.Having, list listDimColumns, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	t, err := x.file.listDim(list)
	if err != nil {
		return nil, err
	}
	numbers := t.findKeys(h)
	if len(numbers) == 0 {
		return roaring.New(), nil
	}
	if list.flag != noFlag {
		if rows, err = x.byFlag(list.flag, func(set bool) bool { return set }, rows); err != nil || rows.IsEmpty() {
			return rows, err
		}
	}
	marks := t.lists.Matcher(numbers)
	const sparse = 4 // less than for columns: more is read of each row
	from, to := rows.Minimum(), rows.Maximum()+1
	if uint64(to-from) > sparse*rows.GetCardinality() {
		return x.filter(rows, marks.Match), nil
	}
	found := x.matchRun(marks, from, to)
	found.And(rows)
	return found, nil
}

// matchRun returns the rows of a run that have one of the values, and perhaps some around it.
func (x *index) matchRun(marks *colfile.ListMatcher, from, to uint32) *roaring.Bitmap {
	const step = 1 << 14
	words := make([]uint64, (to+63)/64)
	for ; from < to && x.stopped() == nil; from += step {
		marks.MatchRange(from, min(to, from+step), words)
	}
	return roaring.FromDense(words, false)
}

// findKeys returns those of the values that are one of the keys. Ids stand for all keys that
// begin with them.
func (t *listDim) findKeys(h *poststore.Having) (numbers []uint32) {
	for _, key := range h.Keys {
		if number, found := t.dict.Find(key); found && key != "" {
			numbers = append(numbers, number)
		}
		if key == "" || !h.ByID() || strings.Contains(key, " ") {
			continue
		}
		from, to := t.dict.Prefix(key + " ")
		for ; from < to; from++ {
			numbers = append(numbers, from)
		}
	}
	limit := uint32(t.lists.Limit())
	return slices.DeleteFunc(numbers, func(number uint32) bool { return number >= limit })
}

// wantedKeys are keys that are looked for.
type wantedKeys map[string]bool

func newWantedKeys(keys []string) wantedKeys {
	set := make(wantedKeys, len(keys))
	for _, key := range keys {
		set.add(key)
	}
	return set
}

// add adds a key. No post has an empty one.
func (s wantedKeys) add(key string) {
	if key != "" {
		s[key] = true
	}
}

// match returns 1 for a key that is looked for, 0 for others.
func (s wantedKeys) match(key []byte) uint8 {
	if s[string(key)] {
		return 1
	}
	return 0
}
