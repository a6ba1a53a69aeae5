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

// How much is revised at a time: so many posts, or about so many bytes of them.
const (
	reviseRows  = 16 << 10
	reviseBytes = 64 << 20
)

// Reinfer implements poststore.Store. It takes the files one after the other: what is
// revised of one is written to files of some posts each, and these become the file that
// takes its place. Other files are merged meanwhile, and monitors may change.
func (s *Store) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.revise.Lock()
	defer s.revise.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.flushAll(ctx); err != nil {
		return err
	}
	v := &revision{Store: s, Reinfer: r, upTo: s.Durable()}
	for {
		parts, err := v.concerned(ctx)
		if err != nil {
			return err
		}
		if len(parts) == 0 {
			v.tell(int(v.total - v.done)) // of those that were deleted meanwhile
			return nil
		}
		for _, id := range parts {
			if err := v.revisePart(ctx, id); err != nil {
				return err
			}
		}
	}
}

// A revision is one that is under way.
type revision struct {
	*Store
	poststore.Reinfer
	upTo        earshot.Position // of the posts that were there when it began
	total       int64            // posts to be revised; 0 until they are counted
	done, shown int64
}

// concerned returns the parts that have older posts. The first time it counts them.
func (r *revision) concerned(ctx context.Context) (parts []uint64, err error) {
	var posts int64
	err = r.askNow(ctx, func(v *view) error {
		parts, posts = nil, 0
		for _, p := range v.parts {
			rows, err := r.older(p)
			if err != nil {
				return err
			}
			if !rows.IsEmpty() {
				parts, posts = append(parts, p.id), posts+int64(rows.GetCardinality())
			}
		}
		return nil
	})
	if r.total == 0 {
		r.total = posts
	}
	return parts, err
}

// older returns the rows of a part that are to be revised.
func (r *revision) older(p *part) (rows *roaring.Bitmap, err error) {
	if p.fresh {
		return roaring.New(), nil // it came after the revision began
	}
	err = reading(p, func() (err error) {
		if rows, err = p.file.InferredBefore(r.Models); err != nil || rows.IsEmpty() {
			return err
		}
		arrived, err := p.file.ArrivedUpTo(r.upTo)
		if err != nil {
			return err
		}
		rows.And(arrived)
		if p.gone != nil {
			rows.AndNot(p.gone)
		}
		return nil
	})
	return rows, err
}

// revisePart revises the older posts of a part. When it has been merged before its turn
// came, they are found where they are then.
func (r *revision) revisePart(ctx context.Context, id uint64) error {
	p := r.reserve(id)
	if p == nil {
		return nil
	}
	defer r.giveBack(p)
	before := r.done
	err := r.renew(ctx, p)
	var bad *damage
	switch {
	case errors.As(err, &bad):
		return r.putAside(bad)
	case errors.Is(err, errStale): // someone else has set it aside
		r.done = before
		return nil
	case err != nil:
		return r.explain(err)
	}
	return nil
}

// renew puts another part in the place of p, which is reserved.
func (r *revision) renew(ctx context.Context, p *part) error {
	older, err := r.older(p)
	if err != nil || older.IsEmpty() {
		return err
	}
	var pieces []piece
	defer func() { // also when Revise panics
		for _, piece := range pieces {
			r.discard(piece.part)
		}
	}()
	bytesPerRow := p.file.Size()/int64(p.rows) + 1
	for rows := older.ToArray(); len(rows) > 0; {
		if err := r.mayGoOn(ctx); err != nil {
			return err
		}
		if err := r.room.check(bytesPerRow * (int64(len(rows)) + p.live())); err != nil {
			return err
		}
		made, n, err := r.reviseSome(p, rows)
		if err != nil {
			return err
		}
		pieces = append(pieces, piece{made, rows[:n]})
		rows = rows[n:]
		r.tell(n)
	}
	return r.exchange(ctx, p, older, pieces)
}

// mayGoOn returns why the revision is called off. Close waits for it.
func (r *revision) mayGoOn(ctx context.Context) error {
	if r.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

// reviseSome writes a file of the posts of the first rows, as they are revised, and
// returns how many these are.
func (r *revision) reviseSome(p *part, rows []uint32) (made *part, n int, err error) {
	var posts []earshot.Post
	var revised []segment.Row
	err = reading(p, func() (err error) {
		if posts, err = readSome(p.file, rows[:min(len(rows), r.reviseRows)]); err != nil {
			return err
		}
		revised, err = p.file.ReinferredRows(rows[:len(posts)], posts)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if err := enginekit.Infer(&r.Reinfer, posts); err != nil {
		return nil, 0, err
	}
	id := r.newID()
	if err := segment.Write(r.path(id), revised, segment.Options{}); err != nil {
		return nil, 0, err
	}
	made, err = r.openNew(id, segment.Options{})
	return made, len(posts), err
}

// readSome returns the posts of the first rows, as many as take about reviseBytes. What they
// take in the file tells little: text may be packed into a hundredth.
func readSome(f *segment.Segment, rows []uint32) (posts []earshot.Post, err error) {
	const step = 128
	for bytes := 0; len(posts) < len(rows) && bytes < reviseBytes; {
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

// sizeOfPost returns about how many bytes a post takes.
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

// tell tells that more posts were revised. What has to be done again is not told twice.
func (r *revision) tell(posts int) {
	r.done = min(r.done+int64(posts), r.total)
	if r.Progress != nil && r.done > r.shown {
		r.shown = r.done
		r.Progress(r.done, r.total)
	}
}
