package insight

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// Limits of stories.
const (
	maxStories       = 3
	maxStoryTerms    = 6
	maxStoryWords    = 40  // over-represented words that stories are made of
	minStoryTogether = 0.3 // how often words of a story occur together: the cosine of their posts
	enoughExplained  = 0.8 // share of the excess after which no more stories are looked for
	minStoryExcess   = 0.1 // share of the excess that a story explains at least
	coreLift         = 5   // how over-represented a word is that makes a post part of a story on its own
	minSameStory     = 0.6 // share of the posts with words of a story that also have one of another story, if both are about the same event
	minSameStoryLift = 1.5 // how much more than by chance that is
)

// findStories sets the stories, and how much of the excess they explain.
func (x *explainer) findStories(ctx context.Context, c *contrast) error {
	e := x.result
	excess := float64(e.Posts) - e.Expected.Posts
	var queries []string
	for _, terms := range c.stories() {
		story := Story{Query: storyQuery(terms)}
		for _, t := range terms {
			story.Terms = append(story.Terms, t.text)
		}
		var err error
		if story.Posts, story.Expected, err = x.countQuery(ctx, story.Query); err != nil {
			return err
		}
		story.Share = (float64(story.Posts) - story.Expected) / excess
		if float64(story.Posts)-story.Expected < max(minDriverPosts, minStoryExcess*excess) {
			continue
		}
		e.Stories, queries = append(e.Stories, story), append(queries, story.Query)
		posts, expected, err := x.countQuery(ctx, strings.Join(queries, " OR "))
		if err != nil {
			return err
		}
		e.Explained = min(1, max(0, (float64(posts)-expected)/excess))
		if e.Explained >= enoughExplained || len(e.Stories) == maxStories {
			break
		}
	}
	slices.SortStableFunc(e.Stories, func(a, b Story) int { return cmp.Compare(b.Share, a.Share) })
	switch {
	case len(e.Stories) > 0 && e.Stories[0].Share >= 0.5:
		e.Cause = CauseSingle
	case e.Explained >= 0.5:
		e.Cause = CauseSeveral
	}
	for i := range e.Stories {
		e.Stories[i].Share = min(1, e.Stories[i].Share)
		if err := x.fillStory(ctx, c, &e.Stories[i]); err != nil {
			return err
		}
	}
	return nil
}

// where returns a selection of the posts of a time range that a query selects.
func (x *explainer) where(from, to time.Time, keywords string) (poststore.Selection, error) {
	return withKeywords(x.monitor, x.selection(from, to), keywords)
}

// withKeywords adds keywords to a selection, which may have a condition already.
func withKeywords(m *earshot.Monitor, sel poststore.Selection, keywords string) (poststore.Selection, error) {
	where, err := watchlist.Compile(m.Team, earshot.Criteria{Keywords: keywords})
	if err != nil {
		return sel, err
	}
	sel.Where = where.Within(sel.Where)
	return sel, nil
}

// countQuery counts the posts of the period that a query selects, and the expected number.
func (x *explainer) countQuery(ctx context.Context, keywords string) (posts int64, expected float64, err error) {
	sel, err := x.where(x.result.From, x.result.To, keywords)
	if err != nil {
		return 0, 0, err
	}
	if posts, err = x.countSelected(ctx, sel); err != nil {
		return 0, 0, err
	}
	for _, b := range x.result.Baseline {
		if !b.Used {
			continue
		}
		sel.From, sel.To = b.From, b.To
		n, err := x.countSelected(ctx, sel)
		if err != nil {
			return 0, 0, err
		}
		expected += float64(n) * x.scale()
	}
	return posts, expected, nil
}

// fillStory sets the posts, links and hours of a story.
func (x *explainer) fillStory(ctx context.Context, c *contrast, story *Story) error {
	sel, err := x.where(x.result.From, x.result.To, story.Query)
	if err != nil {
		return err
	}
	for order, p := range map[poststore.Order]**earshot.Post{poststore.OldestFirst: &story.Earliest, poststore.MostEngagement: &story.Top} {
		ranked, err := x.Store.Rank(ctx, sel, poststore.Ranking{Order: order, Limit: 1})
		if err != nil {
			return err
		}
		if len(ranked.Posts) > 0 {
			*p = &ranked.Posts[0].Post
		}
	}
	story.Links = c.linksWith(story.Terms)
	if story.name, story.Terms, err = x.nameTopic(ctx, x.monitor, sel, story.Terms); err != nil {
		return err
	}
	hours, err := x.hours(ctx, sel)
	if err != nil {
		return err
	}
	for _, h := range slices.Backward(hours) {
		story.Hours = append(story.Hours, HourCount{h.begin, h.posts})
	}
	return nil
}

// A storyTerm is a word of a story.
type storyTerm struct {
	text  string
	lift  float64 // ratio of its shares on both sides
	posts postSet
	count int
}

