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
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
	"earshot/internal/query/filter"
)

// A TopicReport describes the topics of posts, compared with the previous period of the same length.
type TopicReport struct {
	Days     earshot.Days // the days that were counted; zero if there are none
	Posts    int64
	About    int64        // posts about at least one topic
	Previous earshot.Days // days of the previous period with results; zero if there are none
	Coverage float64      // share of the previous period that has results
	Hourly   bool         // whether steps are hours instead of days
	Steps    []time.Time  // start of each step
	Topics   []TopicDetail
}

// A TopicDetail is a topic with its posts. A post is about a topic if it has at least two of its
// terms, or the only one.
type TopicDetail struct {
	Terms      []string // most typical first
	Query      string   // selects its posts
	Posts      int64
	Previous   int64   // posts in the previous period, as far as it has results
	Steps      []int64 // posts of each step
	Sentiments []int64 // in the order of earshot.BasicCategories
	Examples   []earshot.Post
	name       string
}

// Name returns the most typical phrase or hashtag of the topic or, if there is none, its three most
// typical terms.
func (t *TopicDetail) Name() string { return cmp.Or(t.name, termName(t.Terms)) }

func (r *TopicReport) size() int {
	bytes := 24 * len(r.Steps)
	for i := range r.Topics {
		bytes += 256 + 8*len(r.Topics[i].Steps)
		for k := range r.Topics[i].Examples {
			bytes += postSize(&r.Topics[i].Examples[k])
		}
	}
	return bytes
}

// postSize returns the approximate size of a post in bytes.
func postSize(p *earshot.Post) int { return 2048 + len(p.Title) + len(p.Contents) }

// A ReportRequest selects the posts of a report.
type ReportRequest struct {
	Days earshot.Days

	// Refine resolves the refinement for the current categorization. Filter identifies the
	// refinement; it is empty if there is none.
	Filter string
	Refine func(filter.Categories) (poststore.Selection, error)
}

// Limits of a topic report.
const (
	hourlyDays       = 2  // reports of at most this many days have steps of an hour
	topicExamples    = 3  // posts per topic
	exampleRelevants = 30 // most relevant posts that examples are chosen from
)

// ReportTopics returns at most top topics of m's posts on the days that have results. The result is
// cached, so the caller must not modify it.
func (s *Service) ReportTopics(ctx context.Context, m *earshot.Monitor, r ReportRequest, top int) (report *TopicReport, err error) {
	err = s.withReport(ctx, m, r, func(q *reportQuery) error {
		if q.days.Len() <= 0 {
			report = &TopicReport{}
			return nil
		}
		key := fmt.Sprintf("report %d %s", top, q.key)
		report, err = memoize(ctx, s.Store, &s.reports, q.all(), key, func() (*TopicReport, error) { return s.reportTopics(ctx, q, top) })
		return err
	})
	return report, err
}

// A reportQuery is a [ReportRequest] for a monitor, with its filter resolved.
type reportQuery struct {
	monitor    *earshot.Monitor
	days       earshot.Days // restricted to days with results
	previous   earshot.Days // the same for the previous period; zero if there are none
	coverage   float64      // share of the previous period that has results
	refinement poststore.Selection
	key        string
}

// withReport calls do with the resolved request.
func (s *Service) withReport(ctx context.Context, m *earshot.Monitor, r ReportRequest, do func(q *reportQuery) error) error {
	days, err := s.limitDays(m, r.Days)
	if err != nil {
		return err
	}
	return s.WithCategorization(ctx, m, func(c Categorization) error {
		q := &reportQuery{monitor: m, days: days, key: fmt.Sprintf("%s %s %d %q %q %q", days.Start, days.End, c.ModelID, r.Filter, m.Timezone, m.Criteria.Keywords)}
		q.previous, q.coverage = s.coveredBefore(m, days)
		if r.Filter != "" {
			var err error
			if q.refinement, err = r.Refine(c); err != nil {
				return err
			}
		}
		return do(q)
	})
}

// coveredBefore returns the days with results of the period of the same length before some days,
// and which share of the period they are.
func (s *Service) coveredBefore(m *earshot.Monitor, days earshot.Days) (earshot.Days, float64) {
	before := earshot.Days{Start: days.Start.AddDays(-days.Len()), End: days.Start}
	covered := s.withResults(m, before)
	if days.Len() <= 0 || covered.Len() <= 0 {
		return earshot.Days{}, 0
	}
	return covered, float64(covered.Len()) / float64(before.Len())
}

// selection returns a selection of the posts of some days.
func (q *reportQuery) selection(days earshot.Days) poststore.Selection {
	sel, all := q.refinement, selection(q.monitor, days)
	sel.Set, sel.From, sel.To = all.Set, all.From, all.To
	return sel
}

