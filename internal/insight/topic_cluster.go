package insight

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	maxGraphTerms = 800 // number of words that are compared with each other
	maxTopicTerms = 6   // maximum number of terms in a topic

	// Minimum closeness of the first two words of a topic, and minimum mean closeness of each other
	// word to them. 0 means that words occur together by chance, 1 that they always do.
	minPairCloseness = 0.3
	minMeanCloseness = 0.18

	// A smaller topic is about the same event as a larger one if this share of its posts are also about
	// the larger one, or nearly all have one of its first three terms, and more of them than by chance.
	minSamePosts, minSamePostsLift = 0.6, 1.2
	minSameTerms, minSameTermsLift = 0.9, 1.5
)

// A termGraph records how close words are to each other.
type termGraph struct {
	posts     int
	terms     []term
	closeness [][]float64 // of each pair of terms; 0 if hardly any post has both
	weight    [][]float64 // closeness times the number of posts that have both
	pairs     []pair      // highest weight first
}

// A pair is two close terms.
type pair struct{ a, b int }

// newTermGraph compares the words of a sample for which counts returns true.
func newTermGraph(s *wordPosts, counts func(word string, posts int) bool) *termGraph {
	g := &termGraph{posts: int(s.posts), terms: s.terms(counts, maxGraphTerms)}
	g.closeness, g.weight = newMatrix(len(g.terms)), newMatrix(len(g.terms))
	for b := range g.terms {
		for a := range b {
			if !g.mayJoin(a, b) {
				continue
			}
			if both := g.terms[a].posts.common(g.terms[b].posts); both >= s.minPosts() {
				g.join(a, b, both)
			}
		}
	}
	slices.SortStableFunc(g.pairs, func(p, q pair) int { return cmp.Compare(g.weight[q.a][q.b], g.weight[p.a][p.b]) })
	return g
}

// mayJoin reports whether two terms can be in the same topic, which does not mix languages.
func (g *termGraph) mayJoin(a, b int) bool {
	la, lb := g.terms[a].language, g.terms[b].language
	return la == lb || la == 0 || lb == 0
}

func newMatrix(size int) [][]float64 {
	rows := make([][]float64, size)
	for i := range rows {
		rows[i] = make([]float64, size)
	}
	return rows
}

// join records the number of posts that have both of two terms.
func (g *termGraph) join(a, b, both int) {
	closeness := g.npmi(a, b, both)
	weight := closeness * float64(both)
	g.closeness[a][b], g.closeness[b][a] = closeness, closeness
	g.weight[a][b], g.weight[b][a] = weight, weight
	if closeness >= minPairCloseness {
		g.pairs = append(g.pairs, pair{a, b})
	}
}

// npmi returns the normalized pointwise mutual information of two terms.
func (g *termGraph) npmi(a, b, both int) float64 {
	n := float64(g.posts)
	chance := float64(g.terms[a].count) * float64(g.terms[b].count) / n
	return math.Log(float64(both)/chance) / -math.Log(float64(both)/n)
}

// topics returns the terms of the largest topics. If no words are close, the most frequent words
// are topics on their own.
func (g *termGraph) topics(top int) (topics [][]string) {
	for _, c := range g.clusters(top) {
		topics = append(topics, g.sortedTerms(c))
	}
	if len(topics) == 0 {
		for _, t := range g.terms[:min(top, len(g.terms))] {
			topics = append(topics, []string{t.text})
		}
	}
	return topics
}

// A cluster is a group of close terms, and the posts about them.
type cluster struct {
	terms []int
	posts postSet
	size  int
}

// clusters grows a cluster around each pair, highest weight first, unless one of its terms is
// already taken. It returns the largest clusters, without smaller ones about the same events.
func (g *termGraph) clusters(top int) (list []cluster) {
	taken := make([]bool, len(g.terms))
	for _, p := range g.pairs {
		if !taken[p.a] && !taken[p.b] {
			list = append(list, g.grow(p, taken))
		}
	}
	slices.SortStableFunc(list, func(a, b cluster) int { return b.size - a.size })
	var distinct []cluster
	for _, c := range list {
		if len(distinct) == top {
			break
		}
		if !slices.ContainsFunc(distinct, func(larger cluster) bool { return g.isSameEvent(c, larger) }) {
			distinct = append(distinct, c)
		}
	}
	return distinct
}

// isSameEvent reports whether the posts of a cluster are about the same event as a larger one.
func (g *termGraph) isSameEvent(c, larger cluster) bool {
	n, size := float64(g.posts), float64(max(c.size, 1))
	if share := float64(c.posts.common(larger.posts)) / size; share >= minSamePosts && share >= minSamePostsLift*float64(larger.size)/n {
		return true
	}
	g.sortTerms(larger)
	having := newPostSet(g.posts, nil)
	for _, t := range larger.terms[:min(3, len(larger.terms))] {
		having.add(g.terms[t].posts)
	}
	share := float64(c.posts.common(having)) / size
	return share >= minSameTerms && share >= minSameTermsLift*float64(having.common(having))/n
}

// grow adds the terms that are close to a pair, highest weight first. Close terms beyond the
// maximum are also marked as taken, because they are about the same topic.
func (g *termGraph) grow(p pair, taken []bool) cluster {
	terms := []int{p.a, p.b}
	taken[p.a], taken[p.b] = true, true
	for len(terms) < maxTopicTerms {
		next := g.nextTerm(terms, taken)
		if next < 0 {
			break
		}
		terms = append(terms, next)
		taken[next] = true
	}
	for t := range g.terms {
		taken[t] = taken[t] || mean(g.closeness[t], terms) >= minMeanCloseness
	}
	return g.cluster(terms)
}

// nextTerm returns the term with the highest mean weight to others among those that are close to
// them and not taken, or -1.
func (g *termGraph) nextTerm(others []int, taken []bool) int {
	best, maxWeight := -1, 0.0
	for t := range g.terms {
		if taken[t] || mean(g.closeness[t], others) < minMeanCloseness || slices.ContainsFunc(others, func(o int) bool { return !g.mayJoin(t, o) }) {
			continue
		}
		if weight := mean(g.weight[t], others); weight > maxWeight {
			best, maxWeight = t, weight
		}
	}
	return best
}

// mean returns the mean of the values at the given indexes.
func mean(values []float64, which []int) float64 {
	sum := 0.0
	for _, i := range which {
		sum += values[i]
	}
	return sum / float64(len(which))
}

func (g *termGraph) cluster(terms []int) cluster {
	sets := make([]postSet, len(terms))
	for i, t := range terms {
		sets[i] = g.terms[t].posts
	}
	c := cluster{terms: terms, posts: inAtLeastTwo(g.posts, sets)}
	c.size = c.posts.common(c.posts)
	return c
}

// sortTerms sorts the terms of a cluster by how many of its posts have them, most first.
func (g *termGraph) sortTerms(c cluster) {
	slices.SortFunc(c.terms, func(a, b int) int {
		return cmp.Or(
			g.terms[b].posts.common(c.posts)-g.terms[a].posts.common(c.posts),
			strings.Compare(g.terms[a].text, g.terms[b].text))
	})
}

// sortedTerms returns the terms of a cluster, most typical first.
func (g *termGraph) sortedTerms(c cluster) []string {
	g.sortTerms(c)
	texts := make([]string, len(c.terms))
	for i, t := range c.terms {
		texts[i] = strings.Clone(g.terms[t].text)
	}
	return texts
}
