package local

import (
	"context"
	"encoding/binary"
	"slices"
	"time"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// Days implements poststore.Store.
func (s *Store) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) (answers [][][]poststore.Row, err error) {
	for i := range ts {
		if err := enginekit.CheckTally(&ts[i]); err != nil {
			return nil, err
		}
	}
	err = s.query(ctx, func(v *view) (err error) {
		d := newDaily(of, starts, ts, v.setGenerations)
		answers, err = s.countDaily(ctx, v, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// Fingerprint implements poststore.Store: it is the sum of the fingerprints that day results
// are valid by.
func (s *Store) Fingerprint(ctx context.Context, m poststore.SetID, from, to time.Time) (version poststore.Fingerprint, err error) {
	err = s.query(ctx, func(v *view) error {
		prints, _, err := s.dayPrints(ctx, v, m, []time.Time{from, to})
		if err == nil {
			binary.BigEndian.PutUint64(version[:8], prints[0][0])
			binary.BigEndian.PutUint64(version[8:], prints[0][1])
		}
		return err
	})
	return version, err
}

// A daily is a question about days, each by itself. What is asked of a day together is kept
// together, as it is answered: cut and in order.
type daily struct {
	of      poststore.Selection
	starts  []time.Time // of the days, and the end of the last
	tallies []poststore.Tally
	id      questionID
	kept    bool                // whether answers may be kept
	nothing [][]poststore.Row   // answer to each tally for a day without posts
	answers [][][]poststore.Row // by tally and day
	budget  *segment.Budget     // of the answers
}

func newDaily(of poststore.Selection, starts []time.Time, ts []poststore.Tally, generations map[poststore.SetID]uint64) *daily {
	d := &daily{of: of, starts: starts, tallies: ts, nothing: make([][]poststore.Row, len(ts))}
	d.id, d.kept = questionOf(&of, ts, generations)
	for i := range ts {
		if len(ts[i].By) == 0 {
			d.nothing[i] = []poststore.Row{{Key: []string{}, Sums: make([]int64, len(ts[i].Sum))}}
		}
	}
	return d
}

// days returns how many there are.
func (d *daily) days() int { return max(len(d.starts)-1, 0) }

// countDaily answers a question about days.
func (s *Store) countDaily(ctx context.Context, v *view, d *daily) ([][][]poststore.Row, error) {
	d.begin()
	if d.days() == 0 {
		return d.answers, nil
	}
	missing := make([]int, d.days())
	for day := range missing {
		missing[day] = day
	}
	var prints []segment.Fingerprint
	var settled []bool
	if d.kept {
		var err error
		if prints, settled, err = s.dayPrints(ctx, v, d.of.Set, d.starts); err != nil {
			return nil, err
		}
		missing = s.recall(d, prints, missing)
		if missing, err = s.readKept(d, prints, missing); err != nil {
			return nil, err
		}
	}
	for stretch := range slices.Chunk(missing, stretchDays) {
		counted, err := s.countEach(ctx, v, d.of, d.starts, stretch, d.tallies)
		if err != nil {
			return nil, err
		}
		for n, day := range stretch {
			if err := d.take(day, counted[n]); err != nil {
				return nil, err
			}
		}
		if d.kept {
			s.keepDaily(d, stretch, prints, settled, counted)
		}
	}
	return d.answers, nil
}

// begin makes room for the answers.
func (d *daily) begin() {
	d.budget = segment.NewBudget(segment.MaxQueryBytes)
	d.answers = make([][][]poststore.Row, len(d.tallies))
	all := make([][]poststore.Row, len(d.tallies)*d.days())
	for i := range d.answers {
		d.answers[i], all = all[:d.days():d.days()], all[d.days():]
	}
}

// take takes the rows of a day, those of all tallies. It fails when they become too many.
func (d *daily) take(day int, rows [][]poststore.Row) error {
	var bytes int64
	for i, ofTally := range rows {
		d.answers[i][day] = ofTally
		bytes += int64(len(ofTally)) * rowBytes
	}
	return d.budget.Reserve(bytes)
}

// recall answers what is remembered of some days, and what is plain of those without posts.
// It returns the others.
func (s *Store) recall(d *daily, prints []segment.Fingerprint, days []int) (others []int) {
	s.answered.mu.Lock()
	defer s.answered.mu.Unlock()
	for _, day := range days {
		rows := d.nothing
		if prints[day] != (segment.Fingerprint{}) {
			var known bool
			if rows, known = s.answered.kept[answerName{d.id, prints[day]}]; !known {
				others = append(others, day)
				continue
			}
		}
		for i := range rows {
			d.answers[i][day] = rows[i]
		}
	}
	return others
}
