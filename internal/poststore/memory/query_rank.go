package memory

import (
	"cmp"
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// Rank implements [poststore.Reader].
func (s *Store) Rank(ctx context.Context, of poststore.Selection, r poststore.Ranking) (poststore.Ranked, error) {
	if err := enginekit.CheckRanking(&r); err != nil {
		return poststore.Ranked{}, err
	}
	r.Terms = enginekit.DistinctTerms(r.Terms)
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []poststore.RankedPost
	var doc query.Document
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return poststore.Ranked{}, err
		}
		all = append(all, poststore.RankedPost{Post: clonePost(&e.post), Position: enginekit.PositionOf(&r, &e.post, &doc), Copies: 1})
	}
	ranked := poststore.Ranked{Posts: all, Total: int64(len(all)), Groups: int64(len(all))}
	if r.Group {
		if err := enginekit.CheckGrouped(ranked.Total); err != nil {
			return poststore.Ranked{}, err
		}
		groups := groupsOf(all)
		ranked.Posts, ranked.Groups = firstOfGroups(&r, groups), int64(len(groups))
		if r.GroupOf != nil {
			ranked.Posts = groupWith(groups, *r.GroupOf)
			ranked.Total, ranked.Groups = int64(len(ranked.Posts)), min(1, int64(len(ranked.Posts)))
		}
	}
	slices.SortFunc(ranked.Posts, func(a, b poststore.RankedPost) int { return r.Order.Compare(a.Position, b.Position) })
	if r.After != nil {
		ranked.Posts = slices.DeleteFunc(ranked.Posts, func(p poststore.RankedPost) bool { return r.Order.Compare(p.Position, *r.After) <= 0 })
	}
	ranked.Posts = ranked.Posts[:min(r.Limit, len(ranked.Posts))]
	return ranked, nil
}

// groupsOf divides posts into groups of duplicates.
func groupsOf(all []poststore.RankedPost) (groups [][]poststore.RankedPost) {
	slices.SortFunc(all, func(a, b poststore.RankedPost) int {
		return cmp.Or(a.Position.Time.Compare(b.Position.Time), cmp.Compare(a.Position.Hash, b.Position.Hash))
	})
	var g enginekit.Grouper
	var doc query.Document
	var sketcher enginekit.Sketcher
	var leaders [][]uint32 // shingles by group
	for _, p := range all {
		doc.Reset(&p.Post)
		sketcher.Reset()
		enginekit.WalkKeys(&doc, func(t query.KeyToken) { sketcher.Add(enginekit.WordHash(t)) })
		sketch, shingles := sketcher.Sketch()
		shingles = slices.Clone(shingles)
		group := g.Add(&sketch, shingles, func(group int) []uint32 { return leaders[group] })
		if group == len(groups) {
			groups, leaders = append(groups, nil), append(leaders, shingles)
		}
		groups[group] = append(groups[group], p)
	}
	for _, group := range groups {
		for i := range group {
			group[i].Copies = int64(len(group))
		}
	}
	return groups
}

// firstOfGroups returns the first post of each group, in any order.
func firstOfGroups(r *poststore.Ranking, groups [][]poststore.RankedPost) (first []poststore.RankedPost) {
	for _, group := range groups {
		first = append(first, slices.MinFunc(group, func(a, b poststore.RankedPost) int { return r.Order.Compare(a.Position, b.Position) }))
	}
	return first
}

// groupWith returns the group that has a post, or nil.
func groupWith(groups [][]poststore.RankedPost, key earshot.PostKey) []poststore.RankedPost {
	for _, group := range groups {
		if slices.ContainsFunc(group, func(p poststore.RankedPost) bool { return p.Post.Key() == key }) {
			return group
		}
	}
	return nil
}

// Sample implements [poststore.Reader].
func (s *Store) Sample(ctx context.Context, of poststore.Selection, sample int, visit func(*earshot.Post)) (int64, error) {
	return s.eachSampled(ctx, &of, sample, func(p *earshot.Post) {
		copied := clonePost(p)
		visit(&copied)
	})
}

// eachSampled calls visit with a sample of the selected posts, and returns how many are selected.
func (s *Store) eachSampled(ctx context.Context, of *poststore.Selection, sample int, visit func(*earshot.Post)) (int64, error) {
	if sample < 0 {
		return 0, errSample
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	all, err := s.byHash(ctx, of)
	if err != nil {
		return 0, err
	}
	for _, h := range all[:min(sample, len(all))] {
		visit(h.post)
	}
	return int64(len(all)), nil
}

// A hashedPost is a post with its SampleHash.
type hashedPost struct {
	hash uint64
	post *earshot.Post
}

// byHash returns the selected posts, sorted by their hashes. The caller holds s.mu.
func (s *Store) byHash(ctx context.Context, of *poststore.Selection) (all []hashedPost, err error) {
	for e, err := range s.scan(ctx, of) {
		if err != nil {
			return nil, err
		}
		all = append(all, hashedPost{enginekit.SampleHash(e.post.Key()), &e.post})
	}
	slices.SortFunc(all, func(a, b hashedPost) int { return cmp.Compare(a.hash, b.hash) })
	return all, nil
}
