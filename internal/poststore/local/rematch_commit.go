package local

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
)

// override are the rows of a monitor or a set in a part, and when a monitor had posts that it
// loses.
type override struct {
	segment     uint64
	set         poststore.SetID
	rows        *roaring.Bitmap
	unmatchedAt []uint64
	version     uint64 // under which they are kept
}

// key returns where the rows are kept.
func (m *override) key() []byte { return recID(recOverride, m.segment, uint64(m.set), m.version) }

// commitRematch makes changes of monitors part of the view. The parts are there unless they were
// set aside: nothing is merged meanwhile.
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
	parts, err := s.applyOverrides(b, v, changes)
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
	if err := s.setState(b, s.Durable()); err != nil { // for the ids that were given out
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return s.explain(err)
	}
	next := make([]*segmentState, len(v.segments))
	for i, p := range v.segments {
		if next[i] = p; parts[p.id] != nil {
			next[i] = parts[p.id]
		}
	}
	s.publishSets(next, v.position, generations)
	return nil
}

// setGenerations returns the generations of category sets after changes, and adds them to b.
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

// writeOverrides adds the rows of changes to b, but for those of parts that are set aside. That
// may be much, so it is done while others change the view.
func (s *Store) writeOverrides(b *pebble.Batch, changes []override) error {
	v, err := s.acquire() // rows may lie in the files
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

// applyOverrides returns the parts of a view that changes are about, as they are after them, and
// adds to b what is kept besides the rows. The caller holds s.mu.
func (s *Store) applyOverrides(b *pebble.Batch, v *view, changes []override) (map[uint64]*segmentState, error) {
	parts := map[uint64]*segmentState{}
	ever := map[uint64]*roaring.Bitmap{}
	now := s.now()
	for i := range changes {
		ch := &changes[i]
		p := parts[ch.segment]
		if p == nil {
			current := v.find(ch.segment)
			if current == nil { // set aside meanwhile
				if err := b.Delete(ch.key(), nil); err != nil {
					return nil, err
				}
				continue
			}
			p = current.withOverrides()
			parts[ch.segment] = p
		}
		if old, marked := p.overrides[ch.set]; marked {
			if err := b.Delete(recID(recOverride, p.id, uint64(ch.set), old), nil); err != nil {
				return nil, err
			}
		}
		p.overrides[ch.set] = ch.version
		if ch.set.IsCategory() {
			continue // its posts are a monitor's, which tells of them
		}
		if err := s.noteMatched(ever, ch); err != nil {
			return nil, err
		}
		p.modified = now
		if err := putUnmatched(b, appendUnmatched(nil, ch.set, ch.unmatchedAt, now)); err != nil {
			return nil, err
		}
	}
	for id, p := range parts {
		if err := errors.Join(putIndex(b, id, p.overrides), putModified(b, p)); err != nil {
			return nil, err
		}
	}
	for id, rows := range ever {
		if err := putRows(b, recID(recEverMatched, id), rows); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// withOverrides returns the part with marks that may be changed.
func (p *segmentState) withOverrides() *segmentState {
	c := *p
	if c.overrides = maps.Clone(c.overrides); c.overrides == nil {
		c.overrides = map[poststore.SetID]uint64{}
	}
	return &c
}

// noteMatched adds the rows of a change to those that monitors have ever had in its part.
func (s *Store) noteMatched(ever map[uint64]*roaring.Bitmap, ch *override) error {
	if ever[ch.segment] == nil {
		rows, err := getRows(s.db, recID(recEverMatched, ch.segment))
		if err != nil {
			return err
		}
		ever[ch.segment] = rows
	}
	ever[ch.segment].Or(ch.rows)
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

// forgetRemoved removes what is kept of monitors that are gone.
func forgetRemoved(b *pebble.Batch, r poststore.Rematch) error {
	for id, rule := range r.Rules {
		if !r.From.IsZero() || rule != (poststore.Rule{}) || id.IsCategory() {
			continue // of sets there is nothing
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

// Generations implements poststore.Store.
func (s *Store) Generations(ctx context.Context) (map[poststore.SetID]int64, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	stamps := map[poststore.SetID]int64{}
	err := each(s.db, recGeneration, func(key, value []byte) error {
		stamps[poststore.SetID(readID(key, 0))], _ = binary.Varint(value)
		return ctx.Err()
	})
	return stamps, err
}
