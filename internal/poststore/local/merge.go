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

// Files are merged with others of about the same size: when there are mergeFiles of
// one size, they become one, as long as that has no more than mergePosts. A post is so
// written again each time its file has grown fourfold. While posts come in fast, more
// files are left as they are. A file is also written again when a good part of it is gone or
// may go.
const (
	mergeFiles = 4
	hurryFiles = 24
	mergePosts = 4 << 20
	mergeGone  = 4 // one in four
	mergeLeast = 1000
)

// Merging into files of more than calmPosts waits until posts come in slowly, unless too
// many files wait for it: it would take the time of those who write.
const (
	calmPosts = 1 << 20
	calmFiles = 32
	calmAfter = 3 * time.Second
)

// retentionInterval is how often it is looked for posts that need not be kept.
const retentionInterval = time.Hour

// keepMerging merges whenever there is something to merge, until ctx ends.
func (s *Store) keepMerging(ctx context.Context) {
	retention := time.NewTicker(retentionInterval)
	defer retention.Stop()
	expire := true
	for {
		if err := s.settle(ctx, expire); err != nil && ctx.Err() == nil {
			s.log.Error("files of posts were not merged", "error", err)
		}
		expire = false
		select {
		case <-ctx.Done():
			return
		case <-s.toMerge:
		case <-time.After(calmAfter):
		case <-retention.C:
			expire = true
		}
	}
}

// Settle brings everything to the disk, merges until nothing is left to merge, and removes
// what need not be kept.
func (s *Store) Settle(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	s.hurried.Store(0)
	return s.settle(ctx, true)
}

