package manage

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/postview"
)

// A postOrder is the value of the sort parameter.
type postOrder struct {
	order poststore.Order
	given bool
}

var postOrders = map[string]poststore.Order{
	"newest":     poststore.NewestFirst,
	"oldest":     poststore.OldestFirst,
	"engagement": poststore.MostEngagement,
	"reach":      poststore.MostReach,
	"relevance":  poststore.MostRelevant,
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *postOrder) UnmarshalText(text []byte) error {
	if o.order, o.given = postOrders[string(text)]; !o.given {
		return errors.New("one of " + strings.Join(slices.Sorted(maps.Keys(postOrders)), ", "))
	}
	return nil
}

// isRanked reports whether the list has pages by cursor instead of by offset.
func (p postsParams) isRanked() bool {
	return p.Sort.given || p.Group || p.Cursor != "" || p.Copies != ""
}

// ResponseMemory implements [rest.Weighted]. Grouping and relevance take a pass over all texts.
func (p postsParams) ResponseMemory() int64 {
	if p.Group || p.Copies != "" || p.Sort.order == poststore.MostRelevant {
		return max(rest.LongResponse, p.dayParams.ResponseMemory())
	}
	return p.dayParams.ResponseMemory()
}

// rankPosts returns a page of a sorted list.
func (a *API) rankPosts(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, days earshot.Days, p postsParams, limit int) (response postsResponse, err error) {
	if p.Offset != 0 {
		return response, earshot.InvalidParameter("offset", strconv.Itoa(p.Offset), "left out; the pages of a sorted list follow cursor")
	}
	ranking := poststore.Ranking{Order: p.Sort.order, Group: p.Group || p.Copies != "", Limit: limit + 1}
	if p.Copies != "" {
		key, ok := earshot.ParsePostKey(p.Copies)
		if !ok {
			return response, earshot.InvalidParameter("copiesOf", earshot.Clip(p.Copies, 200), "the key of a post")
		}
		ranking.GroupOf = &key
	}
	if ranking.After, err = parseCursor(p.Cursor, func(key earshot.PostKey, score int64) (poststore.RankPosition, error) {
		return a.Insight.RankPosition(ctx, m, key, score)
	}); err != nil {
		return response, err
	}
	filter := a.Filters.Refinement(c, m, p.Filter)
	err = a.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		refinement, err := filter.Selection(categorization)
		if err != nil {
			return err
		}
		if ranking.Terms, err = a.searchTerms(m, refinement); err != nil {
			return err
		}
		found, err := a.Insight.RankPosts(ctx, m, insight.RankRequest{
			Days: days, Ranking: ranking, Refinement: refinement, Filter: strconv.Itoa(int(categorization.ModelID)) + filter.Key(),
		})
		if err != nil {
			return err
		}
		response = postsResponse{Start: days.Start, End: days.End, Total: found.Total, Items: []*postview.HighlightedPost{}}
		r := a.Posts.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Refinement: refinement.Where, Excerpts: !p.Full, Marks: seesMarks(c)})
		for i := range found.Posts[:min(limit, len(found.Posts))] {
			item := r.Highlight(&found.Posts[i].Post)
			if ranking.Group {
				item.Copies = found.Posts[i].Copies
			}
			response.Items = append(response.Items, item)
		}
		if ranking.Group {
			response.Groups = found.Groups
		}
		if len(found.Posts) > limit {
			response.Cursor = newCursor(&found.Posts[limit-1])
		}
		return nil
	})
	return response, err
}

// searchTerms returns the words that the monitor and the refinement look for.
func (a *API) searchTerms(m *earshot.Monitor, refinement poststore.Selection) ([]string, error) {
	where, err := a.Posts.Monitors.Condition(m)
	if err != nil {
		return nil, err
	}
	return append(where.Terms(), refinement.Where.Terms()...), nil
}

// newCursor returns the cursor of the page after a post: its score and its key. The time of the post
// is not part of it, because sources may restrict it.
func newCursor(p *poststore.RankedPost) string {
	return strconv.FormatInt(p.Position.Score, 36) + "." + p.Post.Key().Text()
}

// parseCursor returns the position of a cursor, or nil for an empty one. find returns the position of
// a post with a score.
func parseCursor(cursor string, find func(key earshot.PostKey, score int64) (poststore.RankPosition, error)) (*poststore.RankPosition, error) {
	if cursor == "" {
		return nil, nil
	}
	invalid := earshot.InvalidParameter("cursor", earshot.Clip(cursor, 200), "the value of cursor from an earlier response; start over if its post was deleted")
	number, text, _ := strings.Cut(cursor, ".")
	score, err := strconv.ParseInt(number, 36, 64)
	key, ok := earshot.ParsePostKey(text)
	if err != nil || !ok {
		return nil, invalid
	}
	at, err := find(key, score)
	if earshot.IsKind(err, earshot.NotFound) {
		return nil, invalid
	}
	return &at, err
}
