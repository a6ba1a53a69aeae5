package insight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/query"
)

// Topics are the topics of a monitor's posts.
type Topics struct {
	Start, End earshot.Timestamp // the range that the steps cover
	Posts      int64             // posts about at least one topic
	Topics     []Topic           // most posts first
}

// A Topic is a group of words that occur together, and the number of posts about them. A post is
// about a topic if it has at least two of its terms, or the only one.
type Topic struct {
	Terms []string // most typical first
	Volume
}

// Name returns a name for the topic: its three most typical terms.
func (t Topic) Name() string { return termName(t.Terms) }

// Query returns a query that selects the posts about the topic.
func (t Topic) Query() string { return topicQuery(t.Terms) }

func (t Topics) size() int {
	bytes := 0
	for _, topic := range t.Topics {
		bytes += 256 + 128*len(topic.Steps)
	}
	return bytes
}

// Topics returns at most top topics of m's posts, with their volume in steps. Without a grouping
// there is one step. Only full weeks and months are included, and only their posts count. The words
// of topics come from a sample, but all posts are counted. Days without results have no posts. The
// result is cached, so the caller must not modify it. docs/decisions/0042-topics.md
func (s *Service) Topics(ctx context.Context, m *earshot.Monitor, days earshot.Days, grouping earshot.Grouping, top int) (Topics, error) {
	if days.Len() > maxDays {
		return Topics{}, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", maxDays)
	}
	steps, err := topicSteps(days, grouping, m.Location())
	if err != nil || len(steps) == 0 {
		return Topics{}, err
	}
	if len(steps)*top > maxTopicSteps {
		return Topics{}, earshot.Errorf(earshot.Invalid, "%d topics of the selected range have more than %d steps", top, maxTopicSteps)
	}
	none := Topics{Start: steps[0].StartDate, End: steps[len(steps)-1].EndDate}
	resultDays := s.withResults(m, days)
	if resultDays.Len() <= 0 {
		return none, nil
	}
	sel := selection(m, resultDays)
	sel.From = period.Later(sel.From, steps[0].Start)
	sel.To = period.Earlier(sel.To, steps[len(steps)-1].End)
	if !sel.From.Before(sel.To) {
		return none, nil
	}
	key := fmt.Sprintf("%s %d %s %s %s %q", grouping, top, days.Start, days.End, m.Timezone, m.Criteria.Keywords)
	return memoize(ctx, s.Store, &s.topics, sel, key, func() (Topics, error) {
		terms, err := s.findTopics(ctx, m, sel, top)
		if err != nil {
			return none, err
		}
		topics := none
		topics.Topics, topics.Posts, err = s.topicVolumes(ctx, m, sel, terms, steps, grouping)
		return topics, err
	})
}

// maxTopicSteps limits the size of a response to about twenty topics of a year by hour.
const maxTopicSteps = 200_000

// topicSteps returns the steps of a grouping, or a single step for all days.
func topicSteps(days earshot.Days, grouping earshot.Grouping, loc *time.Location) ([]period.Step, error) {
	if grouping != "" {
		return period.Steps(days, grouping, loc)
	}
	return []period.Step{{
		Start:     days.Start.Start(loc),
		End:       days.End.Start(loc),
		StartDate: earshot.Midnight(days.Start),
		EndDate:   earshot.Midnight(days.End),
	}}, nil
}

// findTopics returns the terms of at most top topics, in any order.
func (s *Service) findTopics(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, top int) ([][]string, error) {
	sample, posts, err := s.sampleWords(ctx, sel)
	if err != nil {
		return nil, err
	}
	stop, err := s.stopWords(ctx, sel, posts)
	if err != nil {
		return nil, err
	}
	searched := searchWords(m.Criteria.Keywords)
	counts := func(word string, posts int) bool {
		// A query does not find a word that ends with _.
		return !searched[word] && strings.Trim(word, "_") == word && stop.isMeaningful(word, int64(posts))
	}
	return newTermGraph(sample, counts).topics(top), nil
}

// sampleWords reads the words of a sample of posts, those of each common language on their own. It
// returns the total number of posts.
func (s *Service) sampleWords(ctx context.Context, sel poststore.Selection) (*wordPosts, int64, error) {
	rows, err := s.Store.Tallies(ctx, sel, []poststore.Tally{{}, {By: []poststore.Dim{poststore.ByLanguage}}})
	if err != nil {
		return nil, 0, err
	}
	posts := rows[0][0].Posts
	common := poststore.Having{By: poststore.ByLanguage}
	var sample wordPosts
	read := func(sel poststore.Selection, n int64) error {
		if posts > wordSample {
			n = max(1, n*wordSample/posts)
		}
		_, err := s.Store.Words(ctx, sel, int(n), sample.add)
		sample.endLanguage()
		return err
	}
	rest := posts
	for _, row := range rows[1] {
		if row.Posts*commonShare < posts {
			break
		}
		of := sel
		of.Having = append(slices.Clip(sel.Having), poststore.Having{By: poststore.ByLanguage, Keys: row.Key})
		if err := read(of, row.Posts); err != nil {
			return nil, 0, err
		}
		common.Keys = append(common.Keys, row.Key[0])
		rest -= row.Posts
	}
	if rest > 0 {
		if len(common.Keys) > 0 {
			sel.Except = append(slices.Clip(sel.Except), poststore.Selection{Having: []poststore.Having{common}})
		}
		err = read(sel, rest)
	}
	return &sample, posts, err
}

// searchWords returns the words of a query. All posts of a monitor are about them, so they cannot
// distinguish topics.
func searchWords(keywords string) map[string]bool {
	words := map[string]bool{}
	query.NewDocument(&earshot.Post{Contents: keywords}).WalkTokens(func(_ byte, text []byte) {
		words[string(text)] = true
	})
	return words
}

// topicVolumes counts the posts of each topic and the posts about any topic.
func (s *Service) topicVolumes(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, found [][]string, steps []period.Step, grouping earshot.Grouping) ([]Topic, int64, error) {
	if len(found) == 0 {
		return nil, 0, nil
	}
	topics := make([]Topic, len(found))
	about := make([]string, len(found))
	for i, terms := range found {
		about[i] = topicQuery(terms)
		v, err := s.queryVolume(ctx, m, sel, about[i], steps, grouping)
		if err != nil {
			return nil, 0, err
		}
		topics[i] = Topic{terms, v}
	}
	slices.SortFunc(topics, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Posts, a.Posts), strings.Compare(a.Name(), b.Name()))
	})
	all, err := s.queryVolume(ctx, m, sel, strings.Join(about, " OR "), steps, grouping)
	return topics, all.Posts, err
}

func topicQuery(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = `"` + term + `"`
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	pairs := make([]string, len(quoted)-1)
	for i := range pairs {
		pairs[i] = "(" + quoted[i] + " AND (" + strings.Join(quoted[i+1:], " OR ") + "))"
	}
	return "(" + strings.Join(pairs, " OR ") + ")"
}

// queryVolume counts the posts that a query selects.
func (s *Service) queryVolume(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, keywords string, steps []period.Step, grouping earshot.Grouping) (Volume, error) {
	sel, err := withKeywords(m, sel, keywords)
	if err != nil {
		return Volume{}, err
	}
	if grouping != "" {
		return s.countSteps(ctx, m, sel, steps, grouping)
	}
	posts, err := s.countSelected(ctx, sel)
	return Volume{Steps: []VolumeStep{{steps[0], posts}}, Posts: posts}, err
}
