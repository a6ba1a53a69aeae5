package local

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore/local/segment"
)

// Compaction policy: compactSegments segments of about the same size become one, up to
// maxSegmentPosts. A post is therefore rewritten each time its segment grows fourfold. Waiting for
// more segments would make queries slower; merging fewer would rewrite posts more often. While
// posts arrive fast, compaction waits for busySegments segments. A segment is also rewritten when
// more than 1/compactDeleted of its rows, and more than minDeleted rows, are deleted, or if some are
// posts of an erased account.
const (
	compactSegments = 4
	busySegments    = 24
	maxSegmentPosts = 4 << 20
	compactDeleted  = 4 // one in four
	minDeleted      = 1000
)

// A compaction into more than largePosts posts waits until there has been no hurried flush for
// busyPeriod, because it would compete with ingest for CPU. It runs anyway once maxLargeWaiting
// segments are waiting.
const (
	largePosts      = 1 << 20
	maxLargeWaiting = 32
	busyPeriod      = 3 * time.Second
)

// retentionInterval is the interval between searches for expired posts.
const retentionInterval = time.Hour

// runCompactions compacts segments and removes expired posts until ctx is done.
func (s *Store) runCompactions(ctx context.Context) {
	retention := time.NewTicker(retentionInterval)
	defer retention.Stop()
	expire := true
	for {
		if err := s.compactAll(ctx, expire); err != nil && ctx.Err() == nil {
			s.log.Error("compaction failed; retrying", "error", err)
		}
		expire = false
		select {
		case <-ctx.Done():
			return
		case <-s.toCompact:
		case <-time.After(busyPeriod):
		case <-retention.C:
			expire = true
		}
	}
}

// Compact flushes, compacts until no segments qualify for compaction, and removes expired posts.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	s.hurried.Store(0)
	return s.compactAll(ctx, true)
}

