package training

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"earshot"
	"earshot/internal/model/opinion"
)

// A Suggestion is a post that would improve the model if the analyst assigned it to a category.
type Suggestion struct {
	Post      earshot.Post
	Scores    []float32 // in the order of the model's categories; nil without a model
	Uncertain bool      // chosen by uncertainty sampling rather than at random
}

// randomEvery makes every fifth suggestion random. Only random suggestions reveal where a model is
// confident and wrong.
const randomEvery = 5

// Suggest returns at most limit of the given posts that are not yet training posts of m. Posts the
// model is least certain about come first (active learning by uncertainty sampling), mixed with
// random ones. Without a model, all are random. Suggest skips near-duplicates and reorders posts.
// The result depends only on the training posts, model, posts and seed.
func (s *Service) Suggest(ctx context.Context, m *earshot.Monitor, model *opinion.Model, posts []earshot.Post, limit int, seed uint64) ([]Suggestion, error) {
	set, err := s.readLatest(ctx, m)
	if err != nil {
		return nil, err
	}
	index, err := newTextIndex(ctx, set.posts)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
	var candidates []Suggestion
	for i := range posts {
		if _, err := NewDocument(&posts[i]); err == nil && !index.hasURL(&posts[i]) {
			candidates = append(candidates, Suggestion{Post: posts[i]})
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	return interleave(ctx, byUncertainty(model, candidates), candidates, index, limit)
}

// byUncertainty returns the candidates by increasing margin between the model's top two scores, or
// nil without a model. It also sets the scores of the candidates.
func byUncertainty(model *opinion.Model, drawn []Suggestion) []Suggestion {
	if model == nil {
		return nil
	}
	for i := range drawn {
		drawn[i].Scores = model.Score(&drawn[i].Post, nil)
	}
	unsure := slices.Clone(drawn)
	for i := range unsure {
		unsure[i].Uncertain = true
	}
	slices.SortStableFunc(unsure, func(a, b Suggestion) int { return cmp.Compare(margin(a.Scores), margin(b.Scores)) })
	return unsure
}

// margin returns the difference between the two largest scores.
func margin(scores []float32) float32 {
	first, second := float32(0), float32(0)
	for _, score := range scores {
		switch {
		case score > first:
			first, second = score, first
		case score > second:
			second = score
		}
	}
	return first - second
}

// interleave takes suggestions from both lists, every fifth one from drawn, and skips
// near-duplicates. Both lists contain the same posts, and each post is considered once.
func interleave(ctx context.Context, unsure, drawn []Suggestion, before *textIndex, limit int) ([]Suggestion, error) {
	var all []Suggestion
	looked := map[earshot.PostKey]bool{}
	next := func(list *[]Suggestion) bool {
		for len(*list) > 0 && ctx.Err() == nil {
			one := (*list)[0]
			*list = (*list)[1:]
			if key := one.Post.Key(); !looked[key] {
				if looked[key] = true; before.add(&one.Post) {
					all = append(all, one)
					return true
				}
			}
		}
		return false
	}
	for len(all) < limit {
		first, second := &unsure, &drawn
		if len(all)%randomEvery == randomEvery-1 {
			first, second = second, first
		}
		if !next(first) && !next(second) {
			break
		}
	}
	return all, ctx.Err()
}
