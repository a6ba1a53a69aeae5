package card

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/insight"
)

// maxMarked is the number of marked posts that are listed, of each monitor.
const maxMarked = 1000

// A MarkedResponse is a page of marked posts.
type MarkedResponse struct {
	Total int              `json:"total"`
	Items []AuthorPostInfo `json:"items"`
	Next  int              `json:"next"` // offset of the next page; 0: no more pages
}

// Marked returns a page of the posts that a filter about marks selects from all monitors that a caller
// may see.
func (s *Service) Marked(ctx context.Context, c *earshot.Caller, team earshot.TeamID, filter string, limit, offset int) (response MarkedResponse, err error) {
	posts, err := s.findMarked(ctx, c, team, filter)
	if err != nil {
		return response, err
	}
	response.Total = len(posts)
	posts = posts[min(offset, len(posts)):]
	if len(posts) > limit {
		posts, response.Next = posts[:limit], offset+limit
	}
	response.Items, err = s.renderAuthorPosts(ctx, c, posts, nil, false)
	return response, err
}

// findMarked returns the marked posts, newest first, each with the monitors that match it.
func (s *Service) findMarked(ctx context.Context, c *earshot.Caller, team earshot.TeamID, filter string) ([]insight.AuthorPost, error) {
	index := map[earshot.PostKey]int{}
	var found []insight.AuthorPost
	for _, m := range s.Monitors.List(c, team) {
		refinement, err := s.Filters.Refinement(c, m, filter).Selection(insight.Categorization{})
		if err != nil {
			return nil, err
		}
		posts, _, err := s.Insight.Posts(ctx, m, s.ResultDays(m), refinement, maxMarked)
		if err != nil {
			return nil, err
		}
		for i := range posts {
			key := posts[i].Key()
			at, ok := index[key]
			if !ok {
				at = len(found)
				index[key] = at
				found = append(found, insight.AuthorPost{})
				found[at].Post = posts[i]
			}
			found[at].Monitors = append(found[at].Monitors, m)
		}
	}
	slices.SortStableFunc(found, func(a, b insight.AuthorPost) int { return earshot.ComparePosts(&a.Post, &b.Post) })
	return found, nil
}
