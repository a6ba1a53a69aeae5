package local

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

var (
	errReadOnly  = errors.New("the post store is open for reading only")
	errNotClosed = errors.New("the service has ended without storing everything. Please start and stop it once")
)

var _ poststore.Exporter = (*Store)(nil)

// OpenExport opens a store for copying its contents. It changes nothing, and neither does the store:
// there is no work in the background, and writing methods fail. A damaged store is not opened.
func OpenExport(ctx context.Context, o Options) (_ *Store, err error) {
	s := newStore(o)
	s.readOnly = true
	s.space = &diskSpace{free: func() int64 { return 0 }} // no space for caches
	c, err := checkBeforeOpen(s.dir, o.Installation)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	case c.copying:
		return nil, fmt.Errorf("the posts in %s are incomplete: %w", s.dir, poststore.ErrUnfinishedCopy)
	case c.state.Commit == 0:
		return nil, fmt.Errorf("there are no posts in %s, or only an earlier version has used them. Please start and stop the service once", s.dir)
	}
	if s.db, err = openReadOnly(s.stateDir()); err != nil {
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	}
	if err := s.loadExport(); err != nil {
		return nil, errors.Join(fmt.Errorf("open post store %s: %w", s.dir, err), s.db.Close())
	}
	_, s.stop = context.WithCancel(ctx)
	return s, nil
}

// loadExport is load for a store that must not change.
func (s *Store) loadExport() error {
	state, err := s.loadState()
	if err != nil {
		return err
	}
	s.state, s.installation = state, state.Installation
	s.durable.Store(uint64(state.Position))
	s.lastID.Store(state.LastID)
	if err := s.loadCountersAt(); err != nil {
		return err
	}
	if s.countersAt > state.Position {
		return errNotClosed // the target would count changes of counters twice
	}
	err = each(s.db, recQuarantined, func(_, _ []byte) error {
		return errors.New("segments are quarantined, so that posts are missing. Please run 'earshot repair'")
	})
	if err != nil {
		return err
	}
	segments, bad, err := s.loadSegments()
	if err == nil && len(bad) > 0 {
		err = fmt.Errorf("%v. Please run 'earshot repair'", bad[0])
	}
	generations, generationsErr := s.loadSetGenerations()
	if err = errors.Join(err, generationsErr); err != nil {
		for _, p := range segments {
			p.data.Close()
		}
		return err
	}
	s.publishSets(segments, state.Position, generations)
	return nil
}

// ExportPosts implements [poststore.Exporter].
func (s *Store) ExportPosts(ctx context.Context, after poststore.CopyCursor, limit int) (posts []poststore.StoredPost, err error) {
	err = s.query(ctx, func(v *view) error {
		x := &export{Store: s, view: v, limit: limit}
		rows, err := x.next(ctx, after)
		if err != nil {
			return err
		}
		posts, err = x.read(ctx, rows)
		return err
	})
	return posts, err
}

// An export reads posts of a view.
type export struct {
	*Store
	*view
	limit int
}

// An exportRow is a row in the order of copies.
type exportRow struct {
	poststore.CopyCursor
	segment int // in the view
	row     uint32
}

// next returns the rows of the next posts after a cursor.
func (x *export) next(ctx context.Context, after poststore.CopyCursor) ([]exportRow, error) {
	for {
		end, err := x.end(after.Second)
		if err != nil {
			return nil, err
		}
		rows, err := x.between(ctx, after, end)
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 || end == math.MaxInt64 {
			return rows[:min(len(rows), x.limit)], nil
		}
		after = poststore.CopyCursor{Second: end} // all rows before it are deleted
	}
}

