package local

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
)

// A flush runs flushAfter the first post that waits, or when there are flushPosts posts or
// flushSegments segments in memory: later flushes write fewer and larger segments, and after a
// crash more of the journal is read again.
const (
	flushAfter    = time.Second
	flushPosts    = 64 << 10
	flushSegments = 64
)

// isFull reports whether there is enough in memory to flush at once.
func (s *Store) isFull(v *view) bool {
	posts, files, _ := unflushed(v.segments)
	return posts >= flushPosts || files >= flushSegments
}

// unflushed returns how much is only in memory.
func unflushed(segments []*segmentState) (posts, files int, bytes int64) {
	for _, p := range segments {
		if p.inMemory {
			posts, files, bytes = posts+p.rows, files+1, bytes+p.data.Size()
		}
	}
	return posts, files, bytes
}

// throttle waits for a flush when posts come in faster than they get to disk, and fails when there
// is no space for them and for the flush of those in memory.
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

// runFlushes flushes until ctx ends.
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
			s.log.Error("posts are not on disk yet; trying again", "error", err)
			wait = 5 * time.Second
			notify(s.toFlush)
		}
	}
}

// A flushBatch is what a flush writes.
type flushBatch struct {
	inMemory []*segmentState
	dirty    []*segmentState // segments on disk whose deleted rows changed
	pending  *pending
	position earshot.Position
}

// hurried reports whether posts come in fast. There is no time to compress them then; compaction
// does.
func (f *flushBatch) hurried() bool { return countPosts(f.inMemory) >= flushPosts/2 }

// Flush writes everything that was appended or deleted to disk.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	return s.flushAll(ctx)
}

// flushAll is Flush for callers that have entered.
//
// The order matters. First, in one write, the keys of the new posts and the rows that they
// replace: should nothing else happen, reading the journal again finds the old post deleted, and
// adds the new one. Then, in one synced write, what makes the segment exist, and the position.
// After that the keys of deleted posts are deleted: before, it would let a replaced post come
// back.
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
	notify(s.toCompact)
	return nil
}

// beginFlush returns what to flush, or nil.
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

// finishFlush writes the segment and its records, and publishes it.
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
	if err := errors.Join(putUnmatched(b, lost), f.deleteInherited(b)); err != nil {
		return made, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.commitSegment(b, f.inMemory, made, moved, f.position); err != nil {
		return made, err
	}
	s.flushing = nil
	return made, nil
}

// writeKeys writes the keys of new posts and the rows that they delete.
func (s *Store) writeKeys(f *flushBatch) error {
	b := s.db.NewBatchWithSize(32 * len(f.pending.keys))
	defer b.Close()
	keys := slices.SortedFunc(maps.Keys(f.pending.keys), segment.Key.Compare) // which Pebble takes faster
	record, value := []byte{recKey}, []byte(nil)
	for _, k := range keys {
		record = append(record[:1], k[:]...)
		value = binary.AppendVarint(value[:0], int64(f.pending.keys[k]-1<<63))
		if err := b.Set(record, value, nil); err != nil {
			return err
		}
	}
	for _, p := range f.dirty {
		if err := errors.Join(putRows(b, recID(recDeleted, p.id), p.deleted), putModified(b, p)); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}