// stories groups over-represented words that occur together, most over-represented first.
func (c *contrast) stories() (stories [][]storyTerm) {
	terms := c.storyTerms()
	taken := make([]bool, len(terms))
	for seed := range terms {
		if taken[seed] {
			continue
		}
		taken[seed] = true
		story := []storyTerm{terms[seed]}
		for i := seed + 1; i < len(terms); i++ {
			if taken[i] || meanTogether(story, &terms[i]) < minStoryTogether {
				continue
			}
			if taken[i] = true; len(story) < maxStoryTerms { // more words belong to it too
				story = append(story, terms[i])
			}
		}
		stories = append(stories, story)
	}
	return c.mergeStories(stories)
}

// mergeStories merges each story into the first one before it that is about the same event: most of its
// posts have a word of that one.
func (c *contrast) mergeStories(stories [][]storyTerm) (merged [][]storyTerm) {
	having := func(story []storyTerm) postSet {
		set := newPostSet(len(c.sides[0].posts), nil)
		for _, t := range story {
			set.add(t.posts)
		}
		return set
	}
	var sets []postSet
	total := float64(len(c.sides[0].posts))
	for _, story := range stories {
		set := having(story)
		size := float64(set.common(set))
		k := slices.IndexFunc(sets, func(other postSet) bool {
			share := float64(set.common(other)) / size
			return share >= minSameStory && share >= minSameStoryLift*float64(other.common(other))/total
		})
		if k < 0 {
			merged, sets = append(merged, story), append(sets, set)
			continue
		}
		merged[k] = append(merged[k], story[:min(len(story), maxStoryTerms-len(merged[k]))]...)
		sets[k] = having(merged[k])
	}
	return merged
}

// storyTerms returns the words that stories are made of.
func (c *contrast) storyTerms() (terms []storyTerm) {
	index := map[int32]int{}
	for _, k := range c.numbers(&c.words, c.isTopical) {
		lift := c.lift(&c.words, int(k))
		if c.score(&c.words, int(k)) < minStoryScore || lift < minStoryLift {
			continue
		}
		index[k] = len(terms)
		terms = append(terms, storyTerm{text: strings.Clone(c.words.wordIndex.words[k]), lift: lift})
		if len(terms) == maxStoryWords {
			break
		}
	}
	having := make([][]int32, len(terms))
	posts := c.sides[0].posts
	for i := range posts {
		for _, k := range posts[i].words {
			if t, ok := index[k]; ok && (len(having[t]) == 0 || having[t][len(having[t])-1] != int32(i)) {
				having[t] = append(having[t], int32(i))
			}
		}
	}
	for t := range terms {
		terms[t].posts, terms[t].count = newPostSet(len(posts), having[t]), len(having[t])
	}
	return terms
}

// lift returns how many times as common a feature is among the posts as among the others. A feature
// that the others do not have counts as half a post there.
func (c *contrast) lift(f *features, k int) float64 {
	if c.isNew(f, k) {
		return math.Inf(1)
	}
	t := c.tally(f, k)
	return t.y / max(t.n, 1) / (max(t.y0, 0.5) / max(t.n0, 1))
}

// meanTogether returns how often a word occurs together with the words of a story on average.
func meanTogether(story []storyTerm, t *storyTerm) (mean float64) {
	for i := range story {
		mean += float64(story[i].posts.common(t.posts)) / math.Sqrt(float64(story[i].count*t.count)) / float64(len(story))
	}
	return mean
}

// storyQuery returns the query for the posts of a story: those with two of its words, and those with
// one that hardly occurs otherwise.
func storyQuery(terms []storyTerm) string {
	var texts, parts []string
	for _, t := range terms {
		texts = append(texts, t.text)
		if t.lift >= coreLift {
			parts = append(parts, `"`+t.text+`"`)
		}
	}
	if len(parts) < len(terms) {
		parts = append(parts, topicQuery(texts))
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// linksWith returns the most frequent links in sampled posts that have one of the words.
func (c *contrast) linksWith(terms []string) []Count {
	wanted := map[int32]bool{}
	for _, t := range terms {
		wanted[int32(c.words.number(t))] = true
	}
	counts := map[int32]int64{}
	for _, t := range c.sides[0].posts {
		if slices.ContainsFunc(t.words, func(k int32) bool { return wanted[k] }) {
			for _, k := range t.others[1] {
				counts[k]++
			}
		}
	}
	var rows []poststore.Row
	for k, n := range counts {
		if n < minDriverPosts { // a link of few posts could reveal a text that must not be shown
			continue
		}
		rows = append(rows, poststore.Row{Key: []string{strings.Clone(c.links.wordIndex.words[k])}, Posts: n})
	}
	const maxLinks = 5
	return countsOf(poststore.TopRows(rows, maxLinks))
}
