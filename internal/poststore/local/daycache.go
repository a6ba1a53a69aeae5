package local

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// The day cache stores the counts of a query for one interval, a day or a month, together with a
// fingerprint of the posts that were counted and of their corrections. To validate an entry, the
// store computes the fingerprint again, which is far cheaper than counting. If the fingerprint is unchanged, so are
// the posts and the counts. Entries therefore never need to be invalidated, and a result is never
// stale.
//
//	Days     each day of a set           rows truncated to Top; in memory and on disk
//	Tallies  one tally of complete days  all rows; on disk. A month is one interval
//	                                     unless the tally has a row per day or hour
//
// A query over n intervals makes one pass over the fingerprints, one over the entries in memory
// (Days only), and one over the entries on disk. It then makes one pass over the posts for every
// dayStep or monthStep intervals that were not cached.

// dayStep and monthStep are the numbers of days and months counted in one pass. More of them take
// fewer passes but more memory for the counts.
const (
	dayStep   = 32
	monthStep = 4
)

// maxDayBytes is the maximum size of a cache entry. A larger result, for example all authors of a
// busy month, would evict many small ones.
const maxDayBytes = 1 << 20

// A dayQuery counts posts separately for each of several intervals.
type dayQuery struct {
	sel     poststore.Selection // without From and To
	starts  []time.Time         // start of each interval, followed by the end of the last one
	tallies []poststore.Tally
	step    int  // intervals counted in one pass
	cached  bool // whether the counts may be cached
	shared  bool // callers must not modify rows, so they may be cached in memory
	id      enginekit.QueryID
	empty   [][]poststore.Row // rows of each tally for an interval without posts
}

func newDayQuery(sel poststore.Selection, starts []time.Time, ts []poststore.Tally, generations map[poststore.SetID]uint64) *dayQuery {
	if !isCorrectable(&sel, ts) {
		sel.Corrections = nil
	}
	q := &dayQuery{sel: sel, starts: starts, tallies: ts, step: dayStep, shared: true, empty: make([][]poststore.Row, len(ts))}
	q.id, q.cached = enginekit.NewQueryID(&sel, ts, generations)
	for i := range ts {
		if len(ts[i].By) == 0 {
			q.empty[i] = []poststore.Row{{Key: []string{}, Sums: make([]int64, len(ts[i].Sum))}}
		}
	}
	return q
}

// len returns the number of intervals.
func (q *dayQuery) len() int { return max(len(q.starts)-1, 0) }

// key returns the key of an interval's entry: set, query, start and end. The entries of a query are
// adjacent. Keys contain the bounds of the interval instead of a date because time zone rules can
// change.
func (q *dayQuery) key(day int) []byte {
	key := append(recID(recDayCounts, uint64(q.sel.Set)), q.id[:]...)
	key = binary.BigEndian.AppendUint64(key, segment.Seconds(q.starts[day]))
	return binary.BigEndian.AppendUint64(key, segment.Seconds(q.starts[day+1]))
}