// all returns a selection that includes the posts of both periods.
func (q *reportQuery) all() poststore.Selection {
	days := q.days
	if q.coverage > 0 {
		days.Start = q.previous.Start
	}
	return selection(q.monitor, days)
}

func (s *Service) reportTopics(ctx context.Context, q *reportQuery, top int) (*TopicReport, error) {
	r := &TopicReport{Days: q.days, Previous: q.previous, Coverage: q.coverage, Hourly: q.days.Len() <= hourlyDays}
	grouping := earshot.Daily
	if r.Hourly {
		grouping = earshot.Hourly
	}
	steps, err := period.Steps(q.days, grouping, q.monitor.Location())
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		r.Steps = append(r.Steps, step.Start)
	}
	sel := q.selection(q.days)
	found, err := s.findTopics(ctx, q.monitor, sel, top)
	if err != nil {
		return nil, err
	}
	var queries []string
	for _, terms := range found {
		t, err := s.reportTopic(ctx, q, terms, steps, grouping)
		if err != nil {
			return nil, err
		}
		r.Topics, queries = append(r.Topics, t), append(queries, t.Query)
	}
	slices.SortStableFunc(r.Topics, func(a, b TopicDetail) int {
		return cmp.Or(cmp.Compare(b.Posts, a.Posts), strings.Compare(a.Name(), b.Name()))
	})
	if r.Posts, err = s.countSelected(ctx, sel); err != nil || len(queries) == 0 {
		return r, err
	}
	if sel, err = withKeywords(q.monitor, sel, strings.Join(queries, " OR ")); err != nil {
		return nil, err
	}
	r.About, err = s.countSelected(ctx, sel)
	return r, err
}

func (s *Service) countSelected(ctx context.Context, sel poststore.Selection) (int64, error) {
	rows, err := poststore.TallyOne(ctx, s.Store, sel, poststore.Tally{})
	if err != nil {
		return 0, err
	}
	return rows[0].Posts, nil
}

// reportTopic counts the posts of a topic and chooses examples.
func (s *Service) reportTopic(ctx context.Context, q *reportQuery, terms []string, steps []period.Step, grouping earshot.Grouping) (t TopicDetail, err error) {
	t = TopicDetail{Terms: terms, Query: topicQuery(terms)}
	sel, err := withKeywords(q.monitor, q.selection(q.days), t.Query)
	if err != nil {
		return t, err
	}
	dim, parse := volumeDim(grouping)
	loc := q.monitor.Location()
	rows, err := s.Store.Tallies(ctx, sel, []poststore.Tally{{By: []poststore.Dim{dim}, Zone: loc}, countBy(poststore.BySentiment)})
	if err != nil {
		return t, err
	}
	volume, err := newVolume(steps, rows[0], func(key string) (time.Time, error) { return parse(key, loc) })
	if err != nil {
		return t, err
	}
	t.Posts, t.Sentiments = volume.Posts, countsByName(rows[1], earshot.BasicCategories)
	for _, step := range volume.Steps {
		t.Steps = append(t.Steps, step.Posts)
	}
	if t.name, t.Terms, err = s.nameTopic(ctx, q.monitor, sel, terms); err != nil {
		return t, err
	}
	if t.Examples, err = s.examples(ctx, sel, terms); err != nil || q.coverage == 0 {
		return t, err
	}
	before := q.selection(q.previous)
	sel.From, sel.To = before.From, before.To
	t.Previous, err = s.countSelected(ctx, sel)
	return t, err
}

// examples returns the most relevant posts of a topic whose texts differ.
func (s *Service) examples(ctx context.Context, sel poststore.Selection, terms []string) (posts []earshot.Post, err error) {
	ranked, err := s.Store.Rank(ctx, sel, poststore.Ranking{Order: poststore.MostRelevant, Terms: plainTerms(terms), Limit: exampleRelevants})
	if err != nil {
		return nil, err
	}
	var groups enginekit.Grouper
	var shingles [][]uint32
	var doc query.Document
	for i := range ranked.Posts {
		var sketcher enginekit.Sketcher // a new one, because its shingles are kept
		doc.Reset(&ranked.Posts[i].Post)
		enginekit.WalkKeys(&doc, func(t query.KeyToken) { sketcher.Add(enginekit.WordHash(t)) })
		sketch, own := sketcher.Sketch()
		if groups.Add(&sketch, own, func(group int) []uint32 { return shingles[group] }) < len(shingles) {
			continue
		}
		if shingles, posts = append(shingles, own), append(posts, ranked.Posts[i].Post); len(posts) == topicExamples {
			break
		}
	}
	return posts, nil
}

// plainTerms returns terms without accents and sigils.
func plainTerms(terms []string) (plain []string) {
	enginekit.WalkKeys(query.NewDocument(&earshot.Post{Contents: strings.Join(terms, " ")}), func(t query.KeyToken) {
		plain = append(plain, string(t.Plain))
	})
	return plain
}
