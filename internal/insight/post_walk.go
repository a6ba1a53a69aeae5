package insight

import (
	"context"
	"iter"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// walkBatch is the number of posts that EachPost holds in memory at once.
const walkBatch = 1000

// EachPost yields all posts that [Service.Posts] lists, in the same order. The caller owns a post
// once it is yielded. After an error, the sequence ends.
//
// Posts are read in batches, newest first, so later batches reflect changes made since the first
// one. All posts are in the categories of one model, however: if another model replaces it and the
// refinement depends on categories, the sequence ends with an error.
func (s *Service) EachPost(ctx context.Context, m *earshot.Monitor, categorization Categorization, days earshot.Days, refinement poststore.Selection) iter.Seq2[*earshot.Post, error] {
	return func(yield func(*earshot.Post, error) bool) {
		if days = s.withResults(m, days); days.Len() <= 0 {
			return
		}
		sel := selection(m, days)
		refinement.Set, refinement.From, refinement.To = sel.Set, sel.From, sel.To
		steps, err := s.steps(ctx, refinement)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, from := range steps {
			refinement.From = from
			for posts, err := range batches(ctx, s.Store, refinement, walkBatch) {
				if err == nil {
					err = s.checkCategorization(ctx, m, categorization, refinement)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				for i := range posts {
					if !yield(&posts[i], nil) {
						return
					}
				}
			}
			refinement.To = from
		}
	}
}

// steps returns times, latest first, that split a selection into parts of about walkBatch posts
// each. An hour with more posts is not split. The last time is the start of the range.
func (s *Service) steps(ctx context.Context, sel poststore.Selection) ([]time.Time, error) {
	hours, err := s.hours(ctx, sel)
	if err != nil {
		return nil, err
	}
	var steps []time.Time
	posts := int64(0)
	for _, h := range hours {
		if posts += h.posts; posts >= walkBatch && h.begin.After(sel.From) {
			steps, posts = append(steps, h.begin), 0
		}
	}
	return append(steps, sel.From), nil
}

// batches yields the posts of a selection, newest first, at most size at a time. size must be at
// least 2. There is at least one batch, which may be empty.
func batches(ctx context.Context, store Store, sel poststore.Selection, size int) iter.Seq2[[]earshot.Post, error] {
	return func(yield func([]earshot.Post, error) bool) {
		for {
			posts, total, err := store.Posts(ctx, sel, size)
			if err != nil {
				yield(nil, err)
				return
			}
			more := total > int64(len(posts))
			posts = postsAfter(posts, sel.FromPost)
			if more { // before the consumer may modify the posts
				last := posts[len(posts)-1]
				sel.FromPost, sel.To = &last, last.Time.Add(1) // there may be more posts at that time
			}
			if !yield(posts, nil) || !more {
				return
			}
		}
	}
}

// checkCategorization returns an error if a selection depends on a categorization that another
// model has replaced.
func (s *Service) checkCategorization(ctx context.Context, m *earshot.Monitor, categorization Categorization, sel poststore.Selection) error {
	if len(sel.Categories.Sets) == 0 {
		return nil
	}
	now, err := s.categorization(ctx, m)
	if err == nil && now.ModelID != categorization.ModelID {
		err = earshot.Errorf(earshot.Unavailable, "Monitor %d was retrained in the meantime; try again", m.ID)
	}
	return err
}