// Days implements [poststore.Reader].
func (s *Store) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) (result [][][]poststore.Row, err error) {
	for i := range ts {
		if err := enginekit.CheckTally(&ts[i]); err != nil {
			return nil, err
		}
	}
	err = s.query(ctx, func(v *view) error {
		q := newDayQuery(of, starts, ts, v.setGenerations)
		collected := newDayRows(q)
		result = collected.rows
		return s.countDays(ctx, v, q, collected.add)
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

type dayRows struct {
	rows   [][][]poststore.Row // by tally and interval
	budget *segment.Budget
}

func newDayRows(q *dayQuery) *dayRows {
	c := &dayRows{rows: make([][][]poststore.Row, len(q.tallies)), budget: segment.NewBudget(segment.MaxQueryBytes)}
	for i := range c.rows {
		c.rows[i] = make([][]poststore.Row, q.len())
	}
	return c
}

// add stores the rows of all tallies for one interval. It returns an error if the rows exceed the
// budget.
func (c *dayRows) add(day int, rows [][]poststore.Row) error {
	var size int64
	for i := range rows {
		c.rows[i][day] = rows[i]
		size += int64(len(rows[i])) * enginekit.RowBytes
	}
	return c.budget.Reserve(size)
}

// countDays calls visit with the rows of each interval, in no particular order. It takes the rows
// from the cache if possible and otherwise counts. If q.shared, visit must not modify the rows.
func (s *Store) countDays(ctx context.Context, v *view, q *dayQuery, visit func(day int, rows [][]poststore.Row) error) error {
	missing := make([]int, q.len())
	for day := range missing {
		missing[day] = day
	}
	var fingerprints []segment.Fingerprint
	var durable []bool
	if q.cached && len(missing) > 0 {
		var err error
		if fingerprints, durable, err = s.dayFingerprints(ctx, v, q.sel.Set, q.starts); err != nil {
			return err
		}
		if err := s.addCorrections(ctx, v, q, fingerprints); err != nil {
			return err
		}
		if missing, err = s.dayCache.recall(q, fingerprints, missing, visit); err != nil {
			return err
		}
		if missing, err = s.readDays(q, fingerprints, missing, visit); err != nil {
			return err
		}
	}
	for days := range slices.Chunk(missing, q.step) {
		counted, err := s.countEach(ctx, v, q, days)
		if err != nil {
			return err
		}
		if q.cached {
			s.cacheDays(q, days, fingerprints, durable, counted)
		}
		for n, day := range days {
			if err := visit(day, counted[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDays visits the days whose counts are cached on disk under the current fingerprint, and
// returns the remaining days.
func (s *Store) readDays(q *dayQuery, fingerprints []segment.Fingerprint, days []int, visit func(int, [][]poststore.Row) error) (missing []int, err error) {
	if len(days) == 0 {
		return nil, nil
	}
	last := q.key(days[len(days)-1])
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: q.key(days[0]), UpperBound: append(last, 0)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	found := it.First()
	for _, day := range days {
		key := q.key(day)
		if found && bytes.Compare(it.Key(), key) < 0 { // skip intervals of other time zones and months
			found = it.SeekGE(key)
		}
		if !found || !bytes.Equal(it.Key(), key) {
			missing = append(missing, day)
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, err
		}
		rows, ok := decodeDay(value, fingerprints[day], q.tallies)
		if !ok {
			missing = append(missing, day)
			continue
		}
		if q.shared {
			s.dayCache.put(dayCacheKey{q.id, fingerprints[day]}, rows)
		}
		if err := visit(day, rows); err != nil {
			return nil, err
		}
	}
	return missing, it.Error()
}

// cacheDays adds the counts of days to the cache. It writes an entry to disk only if all of its
// posts are on disk.
func (s *Store) cacheDays(q *dayQuery, days []int, fingerprints []segment.Fingerprint, durable []bool, counted [][][]poststore.Row) {
	b := s.db.NewBatch()
	defer b.Close()
	for n, day := range days {
		if q.shared {
			s.dayCache.put(dayCacheKey{q.id, fingerprints[day]}, counted[n])
		}
		if !durable[day] {
			continue
		}
		if value := encodeDay(fingerprints[day], counted[n]); len(value) <= maxDayBytes {
			b.Set(q.key(day), value, nil) // fails only if the batch is closed
		}
	}
	s.commitCache(b)
}

// commitCache writes cache entries. It skips the write if the disk is nearly full, and does not
// report failures to the caller, because entries can be computed again.
func (s *Store) commitCache(b *pebble.Batch) {
	if b.Empty() || s.space.check(int64(b.Len())) != nil {
		return
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		s.log.Warn("could not write the day cache", "error", err)
	}
}

// countEach counts the given intervals in one pass and returns the rows of all tallies for each
// interval.
func (s *Store) countEach(ctx context.Context, v *view, q *dayQuery, days []int) ([][][]poststore.Row, error) {
	budget := segment.NewBudget(segment.MaxQueryBytes)
	counts := make([][][]*segment.Counts, len(v.segments)) // by segment and interval
	sel := q.sel
	sel.From, sel.To = q.starts[days[0]], q.starts[days[len(days)-1]+1]
	err := s.eachSegment(ctx, v, &sel, func(i int, p *segmentState, rows *roaring.Bitmap) error {
		counts[i] = make([][]*segment.Counts, len(days))
		c, err := s.newSegmentCounter(p, &sel, q.tallies, budget)
		if err != nil {
			return err
		}
		for n, day := range days {
			inDay, err := rowsBetween(p, rows, q.starts[day], q.starts[day+1])
			if err != nil {
				return err
			}
			if inDay.IsEmpty() {
				continue
			}
			if counts[i][n], err = c.count(ctx, inDay); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	results := make([][][]poststore.Row, len(days))
	err = parallel.For(ctx, len(days), 0, func(_ context.Context, n int) error {
		var ofDay []*segment.Counts
		for _, inSegment := range counts {
			if inSegment != nil {
				ofDay = append(ofDay, inSegment[n]...)
			}
		}
		return summing(v, len(ofDay), func() (err error) {
			results[n], err = segment.Sum(q.tallies, ofDay)
			return err
		})
	})
	return results, err
}

// rowsBetween returns the subset of rows whose posts are in [from, to).
func rowsBetween(p *segmentState, rows *roaring.Bitmap, from, to time.Time) (*roaring.Bitmap, error) {
	first, err := p.data.RowsBefore(from)
	if err != nil {
		return nil, err
	}
	end, err := p.data.RowsBefore(to)
	if err != nil {
		return nil, err
	}
	return rowRange(rows, first, end), nil
}

// rowRange returns the subset of rows in [from, to). If rows is nil, it returns the entire range.
func rowRange(rows *roaring.Bitmap, from, to uint32) *roaring.Bitmap {
	run := roaring.New()
	run.AddRange(uint64(from), uint64(to))
	if rows != nil {
		run.And(rows)
	}
	return run
}

// A dayCacheKey identifies the rows of a query for the posts with a fingerprint, regardless of the
// day.
type dayCacheKey struct {
	query enginekit.QueryID
	posts segment.Fingerprint
}

// A dayCache is the in-memory part of the day cache. An entry contains the rows of all tallies. The
// cache is cleared when it is full because entries can be read from disk or counted again.
type dayCache struct {
	mu      sync.Mutex
	bytes   int64                             // guarded by mu
	entries map[dayCacheKey][][]poststore.Row // guarded by mu
}

// maxDayCacheBytes is the maximum memory for entries. One year of the metrics on a page takes about
// 1 MiB.
const maxDayCacheBytes = 32 << 20

func newDayCache() *dayCache { return &dayCache{entries: map[dayCacheKey][][]poststore.Row{}} }

// recall visits the days that are cached in memory or have no posts, and returns the remaining
// days.
func (c *dayCache) recall(q *dayQuery, fingerprints []segment.Fingerprint, days []int, visit func(int, [][]poststore.Row) error) (missing []int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, day := range days {
		rows, known := q.empty, fingerprints[day] == (segment.Fingerprint{})
		if !known && q.shared {
			rows, known = c.entries[dayCacheKey{q.id, fingerprints[day]}]
		}
		if !known {
			missing = append(missing, day)
			continue
		}
		if err := visit(day, rows); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

func (c *dayCache) put(key dayCacheKey, rows [][]poststore.Row) {
	size := memorySize(rows)
	if size > maxDayBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.entries[key]; known {
		return
	}
	if c.bytes += size; c.bytes > maxDayCacheBytes {
		clear(c.entries)
		c.bytes = size
	}
	c.entries[key] = rows
}

// memorySize estimates the memory that the rows of some tallies take.
func memorySize(tallies [][]poststore.Row) int64 {
	size := int64(enginekit.RowBytes)
	for _, rows := range tallies {
		size += 24 + enginekit.RowBytes*int64(len(rows))
		for i := range rows {
			for _, k := range rows[i].Key {
				size += int64(len(k))
			}
		}
	}
	return size
}
