package local

import (
	"context"
	"encoding/json"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore/local/segment"
)

// Delete implements [poststore.Writer].
func (s *Store) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.change(at, nil, func(v *view, c *viewChange) error {
		c.notReplaced, c.purge = true, len(d.Accounts) > 0
		if err := s.rememberDeletion(at, d); err != nil {
			return err
		}
		if d.Source != "" && d.Batch == "" && d.Before.IsZero() && len(d.Pages)+len(d.Accounts) == 0 {
			return s.deleteByKey(v, c, d)
		}
		rows := make([]*roaring.Bitmap, len(v.segments))
		err := parallel.For(ctx, len(v.segments), 0, func(ctx context.Context, i int) error {
			return reading(v.segments[i], func() (err error) {
				rows[i], err = deletedRows(ctx, v.segments[i], d)
				return err
			})
		})
		for i, p := range v.segments {
			c.deleted[p.id] = rows[i]
		}
		return err
	})
}

// deletedRows returns the rows of a segment that a deletion selects and that are not deleted yet.
func deletedRows(ctx context.Context, p *segmentState, d earshot.Deletion) (*roaring.Bitmap, error) {
	rows, err := p.data.DeletionRows(ctx, d)
	if err == nil && p.deleted != nil {
		rows.AndNot(p.deleted)
	}
	return rows, err
}

// deleteByKey determines the rows of a deletion that lists guids of a network. Networks delete posts
// all the time, so it looks the posts up instead of reading all segments. The caller holds s.mu.
func (s *Store) deleteByKey(v *view, c *viewChange, d earshot.Deletion) error {
	var targets []segment.Target
	for _, guid := range d.GUIDs {
		key := segment.KeyOf(earshot.PostKey{Source: d.Source, GUID: guid})
		seconds, known, err := s.timeOf(key)
		if err != nil {
			return err
		}
		if known && guid != "" {
			targets = append(targets, segment.Target{Key: key, Seconds: seconds})
		}
	}
	for _, p := range v.segments {
		among := within(targets, p)
		if len(among) == 0 {
			continue
		}
		if err := reading(p, func() error { return deleteTargets(p, c, among) }); err != nil {
			return err
		}
	}
	return nil
}

// deleteTargets is deleteByKey for a single segment.
func deleteTargets(p *segmentState, c *viewChange, targets []segment.Target) error {
	found, err := p.data.Find(targets)
	if err != nil {
		return err
	}
	rows := roaring.New()
	for _, row := range found {
		if row != segment.NoRow && !p.isDeleted(row) {
			rows.Add(row)
		}
	}
	c.deleted[p.id] = rows
	return nil
}

// rememberDeletion records a deletion while segments are quarantined, so that it can be applied to
// them if they turn out to be readable. The caller holds s.mu.
func (s *Store) rememberDeletion(at earshot.Position, d earshot.Deletion) error {
	if len(s.quarantined) == 0 {
		return nil
	}
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return s.db.Set(recID(recDeletion, uint64(at)), data, pebble.NoSync)
}

// deleteChunk is the number of keys deleted while s.mu is held. Larger chunks would block writers
// for longer.
const deleteChunk = 10_000

// deleteKeys deletes the keys of deleted posts in chunks because there may be millions. It runs
// after the deletion is on disk, and skips keys of posts that were added again since. If it does
// not finish, the remaining keys are harmless: they refer to posts that lookups do not find.
func (s *Store) deleteKeys(f *flushBatch) {
	for _, gone := range f.pending.deleted {
		err := reading(&segmentState{data: gone.file}, func() error {
			keys, err := gone.file.Keys(gone.rows)
			if err != nil {
				return err
			}
			chunk := make([]segment.Key, 0, deleteChunk)
			for key := range keys {
				if chunk = append(chunk, key); len(chunk) == deleteChunk {
					if err := s.deleteSomeKeys(chunk, f); err != nil {
						return err
					}
					chunk = chunk[:0]
				}
			}
			return s.deleteSomeKeys(chunk, f)
		})
		gone.file.Release()
		if err != nil {
			s.log.Warn("could not delete the keys of deleted posts", "error", err)
		}
	}
	f.pending.deleted = nil
}

func (s *Store) deleteSomeKeys(keys []segment.Key, f *flushBatch) error {
	b := s.db.NewBatch()
	defer b.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		_, came := f.pending.keys[key]
		_, comes := s.pending.keys[key]
		if came || comes {
			continue
		}
		if err := b.Delete(postKey(key), nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}
