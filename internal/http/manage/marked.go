package manage

import (
	"context"
	"errors"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/query/filter"
	"earshot/internal/workspace/card"
)

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

// listMarked serves GET /manage/v1/marked: the posts that colleagues starred or assigned to the
// caller, in all monitors that the caller may see.
func (a *API) listMarked(ctx context.Context, c *earshot.Caller, p markedParams) (card.MarkedResponse, error) {
	limit, offset, err := postsParams{Limit: p.Limit, Offset: p.Offset}.page()
	if err != nil {
		return card.MarkedResponse{}, err
	}
	return a.Cards.Marked(ctx, c, p.Team, markedFilters[p.By], limit, offset)
}
