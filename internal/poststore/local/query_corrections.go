package local

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Corrections are part of the query, not of the segments. Few posts of a segment are corrected, so the
// store treats them separately: it selects rows as if there were no corrections and then decides about
// the corrected rows again, and it counts them in a second pass that reads the corrected values. A
// segment without corrected rows is queried as if there were no corrections.

// correctionsIn returns the corrections of the rows of a segment, or nil if there are none.
func (s *Store) correctionsIn(p *segmentState, all *poststore.Corrections) (*segment.Corrections, error) {
	if all == nil {
		return nil, nil
	}
	found, err := s.rowsOfKeys(p, all.Keys())
	if err != nil || len(found.keys) == 0 {
		return nil, err
	}
	return segment.NewCorrections(found.rows, func(i int) poststore.Correction {
		c, _ := all.At(int(found.keys[i]))
		return c
	}), nil
}

// correctedSet returns the rows of a set, including deleted ones. The caller may modify the result.
func (s *Store) correctedSet(p *segmentState, id poststore.SetID, c *segment.Corrections) (*roaring.Bitmap, error) {
	rows, err := s.setRows(p, id)
	if err == nil && c != nil && id.IsCategory() {
		c.CorrectSet(id, rows)
	}
	return rows, err
}

// isCorrectable reports whether corrections can change the result of a query.
func isCorrectable(of *poststore.Selection, ts []poststore.Tally) bool {
	return of.IsCorrectable() || slices.ContainsFunc(ts, func(t poststore.Tally) bool { return t.IsCorrectable() })
}

// A segmentCounter counts rows of a segment.
type segmentCounter struct {
	segment     *segment.Segment
	tallies     []poststore.Tally
	sets        segment.SetRows
	corrections *segment.Corrections // nil if there are none, or counts do not depend on them
	budget      *segment.Budget
}

func (s *Store) newSegmentCounter(p *segmentState, of *poststore.Selection, ts []poststore.Tally, budget *segment.Budget) (*segmentCounter, error) {
	c := &segmentCounter{segment: p.data, tallies: ts, budget: budget}
	if slices.ContainsFunc(ts, func(t poststore.Tally) bool { return t.IsCorrectable() }) {
		var err error
		if c.corrections, err = s.correctionsIn(p, of.Corrections); err != nil {
			return nil, err
		}
	}
	c.sets = s.setReader(p, c.corrections)
	return c, nil
}

func (c *segmentCounter) count(ctx context.Context, rows *roaring.Bitmap) ([]*segment.Counts, error) {
	return c.segment.CountCorrected(ctx, rows, c.tallies, c.sets, c.budget, c.corrections)
}

// addCorrections adds the corrections of each interval's posts to its fingerprint. It includes posts
// that are not in the set, which makes no difference to counts.
func (s *Store) addCorrections(ctx context.Context, v *view, q *dayQuery, fingerprints []segment.Fingerprint) error {
	all := q.sel.Corrections
	if all == nil {
		return nil
	}
	within := poststore.Selection{From: q.starts[0], To: q.starts[len(q.starts)-1], Corrections: all}
	if err := s.locateKeys(ctx, v, &within); err != nil {
		return err
	}
	added := make([][]segment.Fingerprint, len(v.segments))
	err := parallel.For(ctx, len(v.segments), 0, func(_ context.Context, i int) error {
		p := v.segments[i]
		if !p.overlaps(&within) {
			return nil
		}
		return reading(p, func() (err error) {
			added[i], err = s.correctionFingerprints(p, all, q)
			return err
		})
	})
	if err != nil {
		return err
	}
	for _, ofSegment := range added {
		for day, f := range ofSegment {
			fingerprints[day] = fingerprints[day].Add(f)
		}
	}
	return nil
}

// correctionFingerprints returns, for each interval, the fingerprint of the corrections of a segment's
// posts, or nil if there are none.
func (s *Store) correctionFingerprints(p *segmentState, all *poststore.Corrections, q *dayQuery) ([]segment.Fingerprint, error) {
	found, err := s.rowsOfKeys(p, all.Keys())
	if err != nil || len(found.keys) == 0 {
		return nil, err
	}
	fingerprints := make([]segment.Fingerprint, q.len())
	rows, next := found.rows.ToArray(), 0
	for day := range fingerprints {
		from, err := p.data.RowsBefore(q.starts[day])
		if err != nil {
			return nil, err
		}
		to, err := p.data.RowsBefore(q.starts[day+1])
		if err != nil {
			return nil, err
		}
		for ; next < len(rows) && rows[next] < to; next++ {
			if rows[next] < from || p.isDeleted(rows[next]) {
				continue
			}
			_, hash := all.At(int(found.keys[next]))
			fingerprints[day] = fingerprints[day].Add(segment.Fingerprint{binary.BigEndian.Uint64(hash[:8]), binary.BigEndian.Uint64(hash[8:])})
		}
	}
	return fingerprints, nil
}