func (s *Store) settle(ctx context.Context, expire bool) error {
	for {
		more, err := s.mergeSome(ctx)
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

// mergeSome merges the files of one size, and reports whether there were any.
func (s *Store) mergeSome(ctx context.Context) (bool, error) {
	s.maintain.Lock()
	defer s.maintain.Unlock()
	parts := s.choose(s.current.Load().parts)
	if len(parts) == 0 {
		return false, nil
	}
	return true, s.merge(ctx, parts, nil)
}

// busy reports whether posts have come in fast lately.
func (s *Store) busy() bool {
	return time.Since(time.Unix(0, s.hurried.Load())) < calmAfter
}

// choose returns the parts to be merged next, none when all is well. The caller holds
// s.maintain.
func (s *Store) choose(parts []*part) []*part {
	least, busy := mergeFiles, s.busy()
	if busy {
		least = hurryFiles
	}
	sizes := map[int][]*part{}
	var plain []*part
	for _, p := range parts {
		if p.fresh || p.id == s.reserved {
			continue
		}
		if p.plain {
			plain = append(plain, p)
		}
		gone, alone := p.rows-int(p.live()), []*part{p}
		if gone == p.rows || gone > mergeLeast && gone > p.rows/mergeGone && s.roomFor(alone) {
			return alone
		}
		if p.live() < mergePosts/2 {
			sizes[sizeOf(uint64(p.live()))] = append(sizes[sizeOf(uint64(p.live()))], p)
		}
	}
	for size := range 1 + sizeOf(mergePosts) { // small ones first: they are many
		together := neighbours(sizes[size], least)
		late := busy && len(together) < calmFiles && postsOf(together) > calmPosts
		if len(together) > 0 && !late && s.roomFor(together) {
			return together
		}
	}
	if together := neighbours(plain, 1); !busy && len(together) > 0 && s.roomFor(together) {
		return together // to be compressed
	}
	return nil
}

// sizeOf returns the class of files with so many posts. One class is about four times the
// one below it.
func sizeOf(posts uint64) int { return bits.Len64(posts) / 2 }

// neighbours returns the first parts, one after the other and at least so many, that may
// become one; none when there are no such parts. They are in the order of time, and so files
// are about stretches of time as far as posts came in that order.
func neighbours(parts []*part, least int) []*part {
	for len(parts) >= least {
		n := 0
		for posts := int64(0); n < len(parts) && posts+parts[n].live() <= mergePosts; n++ {
			posts += parts[n].live()
		}
		if n >= least {
			return parts[:n]
		}
		parts = parts[1:]
	}
	return nil
}

func postsOf(parts []*part) (posts int64) {
	for _, p := range parts {
		posts += p.live()
	}
	return posts
}

// roomFor reports whether the disk has room for what parts become. There is no need to
// merge when it has not.
func (s *Store) roomFor(parts []*part) bool {
	var bytes int64
	for _, p := range parts {
		bytes += p.file.Size() / int64(max(p.rows, 1)) * p.live()
	}
	return bytes == 0 || s.room.check(bytes) == nil
}

// merge makes one file of parts. expired are rows that go besides those that are gone.
// The caller holds s.maintain.
func (s *Store) merge(ctx context.Context, parts []*part, expired map[uint64]*roaring.Bitmap) error {
	drop := map[uint64]*roaring.Bitmap{}
	for _, p := range parts {
		if rows := expired[p.id]; rows != nil {
			drop[p.id] = rows.Clone()
			if p.gone != nil {
				drop[p.id].Or(p.gone)
			}
		}
	}
	lost, err := s.lossesOf(parts)
	if errors.Is(err, errStale) {
		return nil
	}
	var made *part
	var moved [][]uint32
	if err == nil {
		made, moved, err = s.combine(ctx, parts, drop, segment.Options{})
	}
	var bad *damage
	if errors.As(err, &bad) {
		return s.putAside(bad)
	}
	if err != nil {
		return s.explain(err)
	}
	if err := s.commitMerge(parts, expired, made, moved, lost); err != nil {
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

func (s *Store) commitMerge(parts []*part, expired map[uint64]*roaring.Bitmap, made *part, moved [][]uint32, lost []loss) error {
	b := s.db.NewBatch()
	defer b.Close()
	if err := setLosses(b, lost); err != nil {
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
		if now.gone != nil {
			rows.AndNot(now.gone) // the key of one that was replaced since is that of another row
		}
		err := reading(p, func() error {
			keys, err := p.file.Keys(rows)
			if err != nil {
				return err
			}
			for key := range keys {
				if err := b.Delete(recPost(key), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.swap(b, parts, made, moved, s.Durable())
}

// expire removes the posts that no monitor matched and that were taken in long ago. A
// file is written again for that when enough of it can go.
func (s *Store) expire(ctx context.Context) error {
	if s.unmatchedDays <= 0 {
		return nil
	}
	s.maintain.Lock()
	defer s.maintain.Unlock()
	before := s.now().AddDate(0, 0, -s.unmatchedDays)
	parts := slices.Clone(s.current.Load().parts)
	slices.SortFunc(parts, func(a, b *part) int { return cmp.Compare(a.id, b.id) })
	for _, p := range parts {
		if p.fresh || p.id == s.reserved {
			continue
		}
		var rows *roaring.Bitmap
		err := reading(p, func() (err error) {
			rows, err = s.unmatched(p, before)
			return err
		})
		var bad *damage
		switch {
		case errors.As(err, &bad):
			err = s.putAside(bad)
		case err == nil && rows.GetCardinality() > uint64(p.rows/mergeGone) && s.roomFor([]*part{p}):
			err = s.merge(ctx, []*part{p}, map[uint64]*roaring.Bitmap{p.id: rows})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unmatched returns the rows taken before a day that no monitor has ever matched. One that
// a monitor has lost since stays: the monitor may be changed back.
func (s *Store) unmatched(p *part, before time.Time) (*roaring.Bitmap, error) {
	rows, err := p.file.IngestedBefore(before)
	if err != nil || rows.IsEmpty() {
		return rows, err
	}
	if p.gone != nil {
		rows.AndNot(p.gone)
	}
	matched, err := s.everMatched(p)
	if err != nil {
		return nil, err
	}
	rows.AndNot(matched)
	return rows, nil
}

// everMatched returns the rows that some monitor has, or once had.
func (s *Store) everMatched(p *part) (*roaring.Bitmap, error) {
	matched, err := p.file.EverMatched()
	if err != nil {
		return nil, err
	}
	since, err := getRows(s.db, recID(recEver, p.id))
	if err != nil {
		return nil, err
	}
	matched.Or(since)
	return matched, nil
}
