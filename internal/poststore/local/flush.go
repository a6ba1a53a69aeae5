package local

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"syscall"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/postfile"
)

// When posts are flushed: so long after the first that waits, or when there are so many
// posts or files of them.
const (
	flushAfter = time.Second
	flushPosts = 64 << 10
	flushFiles = 64
)

// waiting reports whether there is enough to be flushed at once.
func (s *Store) waiting(v *view) bool {
	posts, files, _ := fresh(v.parts)
	return posts >= flushPosts || files >= flushFiles
}

// fresh returns how much waits to be flushed.
func fresh(parts []*part) (posts, files int, bytes int64) {
	for _, p := range parts {
		if p.fresh {
			posts, files, bytes = posts+p.rows, files+1, bytes+p.file.Size()
		}
	}
	return posts, files, bytes
}

// keepUp waits for a flush when posts come in faster than they get to the disk, and
// refuses when there is no room for them, and for the flush of those that wait.
func (s *Store) keepUp(ctx context.Context) error {
	posts, files, bytes := fresh(s.current.Load().parts)
	if err := s.room.check(bytes); err != nil {
		return err
	}
	if posts < 4*flushPosts && files < 4*flushFiles {
		return nil
	}
	return s.Flush(ctx)
}

// keepFlushing flushes until ctx ends.
func (s *Store) keepFlushing(ctx context.Context) {
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

// A flushed is what a flush works on.
type flushed struct {
	fresh    []*part
	gone     []*part // parts whose gone rows have to be written
	pending  *pending
	position earshot.Position
}

// Flush brings everything that was appended or deleted to the disk.
//
// The order matters. First, in one write, the keys of the new posts and the rows that
// they replace: should that be all that happens, reading the journal again finds the
// old post gone, and adds the new one. Then, in one synced write, what makes the file
// exist, the position, and the keys of deleted posts that are forgotten: forgetting one
// before the position would let a replaced post come back.
func (s *Store) Flush(ctx context.Context) error {
	s.flush.Lock()
	defer s.flush.Unlock()
	f := s.beginFlush()
	if f == nil {
		return nil
	}
	made, err := s.finishFlush(ctx, f)
	if err != nil {
		s.discard(made)
		s.mu.Lock()
		s.pending, s.flushing = f.pending.under(s.pending), nil
		for _, p := range f.gone {
			s.dirty[p.id] = struct{}{}
		}
		s.mu.Unlock()
		return s.explain(err)
	}
	for _, p := range f.fresh {
		s.discard(p)
	}
	if postsOf(f.fresh) >= flushPosts/2 {
		s.hurried.Store(time.Now().UnixNano())
	}
	notify(s.toMerge)
	return nil
}

// beginFlush returns what is to be flushed, nil when nothing is.
func (s *Store) beginFlush() *flushed {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	if v.position == s.Durable() && len(s.dirty) == 0 {
		return nil
	}
	f := &flushed{pending: s.pending, position: v.position}
	for _, p := range v.parts {
		if p.fresh {
			f.fresh = append(f.fresh, p)
		} else if _, dirty := s.dirty[p.id]; dirty {
			f.gone = append(f.gone, p)
		}
	}
	s.pending, s.flushing = newPending(), f.pending
	clear(s.dirty)
	return f
}

// finishFlush writes the file and what belongs to it, and makes it part of the view.
func (s *Store) finishFlush(ctx context.Context, f *flushed) (made *part, err error) {
	if err := s.room.checkFlush(f.fresh); err != nil {
		return nil, err
	}
	made, moved, err := s.combine(ctx, f.fresh, nil)
	if err != nil {
		return nil, err
	}
	if err := s.writeKeys(f); err != nil {
		return made, err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for k := range f.pending.deleted {
		if err := b.Delete(recPost(k), nil); err != nil {
			return made, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.swap(b, f.fresh, made, moved, f.position); err != nil {
		return made, err
	}
	s.flushing = nil
	return made, nil
}

// writeKeys writes the keys of new posts and the rows that are gone for them.
func (s *Store) writeKeys(f *flushed) error {
	b := s.db.NewBatchWithSize(64 * len(f.pending.keys))
	defer b.Close()
	var value []byte
	for k, seconds := range f.pending.keys {
		value = binary.AppendVarint(value[:0], int64(seconds-1<<63))
		if err := b.Set(recPost(k), value, nil); err != nil {
			return err
		}
	}
	for _, p := range f.gone {
		if err := setRows(b, recID(recGone, p.id), p.gone); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

// storedTime returns what writeKeys wrote of a key.
func (s *Store) storedTime(k postfile.Key) (seconds uint64, known bool, err error) {
	value, closer, err := s.db.Get(recPost(k))
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer closer.Close()
	unix, n := binary.Varint(value)
	return uint64(unix) + 1<<63, n > 0, nil
}

// combine merges parts into a new file, and returns it and where their rows are now. It
// returns nil when nothing is left of them.
func (s *Store) combine(ctx context.Context, parts []*part, expired map[uint64]*roaring.Bitmap) (made *part, moved [][]uint32, err error) {
	inputs := make([]postfile.Input, len(parts))
	left := 0
	for i, p := range parts {
		inputs[i] = postfile.Input{File: p.file, Drop: p.gone}
		if drop := expired[p.id]; drop != nil {
			inputs[i].Drop = drop
		}
		left += p.rows
		if inputs[i].Drop != nil {
			left -= int(inputs[i].Drop.GetCardinality())
		}
		if inputs[i].Monitors, err = s.allMarks(p); err != nil {
			return nil, nil, err
		}
		if inputs[i].Matched, err = getRows(s.db, recID(recEver, p.id)); err != nil {
			return nil, nil, err
		}
	}
	if left == 0 {
		return nil, nil, nil
	}
	id := s.newID()
	err = reading(&part{file: inputs[0].File}, func() (err error) {
		moved, err = postfile.Merge(ctx, s.path(id), inputs, postfile.Options{})
		return err
	})
	if err != nil {
		return nil, nil, blame(parts, err)
	}
	made, err = s.open(id, false)
	return made, moved, err
}

// swap puts a part in the place of those it was made of and commits b, to which it adds
// what makes the part exist. Rows that have gone since are gone from the new part, too.
// made is nil when nothing was left of the old ones. The caller holds s.mu.
func (s *Store) swap(b *pebble.Batch, old []*part, made *part, moved [][]uint32, durable earshot.Position) error {
	v := s.current.Load()
	gone := roaring.New()
	replaced := map[uint64]bool{}
	for i, p := range old {
		replaced[p.id] = true
		if now := v.find(p.id); now != nil && now.gone != nil && made != nil {
			for it := now.gone.Iterator(); it.HasNext(); {
				if row := moved[i][it.Next()]; row != postfile.Gone {
					gone.Add(row)
				}
			}
		}
		if err := s.forget(b, p); err != nil {
			return err
		}
	}
	parts := make([]*part, 0, len(v.parts))
	for _, p := range v.parts {
		if !replaced[p.id] {
			parts = append(parts, p)
		}
	}
	if made != nil {
		made = s.without(made, gone)
		parts = append(parts, made)
		if err := setJSON(b, recID(recFile, made.id), fileRecord{Rows: made.rows, First: made.first, Last: made.last}); err != nil {
			return err
		}
		if !gone.IsEmpty() {
			if err := setRows(b, recID(recGone, made.id), gone); err != nil {
				return err
			}
		}
	}
	if err := setJSON(b, recID(recState), stateRecord{Format: format, Position: durable, LastID: s.lastID.Load()}); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	s.durable.Store(uint64(durable))
	s.publish(parts, v.position)
	return nil
}

// explain makes errors of a full disk those that callers know.
func (s *Store) explain(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &earshot.Error{Kind: errFull.Kind, Message: errFull.Message, Err: err}
	}
	return err
}

// blame finds the part that an error of a merge is about.
func blame(parts []*part, err error) error {
	var bad *damage
	if !errors.As(err, &bad) {
		return err
	}
	for _, p := range parts {
		if check := reading(p, p.file.Verify); check != nil {
			return &damage{p, check}
		}
	}
	return bad.err
}

// allMarks returns the sets of rows that monitors have in a part since they were changed.
func (s *Store) allMarks(p *part) (map[earshot.MonitorID]*roaring.Bitmap, error) {
	if len(p.marks) == 0 {
		return nil, nil
	}
	sets := make(map[earshot.MonitorID]*roaring.Bitmap, len(p.marks))
	for id := range maps.Keys(p.marks) {
		rows, err := s.readMarks(p, id)
		if err != nil {
			return nil, err
		}
		sets[id] = rows
	}
	return sets, nil
}
