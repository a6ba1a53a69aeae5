package pipeline

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/journal"
)

// storePictures adds what was found in images to stored posts, infers and matches the posts again,
// and stores them in place of the old versions. It skips posts that have been deleted, and images
// that a newer version of a post no longer has.
func (p *Pipeline) storePictures(ctx context.Context, batch *journal.Batch) ([]poststore.MatchedPost, error) {
	p.storing.RLock()
	defer p.storing.RUnlock()
	var changed []earshot.Post
	if len(batch.Pictures.Found) > 0 {
		keys := make([]earshot.PostKey, len(batch.Pictures.Posts))
		for i, post := range batch.Pictures.Posts {
			keys[i] = post.Key
		}
		posts, err := p.Store.Find(ctx, keys)
		if err != nil {
			return nil, err
		}
		for i := range posts {
			if addPictures(&posts[i], batch.Pictures.Found) {
				changed = append(changed, posts[i])
			}
		}
	}
	matched, err := p.revise(ctx, batch, changed, looksOf(changed))
	if err != nil {
		return nil, err
	}
	p.matchEnded(matched, batch)
	if err := p.Store.Append(ctx, batch.Position, matched); err != nil {
		return nil, err
	}
	if p.Stored != nil && len(matched) > 0 {
		p.Stored(matched)
	}
	return matched, nil
}

// addPictures sets the pictures of a post's images and reports whether there is one.
func addPictures(p *earshot.Post, found map[string]*earshot.Picture) (changed bool) {
	images := append([]earshot.Image(nil), p.Images...) // the slice may be shared with the store
	for i := range images {
		if picture := found[images[i].URL]; picture != nil {
			images[i].Picture, changed = picture, true
		}
	}
	if changed {
		p.Images = images
	}
	return changed
}

// matchEnded also matches posts against monitors that were disabled after the posts arrived and
// before their pictures were looked at. Such a monitor keeps the posts that it had.
func (p *Pipeline) matchEnded(posts []poststore.MatchedPost, batch *journal.Batch) {
	if len(posts) == 0 {
		return
	}
	first := batch.Position
	arrived := map[earshot.PostKey]earshot.Position{}
	for _, post := range batch.Pictures.Posts {
		if post.Position != 0 {
			arrived[post.Key] = post.Position
			first = min(first, post.Position)
		}
	}
	var ended []*earshot.Monitor
	for _, m := range p.Catalog.Monitors.List() {
		if !m.Watches(batch.Position) && m.Watches(first) {
			ended = append(ended, m)
		}
	}
	if len(ended) == 0 {
		return
	}
	var doc query.Document
	for i := range posts {
		at, ok := arrived[posts[i].Post.Key()]
		if !ok {
			continue
		}
		list, _ := watchlist.New(ended, at) // the main watchlist has logged its problems
		doc.Reset(&posts[i].Post)
		monitors, social, own := list.MatchSocial(&doc)
		posts[i].Sets = addMissing(posts[i].Sets, postSets(monitors, own)...)
		posts[i].Tracked = addMissing(posts[i].Tracked, postSets(social, own)...)
	}
}
