package stream

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
)

// maxHold is how long a post waits for its pictures, and with it everything that comes after it. The
// interval between flushes adds to it, and both together must not exceed two seconds.
const maxHold = 1700 * time.Millisecond

// A waitingPost is a post in the outbox whose pictures nobody has looked at yet.
type waitingPost struct {
	position earshot.Position
	until    time.Time
	items    []*feed.Item // in all runs that contain the post
}

// hold marks the posts of runs that wait for their pictures. Queues are in journal order, so later
// posts wait with them.
func (s *Service) hold(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost, runs []feed.Run) {
	if s.Unseen == nil || len(runs) == 0 {
		return
	}
	byPost := map[string]*waitingPost{}
	now := time.Now()
	s.outbox.mu.Lock()
	defer s.outbox.mu.Unlock()
	if s.outbox.check(ctx) != nil {
		return
	}
	for i := range posts {
		if len(posts[i].Post.Images) == 0 || !s.Unseen(&posts[i].Post) {
			continue
		}
		if s.outbox.waiting == nil {
			s.outbox.waiting = map[earshot.PostKey]*waitingPost{}
		}
		w := &waitingPost{position: at, until: now.Add(maxHold)}
		byPost[string(journal.AppendPost(nil, &posts[i].Post))] = w
		s.outbox.waiting[posts[i].Post.Key()] = w
	}
	if len(byPost) == 0 {
		return
	}
	for i := range runs {
		for k := range runs[i].Items {
			if w := byPost[runs[i].Items[k].Post]; w != nil {
				w.items = append(w.items, &runs[i].Items[k])
			}
		}
	}
	for key, w := range s.outbox.waiting {
		if len(w.items) == 0 { // in no stream
			delete(s.outbox.waiting, key)
		}
	}
}

// Update replaces posts that wait for their pictures by versions with pictures, and stops holding
// them. Posts that are already in their streams stay as they are. The position is that of the entry
// with the pictures. Calls must follow journal order, together with those of Offer.
func (s *Service) Update(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	s.outbox.mu.Lock()
	grown := 0
	for i := range posts {
		key := posts[i].Post.Key()
		w := s.outbox.waiting[key]
		if w == nil {
			continue
		}
		encoded := string(journal.AppendPost(nil, &posts[i].Post))
		for _, item := range w.items {
			grown += len(encoded) - len(item.Post)
			item.Post = encoded
		}
		delete(s.outbox.waiting, key)
	}
	s.outbox.bytes += grown
	s.outbox.mu.Unlock()
	return s.outbox.put(ctx, at, nil, 0)
}

// firstWaiting returns the position of the first entry with a post that waits for its pictures, or 0.
// It removes posts that have waited long enough. o.mu must be held.
func (o *outbox) firstWaiting(now time.Time) (first earshot.Position) {
	for key, w := range o.waiting {
		switch {
		case !now.Before(w.until):
			delete(o.waiting, key)
		case first == 0 || w.position < first:
			first = w.position
		}
	}
	return first
}
