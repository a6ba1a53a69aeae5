package card

import (
	"context"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/workspace/postview"
)

// A Query selects posts of a monitor or filter.
type Query struct {
	Monitor earshot.MonitorID
	Period
	Filter string
}

// Find returns the monitor or filter and the range of days.
func (s *Service) Find(c *earshot.Caller, q Query) (*earshot.Monitor, earshot.Days, error) {
	m, err := s.Monitors.Find(c, q.Monitor)
	if err != nil {
		return nil, earshot.Days{}, err
	}
	days, err := q.Days(m, s.Now())
	return m, days, err
}

// A PostsResponse covers the days that have results. Start and End are empty if there are none.
type PostsResponse struct {
	Start  earshot.Date                `json:"start"`
	End    earshot.Date                `json:"end"`
	Total  int64                       `json:"total"`
	Groups int64                       `json:"groups,omitempty"` // groups of duplicates, if requested
	Items  []*postview.HighlightedPost `json:"items"`
	Next   int                         `json:"next"`             // offset of the next page; 0: no more pages
	Cursor string                      `json:"cursor,omitempty"` // of the next page of a sorted list
}

// A PostsRequest selects a page of a list of posts. A ranked list has pages by cursor instead of by offset.
type PostsRequest struct {
	Query
	Limit, Offset int
	Full          bool // show contents as a whole

	Ranked bool
	Order  poststore.Order
	Group  bool   // group duplicates
	Cursor string // from an earlier response
	Copies string // key of a post whose duplicates to list
}

// Posts returns posts of a monitor or filter to a caller.
func (s *Service) Posts(ctx context.Context, c *earshot.Caller, p PostsRequest) (response PostsResponse, err error) {
	if p.Ranked {
		return s.rankPosts(ctx, c, p)
	}
	err = s.refined(ctx, c, p.Query, !p.Full, func(m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, r *postview.Renderer) error {
		posts, total, err := s.Insight.Posts(ctx, m, days, refinement, p.Offset+p.Limit)
		if err != nil {
			return err
		}
		response = PostsResponse{Start: days.Start, End: days.End, Total: total, Items: []*postview.HighlightedPost{}}
		for i := p.Offset; i < len(posts); i++ {
			response.Items = append(response.Items, r.Highlight(&posts[i]))
		}
		if next := p.Offset + p.Limit; int64(next) < total && next+p.Limit <= MaxListedPosts {
			response.Next = next
		}
		return nil
	})
	return response, err
}

// refined calls show with the posts that a query selects on the days that have results, and a renderer for
// them.
func (s *Service) refined(ctx context.Context, c *earshot.Caller, q Query, excerpts bool, show func(m *earshot.Monitor, days earshot.Days, refinement poststore.Selection, r *postview.Renderer) error) error {
	m, days, err := s.Find(c, q)
	if err != nil {
		return err
	}
	days = s.Insight.ResultDays(m, days)
	return s.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		refinement, err := s.Filters.Refinement(c, m, q.Filter).Selection(categorization)
		if err != nil {
			return err
		}
		return show(m, days, refinement, s.Views.NewRenderer(postview.Options{
			Monitor: m, Categorization: categorization, Refinement: refinement.Where, Excerpts: excerpts, Marks: SeesMarks(c),
		}))
	})
}

// MaxListedPosts is the number of posts that all pages of a list by offset contain together.
const MaxListedPosts = 10_000

var PostOrders = map[string]poststore.Order{
	"newest":     poststore.NewestFirst,
	"oldest":     poststore.OldestFirst,
	"engagement": poststore.MostEngagement,
	"reach":      poststore.MostReach,
	"relevance":  poststore.MostRelevant,
}

// rankPosts returns a page of a sorted list.
func (s *Service) rankPosts(ctx context.Context, c *earshot.Caller, p PostsRequest) (response PostsResponse, err error) {
	m, days, err := s.Find(c, p.Query)
	if err != nil {
		return response, err
	}
	days = s.Insight.ResultDays(m, days)
	if p.Offset != 0 {
		return response, earshot.InvalidParameter("offset", strconv.Itoa(p.Offset), "left out; the pages of a sorted list follow cursor")
	}
	ranking := poststore.Ranking{Order: p.Order, Group: p.Group || p.Copies != "", Limit: p.Limit + 1}
	if p.Copies != "" {
		key, ok := earshot.ParsePostKey(p.Copies)
		if !ok {
			return response, earshot.InvalidParameter("copiesOf", earshot.Clip(p.Copies, 200), "the key of a post")
		}
		ranking.GroupOf = &key
	}
	if ranking.After, err = ParseCursor(p.Cursor, func(key earshot.PostKey, score int64) (poststore.RankPosition, error) {
		return s.Insight.RankPosition(ctx, m, key, score)
	}); err != nil {
		return response, err
	}
	filter := s.Filters.Refinement(c, m, p.Filter)
	err = s.Insight.WithCategorization(ctx, m, func(categorization insight.Categorization) error {
		refinement, err := filter.Selection(categorization)
		if err != nil {
			return err
		}
		if ranking.Terms, err = s.searchTerms(m, refinement); err != nil {
			return err
		}
		found, err := s.Insight.RankPosts(ctx, m, insight.RankRequest{
			Days: days, Ranking: ranking, Refinement: refinement, Filter: strconv.Itoa(int(categorization.ModelID)) + filter.Key(),
		})
		if err != nil {
			return err
		}
		response = PostsResponse{Start: days.Start, End: days.End, Total: found.Total, Items: []*postview.HighlightedPost{}}
		r := s.Views.NewRenderer(postview.Options{Monitor: m, Categorization: categorization, Refinement: refinement.Where, Excerpts: !p.Full, Marks: SeesMarks(c)})
		for i := range found.Posts[:min(p.Limit, len(found.Posts))] {
			item := r.Highlight(&found.Posts[i].Post)
			if ranking.Group {
				item.Copies = found.Posts[i].Copies
			}
			response.Items = append(response.Items, item)
		}
		if ranking.Group {
			response.Groups = found.Groups
		}
		if len(found.Posts) > p.Limit {
			response.Cursor = NewCursor(&found.Posts[p.Limit-1])
		}
		return nil
	})
	return response, err
}

// searchTerms returns the words that the monitor and the refinement look for.
func (s *Service) searchTerms(m *earshot.Monitor, refinement poststore.Selection) ([]string, error) {
	where, err := s.Views.Monitors.Condition(m)
	if err != nil {
		return nil, err
	}
	return append(where.Terms(), refinement.Where.Terms()...), nil
}

// NewCursor returns the cursor of the page after a post: its score and its key. The time of the post
// is not part of it, because sources may restrict it.
func NewCursor(p *poststore.RankedPost) string {
	return strconv.FormatInt(p.Position.Score, 36) + "." + p.Post.Key().Text()
}

// ParseCursor returns the position of a cursor, or nil for an empty one. find returns the position of
// a post with a score.
func ParseCursor(cursor string, find func(key earshot.PostKey, score int64) (poststore.RankPosition, error)) (*poststore.RankPosition, error) {
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
