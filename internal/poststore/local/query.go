package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// query calls answer with the current view. If answer finds a damaged segment, query quarantines
// the segment and calls answer again with a newer view. It also does so if the view changed while
// answer needed the current one (errStale).
func (s *Store) query(ctx context.Context, answer func(v *view) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.queryEntered(ctx, answer)
}

// queryEntered is query for callers that have called enter.
func (s *Store) queryEntered(ctx context.Context, answer func(v *view) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := s.acquire()
		if err != nil {
			return err
		}
		err = answer(v)
		v.release()
		var bad *damageError
		switch {
		case errors.As(err, &bad):
			if err := s.quarantine(bad); err != nil {
				return err
			}
		case !errors.Is(err, errStale):
			return err
		}
	}
}

// eachSegment selects rows in all segments that overlap the selection, in parallel, and calls visit
// with the rows of segment i unless there are none.
func (s *Store) eachSegment(ctx context.Context, v *view, of *poststore.Selection, visit func(i int, p *segmentState, rows *roaring.Bitmap) error) error {
	if err := s.locateKeys(ctx, v, of); err != nil {
		return err
	}
	return parallel.For(ctx, len(v.segments), 0, func(ctx context.Context, i int) error {
		p := v.segments[i]
		if !p.overlaps(of) {
			return nil
		}
		return reading(p, func() error {
			rows, err := s.selectRows(ctx, p, of)
			if err != nil || rows.IsEmpty() {
				return err
			}
			return visit(i, p, rows)
		})
	})
}

func (s *Store) selectRows(ctx context.Context, p *segmentState, of *poststore.Selection) (*roaring.Bitmap, error) {
	var corrections *segment.Corrections
	var err error
	if of.IsCorrectable() {
		if corrections, err = s.correctionsIn(p, of.Corrections); err != nil {
			return nil, err
		}
	}
	among, err := s.liveRows(p, of.Set, corrections)
	if err != nil || among != nil && among.IsEmpty() {
		return among, err
	}
	return s.selectAmong(ctx, p, of, among, corrections)
}

// selectAmong returns the selected rows among those of the selection's set, or all rows of the
// segment if among is nil. It does not modify among.
func (s *Store) selectAmong(ctx context.Context, p *segmentState, of *poststore.Selection, among *roaring.Bitmap, c *segment.Corrections) (*roaring.Bitmap, error) {
	var err error
	if of.Keys != nil {
		if among, err = s.havingKey(p, of.Keys, among); err != nil || among.IsEmpty() {
			return among, err
		}
	}
	if len(of.Categories.Sets) > 0 {
		if among, err = s.filterCategories(ctx, p, of, among, c); err != nil || among.IsEmpty() {
			return among, err
		}
		others := *of
		others.Categories = poststore.CategoryFilter{}
		of = &others
	}
	rows, err := p.data.SelectCorrected(ctx, of, among, c)
	if err != nil {
		return nil, err
	}
	for i := range of.Except {
		if err := s.removeRows(ctx, p, &of.Except[i], rows, c); err != nil || rows.IsEmpty() {
			return rows, err
		}
	}
	return rows, nil
}

// removeRows removes the selected rows from rows.
func (s *Store) removeRows(ctx context.Context, p *segmentState, of *poststore.Selection, rows *roaring.Bitmap, c *segment.Corrections) error {
	among := rows
	if of.Set != 0 {
		set, err := s.correctedSet(p, of.Set, c)
		if err != nil {
			return err
		}
		set.And(rows)
		among = set
	}
	selected, err := s.selectAmong(ctx, p, of, among, c)
	if err != nil {
		return err
	}
	rows.AndNot(selected)
	return nil
}

// liveRows returns the rows of a set that are not deleted; set 0 contains all posts. A nil result
// means all rows of the segment.
func (s *Store) liveRows(p *segmentState, id poststore.SetID, c *segment.Corrections) (rows *roaring.Bitmap, err error) {
	switch {
	case id == 0 && p.deleted == nil:
		return nil, nil
	case id == 0:
		rows = roaring.New()
		rows.AddRange(0, uint64(p.rows))
	default:
		if rows, err = s.correctedSet(p, id, c); err != nil {
			return nil, err
		}
	}
	if p.deleted != nil {
		rows.AndNot(p.deleted)
	}
	return rows, nil
}

// setRows returns the rows of a set, including deleted ones. The caller may modify the result.
func (s *Store) setRows(p *segmentState, id poststore.SetID) (*roaring.Bitmap, error) {
	if _, changed := p.overrides[id]; changed {
		return s.readOverride(p, id)
	}
	return p.data.Set(id)
}

