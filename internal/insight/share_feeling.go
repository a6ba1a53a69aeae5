package insight

import (
	"context"
	"math"
	"strconv"

	"earshot"
	"earshot/internal/model/prevalence"
	"earshot/internal/model/sentiment"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
)

// A feeling is a task whose shares are estimated: sentiment or emotion.
type feeling struct {
	names     []string
	assigned  poststore.Dim
	cells     poststore.Dim
	estimator func() *prevalence.Estimator
}

var (
	sentimentFeeling = feeling{earshot.BasicCategories, poststore.BySentiment, poststore.BySentimentCell, prevalence.Sentiments}
	emotionFeeling   = feeling{earshot.BasicEmotions, poststore.ByEmotion, poststore.ByEmotionCell, prevalence.Emotions}
)

// tallies returns what estimates need: the posts of each class, and the posts with similar scores, by
// language, source and version of the models. Posts without a language are missing from the second tally,
// so the third counts all.
func (f *feeling) tallies() []poststore.Tally {
	return []poststore.Tally{
		countBy(f.assigned),
		{By: []poststore.Dim{f.cells, poststore.BySource, poststore.ByModels, poststore.ByLanguage}},
		{By: []poststore.Dim{f.cells, poststore.BySource, poststore.ByModels}},
	}
}

// feltPosts are posts counted by the tallies of a feeling.
type feltPosts struct {
	counts []int64 // by class
	groups []prevalence.Group
}

// read converts the rows of the tallies of a feeling.
func (f *feeling) read(rows [3][]poststore.Row) feltPosts {
	p := feltPosts{counts: countsByName(rows[0], f.names)}
	others := map[[3]string]float64{} // posts without a language
	for _, row := range rows[2] {
		others[[3]string(row.Key)] = float64(row.Posts)
	}
	for _, row := range rows[1] {
		key := [3]string(row.Key)
		p.groups = append(p.groups, newGroup(key, row.Key[3], float64(row.Posts)))
		others[key] -= float64(row.Posts)
	}
	for _, row := range rows[2] {
		key := [3]string(row.Key)
		if n := others[key]; n > 0 {
			p.groups = append(p.groups, newGroup(key, "", n))
		}
	}
	return p
}

// newGroup returns the posts of a cell, a source and a version of the models.
func newGroup(key [3]string, language string, posts float64) prevalence.Group {
	cell, _ := strconv.Atoi(key[0]) // the store has only valid ones
	return prevalence.Group{
		Language: language, Domain: sentiment.DomainOf(earshot.Source(key[1])),
		Cell: earshot.ScoreCell(cell), Models: uint16(inferredBy(key[2])), Posts: posts,
	}
}

// inferredBy parses a key of [poststore.ByModels]. Its lower 16 bits are the version of the models.
func inferredBy(key string) uint32 {
	n, _ := strconv.ParseUint(key, 10, 32) // the store has only valid ones
	return uint32(n)
}

// add adds the posts of other.
func (p *feltPosts) add(other feltPosts) {
	for k, n := range other.counts {
		p.counts[k] += n
	}
	p.groups = append(p.groups, other.groups...)
}

// estimate returns the proportions of categories, which are those of a feeling in the same order.
func (s *Service) estimate(f *feeling, p feltPosts, categories []earshot.Category) []Proportion {
	list := make([]Proportion, len(categories))
	var shares []prevalence.Share
	if s.isCustom(f) {
		shares = countedShares(p.counts)
	} else {
		shares = f.estimator().Estimate(p.groups)
	}
	for i, c := range categories {
		list[i] = Proportion{Category: c, Posts: p.counts[i]}
		if shares != nil {
			list[i].Share, list[i].Low, list[i].High = shares[i].Share, shares[i].Low, shares[i].High
		}
	}
	return list
}

// isCustom reports whether an operator's own model infers a feeling. Nothing is known about its
// errors.
func (s *Service) isCustom(f *feeling) bool {
	if f == &sentimentFeeling {
		return s.CustomSentiment
	}
	return s.CustomEmotion
}

// countedShares returns the shares of assigned posts, or nil if there are none.
func countedShares(counts []int64) []prevalence.Share {
	all := 0.0
	for _, n := range counts {
		all += float64(n)
	}
	if all == 0 {
		return nil
	}
	list := make([]prevalence.Share, len(counts))
	for k, n := range counts {
		share := float64(n) / all
		margin := 1.96 * math.Sqrt(prevalence.CountedError*prevalence.CountedError+share*(1-share)/all)
		list[k] = prevalence.Share{Share: share, Low: max(0, share-margin), High: min(1, share+margin)}
	}
	return list
}

// dayFeelings are the estimates of a feeling for each day, and for all.
type dayFeelings struct {
	days  [][]Proportion
	total []Proportion
}

// estimateDays estimates a feeling for each day. first is the first of its tallies in c.
func (s *Service) estimateDays(ctx context.Context, f *feeling, c *dayCounts, first int, categories []earshot.Category) (*dayFeelings, error) {
	e := &dayFeelings{days: make([][]Proportion, len(c.dates))}
	posts := make([]feltPosts, len(c.dates))
	err := parallel.For(ctx, len(c.dates), 0, func(_ context.Context, day int) error {
		posts[day] = f.read([3][]poststore.Row{c.rows[first][day], c.rows[first+1][day], c.rows[first+2][day]})
		e.days[day] = s.estimate(f, posts[day], categories)
		return nil
	})
	all := feltPosts{counts: make([]int64, len(f.names))}
	for _, p := range posts {
		all.add(p)
	}
	e.total = s.estimate(f, all, categories)
	return e, err
}

// feelingProportions is Proportions for a selection of the posts of a monitor whose categories are
// sentiments.
func (s *Service) feelingProportions(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, days earshot.Days) (*Proportions, error) {
	c, err := s.countDaysOf(ctx, m, sel, days, feelingTallies()...)
	if err != nil {
		return nil, err
	}
	sentiments, err := s.estimateDays(ctx, &sentimentFeeling, c, sentimentTallies, m.Categories)
	if err != nil {
		return nil, err
	}
	emotions, err := s.estimateDays(ctx, &emotionFeeling, c, emotionTallies, m.Emotions)
	if err != nil {
		return nil, err
	}
	p := newProportions(c, emotions)
	for day := range p.Days {
		p.Days[day].Categories = sentiments.days[day]
	}
	p.Total.Categories = sentiments.total
	return p, nil
}

// Indexes of tallies: allPosts is first.
const (
	emotionTallies   = 1
	sentimentTallies = 4
)

// feelingTallies returns the tallies of all posts, of emotions and of sentiments.
func feelingTallies() []poststore.Tally {
	return append(emotionOnlyTallies(), sentimentFeeling.tallies()...)
}

// emotionOnlyTallies returns the tallies of all posts and of emotions.
func emotionOnlyTallies() []poststore.Tally {
	return append([]poststore.Tally{allPosts}, emotionFeeling.tallies()...)
}

// newProportions returns the proportions of emotions. The first tally counts all posts.
func newProportions(c *dayCounts, emotions *dayFeelings) *Proportions {
	p := &Proportions{Total: DayProportions{Posts: c.total(0), Emotions: emotions.total}}
	for day, date := range c.dates {
		p.Days = append(p.Days, DayProportions{Day: date, Posts: c.posts(0, day), Emotions: emotions.days[day]})
	}
	return p
}
