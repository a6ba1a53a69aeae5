package local

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Changed implements [poststore.Reader]. It stores its result for each day with a fingerprint of
// the day's posts and reuses the result until the fingerprint changes.
func (s *Store) Changed(ctx context.Context, set poststore.SetID, starts []time.Time) (changed []time.Time, err error) {
	if len(starts) < 2 {
		return []time.Time{}, ctx.Err()
	}
	err = s.query(ctx, func(v *view) (err error) {
		changed, err = s.changed(ctx, v, set, starts)
		return err
	})
	return changed, err
}

func (s *Store) changed(ctx context.Context, v *view, set poststore.SetID, starts []time.Time) ([]time.Time, error) {
	fingerprints, _, err := s.dayFingerprints(ctx, v, set, starts)
	if err != nil {
		return nil, err
	}
	stored, err := s.readChangedDays(set, starts)
	if err != nil {
		return nil, err
	}
	changed := make([]time.Time, len(fingerprints))
	var others []int // days without a stored result for their current fingerprint
	for d, fingerprint := range fingerprints {
		if changed[d] = stored[d].at; changed[d].IsZero() || stored[d].fingerprint != fingerprint {
			others = append(others, d)
		}
	}
	if len(others) == 0 {
		return changed, nil
	}
	x := &changeScan{Store: s, set: set, starts: starts, fingerprints: fingerprints, days: others}
	modified, err := x.latest(ctx, v)
	if err != nil {
		return nil, err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for i, d := range others {
		at := modified[i]
		if known := stored[d].at; !known.IsZero() && !at.After(known) {
			at = s.now() // no trace of the change is left
		}
		if changed[d] = at; !at.IsZero() {
			b.Set(changedDayKey(set, starts, d), appendChangedDay(nil, changedDay{fingerprints[d], at}), nil) // fails only if the batch is closed
		}
	}
	s.commitCache(b)
	return changed, nil
}

// A changeScan determines when a set's posts on some days were last modified.
type changeScan struct {
	*Store
	set          poststore.SetID
	starts       []time.Time
	fingerprints []segment.Fingerprint
	days         []int
}

// latest returns, for each day in x.days, the latest modification time of any segment that contains
// or contained posts of that day, which is no earlier than the last change to those posts. It
// returns the zero time for a day that never had posts.
func (x *changeScan) latest(ctx context.Context, v *view) ([]time.Time, error) {
	latest, err := x.unmatched()
	if err != nil {
		return nil, err
	}
	has := make([][]bool, len(v.segments))
	all := &poststore.Selection{From: x.starts[0], To: x.starts[len(x.starts)-1]}
	err = parallel.For(ctx, len(v.segments), 0, func(_ context.Context, i int) error {
		p := v.segments[i]
		if !p.overlaps(all) {
			return nil
		}
		return reading(p, func() (err error) {
			has[i], err = x.inSegment(p)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for i, inPart := range has {
		for n, has := range inPart {
			if at := v.segments[i].modified; has && at.After(latest[n]) {
				latest[n] = at
			}
		}
	}
	return latest, nil
}

// inSegment reports, for each day in x.days, whether the segment contains posts of the day,
// including deleted ones.
func (x *changeScan) inSegment(p *segmentState) ([]bool, error) {
	gone, err := x.deletedTimes.get(x.Store, p, x.set)
	if err != nil {
		return nil, err
	}
	var rows *roaring.Bitmap
	has := make([]bool, len(x.days))
	for n, d := range x.days {
		day := &poststore.Selection{From: x.starts[d], To: x.starts[d+1]}
		if !p.overlaps(day) {
			continue
		}
		if x.fingerprints[d] == (segment.Fingerprint{}) { // the day has no rows except deleted ones
			at, _ := slices.BinarySearch(gone, segment.Seconds(day.From))
			has[n] = at < len(gone) && gone[at] < segment.Seconds(day.To)
			continue
		}
		if rows == nil {
			if rows, err = x.setRows(p, x.set); err != nil {
				return nil, err
			}
		}
		from, err := p.data.RowsBefore(day.From)
		if err != nil {
			return nil, err
		}
		to, err := p.data.RowsBefore(day.To)
		if err != nil {
			return nil, err
		}
		has[n] = rows.IntersectsWithInterval(uint64(from), uint64(to))
	}
	return has, nil
}

// unmatched returns, for each day in x.days, when a post of the day last left the set without a
// trace in any segment.
func (x *changeScan) unmatched() (_ []time.Time, err error) {
	from, to := recSet(recUnmatched, x.set)
	it, err := x.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	latest := make([]time.Time, len(x.days))
	for n, d := range x.days {
		end := segment.Seconds(x.starts[d+1])
		for ok := it.SeekGE(recID(recUnmatched, uint64(x.set), segment.Seconds(x.starts[d]))); ok && readID(it.Key(), 1) < end; ok = it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				return nil, err
			}
			if at := lastUnmatched(value); at.After(latest[n]) {
				latest[n] = at
			}
		}
	}
	return latest, it.Error()
}