// end returns a second before which there are at least limit rows from a second on, deleted ones
// included, or the end of time if there are fewer.
func (x *export) end(from int64) (int64, error) {
	count := func(to int64) (n int, err error) {
		for _, p := range x.segments {
			if p.last.Unix() < from || p.first.Unix() >= to {
				continue
			}
			err := reading(p, func() error {
				first, err := p.data.RowsBefore(time.Unix(from, 0))
				if err != nil {
					return err
				}
				end, err := p.data.RowsBefore(time.Unix(to, 0))
				n += int(end - min(first, end))
				return err
			})
			if err != nil {
				return 0, err
			}
		}
		return n, nil
	}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, p := range x.segments {
		first, last = min(first, p.first.Unix()), max(last, p.last.Unix())
	}
	low, high := max(from, first), last+1
	if from = low; low >= high {
		return math.MaxInt64, nil
	}
	for low+1 < high { // invariant: there are fewer before low, and enough before high if at all
		middle := low + (high-low)/2
		n, err := count(middle)
		if err != nil {
			return 0, err
		}
		if n < x.limit {
			low = middle
		} else {
			high = middle
		}
	}
	if high > last {
		return math.MaxInt64, nil
	}
	return high, nil
}

// between returns the rows of all posts after a cursor and before a second, in order.
func (x *export) between(ctx context.Context, after poststore.CopyCursor, end int64) (rows []exportRow, err error) {
	for i, p := range x.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if p.last.Unix() < after.Second || p.first.Unix() >= end {
			continue
		}
		err := reading(p, func() error {
			among := roaring.New()
			from, to := uint32(0), uint32(p.rows)
			var err error
			if after.Second > math.MinInt64 {
				if from, err = p.data.RowsBefore(time.Unix(after.Second, 0)); err != nil {
					return err
				}
			}
			if end < math.MaxInt64 {
				if to, err = p.data.RowsBefore(time.Unix(end, 0)); err != nil {
					return err
				}
			}
			among.AddRange(uint64(from), uint64(max(from, to)))
			if p.deleted != nil {
				among.AndNot(p.deleted)
			}
			keys, err := p.data.Keys(among)
			if err != nil {
				return err
			}
			it := among.Iterator()
			for key, seconds := range keys {
				at := poststore.CopyCursor{Second: int64(seconds - 1<<63), Key: poststore.KeySum(key)}
				if row := it.Next(); at.Compare(after) > 0 {
					rows = append(rows, exportRow{at, i, row})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(rows, func(a, b exportRow) int { return a.Compare(b.CopyCursor) })
	return rows, nil
}

// read returns the posts of rows, in the same order.
func (x *export) read(ctx context.Context, rows []exportRow) ([]poststore.StoredPost, error) {
	places := map[int][]int{} // by segment: indexes of rows, in the order of the segment
	for i, r := range rows {
		places[r.segment] = append(places[r.segment], i)
	}
	posts := make([]poststore.StoredPost, len(rows))
	for n, of := range places {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(of, func(a, b int) int { return cmp.Compare(rows[a].row, rows[b].row) })
		inSegment := make([]uint32, len(of))
		for i, place := range of {
			inSegment[i] = rows[place].row
		}
		p := x.segments[n]
		if err := reading(p, func() error { return x.readSegment(p, inSegment, of, posts) }); err != nil {
			return nil, err
		}
	}
	return posts, nil
}

// readSegment reads ascending rows of a segment. The post of rows[i] becomes posts[places[i]].
func (x *export) readSegment(p *segmentState, rows []uint32, places []int, posts []poststore.StoredPost) error {
	found, err := p.data.Posts(rows)
	if err != nil {
		return err
	}
	recorded, err := p.data.ReinferredRows(rows, found)
	if err != nil {
		return err
	}
	for i, r := range recorded {
		posts[places[i]] = poststore.StoredPost{Post: found[i], Arrived: r.Arrived, Stored: r.Ingested}
	}
	among := roaring.BitmapOf(rows...)
	each := func(set *roaring.Bitmap, visit func(*poststore.StoredPost)) {
		n := 0
		for row := range roaring.Values(roaring.And(set, among)) {
			for rows[n] < row {
				n++
			}
			visit(&posts[places[n]])
		}
	}
	ids, err := x.setsIn(p)
	if err != nil {
		return err
	}
	for _, id := range ids { // ascending
		set, err := x.setRows(p, id)
		if err != nil {
			return err
		}
		each(set, func(post *poststore.StoredPost) { post.Sets = append(post.Sets, id) })
	}
	matched, err := x.everMatched(p)
	if err != nil {
		return err
	}
	each(matched, func(post *poststore.StoredPost) { post.Matched = true })
	return nil
}

// SetIDs implements [poststore.Exporter].
func (s *Store) SetIDs(ctx context.Context) ([]poststore.SetID, error) {
	known := map[poststore.SetID]bool{}
	err := s.query(ctx, func(v *view) error {
		for _, p := range v.segments {
			err := reading(p, func() error {
				ids, err := s.setsIn(p)
				for _, id := range ids {
					known[id] = true
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		for _, letter := range []byte{recGeneration, recUnmatched, recChangeByTime} {
			if err := s.eachSet(letter, func(id poststore.SetID) { known[id] = true }); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(known)), err
}

// eachSet calls visit with each set that has records with a letter.
func (s *Store) eachSet(letter byte, visit func(poststore.SetID)) (err error) {
	from, to := recKind(letter)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; {
		id := poststore.SetID(readID(it.Key(), 0))
		visit(id)
		_, next := recSet(letter, id)
		ok = it.SeekGE(next)
	}
	return it.Error()
}

// ExportSet implements [poststore.Exporter].
func (s *Store) ExportSet(ctx context.Context, id poststore.SetID) (set poststore.StoredSet, err error) {
	err = s.query(ctx, func(v *view) error {
		set = poststore.StoredSet{ID: id}
		value, err := get(s.db, recID(recGeneration, uint64(id)))
		if err != nil {
			return err
		}
		set.Generation, _ = binary.Varint(value)
		from, to := recSet(recChangeByTime, id)
		err = eachChange(ctx, s.db, &pebble.IterOptions{LowerBound: from, UpperBound: to}, func(received, posted time.Time, c poststore.CounterChange) {
			c.Time, c.Posted = received, posted
			set.Counters = append(set.Counters, c)
		})
		if err != nil || id.IsCategory() {
			return err
		}
		set.Changes, err = s.changesOf(ctx, v, id)
		return err
	})
	return set, err
}

// changesOf returns when the posts of a set last changed, as Changed determines it.
func (s *Store) changesOf(ctx context.Context, v *view, id poststore.SetID) (changes []poststore.SetChange, err error) {
	latest := map[int64]time.Time{} // by the quarter of an hour, in Unix seconds
	add := func(posted, at time.Time) {
		if quarter := posted.Truncate(poststore.SetChangeStep).Unix(); at.After(latest[quarter]) {
			latest[quarter] = at
		}
	}
	for _, p := range v.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := reading(p, func() error {
			rows, err := s.setRows(p, id)
			if err != nil {
				return err
			}
			return eachQuarter(p.data, rows, func(posted time.Time) { add(posted, p.modified) })
		})
		if err != nil {
			return nil, err
		}
	}
	from, to := recSet(recUnmatched, id)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		add(time.Unix(int64(readID(it.Key(), 1)-1<<63), 0).UTC(), lastUnmatched(value))
	}
	for _, quarter := range slices.Sorted(maps.Keys(latest)) {
		changes = append(changes, poststore.SetChange{Posted: time.Unix(quarter, 0).UTC(), Changed: latest[quarter].UTC()})
	}
	return changes, it.Error()
}

// eachQuarter calls visit with each quarter of an hour that has rows.
func eachQuarter(f *segment.Segment, rows *roaring.Bitmap, visit func(start time.Time)) error {
	for it := rows.Iterator(); it.HasNext(); {
		at, err := f.Times([]uint32{it.Next()})
		if err != nil {
			return err
		}
		start := at[0].Truncate(poststore.SetChangeStep)
		visit(start)
		to, err := f.RowsBefore(start.Add(poststore.SetChangeStep))
		if err != nil {
			return err
		}
		it.AdvanceIfNeeded(to)
	}
	return nil
}

// ExportSnapshots implements [poststore.Exporter].
func (s *Store) ExportSnapshots(ctx context.Context) (all map[earshot.MonitorID][]earshot.Snapshot, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	all = map[earshot.MonitorID][]earshot.Snapshot{}
	from, to := recKind(recSnapshot)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok && ctx.Err() == nil; ok = it.Next() {
		one, err := readSnapshot(it)
		if err != nil {
			return nil, err
		}
		m := earshot.MonitorID(readID(it.Key(), 0))
		all[m] = append(all[m], one)
	}
	return all, errors.Join(ctx.Err(), it.Error())
}
