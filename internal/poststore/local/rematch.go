package local

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
)

// errStale says that the view in hand is about monitors that were changed since.
var errStale = errors.New("monitors changed meanwhile")

// readMarks returns the rows that a monitor has in a part since it was changed. The
// caller may change them.
func (s *Store) readMarks(p *part, id earshot.MonitorID) (*roaring.Bitmap, error) {
	data, err := get(s.db, recID(recMarks, p.id, uint64(id), p.marks[id]))
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, errStale
	}
	return readRows(data)
}

// Rematch implements poststore.Store. It looks at the files that are there when it is
// called, one at a time, and changes everything in the end; no files are merged meanwhile.
func (s *Store) Rematch(ctx context.Context, r poststore.Rematch) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.room.check(0); err != nil {
		return err
	}
	s.maintain.Lock()
	defer s.maintain.Unlock()
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	var changes []marks
	err := s.askNow(ctx, func(v *view) (err error) {
		changes, err = s.compare(ctx, v, r)
		return err
	})
	if err != nil {
		return err
	}
	return s.mark(changes, r)
}

// marks are the rows of a monitor in a part, and when it had posts that it loses.
type marks struct {
	part    uint64
	monitor earshot.MonitorID
	rows    *roaring.Bitmap
	lost    []uint64
}

// compare returns what the rules change. Fresh parts came after Rematch was called.
func (s *Store) compare(ctx context.Context, v *view, r poststore.Rematch) (changes []marks, err error) {
	var done, total int64
	for _, p := range v.parts {
		total += int64(p.rows)
	}
	for _, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !p.fresh && p.mayHold(&poststore.Selection{From: r.From}) {
			err := reading(p, func() error {
				found, err := s.comparePart(ctx, p, r)
				changes = append(changes, found...)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		if done += int64(p.rows); r.Progress != nil {
			r.Progress(done, total)
		}
	}
	return changes, nil
}

func (s *Store) comparePart(ctx context.Context, p *part, r poststore.Rematch) (changes []marks, err error) {
	from, err := p.file.RowsBefore(r.From)
	if err != nil {
		return nil, err
	}
	live, err := s.rowsOf(p, 0)
	if err != nil {
		return nil, err
	}
	for id, rule := range r.Rules {
		before, err := s.marked(p, id)
		if err != nil {
			return nil, err
		}
		after := before.Clone()
		after.RemoveRange(uint64(from), uint64(p.rows))
		if rule.Where != nil {
			rows, err := p.file.Select(ctx, &poststore.Selection{From: r.From, Where: rule.Where}, live)
			if err != nil {
				return nil, err
			}
			if rule.UpTo != earshot.EndOfJournal {
				arrived, err := p.file.ArrivedUpTo(rule.UpTo)
				if err != nil {
					return nil, err
				}
				rows.And(arrived)
			}
			after.Or(rows)
		}
		if !after.Equals(before) {
			lost, err := vanished(p.file, before, after)
			if err != nil {
				return nil, err
			}
			after.CloneCopyOnWriteContainers() // it is used after the file may be closed
			changes = append(changes, marks{p.id, id, after, lost})
		}
	}
	return changes, nil
}

// mark makes changes of monitors part of the view. The parts are there unless they were
// set aside: nothing is merged meanwhile.
func (s *Store) mark(changes []marks, r poststore.Rematch) error {
	b := s.db.NewBatch()
	defer b.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	parts := map[uint64]*part{}
	now := s.now()
	for _, ch := range changes {
		p := parts[ch.part]
		if p == nil {
			current := v.find(ch.part)
			if current == nil {
				continue
			}
			c := *current
			c.touched = now
			c.marks = maps.Clone(c.marks)
			if c.marks == nil {
				c.marks = map[earshot.MonitorID]uint64{}
			}
			p = &c
			parts[ch.part] = p
		}
		if old, marked := p.marks[ch.monitor]; marked {
			if err := b.Delete(recID(recMarks, p.id, uint64(ch.monitor), old), nil); err != nil {
				return err
			}
		}
		version := s.newID()
		if err := setRows(b, recID(recMarks, p.id, uint64(ch.monitor), version), ch.rows); err != nil {
			return err
		}
		p.marks[ch.monitor] = version
		if err := setLosses(b, appendLosses(nil, ch.monitor, ch.lost, now)); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if err := errors.Join(setIndex(b, p.id, p.marks), setTouched(b, p)); err != nil {
			return err
		}
		ever, err := getRows(s.db, recID(recEver, p.id))
		if err != nil {
			return err
		}
		for _, ch := range changes {
			if ch.part == p.id {
				ever.Or(ch.rows)
			}
		}
		if err := setRows(b, recID(recEver, p.id), ever); err != nil {
			return err
		}
	}
	if err := setStamps(b, r.Rules); err != nil {
		return err
	}
	if err := forgetMonitors(b, r); err != nil {
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
	s.publish(next, v.position)
	return nil
}

func setStamps(b *pebble.Batch, rules poststore.Rules) error {
	for id, rule := range rules {
		key := recID(recStamp, uint64(id))
		var err error
		switch {
		case rule.Stamp == 0:
			err = b.Delete(key, nil)
		default:
			err = b.Set(key, binary.AppendVarint(nil, rule.Stamp), nil)
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
		if !r.From.IsZero() || rule != (poststore.Rule{}) {
			continue
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

// Stamps implements poststore.Store.
func (s *Store) Stamps(ctx context.Context) (map[earshot.MonitorID]int64, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	stamps := map[earshot.MonitorID]int64{}
	err := each(s.db, recStamp, func(key, value []byte) error {
		stamps[earshot.MonitorID(readID(key, 0))], _ = binary.Varint(value)
		return ctx.Err()
	})
	return stamps, err
}
