package training

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"earshot"
	"earshot/internal/model/opinion"
)

// A Suggestion is a post that it would be good to put into a category.
type Suggestion struct {
	Post      earshot.Post
	Scores    []float32 // of the model's categories; none without a model
	Uncertain bool      // the model can hardly tell; otherwise it was drawn
}

// drawnEvery is how many suggestions there are to one that is drawn: what a model is sure of
// and wrong about is found by no other way.
const drawnEvery = 5

// Suggest returns at most limit of posts that are none of m's training posts yet: those that
// the model can hardly tell, least of all first, with some drawn ones among them. Without a
// model, which is nil then, all are drawn. No two say nearly the same. The answer is the same
// for the same training posts, model, posts and seed.
func (s *Service) Suggest(ctx context.Context, m *earshot.Monitor, model *opinion.Model, posts []earshot.Post, limit int, seed uint64) ([]Suggestion, error) {
	l, err := s.readNow(ctx, m)
	if err != nil {
		return nil, err
	}
	taught, err := newSeen(ctx, l.posts)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
	var drawn []Suggestion
	for i := range posts {
		if !taught.has(&posts[i]) && checkDocument(&posts[i]) == nil {
			drawn = append(drawn, Suggestion{Post: posts[i]})
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return mix(ctx, leastSure(model, drawn), drawn, taught, limit)
}

// leastSure returns what the model can hardly tell, least of all first; without a model nothing.
func leastSure(model *opinion.Model, drawn []Suggestion) []Suggestion {
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

// margin returns by how much the largest share is larger than the second.
func margin(shares []float32) float32 {
	first, second := float32(0), float32(0)
	for _, share := range shares {
		switch {
		case share > first:
			first, second = share, first
		case share > second:
			second = share
		}
	}
	return first - second
}

// mix takes the first of both lists in turn, leaving out what says nearly the same as
// something that was seen before. The lists have the same posts, each of which is looked at
// once.
func mix(ctx context.Context, unsure, drawn []Suggestion, before *seen, limit int) ([]Suggestion, error) {
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
		if len(all)%drawnEvery == drawnEvery-1 {
			first, second = second, first
		}
		if !next(first) && !next(second) {
			break
		}
	}
	return all, ctx.Err()
}
