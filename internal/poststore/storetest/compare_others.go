package storetest

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// queryOthers runs a random query other than a tally on both stores.
func (p *pair) queryOthers() {
	p.Helper()
	switch p.IntN(7) {
	case 0:
		keys := some(p.random, 20, p.keys()...)
		p.same(fmt.Sprintf("posts %+v", keys), func(s poststore.Store) (string, error) {
			posts, err := s.Find(p.Context(), keys)
			slices.SortFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
			return describe(posts), err
		})
	case 1:
		of, sample := p.selection(), one(p.random, 0, 3, 30, 1000)
		p.same(fmt.Sprintf("words of %d of %+v", sample, of), func(s poststore.Store) (string, error) {
			var all []string
			n, err := s.Words(p.Context(), of, sample, func(words []poststore.Word) { all = append(all, spellWords(words)) })
			slices.Sort(all)
			return fmt.Sprintf("%d: %s", n, strings.Join(all, "; ")), err
		})
	case 2:
		id, from, to := p.monitor(), noon.AddDate(0, 0, 9), noon.AddDate(0, 0, 12)
		p.same(fmt.Sprintf("counter changes of monitor %d, %v to %v", id, from, to), func(s poststore.Store) (string, error) {
			var all []string
			err := s.CounterChanges(p.Context(), id, from, to, func(c poststore.CounterChange) { all = append(all, fmt.Sprint(c)) })
			slices.Sort(all)
			return strings.Join(all, "; "), err
		})
	case 3:
		p.queryChanged()
	case 4:
		of, sample := p.selection(), one(p.random, 0, 3, 30, 1000)
		p.same(fmt.Sprintf("sample of %d of %+v", sample, of), func(s poststore.Store) (string, error) {
			var all []string
			n, err := s.Sample(p.Context(), of, sample, func(post *earshot.Post) { all = append(all, describe([]earshot.Post{*post})) })
			slices.Sort(all)
			return fmt.Sprintf("%d: %s", n, strings.Join(all, "")), err
		})
	case 6:
		of, word, edits, limit := p.selection(), one(p.random, "apple", "pulm", "pear", "#fig", "b"), p.IntN(3), one(p.random, 1, 3, 100)
		p.same(fmt.Sprintf("%d words %d edits from %s of %+v", limit, edits, word, of), func(s poststore.Store) (string, error) {
			found, err := s.Similar(p.Context(), of, word, edits, limit)
			return spellSimilar(found), err
		})
	case 5:
		of, r := p.selection(), p.ranking()
		p.same(fmt.Sprintf("ranking %+v of %+v", r, of), func(s poststore.Store) (string, error) {
			ranked, err := s.Rank(p.Context(), of, r)
			text := fmt.Sprintf("%d posts, %d groups: ", ranked.Total, ranked.Groups)
			for _, post := range ranked.Posts {
				text += fmt.Sprintf("%d copies, score %d: %s", post.Copies, post.Position.Score, describe([]earshot.Post{post.Post}))
			}
			return text, err
		})
	}
}

// keys returns keys that random posts may have.
func (p *pair) keys() (keys []earshot.PostKey) {
	for range 20 {
		post := p.post()
		keys = append(keys, post.Key())
	}
	return keys
}

// ranking returns a ranking, often one that continues a list.
func (p *pair) ranking() poststore.Ranking {
	r := poststore.Ranking{
		Order: poststore.Order(p.IntN(int(poststore.MostRelevant) + 1)),
		Limit: one(p.random, 0, 1, 5, 100),
		Terms: some(p.random, 2, "apple", "plum"),
		Group: p.IntN(2) == 0,
	}
	if post := p.post(); r.Group && p.IntN(4) == 0 {
		key := post.Key()
		r.GroupOf = &key
	}
	if post := p.post(); p.IntN(2) == 0 {
		at := enginekit.PositionOf(&r, &post, new(query.Document))
		r.After = &at
	}
	return r
}
