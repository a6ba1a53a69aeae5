package local

import (
	"context"
	"errors"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// A batch for Infer is at most reinferRows posts or about reinferBytes. Larger batches take more
// memory; smaller ones slow down models and produce small segments.
const (
	reinferRows  = 16 << 10
	reinferBytes = 64 << 20
)

// Reinfer implements [poststore.Maintainer]. It processes one segment after another: it writes
// updated posts to pieces, each a small segment, and merges the pieces into a segment that replaces
// the original. In the meantime other segments may be compacted and sets may change.
func (s *Store) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.reinferMu.Lock()
	defer s.reinferMu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	v := &reinferJob{Store: s, Reinfer: r, upTo: s.Durable()}
	for {
		segments, err := v.outdatedSegments(ctx)
		if err != nil {
			return err
		}
		if len(segments) == 0 {
			v.report(int(v.total - v.done)) // counts posts that were deleted in the meantime
			return nil
		}
		for _, id := range segments {
			if err := v.reinferSegment(ctx, id); err != nil {
				return err
			}
		}
	}
}

// A reinferJob is a running Reinfer.
type reinferJob struct {
	*Store
	poststore.Reinfer
	upTo           earshot.Position // position when the job began; later posts are ignored
	total          int64            // outdated posts; 0 until they are counted
	done, reported int64
}

// outdatedSegments returns the segments with outdated posts. The first call also counts the posts.
func (r *reinferJob) outdatedSegments(ctx context.Context) (segments []uint64, err error) {
	var posts int64
	err = r.queryEntered(ctx, func(v *view) error {
		segments, posts = nil, 0
		for _, p := range v.segments {
			rows, err := r.outdatedRows(p)
			if err != nil {
				return err
			}
			if !rows.IsEmpty() {
				segments, posts = append(segments, p.id), posts+int64(rows.GetCardinality())
			}
		}
		return nil
	})
	if r.total == 0 {
		r.total = posts
	}
	return segments, err
}

func (r *reinferJob) outdatedRows(p *segmentState) (rows *roaring.Bitmap, err error) {
	if p.inMemory {
		return roaring.New(), nil // appended after the job began
	}
	err = reading(p, func() (err error) {
		if rows, err = p.data.InferredBefore(r.Models); err != nil || rows.IsEmpty() {
			return err
		}
		arrived, err := p.data.ArrivedUpTo(r.upTo)
		if err != nil {
			return err
		}
		rows.And(arrived)
		if p.deleted != nil {
			rows.AndNot(p.deleted)
		}
		return nil
	})
	return rows, err
}

// reinferSegment updates the outdated posts of a segment. If the segment has been compacted in the
// meantime, it does nothing; the next call to outdatedSegments finds the posts in their new
// segment.
func (r *reinferJob) reinferSegment(ctx context.Context, id uint64) error {
	p := r.reserve(id)
	if p == nil {
		return nil
	}
	defer r.release(p)
	before := r.done
	err := r.rewrite(ctx, p)
	var bad *damageError
	switch {
	case errors.As(err, &bad):
		return r.quarantine(bad)
	case errors.Is(err, errStale): // another goroutine quarantined the segment
		r.done = before
		return nil
	case err != nil:
		return r.explain(err)
	}
	return nil
}

// rewrite replaces a segment, which must be reserved.
func (r *reinferJob) rewrite(ctx context.Context, p *segmentState) error {
	older, err := r.outdatedRows(p)
	if err != nil || older.IsEmpty() {
		return err
	}
	var pieces []piece
	defer func() { // even if Infer panics
		for _, piece := range pieces {
			r.discard(piece.segmentState)
		}
	}()
	bytesPerRow := p.data.Size()/int64(p.rows) + 1
	for rows := older.ToArray(); len(rows) > 0; {
		if err := r.checkCanceled(ctx); err != nil {
			return err
		}
		if err := r.space.check(bytesPerRow * (int64(len(rows)) + p.live())); err != nil {
			return err
		}
		made, n, err := r.reinferSome(p, rows)
		if err != nil {
			return err
		}
		pieces = append(pieces, piece{made, rows[:n]})
		rows = rows[n:]
		r.report(n)
	}
	return r.replaceSegment(ctx, p, older, pieces)
}

// checkCanceled returns an error if the job must stop. Close waits for the job.
func (r *reinferJob) checkCanceled(ctx context.Context) error {
	if r.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

// reinferSome updates the posts of the first rows, writes them as a segment, and returns the number
// of these rows.
func (r *reinferJob) reinferSome(p *segmentState, rows []uint32) (made *segmentState, n int, err error) {
	var posts []earshot.Post
	var revised []segment.Row
	err = reading(p, func() (err error) {
		if posts, err = readSome(p.data, rows[:min(len(rows), r.reinferRows)]); err != nil {
			return err
		}
		revised, err = p.data.ReinferredRows(rows[:len(posts)], posts)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if err := enginekit.Infer(&r.Reinfer, posts); err != nil {
		return nil, 0, err
	}
	id, err := r.newSegmentID()
	if err != nil {
		return nil, 0, err
	}
	if err := segment.Write(r.path(id), revised, segment.Options{}); err != nil {
		return nil, 0, err
	}
	made, err = r.openNew(id, segment.Options{})
	return made, len(posts), err
}

// readSome returns the posts of the first rows, up to about reinferBytes. It measures posts after
// decompression because text may compress a hundredfold.
func readSome(f *segment.Segment, rows []uint32) (posts []earshot.Post, err error) {
	const step = 128
	for bytes := 0; len(posts) < len(rows) && bytes < reinferBytes; {
		more, err := f.Posts(rows[len(posts):min(len(posts)+step, len(rows))])
		if err != nil {
			return nil, err
		}
		for i := range more {
			bytes += sizeOfPost(&more[i])
		}
		posts = append(posts, more...)
	}
	return posts, nil
}

// sizeOfPost estimates the size of a post in memory, in bytes.
func sizeOfPost(p *earshot.Post) int {
	size := int(unsafe.Sizeof(*p)) + len(p.Title) + len(p.Contents) + len(p.Bio)
	for key, value := range p.Custom {
		size += len(key) + len(value)
	}
	for _, list := range [][]string{p.Hashtags, p.Mentions, p.Links, p.MediaURLs} {
		for _, text := range list {
			size += len(text)
		}
	}
	for _, image := range p.Images {
		size += len(image.URL) + len(image.Alt)
	}
	return size
}

// report adds to the number of processed posts and calls Progress. Posts that are processed again
// do not count twice.
func (r *reinferJob) report(posts int) {
	r.done = min(r.done+int64(posts), r.total)
	if r.Progress != nil && r.done > r.reported {
		r.reported = r.done
		r.Progress(r.done, r.total)
	}
}
