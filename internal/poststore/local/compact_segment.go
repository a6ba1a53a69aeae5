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

// compactInto merges segments into a new one. It returns the new segment and, for each old segment,
// the new row of each old row. If no rows are left, it returns nil.
func (s *Store) compactInto(ctx context.Context, segments []*segmentState, expired map[uint64]*roaring.Bitmap, o segment.Options) (made *segmentState, moved [][]uint32, err error) {
	if !(&view{segments: segments}).retain() {
		return nil, nil, errStale // a segment was quarantined in the meantime
	}
	defer (&view{segments: segments}).release()
	inputs := make([]segment.Input, len(segments))
	left := 0
	for i, p := range segments {
		drop := p.droppable()
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
	return s.mergeInputs(ctx, segments, inputs, o)
}

// input returns a segment as an input to a merge, without the rows in drop.
func (s *Store) input(p *segmentState, drop *roaring.Bitmap) (segment.Input, error) {
	monitors, err := s.readOverrides(p)
	if err != nil {
		return segment.Input{}, err
	}
	since, err := getRows(s.db, recID(recEverMatched, p.id))
	return segment.Input{Segment: p.data, Drop: drop, Overrides: monitors, EverMatched: since}, err
}

// mergeInputs merges inputs into a new segment. If that fails, it checks segments for damage.
func (s *Store) mergeInputs(ctx context.Context, segments []*segmentState, inputs []segment.Input, o segment.Options) (made *segmentState, moved [][]uint32, err error) {
	id, err := s.newSegmentID()
	if err != nil {
		return nil, nil, err
	}
	err = reading(&segmentState{data: inputs[0].Segment}, func() (err error) {
		moved, err = segment.Merge(ctx, s.path(id), inputs, o)
		return err
	})
	if err != nil {
		return nil, nil, findDamaged(segments, err)
	}
	made, err = s.openNew(id, o)
	return made, moved, err
}

// commitSegment replaces old segments with the one made from them. It adds the segment's records to
// b and commits b. Rows deleted while the segment was made are deleted from it too. made is nil if
// no rows were left. The deleted rows of the segments in flushed are in b. The caller holds s.mu.
func (s *Store) commitSegment(b *pebble.Batch, old []*segmentState, made *segmentState, moved [][]uint32, durable earshot.Position, flushed map[uint64]*segmentState) error {
	v := s.current.Load()
	replaced, listed := map[uint64]bool{}, 0
	for _, p := range old {
		replaced[p.id] = true
		if err := errors.Join(s.deleteRecords(b, p), putObsolete(b, p)); err != nil {
			return err
		}
		if !p.inMemory {
			listed--
		}
	}
	segments := make([]*segmentState, 0, len(v.segments))
	for _, p := range v.segments {
		if replaced[p.id] {
			continue
		}
		if f := flushed[p.id]; f != nil {
			p = p.withDeletedOnDisk(f.deleted)
		}
		segments = append(segments, p)
	}
	if made != nil {
		made = s.catchUp(v, old, made, moved)
		segments = append(segments, made)
		listed++
		if err := putSegment(b, made); err != nil {
			return err
		}
	}
	if err := s.commitSynced(b, durable, listed); err != nil {
		return err
	}
	for id := range replaced {
		delete(s.dirty, id)
	}
	if made != nil && made.deleted != made.deletedOnDisk {
		s.dirty[made.id] = struct{}{}
	}
	s.durable.Store(uint64(durable))
	s.publish(segments, v.position)
	return nil
}

// catchUp returns the new segment after applying deletions that happened to the old segments while
// it was made, and with their latest modification time. moved maps old rows to new rows.
func (s *Store) catchUp(v *view, old []*segmentState, made *segmentState, moved [][]uint32) *segmentState {
	deleted, onDisk := roaring.New(), roaring.New()
	for i, p := range old {
		now := v.find(p.id)
		if now == nil {
			continue
		}
		if now.modified.After(made.modified) {
			made.modified = now.modified
		}
		made.purge = made.purge || now.purge
		if now.deleted == nil {
			continue
		}
		for it := now.deleted.Iterator(); it.HasNext(); {
			before := it.Next()
			row := moved[i][before]
			if row == segment.NoRow {
				continue
			}
			deleted.Add(row)
			if now.deletedOnDisk != nil && now.deletedOnDisk.Contains(before) {
				onDisk.Add(row)
			}
		}
	}
	made = s.withDeleted(made, deleted)
	switch {
	case onDisk.Equals(deleted):
		made.deletedOnDisk = made.deleted
	case !onDisk.IsEmpty():
		made.deletedOnDisk = onDisk
	}
	return made
}

// putSegment writes the records of a segment. The segment exists once they are committed.
func putSegment(b *pebble.Batch, p *segmentState) error {
	if err := errors.Join(putJSON(b, recID(recSegment, p.id), p.record()), b.Delete(recID(recObsolete, p.id), nil), putModified(b, p)); err != nil {
		return err
	}
	if p.deletedOnDisk == nil {
		return nil
	}
	return putRows(b, recID(recDeleted, p.id), p.deletedOnDisk)
}

// explain converts disk-full errors to the error that callers expect.
func (s *Store) explain(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &earshot.Error{Kind: errFull.Kind, Message: errFull.Message, Err: err}
	}
	return err
}

// findDamaged determines which segment caused a merge to fail.
func findDamaged(segments []*segmentState, err error) error {
	var bad *damageError
	if !errors.As(err, &bad) {
		return err
	}
	for _, p := range segments {
		if check := reading(p, p.data.Verify); check != nil {
			return &damageError{p, check}
		}
	}
	return fmt.Errorf("merge segments: %v", bad.err) // no segment is damaged, so the failure was transient
}

// readOverrides returns the rows of all overridden sets of a segment.
func (s *Store) readOverrides(p *segmentState) (map[poststore.SetID]*roaring.Bitmap, error) {
	if len(p.overrides) == 0 {
		return nil, nil
	}
	sets := make(map[poststore.SetID]*roaring.Bitmap, len(p.overrides))
	for id := range maps.Keys(p.overrides) {
		rows, err := s.readOverride(p, id)
		if err != nil {
			return nil, err
		}
		sets[id] = rows
	}
	return sets, nil
}