func (s *Store) compactAll(ctx context.Context, expire bool) error {
	for {
		more, err := s.compactSome(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if !expire {
		return nil
	}
	return s.expire(ctx)
}

// compactSome runs one compaction and reports whether there was anything to compact.
func (s *Store) compactSome(ctx context.Context) (bool, error) {
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	segments := s.chooseCompaction(s.current.Load().segments)
	if len(segments) == 0 {
		return false, nil
	}
	return true, s.compact(ctx, segments, nil)
}

// busy reports whether posts have recently been arriving fast.
func (s *Store) busy() bool {
	return time.Since(time.Unix(0, s.hurried.Load())) < busyPeriod
}

// chooseCompaction returns the segments to compact next, or nil. The caller holds s.maintainMu.
func (s *Store) chooseCompaction(segments []*segmentState) []*segmentState {
	least, busy := compactSegments, s.busy()
	if busy {
		least = busySegments
	}
	sizes := map[int][]*segmentState{}
	var plain []*segmentState
	for _, p := range segments {
		if p.inMemory || p.id == s.reserved {
			continue
		}
		if p.uncompressed {
			plain = append(plain, p)
		}
		gone, alone := p.recorded(), []*segmentState{p}
		many := p.purge && gone > 0 || gone > minDeleted && gone > p.rows/compactDeleted
		if gone == p.rows || many && s.hasSpaceFor(alone) {
			return alone
		}
		if p.live() < maxSegmentPosts/2 {
			sizes[sizeClass(uint64(p.live()))] = append(sizes[sizeClass(uint64(p.live()))], p)
		}
	}
	for size := range 1 + sizeClass(maxSegmentPosts) { // small segments first because they are the most numerous
		together := firstRun(sizes[size], least)
		late := busy && len(together) < maxLargeWaiting && countPosts(together) > largePosts
		if len(together) > 0 && !late && s.hasSpaceFor(together) {
			return together
		}
	}
	if together := firstRun(plain, 1); !busy && len(together) > 0 && s.hasSpaceFor(together) {
		return together // rewrite them compressed
	}
	return nil
}

// sizeClass returns the size class of a segment. Each class covers about four times as many posts
// as the previous one.
func sizeClass(posts uint64) int { return bits.Len64(posts) / 2 }

// firstRun returns the first run of at least minLen consecutive segments that fit into one, or nil.
// Segments are in chronological order, so a merged segment covers a contiguous time range to the
// extent that posts arrived in order.
func firstRun(segments []*segmentState, minLen int) []*segmentState {
	for len(segments) >= minLen {
		n := 0
		for posts := int64(0); n < len(segments) && posts+segments[n].live() <= maxSegmentPosts; n++ {
			posts += segments[n].live()
		}
		if n >= minLen {
			return segments[:n]
		}
		segments = segments[1:]
	}
	return nil
}

func countPosts(segments []*segmentState) (posts int64) {
	for _, p := range segments {
		posts += p.live()
	}
	return posts
}

// hasSpaceFor reports whether the disk has space for the result of a compaction. If it does not,
// compaction can wait.
func (s *Store) hasSpaceFor(segments []*segmentState) bool {
	var bytes int64
	for _, p := range segments {
		bytes += p.data.Size() / int64(max(p.rows, 1)) * p.live()
	}
	return bytes == 0 || s.space.check(bytes) == nil
}

// compact merges segments into one and drops their deleted rows and the expired rows. The caller
// holds s.maintainMu.
func (s *Store) compact(ctx context.Context, segments []*segmentState, expired map[uint64]*roaring.Bitmap) error {
	drop := map[uint64]*roaring.Bitmap{}
	for _, p := range segments {
		if rows := expired[p.id]; rows != nil {
			drop[p.id] = rows.Clone()
			if p.deletedOnDisk != nil {
				drop[p.id].Or(p.deletedOnDisk)
			}
		}
	}
	lost, err := s.unmatchedIn(segments)
	if errors.Is(err, errStale) {
		return nil
	}
	var made *segmentState
	var moved [][]uint32
	if err == nil {
		made, moved, err = s.compactInto(ctx, segments, drop, segment.Options{})
	}
	var bad *damageError
	if errors.As(err, &bad) {
		return s.quarantine(bad)
	}
	if err != nil {
		return s.explain(err)
	}
	if err := s.commitCompaction(segments, expired, made, moved, lost); err != nil {
		s.discard(made)
		if errors.Is(err, errStale) {
			return nil
		}
		return err
	}
	for _, p := range segments {
		s.discard(p)
	}
	return nil
}

func (s *Store) commitCompaction(segments []*segmentState, expired map[uint64]*roaring.Bitmap, made *segmentState, moved [][]uint32, lost []unmatched) error {
	b := s.db.NewBatch()
	defer b.Close()
	if err := putUnmatched(b, lost); err != nil {
		return err
	}
	s.flushMu.Lock() // a running flush writes the deleted rows of segments that must not be replaced now
	defer s.flushMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	for _, p := range segments {
		now := v.find(p.id)
		if now == nil {
			return errStale // quarantined in the meantime
		}
		if expired[p.id] == nil {
			continue
		}
		rows := expired[p.id].Clone()
		if now.deleted != nil {
			rows.AndNot(now.deleted) // a row replaced in the meantime shares its key with its replacement
		}
		err := reading(p, func() error {
			keys, err := p.data.Keys(rows)
			if err != nil {
				return err
			}
			for key := range keys {
				if err := b.Delete(postKey(key), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.commitSegment(b, segments, made, moved, s.Durable(), nil)
}

// expire removes posts that no monitor has ever matched and that are older than the retention
// period. It rewrites a segment only if enough of its rows are expired.
func (s *Store) expire(ctx context.Context) error {
	if s.unmatchedDays <= 0 {
		return nil
	}
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	before := s.now().AddDate(0, 0, -s.unmatchedDays)
	segments := slices.Clone(s.current.Load().segments)
	slices.SortFunc(segments, func(a, b *segmentState) int { return cmp.Compare(a.id, b.id) })
	for _, p := range segments {
		if p.inMemory || p.id == s.reserved {
			continue
		}
		var rows *roaring.Bitmap
		err := reading(p, func() (err error) {
			rows, err = s.expiredRows(p, before)
			return err
		})
		var bad *damageError
		switch {
		case errors.As(err, &bad):
			err = s.quarantine(bad)
		case err == nil && rows.GetCardinality() > uint64(p.rows/compactDeleted) && s.hasSpaceFor([]*segmentState{p}):
			err = s.compact(ctx, []*segmentState{p}, map[uint64]*roaring.Bitmap{p.id: rows})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expiredRows returns the rows ingested before a time that no monitor has ever matched. A post that
// a monitor no longer matches is retained because the monitor may be changed back.
func (s *Store) expiredRows(p *segmentState, before time.Time) (*roaring.Bitmap, error) {
	rows, err := p.data.IngestedBefore(before)
	if err != nil || rows.IsEmpty() {
		return rows, err
	}
	if p.deleted != nil {
		rows.AndNot(p.deleted)
	}
	matched, err := s.everMatched(p)
	if err != nil {
		return nil, err
	}
	rows.AndNot(matched)
	return rows, nil
}

// everMatched returns the rows that a monitor matches or once matched.
func (s *Store) everMatched(p *segmentState) (*roaring.Bitmap, error) {
	matched, err := p.data.EverMatched()
	if err != nil {
		return nil, err
	}
	since, err := getRows(s.db, recID(recEverMatched, p.id))
	if err != nil {
		return nil, err
	}
	matched.Or(since)
	return matched, nil
}
