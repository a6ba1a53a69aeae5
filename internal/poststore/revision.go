package poststore

import (
	"fmt"

	"earshot"
)

// A Reinfer says what newer models tell of posts.
type Reinfer struct {
	// Models is the version of the models. Posts that it has seen, or a newer one, stay as
	// they are.
	Models uint32
	// Infer changes posts in place, Models too, but not their identity or time. It is
	// called by one at a time. A post may be handed in that was replaced or deleted since,
	// and after a failure one that was handed in before.
	Infer func(posts []earshot.Post)
	// Progress is told now and then how many posts were revised, of those that are to be. It
	// may be nil.
	Progress func(done, total int64)
}

// IsOutdated reports whether older models have seen p, or none.
func (r *Reinfer) IsOutdated(p *earshot.Post) bool { return p.InferredBy < r.Models }

// Apply calls Revise, for stores. It fails when a post has become another one, or is as old
// as before and would be handed in forever.
func (r *Reinfer) Apply(posts []earshot.Post) error {
	before := make([]identity, len(posts))
	for i := range posts {
		before[i] = identify(&posts[i])
	}
	r.Infer(posts)
	for i := range posts {
		p, was := &posts[i], before[i]
		if now := identify(p); now != was {
			return fmt.Errorf("revise %+v: it has become %+v", was, now)
		}
		if r.IsOutdated(p) {
			return fmt.Errorf("revise %+v: models %d have seen it, want %d", was, p.InferredBy, r.Models)
		}
	}
	return nil
}

// An identity is what of a post no model may change: stores find it by that, and in that
// order.
type identity struct {
	Source        earshot.Source
	ContentSource earshot.ContentSourceID
	GUID          string
	Seconds       int64
	Nanoseconds   int
}

func identify(p *earshot.Post) identity {
	return identity{p.Source, p.ContentSource, p.GUID, p.Time.Unix(), p.Time.Nanosecond()}
}
