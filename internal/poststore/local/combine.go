package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"syscall"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// combine merges parts into a new file, and returns it and where their rows are now. It
// returns nil when nothing is left of them.
func (s *Store) combine(ctx context.Context, parts []*part, expired map[uint64]*roaring.Bitmap, o segment.Options) (made *part, moved [][]uint32, err error) {
	if !(&view{parts: parts}).retain() {
		return nil, nil, errStale // one was set aside meanwhile
	}
	defer (&view{parts: parts}).release()
	inputs := make([]segment.Input, len(parts))
	left := 0
	for i, p := range parts {
		drop := p.gone
		if more := expired[p.id]; more != nil {
			drop = more
		}
		left += p.rows
		if drop != nil {
			left -= int(drop.GetCardinality())
		}
		if inputs[i], err = s.input(p, drop); err != nil {
			return nil, nil, err
		}
	}
	if left == 0 {
		return nil, nil, nil
	}
	return s.join(ctx, parts, inputs, o)
}

// input returns a part for a merge, without some of its rows.
func (s *Store) input(p *part, drop *roaring.Bitmap) (segment.Input, error) {
	monitors, err := s.allMarks(p)
	if err != nil {
		return segment.Input{}, err
	}
	since, err := getRows(s.db, recID(recEver, p.id))
	return segment.Input{Segment: p.file, Drop: drop, Overrides: monitors, EverMatched: since}, err
}

// join merges inputs into a new file. Parts are those that can be to blame when it fails.
func (s *Store) join(ctx context.Context, parts []*part, inputs []segment.Input, o segment.Options) (made *part, moved [][]uint32, err error) {
	id := s.newID()
	err = reading(&part{file: inputs[0].Segment}, func() (err error) {
		moved, err = segment.Merge(ctx, s.path(id), inputs, o)
		return err
	})
	if err != nil {
		return nil, nil, blame(parts, err)
	}
	made, err = s.openNew(id, o)
	return made, moved, err
}

// swap puts a part in the place of those it was made of and commits b, to which it adds
// what makes the part exist. Rows that have gone since are gone from the new part, too.
// made is nil when nothing was left of the old ones. The caller holds s.mu.
func (s *Store) swap(b *pebble.Batch, old []*part, made *part, moved [][]uint32, durable earshot.Position) error {
	v := s.current.Load()
	gone := roaring.New()
	replaced := map[uint64]bool{}
	for i, p := range old {
		replaced[p.id] = true
		now := v.find(p.id)
		if now != nil && made != nil && now.touched.After(made.touched) {
			made.touched = now.touched
		}
		if now != nil && now.gone != nil && made != nil {
			for it := now.gone.Iterator(); it.HasNext(); {
				if row := moved[i][it.Next()]; row != segment.NoRow {
					gone.Add(row)
				}
			}
		}
		if err := s.forget(b, p); err != nil {
			return err
		}
	}
	parts := make([]*part, 0, len(v.parts))
	for _, p := range v.parts {
		if !replaced[p.id] {
			parts = append(parts, p)
		}
	}
	if made != nil {
		made = s.without(made, gone)
		parts = append(parts, made)
		if err := setJSON(b, recID(recFile, made.id), fileRecord{Rows: made.rows, First: made.first.Unix(), After: made.last.Unix() + 1, Plain: made.plain}); err != nil {
			return err
		}
		if err := setTouched(b, made); err != nil {
			return err
		}
		if !gone.IsEmpty() {
			if err := setRows(b, recID(recGone, made.id), gone); err != nil {
				return err
			}
		}
	}
	if err := s.setState(b, durable); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	for id := range replaced {
		delete(s.dirty, id)
	}
	s.durable.Store(uint64(durable))
	s.publish(parts, v.position)
	return nil
}

// explain makes errors of a full disk those that callers know.
func (s *Store) explain(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &earshot.Error{Kind: errFull.Kind, Message: errFull.Message, Err: err}
	}
	return err
}

// blame finds the part that an error of a merge is about.
func blame(parts []*part, err error) error {
	var bad *damage
	if !errors.As(err, &bad) {
		return err
	}
	for _, p := range parts {
		if check := reading(p, p.file.Verify); check != nil {
			return &damage{p, check}
		}
	}
	return fmt.Errorf("merge: %v", bad.err) // none of them is: what was wrong has passed
}

// allMarks returns the sets of rows that monitors have in a part since they were changed.
func (s *Store) allMarks(p *part) (map[poststore.SetID]*roaring.Bitmap, error) {
	if len(p.marks) == 0 {
		return nil, nil
	}
	sets := make(map[poststore.SetID]*roaring.Bitmap, len(p.marks))
	for id := range maps.Keys(p.marks) {
		rows, err := s.readMarks(p, id)
		if err != nil {
			return nil, err
		}
		sets[id] = rows
	}
	return sets, nil
}
