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

// marks are the rows of a monitor or a set in a part, and when a monitor had posts that it
// loses.
type marks struct {
	part    uint64
	monitor poststore.SetID
	rows    *roaring.Bitmap
	lost    []uint64
	version uint64 // under which they are kept
}

// key returns where the rows are kept.
func (m *marks) key() []byte { return recID(recMarks, m.part, uint64(m.monitor), m.version) }

// mark makes changes of monitors part of the view. The parts are there unless they were
// set aside: nothing is merged meanwhile.
func (s *Store) mark(changes []marks, r poststore.Rematch) error {
	b := s.db.NewBatch()
	defer b.Close()
	if err := s.writeMarks(b, changes); err != nil {
		return err
	}
	if err := s.room.check(int64(b.Len())); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	parts, err := s.remark(b, v, changes)
	if err != nil {
		return err
	}
	if err := setStamps(b, r.Rules); err != nil {
		return err
	}
	if err := forgetMonitors(b, r); err != nil {
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
	next := make([]*part, len(v.parts))
	for i, p := range v.parts {
		if next[i] = p; parts[p.id] != nil {
			next[i] = parts[p.id]
		}
	}
	s.publishSets(next, v.position, generations)
	return nil
}

// setGenerations returns the generations of category sets after changes, and adds them to b.
func setGenerations(b *pebble.Batch, v *view, changes []marks) (map[poststore.SetID]uint64, error) {
	generations := maps.Clone(v.setGenerations)
	for i := range changes {
		ch := &changes[i]
		if !ch.monitor.IsCategory() {
			continue
		}
		generations[ch.monitor] = ch.version
		if err := b.Set(recID(recSetGen, uint64(ch.monitor)), binary.AppendUvarint(nil, ch.version), nil); err != nil {
			return nil, err
		}
	}
	return generations, nil
}

// writeMarks adds the rows of changes to b, but for those of parts that are set aside. That
// may be much, so it is done while others change the view.
func (s *Store) writeMarks(b *pebble.Batch, changes []marks) error {
	v, err := s.acquire() // rows may lie in the files
	if err != nil {
		return err
	}
	defer v.release()
	for i := range changes {
		ch := &changes[i]
		p := v.find(ch.part)
		if p == nil {
			continue
		}
		ch.version = s.newID()
		if err := reading(p, func() error { return setRows(b, ch.key(), ch.rows) }); err != nil {
			return err
		}
	}
	return nil
}

// remark returns the parts of a view that changes are about, as they are after them, and
// adds to b what is kept besides the rows. The caller holds s.mu.
func (s *Store) remark(b *pebble.Batch, v *view, changes []marks) (map[uint64]*part, error) {
	parts := map[uint64]*part{}
	ever := map[uint64]*roaring.Bitmap{}
	now := s.now()
	for i := range changes {
		ch := &changes[i]
		p := parts[ch.part]
		if p == nil {
			current := v.find(ch.part)
			if current == nil { // set aside meanwhile
				if err := b.Delete(ch.key(), nil); err != nil {
					return nil, err
				}
				continue
			}
			p = current.remarked()
			parts[ch.part] = p
		}
		if old, marked := p.marks[ch.monitor]; marked {
			if err := b.Delete(recID(recMarks, p.id, uint64(ch.monitor), old), nil); err != nil {
				return nil, err
			}
		}
		p.marks[ch.monitor] = ch.version
		if ch.monitor.IsCategory() {
			continue // its posts are a monitor's, which tells of them
		}
		if err := s.noteMatched(ever, ch); err != nil {
			return nil, err
		}
		p.touched = now
		if err := setLosses(b, appendLosses(nil, ch.monitor, ch.lost, now)); err != nil {
			return nil, err
		}
	}
	for id, p := range parts {
		if err := errors.Join(setIndex(b, id, p.marks), setTouched(b, p)); err != nil {
			return nil, err
		}
	}
	for id, rows := range ever {
		if err := setRows(b, recID(recEver, id), rows); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// remarked returns the part with marks that may be changed.
func (p *part) remarked() *part {
	c := *p
	if c.marks = maps.Clone(c.marks); c.marks == nil {
		c.marks = map[poststore.SetID]uint64{}
	}
	return &c
}

// noteMatched adds the rows of a change to those that monitors have ever had in its part.
func (s *Store) noteMatched(ever map[uint64]*roaring.Bitmap, ch *marks) error {
	if ever[ch.part] == nil {
		rows, err := getRows(s.db, recID(recEver, ch.part))
		if err != nil {
			return err
		}
		ever[ch.part] = rows
	}
	ever[ch.part].Or(ch.rows)
	return nil
}

func setStamps(b *pebble.Batch, rules poststore.Rules) error {
	for id, rule := range rules {
		key := recID(recStamp, uint64(id))
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

// forgetMonitors removes what is kept of monitors that are gone.
func forgetMonitors(b *pebble.Batch, r poststore.Rematch) error {
	for id, rule := range r.Rules {
		if !r.From.IsZero() || rule != (poststore.Rule{}) || id.IsCategory() {
			continue // of sets there is nothing
		}
		for _, letter := range []byte{recDay, recDaily, recGrewAt, recGrewOf, recLost, recSeen} {
			from, to := recOf(letter, id)
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
	err := each(s.db, recStamp, func(key, value []byte) error {
		stamps[poststore.SetID(readID(key, 0))], _ = binary.Varint(value)
		return ctx.Err()
	})
	return stamps, err
}
