package local

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/sleep"
)

// An Import fills an empty store. It implements [poststore.Importer]: each part is one commit to
// Pebble, together with its checkpoint, and the posts of a part become a segment. Compaction merges
// them in the background.
type Import struct {
	store *Store
	last  poststore.Checkpoint
}

var _ poststore.Importer = (*Import)(nil)

// OpenImport opens a store to copy posts to. It must not exist yet, or be an unfinished copy.
func OpenImport(ctx context.Context, o Options) (_ *Import, err error) {
	o.UnmatchedDays = 0 // do not delete posts in the meantime
	c, err := checkBeforeOpen(o.Dir, o.Installation)
	if err != nil {
		return nil, fmt.Errorf("open post store %s: %w", o.Dir, err)
	}
	if !c.copying && (c.state.Position > 0 || c.state.Segments > 0) {
		return nil, fmt.Errorf("there are posts in %s already. If they are a copy that has just finished, start the service; otherwise move the directory away", o.Dir)
	}
	s, err := open(ctx, o, true)
	if err != nil {
		return nil, err
	}
	i := &Import{store: s}
	data, err := get(s.db, recID(recCopy))
	if err == nil && data != nil {
		err = json.Unmarshal(data, &i.last)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return i, nil
}

// Close closes the store.
func (i *Import) Close() error { return i.store.Close() }

// Checkpoint implements [poststore.Importer].
func (i *Import) Checkpoint() poststore.Checkpoint { return i.last }

// Imported implements [poststore.Importer].
func (i *Import) Imported() poststore.Exporter { return i.store }

// Import implements [poststore.Importer].
func (i *Import) Import(ctx context.Context, p poststore.CopyPart) error {
	s := i.store
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if i.last.Source != "" && p.Next.Parts <= i.last.Parts {
		return nil
	}
	if err := s.space.check(importSpace(p.Posts)); err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	for k := range p.Sets {
		if err := importSet(b, &p.Sets[k]); err != nil {
			return err
		}
	}
	for m, snapshots := range p.Snapshots {
		for _, one := range snapshots {
			if err := putJSON(b, snapshotKey(m, one.Date), snapshotRecord{stated(one.Followers), stated(one.Likes)}); err != nil {
				return err
			}
		}
	}
	made, err := i.importPosts(b, p.Posts)
	if err != nil {
		return s.explain(err)
	}
	if err := i.commit(b, made, 0, p.Next); err != nil {
		s.discard(made)
		return s.explain(err)
	}
	sleep.Notify(s.toCompact)
	return nil
}

// importSpace estimates the bytes that posts take on disk.
func importSpace(posts []poststore.StoredPost) int64 {
	const perPost = 2 << 10
	return int64(len(posts)) * perPost
}

// importPosts writes a segment, or returns nil without posts. It adds all records to b.
//
// The segment was modified at the beginning of time: imported changes say when posts changed, and
// Changed returns the later of both.
func (i *Import) importPosts(b *pebble.Batch, posts []poststore.StoredPost) (*segmentState, error) {
	if len(posts) == 0 {
		return nil, nil
	}
	s := i.store
	rows := make([]segment.Row, len(posts))
	for k := range posts {
		p := &posts[k]
		rows[k] = segment.Row{Post: &p.Post, Sets: p.Sets, Arrived: p.Arrived, Ingested: p.Stored, Key: segment.KeyOf(p.Post.Key())}
		if p.Stored.IsZero() {
			rows[k].Ingested = s.now()
		}
	}
	id, err := s.newSegmentID()
	if err != nil {
		return nil, err
	}
	if err := segment.Write(s.path(id), rows, segment.Options{}); err != nil {
		return nil, err
	}
	made, err := s.openNew(id, segment.Options{})
	if err != nil {
		return nil, err
	}
	made.modified = time.Unix(0, 0)
	if err := errors.Join(putSegment(b, made), putMatched(b, made, posts), putRowKeys(b, rows)); err != nil {
		s.discard(made)
		return nil, err
	}
	return made, nil
}

// putMatched records posts that a monitor once matched, but no longer does.
func putMatched(b *pebble.Batch, made *segmentState, posts []poststore.StoredPost) error {
	var targets []segment.Target
	for k := range posts {
		if p := &posts[k]; p.Matched && len(p.Sets) == 0 {
			targets = append(targets, segment.Target{Key: segment.KeyOf(p.Post.Key()), Seconds: segment.Seconds(p.Post.Time)})
		}
	}
	if len(targets) == 0 {
		return nil
	}
	found, err := made.data.Find(targets)
	if err != nil {
		return err
	}
	return putRows(b, recID(recEverMatched, made.id), roaring.BitmapOf(found...))
}

func putRowKeys(b *pebble.Batch, rows []segment.Row) error {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(x, y segment.Row) int { return x.Key.Compare(y.Key) })
	for _, r := range sorted {
		if err := b.Set(postKey(r.Key), binary.AppendVarint(nil, r.Post.Time.Unix()), nil); err != nil {
			return err
		}
	}
	return nil
}

// importSet adds the records of a set.
func importSet(b *pebble.Batch, set *poststore.StoredSet) error {
	if err := putGenerations(b, poststore.Rules{set.ID: {Generation: set.Generation}}); err != nil {
		return err
	}
	for _, c := range set.Changes {
		if err := b.Set(recID(recUnmatched, uint64(set.ID), segment.Seconds(c.Posted)), appendTime(nil, c.Changed), nil); err != nil {
			return err
		}
	}
	for _, c := range set.Counters {
		if err := putSum(b, changeKey{set.ID, segment.Seconds(c.Time), segment.Seconds(c.Posted)}, c); err != nil {
			return err
		}
	}
	return nil
}

// commit commits b with a checkpoint and publishes a segment, which may be nil.
func (i *Import) commit(b *pebble.Batch, made *segmentState, at earshot.Position, next poststore.Checkpoint) error {
	s := i.store
	if err := putJSON(b, recID(recCopy), next); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.current.Load()
	segments, added := slices.Clone(v.segments), 0
	if made != nil {
		segments, added = append(segments, made), 1
	}
	if err := s.commitSynced(b, at, added); err != nil {
		return err
	}
	s.durable.Store(uint64(at))
	s.publish(segments, at)
	i.last = next
	return nil
}

// Finish implements [poststore.Importer].
func (i *Import) Finish(ctx context.Context, at earshot.Position, next poststore.Checkpoint) error {
	s := i.store
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	b := s.db.NewBatch()
	defer b.Close()
	if err := b.Set(recID(recCountersAt), binary.AppendUvarint(nil, uint64(at)), nil); err != nil {
		return err
	}
	if err := i.commit(b, nil, at, next); err != nil {
		return s.explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countersAt = at
	return nil
}

// Accept implements [poststore.Importer].
func (i *Import) Accept(ctx context.Context) error {
	s := i.store
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	b := s.db.NewBatch()
	defer b.Close()
	if err := b.Delete(recID(recCopy), nil); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.explain(s.commitSynced(b, s.Durable(), 0))
}
