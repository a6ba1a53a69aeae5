package segment

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// having returns the rows whose posts have one of the keys in a dimension, which are the posts that
// Count puts into a group with that key. It compares keys once per code instead of once per row.
func (x *index) having(h *poststore.Having, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	found, err := x.havingStored(h, rows)
	if err != nil {
		return nil, err
	}
	d, ok := correctableDims[h.By]
	if !ok || x.corrections == nil {
		return found, nil
	}
	numbers, err := x.segment.corrected(x.corrections, d.column, d.replaced)
	if err != nil {
		return nil, err
	}
	return x.corrections.decide(found, rows, func(i int) bool {
		return numbers[i] > 0 && slices.Contains(h.Keys, string(d.key(nil, uint64(numbers[i]))))
	}), nil
}

// havingStored is having without corrections.
func (x *index) havingStored(h *poststore.Having, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	if h.By == poststore.ByRetweeted {
		rows = x.mayRetweet(h.Keys, rows)
	}
	if rows.IsEmpty() || len(h.Keys) == 0 || !slices.Contains(poststore.Dims, h.By) {
		return roaring.New(), nil
	}
	if list, ok := listDims[h.By]; ok {
		return x.havingListKey(h, list, rows)
	}
	q := &countQuery{segment: x.segment, rows: rows, size: rows.GetCardinality(), stopped: x.stopped, budget: NewBudget(MaxQueryBytes)}
	d, err := q.dimension(h.By, &poststore.Tally{Zone: h.Zone})
	if err != nil {
		return nil, err
	}
	var match func(codes []uint64) (wanted []uint8)
	if dict, ok := d.(*dictDim); ok && dict.cachedKeys == nil && len(h.Keys) == 1 {
		match, err = x.matchName(dict, dimKey{h.By, h.Keys[0]})
	} else {
		match = x.matchCodes(d, newWantedKeys(h.Keys), rows.GetCardinality())
	}
	if err != nil {
		return nil, err
	}
	codes := make([]uint64, chunkRows)
	return x.filterChunks(rows, func(chunk []uint32) []uint32 {
		codes := codes[:len(chunk)]
		d.read(codes, chunk)
		wanted := match(codes)
		n := 0
		for i, row := range chunk {
			chunk[n] = row
			n += int(wanted[codes[i]])
		}
		return chunk[:n]
	}), nil
}

// mayRetweet returns the rows whose parent may be one of those in the keys of ByRetweeted. It
// leaves few rows, which avoids comparing the keys of all combinations of parents and sources.
func (x *index) mayRetweet(keys []string, rows *roaring.Bitmap) *roaring.Bitmap {
	wanted := wantedKeys{}
	for _, key := range keys {
		for i, c := range key {
			if c == ' ' { // the name of the source may contain spaces too
				wanted.add(key[i+1:])
			}
		}
	}
	return x.Field("parentGuid", func(p *earshot.Post) bool { return wanted[p.ParentGUID] }, rows).Possible()
}

// matchCodes returns a function that maps codes to 1 if their key is wanted and 0 otherwise. The
// function may renumber codes in place; the result is indexed by the new numbers.
func (x *index) matchCodes(d dimension, keys wantedKeys, rows uint64) func(codes []uint64) (wanted []uint8) {
	const minSpan, spanPerRow = 4096, 4
	if d.span() <= max(minSpan, spanPerRow*rows) {
		all := make([]uint8, d.span())
		appendKey, key := d.keyFunc(true), []byte(nil)
		for code := range all {
			if code%chunkRows == 0 && x.stopped() != nil {
				break
			}
			key = appendKey(key[:0], uint64(code))
			all[code] = keys.match(key)
		}
		return func([]uint64) []uint8 { return all }
	}
	numbers, appendKey, key, wanted := newNumbering(), d.keyFunc(false), []byte(nil), []uint8(nil)
	return func(codes []uint64) []uint8 {
		numbers.numberAll(codes)
		for _, code := range numbers.codes[len(wanted):] {
			key = appendKey(key[:0], code)
			wanted = append(wanted, keys.match(key))
		}
		return wanted
	}
}

// matchName is matchCodes for one key of a large dictionary, such as an author. Pages about an
// author look for the same one many times. The ids of a dictionary are below 1<<32.
func (x *index) matchName(d *dictDim, of dimKey) (func(codes []uint64) (wanted []uint8), error) {
	ids, err := x.segment.keyCache.ids(of, func() (ids []uint32, err error) {
		keys, text := newWantedKeys([]string{of.key}), []byte(nil)
		for c := d.dict.Cursor(0); c.Next(); {
			if c.ID()%chunkRows == 0 {
				if err := x.stopped(); err != nil {
					return nil, err
				}
			}
			if text = d.key(text[:0], c.Text()); keys.match(text) != 0 {
				ids = append(ids, c.ID())
			}
		}
		return ids, nil
	})
	if err != nil {
		return nil, err
	}
	base, wanted := d.values.Base(), []uint8{0, 1}
	return func(codes []uint64) []uint8 {
		for i, code := range codes {
			codes[i] = 0
			if _, found := slices.BinarySearch(ids, uint32(code+base)); found {
				codes[i] = 1
			}
		}
		return wanted
	}, nil
}

// havingListKey is having for a dimension in which a row may have several values.
func (x *index) havingListKey(h *poststore.Having, columns listDimColumns, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	d, err := x.segment.listDim(columns)
	if err != nil {
		return nil, err
	}
	numbers := d.findKeys(h)
	if len(numbers) == 0 {
		return roaring.New(), nil
	}
	if columns.flag != noFlag {
		if rows, err = x.byFlag(columns.flag, func(set bool) bool { return set }, rows); err != nil || rows.IsEmpty() {
			return rows, err
		}
	}
	matcher := d.lists.Matcher(numbers)
	const sparseFactor = 4 // lower than for columns because lists take longer to read
	from, to := rows.Minimum(), rows.Maximum()+1
	if uint64(to-from) > sparseFactor*rows.GetCardinality() {
		return x.filter(rows, matcher.Match), nil
	}
	const step = 1 << 14
	words := make([]uint64, (to+63)/64)
	for ; from < to && x.stopped() == nil; from += step {
		matcher.MatchRange(from, min(to, from+step), words)
	}
	found := roaring.FromDense(words, false)
	found.And(rows)
	return found, nil
}

// findKeys returns the dictionary ids of the wanted keys. For dimensions whose keys start with an
// id, an id alone matches all keys that start with it.
func (d *listDim) findKeys(h *poststore.Having) (numbers []uint32) {
	for _, key := range h.Keys {
		if number, found := d.dict.Find(key); found && key != "" {
			numbers = append(numbers, number)
		}
		if key == "" || !h.ByID() || strings.Contains(key, " ") {
			continue
		}
		from, to := d.dict.Prefix(key + " ")
		for ; from < to; from++ {
			numbers = append(numbers, from)
		}
	}
	limit := uint32(d.lists.Limit())
	return slices.DeleteFunc(numbers, func(number uint32) bool { return number >= limit })
}

// wantedKeys is a set of keys to find.
type wantedKeys map[string]bool

func newWantedKeys(keys []string) wantedKeys {
	set := make(wantedKeys, len(keys))
	for _, key := range keys {
		set.add(key)
	}
	return set
}

// add adds a key. It ignores the empty key, which no post has.
func (s wantedKeys) add(key string) {
	if key != "" {
		s[key] = true
	}
}

// match returns 1 if the set contains the key, otherwise 0.
func (s wantedKeys) match(key []byte) uint8 {
	if s[string(key)] {
		return 1
	}
	return 0
}
