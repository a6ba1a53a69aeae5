package local

import (
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Find implements [poststore.Reader].
func (s *Store) Find(ctx context.Context, keys []earshot.PostKey) (posts []earshot.Post, err error) {
	wanted := keysOf(poststore.NewKeySet(slices.Values(keys)))
	err = s.query(ctx, func(v *view) (err error) {
		posts, err = s.find(ctx, v, wanted)
		return err
	})
	if err != nil {
		return nil, err
	}
	return posts, nil
}

// find looks up the keys in Pebble to get the times at which to search segments on disk, and scans
// segments in memory. It returns errStale if the view is no longer current, because Pebble may then
// be ahead of it.
func (s *Store) find(ctx context.Context, v *view, wanted []segment.Key) ([]earshot.Post, error) {
	stored := s.db.NewSnapshot()
	defer stored.Close()
	if s.current.Load() != v {
		return nil, errStale
	}
	sought, err := seekAll(ctx, stored, wanted)
	if err != nil {
		return nil, err
	}
	lists := make([][]earshot.Post, len(v.segments))
	err = parallel.For(ctx, len(v.segments), 0, func(_ context.Context, i int) error {
		p := v.segments[i]
		return reading(p, func() error {
			rows, err := p.findRows(sought, wanted)
			if err != nil || len(rows) == 0 {
				return err
			}
			lists[i], err = p.data.Posts(rows)
			return err
		})
	})
	return slices.Concat(lists...), err
}

// seekAll looks up keys and returns the stored ones with the times of their posts.
func seekAll(ctx context.Context, stored pebble.Reader, keys []segment.Key) ([]segment.Target, error) {
	const chunk = 64
	chunks := slices.Collect(slices.Chunk(keys, chunk))
	found := make([][]segment.Target, len(chunks))
	err := parallel.For(ctx, len(chunks), 0, func(_ context.Context, i int) error {
		for _, k := range chunks[i] {
			seconds, known, err := storedTime(stored, k)
			if err != nil {
				return err
			}
			if known {
				found[i] = append(found[i], segment.Target{Key: k, Seconds: seconds})
			}
		}
		return nil
	})
	return slices.Concat(found...), err
}

// findRows returns the rows of a segment that have one of the wanted keys, in ascending order. In
// segments on disk it searches only for the targets in sought.
func (p *segmentState) findRows(sought []segment.Target, wanted []segment.Key) (rows []uint32, err error) {
	add := func(row uint32) {
		if row != segment.NoRow && !p.isDeleted(row) {
			rows = append(rows, row)
		}
	}
	if p.inMemory {
		found, err := p.data.ScanKeys(wanted)
		for _, f := range found {
			add(f.Row)
		}
		return rows, err
	}
	among := within(sought, p)
	if len(among) == 0 {
		return nil, nil
	}
	found, err := p.data.Find(among)
	for _, row := range found {
		add(row)
	}
	slices.Sort(rows)
	return rows, err
}

// keysOf returns the keys of a set in ascending order.
func keysOf(set *poststore.KeySet) []segment.Key {
	keys := make([]segment.Key, 0, set.Len())
	for sum := range set.Sums() {
		keys = append(keys, segment.Key(sum))
	}
	return keys
}
