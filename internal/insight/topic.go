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

// Topics are what posts of a monitor are about.
type Topics struct {
	Start, End earshot.Timestamp // what the steps cover
	Posts      int64             // that are about at least one topic
	Topics     []Topic           // largest first
}

// A Topic is words that occur together, and how many posts are about them: those that have
// two of its terms, or its only one.
type Topic struct {
	Terms []string // the most typical first
	Volume
}

// Name returns what to call the topic: its most typical terms.
func (t Topic) Name() string { return strings.Join(t.Terms[:min(3, len(t.Terms))], ", ") }

func (t Topics) weight() int {
	bytes := 0
	for _, topic := range t.Topics {
		bytes += 256 + 128*len(topic.Steps)
	}
	return bytes
}

// Topics returns at most top topics of m's posts, with their volume in steps; without a
// grouping there is one step. Weeks and months are full ones only, and only posts of these
// count. Which words belong together is seen in a sample, but posts are all counted. Days
// without results have no posts. The answer is kept: the caller must not change it.
// docs/decisions/0042-topics.md
func (s *Service) Topics(ctx context.Context, m *earshot.Monitor, days earshot.Days, by earshot.Grouping, top int) (Topics, error) {
	if days.Len() > mostDays {
		return Topics{}, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", mostDays)
	}
	steps, err := topicSteps(days, by, m.Location())
	if err != nil || len(steps) == 0 {
		return Topics{}, err
	}
	if len(steps)*top > mostTopicSteps {
		return Topics{}, earshot.Errorf(earshot.Invalid, "%d topics of the selected range have more than %d steps", top, mostTopicSteps)
	}
	none := Topics{Start: steps[0].StartDate, End: steps[len(steps)-1].EndDate}
	with := s.withResults(m, days)
	if with.Len() <= 0 {
		return none, nil
	}
	of := selection(m, with)
	of.From = later(of.From, steps[0].Start)
	of.To = earlier(of.To, steps[len(steps)-1].End)
	if !of.From.Before(of.To) {
		return none, nil
	}
	question := fmt.Sprintf("%s %d %s %s %s %q", by, top, days.Start, days.End, m.Timezone, m.Criteria.Keywords)
	return remember(ctx, s.Store, &s.topics, of, question, func() (Topics, error) {
		found, err := s.findTopics(ctx, m, of, top)
		if err != nil {
			return none, err
		}
		answer := none
		answer.Topics, answer.Posts, err = s.topicVolumes(ctx, m, of, found, steps, by)
		return answer, err
	})
}

// mostTopicSteps bounds an answer: twenty topics of a year by hours.
const mostTopicSteps = 200_000

// topicSteps returns the steps of a grouping, or one for all days.
func topicSteps(days earshot.Days, by earshot.Grouping, loc *time.Location) ([]period.Step, error) {
	if by != "" {
		return period.Steps(days, by, loc)
	}
	return []period.Step{{
		Start:     days.Start.Start(loc),
		End:       days.End.Start(loc),
		StartDate: earshot.Midnight(days.Start),
		EndDate:   earshot.Midnight(days.End),
	}}, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// findTopics returns the terms of at most top topics, in no order that matters.
func (s *Service) findTopics(ctx context.Context, m *earshot.Monitor, of poststore.Selection, top int) ([][]string, error) {
	var sample wordPosts
	posts, err := s.Store.Words(ctx, of, wordSample, sample.add)
	if err != nil {
		return nil, err
	}
	stop, err := s.stopWords(ctx, of, posts)
	if err != nil {
		return nil, err
	}
	looked := searchWords(m.Criteria.Keywords)
	counts := func(word string, posts int) bool {
		// A query for a word that ends with _ does not find it.
		return !looked[word] && strings.Trim(word, "_") == word && stop.telling(word, int64(posts))
	}
	return newTermGraph(&sample, counts).topics(top), nil
}

// searchWords returns the words of a query. All posts of a monitor are about these, so they
// name no topic.
func searchWords(keywords string) map[string]bool {
	words := map[string]bool{}
	query.NewDocument(&earshot.Post{Contents: keywords}).WalkTokens(func(_ byte, text []byte) {
		words[string(text)] = true
	})
	return words
}

// topicVolumes counts the posts of each topic, and of all together.
func (s *Service) topicVolumes(ctx context.Context, m *earshot.Monitor, of poststore.Selection, found [][]string, steps []period.Step, by earshot.Grouping) ([]Topic, int64, error) {
	if len(found) == 0 {
		return nil, 0, nil
	}
	topics := make([]Topic, len(found))
	about := make([]string, len(found))
	for i, terms := range found {
		about[i] = aboutTopic(terms)
		v, err := s.volumeAbout(ctx, m, of, about[i], steps, by)
		if err != nil {
			return nil, 0, err
		}
		topics[i] = Topic{terms, v}
	}
	slices.SortFunc(topics, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Posts, a.Posts), strings.Compare(a.Name(), b.Name()))
	})
	all, err := s.volumeAbout(ctx, m, of, strings.Join(about, " OR "), steps, by)
	return topics, all.Posts, err
}
