package local

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// errStale says that the view in hand is about monitors that were changed since.
var errStale = errors.New("monitors changed meanwhile")

// readMarks returns the rows that a monitor has in a part since it was changed. The
// caller may change them.
func (s *Store) readMarks(p *part, id poststore.SetID) (*roaring.Bitmap, error) {
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
	x := &rematching{Store: s, Rematch: r, upTo: s.current.Load().position}
	s.maintain.Lock()
	defer s.maintain.Unlock()
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	var changes []marks
	err := s.askNow(ctx, func(v *view) (err error) {
		changes, err = x.compare(ctx, v)
		return err
	})
	var p *sortPanic
	if errors.As(err, &p) {
		panic(p.text)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return s.mark(changes, r)
}

// A rematching is a Rematch that is under way.
type rematching struct {
	*Store
	poststore.Rematch
	upTo earshot.Position // of the posts that were there when it began: others are not sorted

	done, total int64 // posts of parts
}

// compare returns what the rules and the sortings change. Fresh parts came after Rematch
// was called.
func (x *rematching) compare(ctx context.Context, v *view) (changes []marks, err error) {
	x.done, x.total = 0, 0
	for _, p := range v.parts {
		x.total += int64(p.rows)
	}
	for _, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !p.fresh {
			err := reading(p, func() error {
				found, err := x.comparePart(ctx, p)
				changes = append(changes, found...)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		x.done += int64(p.rows)
		x.tell(0)
	}
	return changes, nil
}

// tell tells how many posts were looked at: those of parts that are done, and some more.
func (x *rematching) tell(more int64) {
	if x.Progress != nil {
		x.Progress(x.done+more, x.total)
	}
}

func (x *rematching) comparePart(ctx context.Context, p *part) (changes []marks, err error) {
	if p.mayHold(&poststore.Selection{From: x.From}) {
		if changes, err = x.applyRules(ctx, p); err != nil {
			return nil, err
		}
	}
	sorted, err := x.sortPart(ctx, p, changes)
	return append(changes, sorted...), err
}

// applyRules returns what the rules change in a part.
func (x *rematching) applyRules(ctx context.Context, p *part) (changes []marks, err error) {
	from, err := p.file.RowsBefore(x.From)
	if err != nil {
		return nil, err
	}
	live, err := x.rowsOf(p, 0)
	if err != nil {
		return nil, err
	}
	for id, rule := range x.Rules {
		before, err := x.marked(p, id)
		if err != nil {
			return nil, err
		}
		after := before.Clone()
		after.RemoveRange(uint64(from), uint64(p.rows))
		if rule.Where != nil {
			rows, err := p.file.Select(ctx, &poststore.Selection{From: x.From, Where: rule.Where}, live)
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
		if after.Equals(before) {
			continue
		}
		ch := marks{part: p.id, monitor: id, rows: after}
		if !id.IsCategory() {
			if ch.lost, err = vanished(p.file, before, after); err != nil {
				return nil, err
			}
		}
		changes = append(changes, ch)
	}
	return changes, nil
}
