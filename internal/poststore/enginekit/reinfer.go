package enginekit

import (
	"fmt"

	"earshot"
	"earshot/internal/poststore"
)

// IsOutdated reports whether a post has been processed only by older models, or by none.
func IsOutdated(r *poststore.Reinfer, p *earshot.Post) bool { return p.InferredBy < r.Models }

// Infer calls r.Infer. It returns an error if the identity of a post has changed, or if a post is
// still outdated, because it would otherwise be passed to r.Infer forever.
func Infer(r *poststore.Reinfer, posts []earshot.Post) error {
	before := make([]identity, len(posts))
	for i := range posts {
		before[i] = identify(&posts[i])
	}
	r.Infer(posts)
	for i := range posts {
		p, was := &posts[i], before[i]
		if now := identify(p); now != was {
			return fmt.Errorf("infer %+v: identity changed to %+v", was, now)
		}
		if IsOutdated(r, p) {
			return fmt.Errorf("infer %+v: got model version %d, want at least %d", was, p.InferredBy, r.Models)
		}
	}
	return nil
}

// An identity contains what models must not change. Stores use it to find and to order posts.
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
