package local

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// maxScannedRows is the number of rows per key up to which reading the keys of a whole segment is
// faster than looking up each key in Pebble.
const maxScannedRows = 200

// keyRows are the rows of a segment that have one of the keys of a set, including deleted ones. They
// are immutable, because the segment is.
type keyRows struct {
	rows *roaring.Bitmap
	keys []uint32 // by row, in ascending order: the index of its key in the set
}

// havingKey returns the rows in among, or of the entire segment if among is nil, that have one of the
// keys. It does not modify among.
func (s *Store) havingKey(p *segmentState, keys *poststore.KeySet, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	found, err := s.rowsOfKeys(p, keys)
	if err != nil {
		return nil, err
	}
	if among == nil {
		return found.rows.Clone(), nil
	}
	return roaring.And(among, found.rows), nil
}

// rowsOfKeys returns the rows that have one of the keys. It scans the segment unless they are cached.
func (s *Store) rowsOfKeys(p *segmentState, keys *poststore.KeySet) (keyRows, error) {
	if found, ok := s.keyRows.get(p, keys); ok {
		return found, nil
	}
	rows, err := p.data.ScanKeys(keysOf(keys))
	if err != nil {
		return keyRows{}, err
	}
	return s.keyRows.put(p, keys, rows), nil
}

// locateKeys looks up the keys of a selection in Pebble and caches their rows in large segments,
// which would take long to scan.
func (s *Store) locateKeys(ctx context.Context, v *view, of *poststore.Selection) error {
	var sets []*poststore.KeySet
	if of.Keys != nil {
		sets = append(sets, of.Keys)
	}
	if of.Corrections != nil {
		sets = append(sets, of.Corrections.Keys())
	}
	for _, keys := range sets {
		var large []*segmentState
		for _, p := range v.segments {
			if !p.inMemory && p.overlaps(of) && p.rows > maxScannedRows*keys.Len() && !s.keyRows.has(p, keys) {
				large = append(large, p)
			}
		}
		if err := s.locateIn(ctx, v, large, keys); err != nil {
			return err
		}
	}
	for i := range of.Except {
		if err := s.locateKeys(ctx, v, &of.Except[i]); err != nil {
			return err
		}
	}
	return nil
}

// locateIn looks up keys and caches their rows in some segments of a view. It does nothing if the
// view is no longer current, because Pebble may then be ahead of it.
func (s *Store) locateIn(ctx context.Context, v *view, segments []*segmentState, of *poststore.KeySet) error {
	if len(segments) == 0 {
		return nil
	}
	stored := s.db.NewSnapshot()
	defer stored.Close()
	if s.current.Load() != v {
		return nil
	}
	keys := keysOf(of)
	targets, err := seekAll(ctx, stored, keys)
	if err != nil {
		return err
	}
	return parallel.For(ctx, len(segments), 0, func(_ context.Context, i int) error {
		p := segments[i]
		return reading(p, func() error {
			among := within(targets, p)
			found, err := p.data.Find(among)
			if err != nil {
				return err
			}
			var rows []segment.KeyRow
			for n, row := range found {
				if row != segment.NoRow {
					key, _ := slices.BinarySearchFunc(keys, among[n].Key, segment.Key.Compare)
					rows = append(rows, segment.KeyRow{Row: row, Key: uint32(key)})
				}
			}
			slices.SortFunc(rows, func(a, b segment.KeyRow) int { return cmp.Compare(a.Row, b.Row) })
			s.keyRows.put(p, of, rows)
			return nil
		})
	})
}

// A keyRowCache caches the rows of key sets. It is cleared when it is full because they are quick to
// find again. The zero cache is empty and ready to use.
type keyRowCache struct {
	mu      sync.Mutex
	size    int                   // guarded by mu
	entries map[keyRowsOf]keyRows // guarded by mu
}

// keyRowsOf identifies the rows of a key set in a segment.
type keyRowsOf struct {
	segment uint64
	keys    poststore.Fingerprint
}

// maxKeyRows is the maximum number of cached rows, 6 to 8 bytes each (8 MB). Each map entry counts
// as keyRowEntry rows.
const (
	maxKeyRows  = 1_000_000
	keyRowEntry = 20
)

func (c *keyRowCache) get(p *segmentState, keys *poststore.KeySet) (keyRows, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[keyRowsOf{p.id, keys.Fingerprint()}]
	return found, ok
}

func (c *keyRowCache) has(p *segmentState, keys *poststore.KeySet) bool {
	_, ok := c.get(p, keys)
	return ok
}

// put caches rows, which must be in ascending order, and returns them.
func (c *keyRowCache) put(p *segmentState, keys *poststore.KeySet, rows []segment.KeyRow) keyRows {
	found := keyRows{rows: roaring.New(), keys: make([]uint32, len(rows))}
	for i, row := range rows {
		found.rows.Add(row.Row)
		found.keys[i] = row.Key
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := keyRowsOf{p.id, keys.Fingerprint()}
	if _, known := c.entries[name]; known {
		return found
	}
	if c.size += len(rows) + keyRowEntry; c.size > maxKeyRows || c.entries == nil {
		c.entries = map[keyRowsOf]keyRows{}
		c.size = len(rows) + keyRowEntry
	}
	c.entries[name] = found
	return found
}
