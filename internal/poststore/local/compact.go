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

// Files are merged with others of about the same size: when there are compactSegments of
// one size, they become one, as long as that has no more than maxSegmentPosts. A post is so
// written again each time its file has grown fourfold. While posts come in fast, more
// files are left as they are. A file is also written again when a good part of it is gone or
// may go.
const (
	compactSegments = 4
	busySegments    = 24
	maxSegmentPosts = 4 << 20
	compactDeleted  = 4 // one in four
	minDeleted      = 1000
)

// Merging into files of more than largePosts waits until posts come in slowly, unless too
// many files wait for it: it would take the time of those who write.
const (
	largePosts      = 1 << 20
	maxLargeWaiting = 32
	busyPeriod      = 3 * time.Second
)

// retentionInterval is how often it is looked for posts that need not be kept.
const retentionInterval = time.Hour

// runCompactions merges whenever there is something to merge, until ctx ends.
func (s *Store) runCompactions(ctx context.Context) {
	retention := time.NewTicker(retentionInterval)
	defer retention.Stop()
	expire := true
	for {
		if err := s.compactAll(ctx, expire); err != nil && ctx.Err() == nil {
			s.log.Error("files of posts were not merged", "error", err)
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

// Compact brings everything to the disk, merges until nothing is left to merge, and removes
// what need not be kept.
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

// compactSome merges the files of one size, and reports whether there were any.
func (s *Store) compactSome(ctx context.Context) (bool, error) {
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	parts := s.chooseCompaction(s.current.Load().segments)
	if len(parts) == 0 {
		return false, nil
	}
	return true, s.compact(ctx, parts, nil)
}

// busy reports whether posts have come in fast lately.
func (s *Store) busy() bool {
	return time.Since(time.Unix(0, s.hurried.Load())) < busyPeriod
}

// chooseCompaction returns the parts to be merged next, none when all is well. The caller holds
// s.maintain.
func (s *Store) chooseCompaction(parts []*segmentState) []*segmentState {
	least, busy := compactSegments, s.busy()
	if busy {
		least = busySegments
	}
	sizes := map[int][]*segmentState{}
	var plain []*segmentState
	for _, p := range parts {
		if p.inMemory || p.id == s.reserved {
			continue
		}
		if p.uncompressed {
			plain = append(plain, p)
		}
		gone, alone := p.rows-int(p.live()), []*segmentState{p}
		if gone == p.rows || gone > minDeleted && gone > p.rows/compactDeleted && s.hasSpaceFor(alone) {
			return alone
		}
		if p.live() < maxSegmentPosts/2 {
			sizes[sizeClass(uint64(p.live()))] = append(sizes[sizeClass(uint64(p.live()))], p)
		}
	}
	for size := range 1 + sizeClass(maxSegmentPosts) { // small ones first: they are many
		together := firstRun(sizes[size], least)
		late := busy && len(together) < maxLargeWaiting && countPosts(together) > largePosts
		if len(together) > 0 && !late && s.hasSpaceFor(together) {
			return together
		}
	}
	if together := firstRun(plain, 1); !busy && len(together) > 0 && s.hasSpaceFor(together) {
		return together // to be compressed
	}
	return nil
}

// sizeClass returns the class of files with so many posts. One class is about four times the
// one below it.
func sizeClass(posts uint64) int { return bits.Len64(posts) / 2 }

// firstRun returns the first parts, one after the other and at least so many, that may
// become one; none when there are no such parts. They are in the order of time, and so files
// are about stretches of time as far as posts came in that order.
func firstRun(parts []*segmentState, least int) []*segmentState {
	for len(parts) >= least {
		n := 0
		for posts := int64(0); n < len(parts) && posts+parts[n].live() <= maxSegmentPosts; n++ {
			posts += parts[n].live()
		}
		if n >= least {
			return parts[:n]
		}
		parts = parts[1:]
	}
	return nil
}

func countPosts(parts []*segmentState) (posts int64) {
	for _, p := range parts {
		posts += p.live()
	}
	return posts
}

// hasSpaceFor reports whether the disk has room for what parts become. There is no need to
// merge when it has not.
func (s *Store) hasSpaceFor(parts []*segmentState) bool {
	var bytes int64
	for _, p := range parts {
		bytes += p.data.Size() / int64(max(p.rows, 1)) * p.live()
	}
	return bytes == 0 || s.space.check(bytes) == nil
}

// compact makes one file of parts. expired are rows that go besides those that are gone.
// The caller holds s.maintain.
func (s *Store) compact(ctx context.Context, parts []*segmentState, expired map[uint64]*roaring.Bitmap) error {
	drop := map[uint64]*roaring.Bitmap{}
	for _, p := range parts {
		if rows := expired[p.id]; rows != nil {
			drop[p.id] = rows.Clone()
			if p.deleted != nil {
				drop[p.id].Or(p.deleted)
			}
		}
	}
	lost, err := s.unmatchedIn(parts)
	if errors.Is(err, errStale) {
		return nil
	}
	var made *segmentState
	var moved [][]uint32
	if err == nil {
		made, moved, err = s.compactInto(ctx, parts, drop, segment.Options{})
	}
	var bad *damageError
	if errors.As(err, &bad) {
		return s.quarantine(bad)
	}
	if err != nil {
		return s.explain(err)
	}
	if err := s.commitCompaction(parts, expired, made, moved, lost); err != nil {
		s.discard(made)
		if errors.Is(err, errStale) {
			return nil
		}
		return err
	}
	for _, p := range parts {
		s.discard(p)
	}
	return nil
}

func (s *Store) commitCompaction(parts []*segmentState, expired map[uint64]*roaring.Bitmap, made *segmentState, moved [][]uint32, lost []unmatched) error {
	b := s.db.NewBatch()
	defer b.Close()
	if err := putUnmatched(b, lost); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	for _, p := range parts {
		now := v.find(p.id)
		if now == nil {
			return errStale // set aside meanwhile
		}
		if expired[p.id] == nil {
			continue
		}
		rows := expired[p.id].Clone()
		if now.deleted != nil {
			rows.AndNot(now.deleted) // the key of one that was replaced since is that of another row
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
	return s.commitSegment(b, parts, made, moved, s.Durable())
}

// expire removes the posts that no monitor matched and that were taken in long ago. A
// file is written again for that when enough of it can go.
func (s *Store) expire(ctx context.Context) error {
	if s.unmatchedDays <= 0 {
		return nil
	}
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	before := s.now().AddDate(0, 0, -s.unmatchedDays)
	parts := slices.Clone(s.current.Load().segments)
	slices.SortFunc(parts, func(a, b *segmentState) int { return cmp.Compare(a.id, b.id) })
	for _, p := range parts {
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

// expiredRows returns the rows taken before a day that no monitor has ever matched. One that
// a monitor has lost since stays: the monitor may be changed back.
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

// everMatched returns the rows that some monitor has, or once had.
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
