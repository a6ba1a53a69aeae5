package local

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/sleep"
)

// A flush runs flushAfter the first change, or as soon as flushPosts posts or flushSegments
// segments are in memory. Flushing later would write fewer and larger segments, but more of the
// journal would have to be replayed after a crash.
const (
	flushAfter    = time.Second
	flushPosts    = 64 << 10
	flushSegments = 64
)

// isFull reports whether enough posts or segments are in memory to flush immediately.
func (s *Store) isFull(v *view) bool {
	posts, files, _ := unflushed(v.segments)
	return posts >= flushPosts || files >= flushSegments
}

// unflushed returns the amount of data that exists only in memory.
func unflushed(segments []*segmentState) (posts, files int, bytes int64) {
	for _, p := range segments {
		if p.inMemory {
			posts, files, bytes = posts+p.rows, files+1, bytes+p.data.Size()
		}
	}
	return posts, files, bytes
}

// throttle applies backpressure: it waits for a flush if posts arrive faster than they can be
// written. It returns an error if the disk lacks space to flush the posts in memory.
func (s *Store) throttle(ctx context.Context) error {
	posts, files, bytes := unflushed(s.current.Load().segments)
	if err := s.space.check(bytes); err != nil {
		return err
	}
	if posts < 4*flushPosts && files < 4*flushSegments {
		return nil
	}
	return s.flushAll(ctx)
}

// runFlushes flushes until ctx is done.
func (s *Store) runFlushes(ctx context.Context) {
	wait := flushAfter
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.toFlush:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		case <-s.full:
		}
		wait = flushAfter
		if err := s.Flush(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("flush failed; retrying", "error", err)
			wait = 5 * time.Second
			sleep.Notify(s.toFlush)
		}
	}
}

// A flushBatch contains what a flush writes.
type flushBatch struct {
	inMemory []*segmentState
	dirty    []*segmentState // segments on disk with newly deleted rows
	pending  *pending
	position earshot.Position
}

// hurried reports whether posts arrive fast. If so, the flush does not take the time to compress
// them; compaction does so later.
func (f *flushBatch) hurried() bool { return countPosts(f.inMemory) >= flushPosts/2 }

// Flush writes all appended posts and deletions to disk.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.flushAll(ctx)
}

// flushAll is Flush for callers that have called enter.
//
// The order of writes matters:
//
//  1. The keys of posts that replace none. If the process crashes now, replaying the journal adds the
//     posts, and the keys are there already.
//  2. The records of the new segment, the keys of posts that replace others, the rows that they replace,
//     and the position, in one synced batch. After a crash, the journal may only have changes to a
//     post. They need the old version, which must be neither deleted nor hidden by a new time.
//  3. The deletion of the keys of deleted posts. Doing this earlier could bring back a replaced
//     post after a crash.
func (s *Store) flushAll(ctx context.Context) error {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	f := s.beginFlush()
	if f == nil {
		return nil
	}
	made, err := s.finishFlush(ctx, f)
	if err != nil {
		s.discard(made)
		s.mu.Lock()
		s.pending, s.flushing = f.pending.mergeInto(s.pending), nil
		for _, p := range f.dirty {
			s.dirty[p.id] = struct{}{}
		}
		s.mu.Unlock()
		var bad *damageError
		if errors.As(err, &bad) {
			return s.quarantine(bad)
		}
		return s.explain(err)
	}
	s.deleteKeys(f)
	for _, p := range f.inMemory {
		s.discard(p)
	}
	if f.hurried() {
		s.hurried.Store(time.Now().UnixNano())
	}
	sleep.Notify(s.toCompact)
	return nil
}

// beginFlush returns what to flush, or nil if there is nothing.
func (s *Store) beginFlush() *flushBatch {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	if v.position == s.Durable() && len(s.dirty) == 0 {
		return nil
	}
	f := &flushBatch{pending: s.pending, position: v.position}
	for _, p := range v.segments {
		if p.inMemory {
			f.inMemory = append(f.inMemory, p)
		} else if _, dirty := s.dirty[p.id]; dirty {
			f.dirty = append(f.dirty, p)
		}
	}
	s.pending, s.flushing = newPending(), f.pending
	clear(s.dirty)
	return f
}

// finishFlush writes the new segment and its records, and publishes the segment.
func (s *Store) finishFlush(ctx context.Context, f *flushBatch) (made *segmentState, err error) {
	if err := s.space.checkFlush(f.inMemory); err != nil {
		return nil, err
	}
	lost, err := s.unmatchedIn(f.inMemory)
	if err != nil {
		return nil, err
	}
	made, moved, err := s.compactInto(ctx, f.inMemory, nil, segment.Options{Uncompressed: f.hurried()})
	if err != nil {
		return nil, err
	}
	if err := s.writeKeys(f); err != nil {
		return made, err
	}
	b := s.db.NewBatch()
	defer b.Close()
	if err := errors.Join(putUnmatched(b, lost), f.deleteInherited(b), f.putKeys(b, true)); err != nil {
		return made, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	flushed, err := f.putDeleted(b, s.current.Load())
	if err != nil {
		return made, err
	}
	if err := s.commitSegment(b, f.inMemory, made, moved, f.position, flushed); err != nil {
		return made, err
	}
	s.flushing = nil
	return made, nil
}

// writeKeys writes the keys of posts that replace none.
func (s *Store) writeKeys(f *flushBatch) error {
	b := s.db.NewBatchWithSize(32 * len(f.pending.keys))
	defer b.Close()
	if err := f.putKeys(b, false); err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

// putDeleted adds the rows that are replaced or deleted. It returns the segments that contain them,
// except those that have been quarantined in the meantime.
func (f *flushBatch) putDeleted(b *pebble.Batch, now *view) (map[uint64]*segmentState, error) {
	flushed := make(map[uint64]*segmentState, len(f.dirty))
	for _, p := range f.dirty {
		if now.find(p.id) == nil {
			continue
		}
		if err := errors.Join(putRows(b, recID(recDeleted, p.id), p.deleted), putModified(b, p)); err != nil {
			return nil, err
		}
		flushed[p.id] = p
	}
	return flushed, nil
}

// putKeys adds the keys of new posts, of those that replace others or of the rest.
func (f *flushBatch) putKeys(b *pebble.Batch, replacing bool) error {
	keys := make([]segment.Key, 0, len(f.pending.keys))
	for k, added := range f.pending.keys {
		if added.replaces == replacing {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, segment.Key.Compare) // Pebble inserts sorted keys faster
	record, value := []byte{recKey}, []byte(nil)
	for _, k := range keys {
		record = append(record[:1], k[:]...)
		value = binary.AppendVarint(value[:0], int64(f.pending.keys[k].seconds-1<<63))
		if err := b.Set(record, value, nil); err != nil {
			return err
		}
	}
	return nil
}
