package insight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/stopword"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// A RankRequest selects a page of the posts of a monitor in an order.
type RankRequest struct {
	Days earshot.Days
	poststore.Ranking

	// Refinement selects among the posts of the monitor; its set and time range are overridden.
	// Filter identifies it.
	Refinement poststore.Selection
	Filter     string
}

// MaxGroups is the maximum number of groups of duplicates that all pages together list. The first
// page computes all of them, because that takes no longer than computing one page.
const MaxGroups = 1000

// RankPosts returns a page of m's posts on the days that have results.
func (s *Service) RankPosts(ctx context.Context, m *earshot.Monitor, r RankRequest) (poststore.Ranked, error) {
	days := s.withResults(m, r.Days)
	if days.Len() <= 0 {
		return poststore.Ranked{}, nil
	}
	all, sel := selection(m, days), r.Refinement
	sel.Set, sel.From, sel.To = all.Set, all.From, all.To
	r.Terms = slices.DeleteFunc(slices.Clone(r.Terms), stopword.Of("en").Has)
	if !r.Group || r.GroupOf != nil {
		return s.Store.Rank(ctx, sel, r.Ranking)
	}
	key := fmt.Sprintf("%d %q %q", r.Order, r.Terms, r.Filter)
	groups, err := memoize(ctx, s.Store, &s.groups, all, key, func() (rankedGroups, error) {
		ranking := r.Ranking
		ranking.After, ranking.Limit = nil, MaxGroups
		ranked, err := s.Store.Rank(ctx, sel, ranking)
		return newRankedGroups(&ranked), err
	})
	if err != nil {
		return poststore.Ranked{}, err
	}
	return s.groupPage(ctx, &groups, &r.Ranking)
}

// rankedGroups is a [poststore.Ranked] with the keys of posts in place of the posts.
type rankedGroups struct {
	total, groups int64
	posts         []groupHead
}

// A groupHead is the first post of a group.
type groupHead struct {
	key      earshot.PostKey
	position poststore.RankPosition
	copies   int64
}

func (g rankedGroups) size() int { return 256 * len(g.posts) }

func newRankedGroups(r *poststore.Ranked) rankedGroups {
	g := rankedGroups{total: r.Total, groups: r.Groups, posts: make([]groupHead, len(r.Posts))}
	for i := range r.Posts {
		p := &r.Posts[i]
		g.posts[i] = groupHead{cloneKey(p.Post.Key()), p.Position, p.Copies}
	}
	return g
}

// cloneKey returns a key that does not keep the post in memory.
func cloneKey(k earshot.PostKey) earshot.PostKey {
	k.Source, k.GUID = earshot.Source(strings.Clone(string(k.Source))), strings.Clone(k.GUID)
	return k
}

// groupPage reads the posts of a page. Posts that were deleted in the meantime are left out.
func (s *Service) groupPage(ctx context.Context, g *rankedGroups, r *poststore.Ranking) (poststore.Ranked, error) {
	page := g.posts
	if r.After != nil {
		page = page[firstIndex(page, func(h groupHead) bool { return r.Order.Compare(h.position, *r.After) > 0 }):]
	}
	page = page[:min(r.Limit, len(page))]
	keys := make([]earshot.PostKey, len(page))
	for i, h := range page {
		keys[i] = h.key
	}
	found, err := s.Store.Find(ctx, keys)
	if err != nil {
		return poststore.Ranked{}, err
	}
	byKey := make(map[earshot.PostKey]earshot.Post, len(found))
	for _, p := range found {
		byKey[p.Key()] = p
	}
	ranked := poststore.Ranked{Total: g.total, Groups: g.groups}
	for _, h := range page {
		if p, ok := byKey[h.key]; ok {
			ranked.Posts = append(ranked.Posts, poststore.RankedPost{Post: p, Position: h.position, Copies: h.copies})
		}
	}
	return ranked, nil
}

// firstIndex returns the index of the first element that satisfies f, or the length of the list.
func firstIndex[T any](list []T, f func(T) bool) int {
	if i := slices.IndexFunc(list, f); i >= 0 {
		return i
	}
	return len(list)
}

// RankPosition returns the position of a post of m with a score. The error is of kind
// [earshot.NotFound] if m has no such post anymore.
func (s *Service) RankPosition(ctx context.Context, m *earshot.Monitor, key earshot.PostKey, score int64) (poststore.RankPosition, error) {
	p, err := s.Post(ctx, m, key)
	if err != nil {
		return poststore.RankPosition{}, err
	}
	return poststore.RankPosition{Score: score, Time: p.Time, Hash: enginekit.SampleHash(key)}, nil
}
