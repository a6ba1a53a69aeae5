package memory

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// reinferStep is the number of posts per call to Infer.
const reinferStep = 1000

// Reinfer implements [poststore.Maintainer]. It does not hold s.mu while models run, so other calls
// are not blocked.
func (s *Store) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	entries, err := s.outdated(ctx, &r)
	if err != nil {
		return err
	}
	done, total := 0, len(entries)
	for some := range slices.Chunk(entries, reinferStep) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.reinferSome(some, &r); err != nil {
			return err
		}
		if done += len(some); r.Progress != nil {
			r.Progress(int64(done), int64(total))
		}
	}
	return nil
}

// outdated returns the posts that only older models have processed.
func (s *Store) outdated(ctx context.Context, r *poststore.Reinfer) (entries []*entry, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for e, err := range s.scan(ctx, &poststore.Selection{}) {
		if err != nil {
			return nil, err
		}
		if enginekit.IsOutdated(r, &e.post) {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

func (s *Store) reinferSome(entries []*entry, r *poststore.Reinfer) error {
	posts := s.cloned(entries)
	if err := enginekit.Infer(r, posts); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range entries {
		if s.posts[e.post.Key()] == e && enginekit.IsOutdated(r, &e.post) { // not replaced, deleted or inferred in the meantime
			e.post = clonePost(&posts[i])
			s.markChanged(e, e.sets...)
		}
	}
	return nil
}

func (s *Store) cloned(entries []*entry) []earshot.Post {
	s.mu.RLock()
	defer s.mu.RUnlock()
	posts := make([]earshot.Post, len(entries))
	for i, e := range entries {
		posts[i] = clonePost(&e.post)
	}
	return posts
}
