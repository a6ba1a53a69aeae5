package enginekit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query"
)

// CheckRanking returns an error for a ranking that no store can answer, which is a programming
// error, not a user error.
func CheckRanking(r *poststore.Ranking) error {
	if r.Limit < 0 {
		return fmt.Errorf("rank posts: negative limit %d", r.Limit)
	}
	if r.GroupOf != nil && !r.Group {
		return errors.New("rank posts: GroupOf without Group")
	}
	if r.Order < poststore.NewestFirst || r.Order > poststore.MostRelevant {
		return fmt.Errorf("rank posts: unknown order %d", r.Order)
	}
	return nil
}

// DistinctTerms returns terms without duplicates and empty ones.
func DistinctTerms(terms []string) []string {
	distinct := slices.Compact(slices.Sorted(slices.Values(terms)))
	return slices.DeleteFunc(distinct, func(t string) bool { return t == "" })
}

// CheckGrouped returns an error if there are too many posts to group.
func CheckGrouped(posts int64) error {
	if posts > poststore.MaxGrouped {
		return earshot.Errorf(earshot.Invalid, "Duplicates can be grouped among at most %d posts; choose fewer days or add a filter", poststore.MaxGrouped)
	}
	return nil
}

// Engagement returns the likes, shares, comments, replies and retweets of a post, added up.
func Engagement(p *earshot.Post) (n int64) {
	for _, m := range EngagementMeasures {
		n = poststore.SaturatingAdd(n, MeasureOf(m, p))
	}
	return n
}

// EngagementMeasures are the measures that make up the engagement of a post.
var EngagementMeasures = []poststore.Measure{poststore.Likes, poststore.Shares, poststore.Comments, poststore.Replies, poststore.Retweets}

// Score returns the score of a post in an order. doc is scratch space.
func Score(r *poststore.Ranking, p *earshot.Post, doc *query.Document) int64 {
	switch r.Order {
	case poststore.MostEngagement:
		return Engagement(p)
	case poststore.MostReach:
		return p.Followers.Int()
	case poststore.MostRelevant:
		terms := make(map[string]int, len(r.Terms))
		for i, term := range r.Terms {
			terms[term] = i
		}
		counts, length := make([]int, len(r.Terms)), 0
		doc.Reset(p)
		WalkKeys(doc, func(t query.KeyToken) {
			if length++; length > poststore.MaxWords {
				return
			}
			if i, ok := terms[string(t.Plain)]; ok {
				counts[i]++
			}
		})
		return Relevance(counts, min(length, poststore.MaxWords))
	}
	return 0
}

// Relevance returns the score of a text with a number of words, in which each term occurs a number
// of times. Like BM25, it grows with the number of different terms more than with repetitions of
// one, and prefers short texts. The terms of a monitor are all equally important, so they have no
// weights.
func Relevance(counts []int, length int) (score int64) {
	const (
		saturation = 1.2 // how soon repetitions of a term stop to matter
		typical    = 30  // words of a text that is neither short nor long
	)
	norm := saturation * (0.25 + 0.75*float64(length)/typical)
	for _, n := range counts {
		if n > 0 {
			score += int64(math.Round(1000 * (saturation + 1) * float64(n) / (float64(n) + norm)))
		}
	}
	return score
}

// WalkKeys calls visit for each token outside URLs. It visits a tag of several words once, as a
// whole. The token is valid until visit returns.
func WalkKeys(doc *query.Document, visit func(t query.KeyToken)) {
	WalkKeysAt(doc, func(_ int, t query.KeyToken) { visit(t) })
}

// WalkKeysAt is WalkKeys with the position of each token, except that the positions of tags are not
// meaningful. Words next to each other in the title or in the contents have consecutive positions.
func WalkKeysAt(doc *query.Document, visit func(position int, t query.KeyToken)) {
	var key []byte
	parse := func(id uint32) query.KeyToken {
		key = doc.AppendKey(key[:0], int(id-1))
		t, _ := query.ParseKey(key)
		return t
	}
	ids := doc.AppendTokenIDs(nil, func(i int) uint32 { return uint32(i + 1) })
	width := func(id uint32) int { return parse(id).Width }
	query.WalkTokenIDs(ids, doc.AppendURLRuns(nil), width, func(id uint32) { visit(int(id-1), parse(id)) })
}

// PositionOf returns the position of a post in an order. doc is scratch space.
func PositionOf(r *poststore.Ranking, p *earshot.Post, doc *query.Document) poststore.RankPosition {
	return poststore.RankPosition{Score: Score(r, p, doc), Time: p.Time, Hash: SampleHash(p.Key())}
}
