package manage

import (
	"context"
	"errors"
	"slices"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/query/filter"
)

// maxMarked is the number of marked posts that are listed, of each monitor.
const maxMarked = 1000

// A markedBy is the value of the parameter by.
type markedBy string

// markedFilters maps the values of the parameter by to filters.
var markedFilters = map[markedBy]string{"starred": filter.Starred.Is("yes"), "assigned": filter.Assigned.Is("me")}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *markedBy) UnmarshalText(text []byte) error {
	if *b = markedBy(text); markedFilters[*b] == "" {
		return errors.New("starred or assigned")
	}
	return nil
}

type markedParams struct {
	By     markedBy       `query:"by,required"`
	Team   earshot.TeamID `query:"team"`
	Limit  *int           `query:"limit"`
	Offset int            `query:"offset"`
}

// ResponseMemory implements [rest.Weighted].
func (markedParams) ResponseMemory() int64 { return rest.LongResponse }

type markedResponse struct {
	Total int              `json:"total"`
	Items []authorPostInfo `json:"items"`
	Next  int              `json:"next"` // offset of the next page; 0: no more pages
}

// listMarked serves GET /manage/v1/marked: the posts that colleagues starred or assigned to the
// caller, in all monitors that the caller may see.
func (a *API) listMarked(ctx context.Context, c *earshot.Caller, p markedParams) (response markedResponse, err error) {
	limit, offset, err := postsParams{Limit: p.Limit, Offset: p.Offset}.page()
	if err != nil {
		return response, err
	}
	posts, err := a.findMarked(ctx, c, p)
	if err != nil {
		return response, err
	}
	response.Total = len(posts)
	posts = posts[min(offset, len(posts)):]
	if len(posts) > limit {
		posts, response.Next = posts[:limit], offset+limit
	}
	response.Items, err = a.renderAuthorPosts(ctx, c, posts, nil, false)
	return response, err
}

// findMarked returns the marked posts, newest first, each with the monitors that match it.
func (a *API) findMarked(ctx context.Context, c *earshot.Caller, p markedParams) ([]insight.AuthorPost, error) {
	index := map[earshot.PostKey]int{}
	var found []insight.AuthorPost
	for _, m := range a.Monitors.List(c, p.Team) {
		refinement, err := a.Filters.Refinement(c, m, markedFilters[p.By]).Selection(insight.Categorization{})
		if err != nil {
			return nil, err
		}
		posts, _, err := a.Insight.Posts(ctx, m, a.Cards.ResultDays(m), refinement, maxMarked)
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
