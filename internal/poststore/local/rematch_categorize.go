package local

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
)

// categorizeRows is the number of rows that a goroutine reads and categorizes at once.
const categorizeRows = 4096

// categorizeSegment returns the changes that the categorizations cause in a segment, given the
// changes that the rules cause there.
func (x *rematchJob) categorizeSegment(ctx context.Context, p *segmentState, changes []override) (changed []override, err error) {
	if len(x.Categorizations) == 0 {
		return nil, nil
	}
	known, err := p.data.ArrivedUpTo(x.upTo)
	if err != nil {
		return nil, err
	}
	var categorizers []*categorizer
	progress := &categorizeProgress{job: x, rows: int64(p.rows)}
	for i := range x.Categorizations {
		z := newCategorizer(p, &x.Categorizations[i], progress)
		if z.rows, err = x.selectUncategorized(z, known, changes); err != nil {
			return nil, err
		}
		progress.total += int64(z.rows.GetCardinality())
		categorizers = append(categorizers, z)
	}
	for _, z := range categorizers {
		if err := z.run(ctx); err != nil {
			return nil, err
		}
		more, err := x.changedSets(z, known)
		if err != nil {
			return nil, err
		}
		changed = append(changed, more...)
	}
	return changed, nil
}

func (x *rematchJob) selectUncategorized(z *categorizer, known *roaring.Bitmap, changes []override) (rows *roaring.Bitmap, err error) {
	of := func(ch override) bool { return ch.set == z.Posts }
	if i := slices.IndexFunc(changes, of); i >= 0 {
		rows = changes[i].rows.Clone()
	} else if rows, err = x.setRows(z.segmentState, z.Posts); err != nil {
		return nil, err
	}
	rows.And(known)
	if z.deleted != nil {
		rows.AndNot(z.deleted)
	}
	for _, id := range z.Retained {
		set, err := x.setRows(z.segmentState, id)
		if err != nil {
			return nil, err
		}
		z.retained.Or(set)
	}
	z.retained.And(rows)
	if z.Categorize == nil {
		return roaring.New(), nil
	}
	rows.AndNot(z.retained)
	return rows, nil
}

// changedSets returns the category sets that changed. It ignores deleted rows and leaves rows
// outside known unchanged.
func (x *rematchJob) changedSets(z *categorizer, known *roaring.Bitmap) (changes []override, err error) {
	for id, rows := range z.sets {
		before, err := x.setRows(z.segmentState, id)
		if err != nil {
			return nil, err
		}
		if z.deleted != nil {
			before.AndNot(z.deleted)
		}
		stay := roaring.AndNot(before, known)
		stay.Or(roaring.And(before, z.retained))
		rows.Or(stay)
		if !rows.Equals(before) {
			changes = append(changes, override{segment: z.id, set: id, rows: rows})
		}
	}
	return changes, nil
}

// A categorizer applies one categorization to a segment.
type categorizer struct {
	*segmentState
	*poststore.Categorization
	rows     *roaring.Bitmap // to categorize
	retained *roaring.Bitmap // already categorized
	progress *categorizeProgress

	mu   sync.Mutex
	sets map[poststore.SetID]*roaring.Bitmap // guarded by mu
	done uint64                              // guarded by mu; number of categorized rows
}

func newCategorizer(p *segmentState, sorting *poststore.Categorization, progress *categorizeProgress) *categorizer {
	z := &categorizer{segmentState: p, Categorization: sorting, retained: roaring.New(), progress: progress, sets: map[poststore.SetID]*roaring.Bitmap{}}
	for _, id := range sorting.Sets {
		z.sets[id] = roaring.New()
	}
	return z
}

var errUnfinished = errors.New("a goroutine exited while categorizing posts")

func (z *categorizer) run(ctx context.Context) error {
	chunks := slices.Collect(slices.Chunk(z.rows.ToArray(), categorizeRows))
	err := parallel.For(ctx, len(chunks), 0, func(_ context.Context, i int) error {
		if z.progress.job.closed.Load() {
			return ErrClosed // Close waits for this job
		}
		return z.some(chunks[i])
	})
	if err == nil && z.done != z.rows.GetCardinality() {
		return errUnfinished
	}
	return err
}

// some categorizes a chunk of rows.
func (z *categorizer) some(rows []uint32) error {
	found := map[poststore.SetID][]uint32{}
	var sets []poststore.SetID
	err := reading(z.segmentState, func() error {
		return z.data.EachPost(rows, func(row uint32, p *earshot.Post) error {
			sets = z.call(sets[:0], p)
			for _, id := range sets {
				found[id] = append(found[id], row)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	for id, rows := range found {
		set := z.sets[id]
		if set == nil {
			return fmt.Errorf("a post of set %d was assigned to set %d, which is not part of the categorization", z.Posts, id)
		}
		set.AddMany(rows)
	}
	z.done += uint64(len(rows))
	z.progress.add(len(rows))
	return nil
}

// call calls Categorize. It wraps panics so that they are never mistaken for damage to the segment.
func (z *categorizer) call(sets []poststore.SetID, p *earshot.Post) []poststore.SetID {
	defer func() {
		if r := recover(); r != nil {
			panic(&parallel.Panic{Value: r, Stack: debug.Stack()})
		}
	}()
	return z.Categorize(sets, p)
}

// A categorizeProgress reports the progress of categorizing a segment, as if categorizing took all
// of the time spent on the segment.
type categorizeProgress struct {
	job   *rematchJob
	rows  int64 // number of rows in the segment
	total int64 // number of rows to categorize, summed over all categorizations

	mu   sync.Mutex
	done int64 // guarded by mu
}

func (s *categorizeProgress) add(rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += int64(rows)
	s.job.report(s.rows * s.done / s.total)
}
