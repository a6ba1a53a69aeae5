package segment

import (
	"context"
	"math/bits"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// DeletionRows returns the rows that a deletion selects, consistent with enginekit.DeletionMatcher.
func (s *Segment) DeletionRows(ctx context.Context, d earshot.Deletion) (*roaring.Bitmap, error) {
	if !d.Valid() {
		return roaring.New(), nil
	}
	rows, err := s.origin(d)
	if err == nil && d.Source != "" {
		err = s.restrict(rows, colSource, dictSource, string(d.Source))
	}
	if err == nil && d.Batch != "" {
		err = s.restrict(rows, colBatch, dictBatch, d.Batch)
	}
	if err == nil && !d.Before.IsZero() {
		err = s.keepBefore(rows, d.Before)
	}
	switch {
	case err != nil || rows.IsEmpty():
		return rows, err
	case len(d.Accounts) > 0:
		return s.Select(ctx, &poststore.Selection{Accounts: d.Accounts}, rows)
	case len(d.GUIDs)+len(d.URLs)+len(d.Pages) > 0:
		return s.listed(rows, d)
	}
	return rows, nil
}

// origin returns the rows of the content source of a deletion, or all rows.
func (s *Segment) origin(d earshot.Deletion) (*roaring.Bitmap, error) {
	if d.Everywhere() {
		return rowRange(0, uint32(s.Rows())), nil
	}
	return s.between(colContentSource, uint64(d.ContentSource), uint64(d.ContentSource))
}

// restrict removes the rows whose value in a column with a dictionary differs from a value.
func (s *Segment) restrict(rows *roaring.Bitmap, column, dict, value string) error {
	if rows.IsEmpty() {
		return nil
	}
	with, err := s.withValue(column, dict, value)
	if err == nil {
		rows.And(with)
	}
	return err
}

// keepBefore removes the rows at or after a time.
func (s *Segment) keepBefore(rows *roaring.Bitmap, t time.Time) error {
	first, err := s.RowsBefore(t)
	if err == nil {
		rows.RemoveRange(uint64(first), uint64(s.Rows()))
	}
	return err
}

// withValue returns the rows with a value in a column with a dictionary.
func (s *Segment) withValue(column, dict, value string) (*roaring.Bitmap, error) {
	names, err := s.Strings(dict)
	if err != nil {
		return nil, err
	}
	id, found := names.Find(value)
	if !found {
		return roaring.New(), nil
	}
	return s.between(column, uint64(id), uint64(id))
}

// listed returns the rows among rows that a list of a deletion contains.
func (s *Segment) listed(rows *roaring.Bitmap, d earshot.Deletion) (*roaring.Bitmap, error) {
	found := roaring.New()
	for _, page := range d.Pages {
		if page == "" {
			continue
		}
		with, err := s.withValue(colPage, dictPage, page)
		if err != nil {
			return nil, err
		}
		found.Or(with)
	}
	found.And(rows)
	if len(d.GUIDs)+len(d.URLs) == 0 {
		return found, nil
	}
	named, err := s.named(rows, d)
	if err != nil {
		return nil, err
	}
	found.Or(named)
	return found, nil
}

// named returns the rows among rows whose guid or URL is listed in a deletion.
func (s *Segment) named(rows *roaring.Bitmap, d earshot.Deletion) (*roaring.Bitmap, error) {
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	hashes, err := s.Uints(colURL)
	if err != nil {
		return nil, err
	}
	guids := newPostKeySet(len(d.GUIDs))
	for _, guid := range d.GUIDs {
		if guid != "" {
			guids.add(KeyOf(earshot.PostKey{ContentSource: d.ContentSource, Source: d.Source, GUID: guid}))
		}
	}
	urls := make(map[uint64]struct{}, len(d.URLs))
	for _, url := range d.URLs {
		if url != "" && d.ContentSource != 0 {
			urls[urlHash(url)] = struct{}{}
		}
	}
	words := make([]uint64, (keys.rows+63)/64)
	for row := range roaring.Values(rows) {
		named := guids.has(keys.at(row))
		if !named && len(urls) > 0 {
			_, named = urls[hashes.At(row)]
		}
		if named {
			words[row/64] |= 1 << (row % 64)
		}
	}
	return roaring.FromDense(words, false), nil
}

// A postKeySet is a set of keys. A bitmap of key prefixes rejects most keys that are not in the set
// without a map lookup. Keys are hashes, so their prefixes are uniformly distributed.
type postKeySet struct {
	keys     map[Key]struct{}
	prefixes bitset
	mask     uint32
}

func newPostKeySet(n int) *postKeySet {
	size := uint32(1) << bits.Len(uint(min(16*n, 1<<24)))
	return &postKeySet{keys: make(map[Key]struct{}, n), prefixes: newBitset(int(size)), mask: size - 1}
}

func (s *postKeySet) add(k Key) {
	s.keys[k] = struct{}{}
	s.prefixes.set(uint32(k.high()) & s.mask)
}

func (s *postKeySet) has(k Key) bool {
	if !s.prefixes.has(uint32(k.high()) & s.mask) {
		return false
	}
	_, ok := s.keys[k]
	return ok
}

// ArrivedUpTo returns the rows from journal entries up to and including a position.
func (s *Segment) ArrivedUpTo(position earshot.Position) (*roaring.Bitmap, error) {
	return s.between(colArrived, 0, uint64(position))
}

// IngestedBefore returns the rows ingested on UTC days before day.
func (s *Segment) IngestedBefore(day time.Time) (*roaring.Bitmap, error) {
	n := dayOf(day)
	if n == 0 {
		return roaring.New(), nil
	}
	return s.between(colIngested, 0, n-1)
}

// InferredBefore returns the rows whose attributes were never inferred, or last inferred by models
// of an earlier version.
func (s *Segment) InferredBefore(models uint32) (*roaring.Bitmap, error) {
	if models == 0 {
		return roaring.New(), nil
	}
	return s.between(colModels, 0, uint64(models)-1)
}

// between returns the rows whose number in a column is in [lo, hi].
func (s *Segment) between(name string, lo, hi uint64) (*roaring.Bitmap, error) {
	column, err := s.Uints(name)
	if err != nil {
		return nil, err
	}
	rows := roaring.New()
	switch {
	case s.Rows() == 0 || lo > column.Max() || hi < column.Min():
		return rows, nil
	case lo <= column.Min() && column.Max() <= hi:
		rows.AddRange(0, uint64(s.Rows()))
		return rows, nil
	}
	base := column.Base()
	lo, hi = max(lo, base)-base, min(hi, column.Max())-base
	column.Visit(
		func(v []uint8) { rows = rowsBetween(v, lo, hi) },
		func(v []uint16) { rows = rowsBetween(v, lo, hi) },
		func(v []uint32) { rows = rowsBetween(v, lo, hi) },
		func(v []uint64) { rows = rowsBetween(v, lo, hi) })
	return rows, nil
}

// rowsBetween is between for a column of a specific width. The base is already subtracted from lo
// and hi.
func rowsBetween[T uint8 | uint16 | uint32 | uint64](column []T, lo, hi uint64) *roaring.Bitmap {
	words := make([]uint64, 0, (len(column)+63)/64)
	for ; len(column) > 0; column = column[min(64, len(column)):] {
		var word uint64
		for i, v := range column[:min(64, len(column))] {
			var bit uint64
			if uint64(v)-lo <= hi-lo { // values below lo wrap around
				bit = 1
			}
			word |= bit << (i & 63)
		}
		words = append(words, word)
	}
	return roaring.FromDense(words, false)
}
