package local

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
)

// An override is the set of rows that a set contains in a segment after Rematch changed it.
// unmatchedAt are the times of posts that no longer match.
type override struct {
	segment     uint64
	set         poststore.SetID
	rows        *roaring.Bitmap
	unmatchedAt []uint64
	version     uint64 // part of the key of the record
}

func (m *override) key() []byte { return recID(recOverride, m.segment, uint64(m.set), m.version) }

// commitRematch writes changes to sets and publishes a view with them. All affected segments still
// exist unless they were quarantined, because compaction does not run in the meantime.
func (s *Store) commitRematch(changes []override, r poststore.Rematch) error {
	b := s.db.NewBatch()
	defer b.Close()
	if err := s.writeOverrides(b, changes); err != nil {
		return err
	}
	if err := s.space.check(int64(b.Len())); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	segments, err := s.applyOverrides(b, v, changes)
	if err != nil {
		return err
	}
	if err := putGenerations(b, r.Rules); err != nil {
		return err
	}
	if err := forgetRemoved(b, r); err != nil {
		return err
	}
	generations, err := setGenerations(b, v, changes)
	if err != nil {
		return err
	}
	if err := s.commitSynced(b, s.Durable(), 0); err != nil {
		return s.explain(err)
	}
	next := make([]*segmentState, len(v.segments))
	for i, p := range v.segments {
		if next[i] = p; segments[p.id] != nil {
			next[i] = segments[p.id]
		}
	}
	s.publishSets(next, v.position, generations)
	return nil
}

// setGenerations returns the generations of category sets after the changes and adds them to b.
func setGenerations(b *pebble.Batch, v *view, changes []override) (map[poststore.SetID]uint64, error) {
	generations := maps.Clone(v.setGenerations)
	for i := range changes {
		ch := &changes[i]
		if !ch.set.IsCategory() {
			continue
		}
		generations[ch.set] = ch.version
		if err := b.Set(recID(recSetGen, uint64(ch.set)), binary.AppendUvarint(nil, ch.version), nil); err != nil {
			return nil, err
		}
	}
	return generations, nil
}

// writeOverrides adds the rows of changes to b, except those of quarantined segments. The rows may
// be large, so s.mu is not held.
func (s *Store) writeOverrides(b *pebble.Batch, changes []override) error {
	v, err := s.acquire() // rows may be backed by mapped files
	if err != nil {
		return err
	}
	defer v.release()
	for i := range changes {
		ch := &changes[i]
		p := v.find(ch.segment)
		if p == nil {
			continue
		}
		ch.version = s.newID()
		if err := reading(p, func() error { return putRows(b, ch.key(), ch.rows) }); err != nil {
			return err
		}
	}
	return nil
}

// applyOverrides returns the changed segments of a view by id, and adds all records except the rows
// themselves to b. The caller holds s.mu.
func (s *Store) applyOverrides(b *pebble.Batch, v *view, changes []override) (map[uint64]*segmentState, error) {
	segments := map[uint64]*segmentState{}
	everMatched := map[uint64]*roaring.Bitmap{}
	now := s.now()
	for i := range changes {
		ch := &changes[i]
		current := v.find(ch.segment)
		if current == nil { // quarantined in the meantime
			if err := b.Delete(ch.key(), nil); err != nil {
				return nil, err
			}
			continue
		}
		if segments[ch.segment] == nil {
			segments[ch.segment] = current.withOverrides()
		}
		p := segments[ch.segment]
		if err := p.override(b, ch); err != nil {
			return nil, err
		}
		if ch.set.IsCategory() {
			continue // its posts belong to a monitor's set, whose overrides record the change
		}
		p.modified = now
		if err := s.addMatched(everMatched, ch); err != nil {
			return nil, err
		}
		if err := putUnmatched(b, appendUnmatched(nil, ch.set, ch.unmatchedAt, now)); err != nil {
			return nil, err
		}
	}
	return segments, putOverridden(b, segments, everMatched)
}

// putOverridden writes which sets are overridden in segments and which rows a monitor has ever
// matched.
func putOverridden(b *pebble.Batch, segments map[uint64]*segmentState, everMatched map[uint64]*roaring.Bitmap) error {
	for id, p := range segments {
		if err := errors.Join(putIndex(b, id, p.overrides), putModified(b, p)); err != nil {
			return err
		}
	}
	for id, rows := range everMatched {
		if err := putRows(b, recID(recEverMatched, id), rows); err != nil {
			return err
		}
	}
	return nil
}

// override makes a segment returned by withOverrides use an override, and deletes the override it
// replaces.
func (p *segmentState) override(b *pebble.Batch, ch *override) error {
	old, overridden := p.overrides[ch.set]
	p.overrides[ch.set] = ch.version
	if !overridden {
		return nil
	}
	return b.Delete(recID(recOverride, p.id, uint64(ch.set), old), nil)
}

// withOverrides returns a copy of the state with overrides that may be modified.
func (p *segmentState) withOverrides() *segmentState {
	c := *p
	if c.overrides = maps.Clone(c.overrides); c.overrides == nil {
		c.overrides = map[poststore.SetID]uint64{}
	}
	return &c
}

// addMatched adds the rows of a change to the rows that a monitor has ever matched in the segment.
func (s *Store) addMatched(everMatched map[uint64]*roaring.Bitmap, ch *override) error {
	if everMatched[ch.segment] == nil {
		rows, err := getRows(s.db, recID(recEverMatched, ch.segment))
		if err != nil {
			return err
		}
		everMatched[ch.segment] = rows
	}
	everMatched[ch.segment].Or(ch.rows)
	return nil
}

func putGenerations(b *pebble.Batch, rules poststore.Rules) error {
	for id, rule := range rules {
		key := recID(recGeneration, uint64(id))
		var err error
		switch {
		case rule.Generation == 0:
			err = b.Delete(key, nil)
		default:
			err = b.Set(key, binary.AppendVarint(nil, rule.Generation), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetRemoved deletes the records of removed sets.
func forgetRemoved(b *pebble.Batch, r poststore.Rematch) error {
	for id, rule := range r.Rules {
		if !r.From.IsZero() || rule != (poststore.Rule{}) || id.IsCategory() {
			continue // category sets have no such records
		}
		for _, letter := range []byte{recDayCounts, recChangeByTime, recChangeByPosted, recUnmatched, recChangedDay} {
			from, to := recSet(letter, id)
			if err := b.DeleteRange(from, to, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// Generations implements [poststore.Maintainer].
func (s *Store) Generations(ctx context.Context) (map[poststore.SetID]int64, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	generations := map[poststore.SetID]int64{}
	err := each(s.db, recGeneration, func(key, value []byte) error {
		generation, n := binary.Varint(value)
		if n <= 0 {
			return fmt.Errorf("decode the generation of a set: %d bytes", len(value))
		}
		generations[poststore.SetID(readID(key, 0))] = generation
		return ctx.Err()
	})
	return generations, err
}
