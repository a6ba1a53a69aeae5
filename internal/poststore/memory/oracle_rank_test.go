package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

func (o *oracle) Rank(ctx context.Context, of poststore.Selection, r poststore.Ranking) (poststore.Ranked, error) {
	if r.GroupOf != nil && !r.Group || r.Limit < 0 || r.Order < 0 || r.Order > poststore.MostRelevant {
		return poststore.Ranked{}, errors.New("no such limit or order")
	}
	r.Terms = enginekit.DistinctTerms(r.Terms)
	posts := o.selected(of)
	scores := map[earshot.PostKey]int64{}
	for i := range posts {
		p := &posts[i]
		switch r.Order {
		case poststore.MostEngagement:
			scores[p.Key()] = p.Likes.Int() + p.Shares.Int() + p.Comments.Int() + p.Replies.Int() + p.Retweets.Int()
		case poststore.MostReach:
			scores[p.Key()] = p.Followers.Int()
		case poststore.MostRelevant:
			scores[p.Key()] = enginekit.Score(&r, p, new(query.Document))
		}
	}
	before := func(a, b *earshot.Post) int { // all posts of the tests are at whole seconds
		early := cmp.Compare(a.Time.Unix(), b.Time.Unix())
		if r.Order != poststore.OldestFirst {
			early = -early
		}
		return cmp.Or(cmp.Compare(scores[b.Key()], scores[a.Key()]), early, cmp.Compare(enginekit.SampleHash(a.Key()), enginekit.SampleHash(b.Key())))
	}
	ranked := poststore.Ranked{Total: int64(len(posts))}
	groups := oracleGroups(posts, r.Group)
	copies := map[earshot.PostKey]int64{}
	if r.GroupOf != nil {
		ranked.Total = 0
		alone := [][]earshot.Post{}
		for _, group := range groups {
			if slices.ContainsFunc(group, func(p earshot.Post) bool { return p.Key() == *r.GroupOf }) {
				for _, p := range group {
					alone = append(alone, []earshot.Post{p})
					copies[p.Key()] = int64(len(group))
					ranked.Total++
				}
			}
		}
		groups = alone
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b earshot.Post) int { return before(&a, &b) })
		p := group[0]
		at := poststore.RankPosition{Score: scores[p.Key()], Time: p.Time, Hash: enginekit.SampleHash(p.Key())}
		ranked.Groups++
		if r.After == nil || r.Order.Compare(at, *r.After) > 0 {
			ranked.Posts = append(ranked.Posts, poststore.RankedPost{Post: clonePost(&p), Position: at, Copies: max(copies[p.Key()], int64(len(group)))})
		}
	}
	if r.GroupOf != nil {
		ranked.Groups = min(1, ranked.Groups)
	}
	slices.SortFunc(ranked.Posts, func(a, b poststore.RankedPost) int { return before(&a.Post, &b.Post) })
	ranked.Posts = ranked.Posts[:min(r.Limit, len(ranked.Posts))]
	return ranked, ctx.Err()
}

// oracleGroups divides posts into groups of duplicates and near-duplicates. The first post of a group is
// its leader. Unlike a Grouper, it compares each text with all leaders.
func oracleGroups(posts []earshot.Post, group bool) (groups [][]earshot.Post) {
	slices.SortFunc(posts, func(a, b earshot.Post) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(enginekit.SampleHash(a.Key()), enginekit.SampleHash(b.Key())))
	})
	for _, p := range posts {
		words, at := wordsInOrder(&p), -1
		if group && len(words) > 0 {
			at = slices.IndexFunc(groups, func(g []earshot.Post) bool {
				return slices.ContainsFunc(g, func(q earshot.Post) bool { return slices.Equal(words, wordsInOrder(&q)) })
			})
		}
		if group && len(words) >= 5 && at < 0 {
			at = slices.IndexFunc(groups, func(g []earshot.Post) bool { return similarity(words, wordsInOrder(&g[0])) >= 0.6 })
		}
		if at < 0 {
			groups = append(groups, []earshot.Post{p})
			continue
		}
		groups[at] = append(groups[at], p)
	}
	return groups
}

// similarity returns the Jaccard similarity of the pairs of consecutive words.
func similarity(a, b []string) float64 {
	if len(b) < 5 {
		return 0
	}
	all := map[string]int{}
	for i, words := range [][]string{a, b} {
		for k := range words[1:] {
			all[words[k]+" "+words[k+1]] |= 1 << i
		}
	}
	both := 0
	for _, in := range all {
		if in == 3 {
			both++
		}
	}
	return float64(both) / float64(len(all))
}

// wordsInOrder returns the words of a post that duplicates share.
func wordsInOrder(p *earshot.Post) (words []string) {
	query.NewDocument(p).WalkTokens(func(sigil byte, text []byte) {
		if sigil != '@' && (len(words) > 0 || string(text) != "rt") {
			words = append(words, string(text))
		}
	})
	return words
}

func (o *oracle) Sample(ctx context.Context, of poststore.Selection, sample int, visit func(*earshot.Post)) (int64, error) {
	if sample < 0 {
		return 0, errors.New("negative sample")
	}
	posts := o.selected(of)
	slices.SortFunc(posts, func(a, b earshot.Post) int {
		return cmp.Compare(enginekit.SampleHash(a.Key()), enginekit.SampleHash(b.Key()))
	})
	for i := range min(sample, len(posts)) {
		p := clonePost(&posts[i])
		visit(&p)
	}
	return int64(len(posts)), ctx.Err()
}

func (o *oracle) Histogram(ctx context.Context, of poststore.Selection, starts []time.Time) ([]int64, error) {
	counts := make([]int64, max(len(starts)-1, 0))
	for d := range counts {
		of.From, of.To = starts[d], starts[d+1]
		counts[d] = int64(len(o.selected(of)))
	}
	return counts, ctx.Err()
}

func (o *oracle) Similar(ctx context.Context, of poststore.Selection, word string, edits, limit int) (found []poststore.Spelling, err error) {
	plain, err := enginekit.CheckSimilar(word, edits, limit)
	if err != nil {
		return nil, err
	}
	posts := map[string]int64{}
	for _, p := range o.selected(of) {
		enginekit.WalkPlain(query.NewDocument(&p), func(word string) { posts[word]++ })
	}
	for word, n := range posts {
		for d := range edits + 1 {
			if withinEdits([]rune(plain), []rune(word), d) {
				found = append(found, poststore.Spelling{Word: word, Edits: d, Posts: n})
				break
			}
		}
	}
	return enginekit.FirstSpellings(found, limit), ctx.Err()
}

// withinEdits reports whether b is at most some edits away from a, by trying them.
func withinEdits(a, b []rune, edits int) bool {
	n, m := len(a), len(b)
	switch {
	case edits < 0:
		return false
	case n == 0 || m == 0:
		return n+m <= edits
	case withinEdits(a[:n-1], b, edits-1) || withinEdits(a, b[:m-1], edits-1):
		return true
	case n > 1 && m > 1 && a[n-1] == b[m-2] && a[n-2] == b[m-1] && withinEdits(a[:n-2], b[:m-2], edits-1):
		return true
	case a[n-1] == b[m-1]:
		return withinEdits(a[:n-1], b[:m-1], edits)
	}
	return withinEdits(a[:n-1], b[:m-1], edits-1)
}
