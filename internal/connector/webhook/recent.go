package webhook

import (
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector/inbox"
)

// Recent posts are shown when a source is tested. They are kept only in memory and only for a
// while, so that a deleted post does not remain anywhere.
const (
	maxRecent = 5 // per source
	recentFor = 10 * time.Minute
)

// recentPosts are the posts that the sources of this kind received recently. It is safe for
// concurrent use.
type recentPosts struct {
	mu    sync.Mutex
	posts map[earshot.LiveSourceID][]recentPost // newest last; guarded by mu
}

type recentPost struct {
	earshot.Post
	received time.Time
}

// add adds the last posts of a request, and removes those that the request changes or deletes, and
// all that are no longer recent.
func (r *recentPosts) add(id earshot.LiveSourceID, changes []inbox.Change, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.posts == nil {
		r.posts = map[earshot.LiveSourceID][]recentPost{}
	}
	for other, list := range r.posts {
		if len(list) == 0 || now.Sub(list[len(list)-1].received) > recentFor {
			delete(r.posts, other)
		}
	}
	list := r.posts[id]
	for i, c := range changes {
		list = slices.DeleteFunc(list, func(p recentPost) bool { return p.Key() == c.Key() })
		if p, ok := c.Post(); ok && i >= len(changes)-maxRecent {
			list = append(list, recentPost{p, now})
		}
	}
	r.posts[id] = slices.Clone(list[max(0, len(list)-maxRecent):])
}

// list returns up to n posts of a source, newest first.
func (r *recentPosts) list(id earshot.LiveSourceID, n int, now time.Time) (posts []earshot.Post) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.posts[id]
	for i := len(list) - 1; i >= 0 && len(posts) < n; i-- {
		if now.Sub(list[i].received) <= recentFor {
			posts = append(posts, list[i].Post)
		}
	}
	return posts
}
