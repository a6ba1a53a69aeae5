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
// page computes all of them, because that takes no longer than computing one page. The same holds
// for the first posts by relevance, but their pages do not end there.
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
	if !r.Group && r.Order != poststore.MostRelevant || r.GroupOf != nil {
		return s.Store.Rank(ctx, sel, r.Ranking)
	}
	key := fmt.Sprintf("%d %t %q %q %q", r.Order, r.Group, r.Terms, r.Filter, m.Timezone)
	heads, err := memoize(ctx, s.Store, &s.heads, all, key, func() (rankedHeads, error) {
		ranking := r.Ranking
		ranking.After, ranking.Limit = nil, MaxGroups
		ranked, err := s.Store.Rank(ctx, sel, ranking)
		return newRankedHeads(&ranked), err
	})
	if err != nil {
		return poststore.Ranked{}, err
	}
	if page, found := heads.page(&r.Ranking); found || r.Group {
		return s.readPage(ctx, m, &heads, page)
	}
	return s.Store.Rank(ctx, sel, r.Ranking)
}

// rankedHeads is a [poststore.Ranked] with the keys of posts in place of the posts.
type rankedHeads struct {
	total, groups int64
	posts         []rankedHead
}

// A rankedHead is a post, or the first post of a group.
type rankedHead struct {
	key      earshot.PostKey
	position poststore.RankPosition
	copies   int64
}

func (h rankedHeads) size() int { return 256 * len(h.posts) }

func newRankedHeads(r *poststore.Ranked) rankedHeads {
	h := rankedHeads{total: r.Total, groups: r.Groups, posts: make([]rankedHead, len(r.Posts))}
	for i := range r.Posts {
		p := &r.Posts[i]
		h.posts[i] = rankedHead{cloneKey(p.Post.Key()), p.Position, p.Copies}
	}
	return h
}

// cloneKey returns a key that does not keep the post in memory.
func cloneKey(k earshot.PostKey) earshot.PostKey {
	k.Source, k.GUID = earshot.Source(strings.Clone(string(k.Source))), strings.Clone(k.GUID)
	return k
}

// page returns the posts of a page, and whether they are all that the page lists.
func (h *rankedHeads) page(r *poststore.Ranking) (page []rankedHead, found bool) {
	page = h.posts
	if r.After != nil {
		page = page[firstIndex(page, func(p rankedHead) bool { return r.Order.Compare(p.position, *r.After) > 0 }):]
	}
	found = len(page) >= r.Limit || int64(len(h.posts)) == h.groups
	return page[:min(r.Limit, len(page))], found
}

// readPage reads the posts of a page. Posts that were deleted in the meantime are left out.
func (s *Service) readPage(ctx context.Context, m *earshot.Monitor, h *rankedHeads, page []rankedHead) (poststore.Ranked, error) {
	keys := make([]earshot.PostKey, len(page))
	for i, p := range page {
		keys[i] = p.key
	}
	found, err := s.Store.Find(ctx, keys)
	if err != nil {
		return poststore.Ranked{}, err
	}
	byKey := make(map[earshot.PostKey]earshot.Post, len(found))
	for _, p := range found {
		byKey[p.Key()] = p
	}
	ranked, corrections := poststore.Ranked{Total: h.total, Groups: h.groups}, s.corrections(m)
	for _, head := range page {
		if p, ok := byKey[head.key]; ok {
			corrections.Apply(&p)
			ranked.Posts = append(ranked.Posts, poststore.RankedPost{Post: p, Position: head.position, Copies: head.copies})
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
