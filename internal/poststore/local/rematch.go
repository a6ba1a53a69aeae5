package local

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// errStale reports that a view is outdated because sets changed or a segment was quarantined.
var errStale = errors.New("the view is out of date")

// readOverride returns the rows of an overridden set in a segment. The caller may modify them.
func (s *Store) readOverride(p *segmentState, id poststore.SetID) (*roaring.Bitmap, error) {
	data, err := get(s.db, recID(recOverride, p.id, uint64(id), p.overrides[id]))
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, errStale
	}
	return readRows(data)
}

// Rematch implements [poststore.Maintainer]. It evaluates the segments that exist when it is
// called, one after another, and commits all changes at the end. Compaction does not run in the
// meantime.
func (s *Store) Rematch(ctx context.Context, r poststore.Rematch) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.space.check(0); err != nil {
		return err
	}
	x := &rematchJob{Store: s, Rematch: r, upTo: s.current.Load().position}
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	var changes []override
	err := s.queryEntered(ctx, func(v *view) (err error) {
		changes, err = x.compare(ctx, v)
		return err
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return s.commitRematch(changes, r)
}

// A rematchJob is a running Rematch.
type rematchJob struct {
	*Store
	poststore.Rematch
	upTo earshot.Position // position when the job began; later posts are not categorized

	done, total int64 // posts in segments
}

// compare returns the changes that the rules and categorizations cause. It skips segments in memory
// because they were appended after Rematch was called.
func (x *rematchJob) compare(ctx context.Context, v *view) (changes []override, err error) {
	x.done, x.total = 0, 0
	for _, p := range v.segments {
		x.total += int64(p.rows)
	}
	for _, p := range v.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !p.inMemory {
			err := reading(p, func() error {
				found, err := x.compareSegment(ctx, p)
				changes = append(changes, found...)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		x.done += int64(p.rows)
		x.report(0)
	}
	return changes, nil
}

// report calls Progress with the number of posts in finished segments plus more.
func (x *rematchJob) report(more int64) {
	if x.Progress != nil {
		x.Progress(x.done+more, x.total)
	}
}

func (x *rematchJob) compareSegment(ctx context.Context, p *segmentState) (changes []override, err error) {
	if p.overlaps(&poststore.Selection{From: x.From}) {
		if changes, err = x.applyRules(ctx, p); err != nil {
			return nil, err
		}
	}
	categorized, err := x.categorizeSegment(ctx, p, changes)
	return append(changes, categorized...), err
}

func (x *rematchJob) applyRules(ctx context.Context, p *segmentState) (changes []override, err error) {
	from, err := p.data.RowsBefore(x.From)
	if err != nil {
		return nil, err
	}
	live, err := x.liveRows(p, 0, nil)
	if err != nil {
		return nil, err
	}
	for set, rule := range x.Rules {
		before, err := x.setRows(p, set)
		if err != nil {
			return nil, err
		}
		after := before.Clone()
		after.RemoveRange(uint64(from), uint64(p.rows))
		if rule.Where != nil {
			selected, err := x.selectRule(ctx, p, live, rule)
			if err != nil {
				return nil, err
			}
			after.Or(selected)
		}
		if after.Equals(before) {
			continue
		}
		ch := override{segment: p.id, set: set, rows: after}
		if !set.IsCategory() {
			if ch.unmatchedAt, err = vanished(p.data, before, after); err != nil {
				return nil, err
			}
		}
		changes = append(changes, ch)
	}
	return changes, nil
}

func (x *rematchJob) selectRule(ctx context.Context, p *segmentState, live *roaring.Bitmap, rule poststore.Rule) (*roaring.Bitmap, error) {
	rows, err := p.data.Select(ctx, &poststore.Selection{From: x.From, Where: rule.Where}, live)
	if err != nil || rule.UpTo == earshot.EndOfJournal {
		return rows, err
	}
	arrived, err := p.data.ArrivedUpTo(rule.UpTo)
	if err != nil {
		return nil, err
	}
	rows.And(arrived)
	return rows, nil
}