// Posts implements [poststore.Reader].
func (s *Store) Posts(ctx context.Context, of poststore.Selection, limit int) (posts []earshot.Post, total int64, err error) {
	if limit < 0 {
		return nil, 0, fmt.Errorf("list posts: negative limit %d", limit)
	}
	err = s.query(ctx, func(v *view) (err error) {
		posts, total, err = s.newest(ctx, v, &of, limit)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return posts, total, nil
}

// newestRows are the newest selected rows of a segment.
type newestRows struct {
	segment *segmentState
	total   int64
	rows    []uint32 // newest first
	times   []time.Time
}

// newest finds the newest rows of each segment, then reads only the posts that are among the newest
// of all segments.
func (s *Store) newest(ctx context.Context, v *view, of *poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	all := make([]newestRows, len(v.segments))
	err := s.eachSegment(ctx, v, of, func(i int, p *segmentState, rows *roaring.Bitmap) (err error) {
		all[i] = newestRows{segment: p, total: int64(rows.GetCardinality()), rows: lastRows(rows, limit)}
		all[i].times, err = p.data.Times(all[i].rows)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	var total int64
	for _, f := range all {
		total += f.total
	}
	oldest := oldestOf(all, limit)
	lists := make([][]earshot.Post, len(all))
	err = parallel.For(ctx, len(all), 0, func(_ context.Context, i int) error {
		f := &all[i]
		n, _ := slices.BinarySearchFunc(f.times, oldest, func(t, oldest time.Time) int {
			if t.Before(oldest) {
				return 1
			}
			return -1
		})
		if n == 0 || limit == 0 {
			return nil
		}
		return reading(f.segment, func() (err error) {
			lists[i], err = f.segment.data.Posts(f.rows[:n])
			return err
		})
	})
	if err != nil {
		return nil, 0, err
	}
	posts := mergeSorted(lists, limit)
	for i := range posts {
		of.Corrections.Apply(&posts[i])
	}
	return posts, total, nil
}

// oldestOf returns the time of the oldest of the limit newest rows, or the zero time if there are
// fewer rows.
func oldestOf(all []newestRows, limit int) (oldest time.Time) {
	next := make([]int, len(all)) // next index in the times of each segment
	for range limit {
		newest := -1
		for i := range all {
			if next[i] < len(all[i].times) && (newest < 0 || all[i].times[next[i]].After(all[newest].times[next[newest]])) {
				newest = i
			}
		}
		if newest < 0 {
			return time.Time{}
		}
		oldest = all[newest].times[next[newest]]
		next[newest]++
	}
	return oldest
}

// mergeSorted returns the first limit posts of several sorted lists, in order.
func mergeSorted(lists [][]earshot.Post, limit int) []earshot.Post {
	lists = slices.DeleteFunc(lists, func(list []earshot.Post) bool { return len(list) == 0 })
	if len(lists) == 1 {
		return lists[0][:min(limit, len(lists[0]))]
	}
	var all []*earshot.Post // posts are large, so sort pointers and copy once
	for _, list := range lists {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	slices.SortFunc(all, earshot.ComparePosts)
	posts := make([]earshot.Post, min(limit, len(all)))
	for i := range posts {
		posts[i] = *all[i]
	}
	return posts
}

// lastRows returns up to limit of the last rows, in descending order.
func lastRows(rows *roaring.Bitmap, limit int) []uint32 {
	n := min(uint64(limit), rows.GetCardinality())
	last := make([]uint32, 0, n)
	for it := rows.ReverseIterator(); it.HasNext() && uint64(len(last)) < n; {
		last = append(last, it.Next())
	}
	return last
}

// Tallies implements [poststore.Reader]. It adds up a single tally of complete days from the day
// cache. Several tallies share one pass over the posts, which is faster than looking up or counting
// the days of each.
func (s *Store) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) (rows [][]poststore.Row, err error) {
	for i := range ts {
		if err := enginekit.CheckTally(&ts[i]); err != nil {
			return nil, err
		}
	}
	err = s.query(ctx, func(v *view) error {
		if len(ts) == 1 {
			sum, ok, err := s.sumDays(ctx, v, &of, &ts[0])
			if rows = [][]poststore.Row{sum}; ok || err != nil {
				return err
			}
		}
		rows, err = s.count(ctx, v, &of, ts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (s *Store) count(ctx context.Context, v *view, of *poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	budget := segment.NewBudget(segment.MaxQueryBytes)
	counts := make([][]*segment.Counts, len(v.segments))
	err := s.eachSegment(ctx, v, of, func(i int, p *segmentState, rows *roaring.Bitmap) error {
		c, err := s.newSegmentCounter(p, of, ts, budget)
		if err == nil {
			counts[i], err = c.count(ctx, rows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.sum(ctx, v, ts, slices.Concat(counts...))
}

// sum adds up the counts of all segments, with the tallies in parallel: adding up many authors
// takes as long as counting them.
func (s *Store) sum(ctx context.Context, v *view, ts []poststore.Tally, counts []*segment.Counts) ([][]poststore.Row, error) {
	rows := make([][]poststore.Row, len(ts))
	err := parallel.For(ctx, len(ts), 0, func(_ context.Context, i int) error {
		return summing(v, len(counts), func() (err error) {
			rows[i], err = segment.SumTally(ts, i, counts)
			return err
		})
	})
	return rows, err
}

// summing calls f, which adds up the counts of segments and may read any of them.
func summing(v *view, segments int, f func() error) error {
	if segments == 0 {
		return f()
	}
	return findDamaged(v.segments, reading(v.segments[0], f))
}
