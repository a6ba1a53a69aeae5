package insight

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
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

// index returns the place of a feeling among the two: 0 for sentiments, 1 for emotions.
func (f *feeling) index() int {
	if f == &sentimentFeeling {
		return 0
	}
	return 1
}

// feltPosts are posts counted by the tallies of a feeling.
type feltPosts struct {
	counts []int64            // by class
	groups []prevalence.Group // by what the models say
	known  []float64          // posts of each class according to people, if groups do not have them; or nil
}

// domains returns a function that returns the domain of the posts of a source among those of a monitor. A
// monitor finds content only of its own team, in which the names of content sources are unique, so the
// tallies need no content source.
func (s *Service) domains(m *earshot.Monitor) func(earshot.Source) sentiment.Domain {
	known := map[earshot.Source]sentiment.Domain{}
	return func(source earshot.Source) sentiment.Domain {
		d, ok := known[source]
		if !ok {
			if d = sentiment.DomainOf(source); s.ContentDomain != nil && !slices.Contains(earshot.Networks, source) {
				d = sentiment.DomainOfTexts(s.ContentDomain(m.Team, source))
			}
			known[source] = d
		}
		return d
	}
}

// read converts the rows of the tallies of a feeling.
func (f *feeling) read(rows [3][]poststore.Row, domain func(earshot.Source) sentiment.Domain) feltPosts {
	p := feltPosts{counts: countsByName(rows[0], f.names)}
	others := map[[3]string]float64{} // posts without a language
	for _, row := range rows[2] {
		others[[3]string(row.Key)] = float64(row.Posts)
	}
	for _, row := range rows[1] {
		key := [3]string(row.Key)
		p.groups = append(p.groups, newGroup(key, row.Key[3], domain, float64(row.Posts)))
		others[key] -= float64(row.Posts)
	}
	for _, row := range rows[2] {
		key := [3]string(row.Key)
		if n := others[key]; n > 0 {
			p.groups = append(p.groups, newGroup(key, "", domain, n))
		}
	}
	return p
}

// newGroup returns the posts of a cell, a source and a version of the models.
func newGroup(key [3]string, language string, domain func(earshot.Source) sentiment.Domain, posts float64) prevalence.Group {
	cell, _ := strconv.Atoi(key[0]) // the store has only valid ones
	return prevalence.Group{
		Language: language, Domain: domain(earshot.Source(key[1])),
		Cell: earshot.ScoreCell(cell), Models: uint16(inferredBy(key[2])), Posts: posts,
	}
}

// inferredBy parses a key of [poststore.ByModels]. Its lower 16 bits are the version of the models.
func inferredBy(key string) uint32 {
	n, _ := strconv.ParseUint(key, 10, 32) // the store has only valid ones
	return uint32(n)
}

// withoutCorrections replaces the scores of corrected posts by those of the models, which other has. Only
// posts that people happened to look at are corrected, so corrections say little about the others: if the
// mistakes that the models make are missing among the scores, shares are estimated wrong. But what people
// say about these posts is certain.
func (p *feltPosts) withoutCorrections(other feltPosts) {
	p.known = make([]float64, len(p.counts))
	count := func(groups []prevalence.Group, sign float64) {
		for _, g := range groups {
			if class := g.Cell.Certain(len(p.counts)); class >= 0 {
				p.known[class] += sign * g.Posts
			}
		}
	}
	count(p.groups, 1)
	count(other.groups, -1) // of models that stated scores of 100
	p.groups = other.groups
}

// limit limits shares to those that are possible given what people say about some posts.
func (p *feltPosts) limit(shares []prevalence.Share) {
	all, known := 0.0, 0.0
	for _, g := range p.groups {
		if g.Cell != 0 {
			all += g.Posts
		}
	}
	for _, n := range p.known {
		known += max(0, n) / all
	}
	if !(known > 0) || known > 1 {
		return
	}
	rest := 0.0 // shares of other posts
	for k, n := range p.known {
		rest += max(0, shares[k].Share-max(0, n)/all)
	}
	for k, n := range p.known {
		least := max(0, n) / all
		most := 1 - known + least
		of := &shares[k]
		share := least
		if rest > 0 {
			share += (1 - known) * max(0, of.Share-least) / rest
		}
		of.Share, of.Low, of.High = share, max(least, min(of.Low, share)), min(most, max(of.High, share))
	}
}

// add adds the posts of other.
func (p *feltPosts) add(other feltPosts) {
	for k, n := range other.counts {
		p.counts[k] += n
	}
	p.groups = append(p.groups, other.groups...)
	if other.known != nil {
		if p.known == nil {
			p.known = make([]float64, len(other.known))
		}
		for k, n := range other.known {
			p.known[k] += n
		}
	}
}

// estimate returns the proportions of categories, which are those of a feeling in the same order. l are
// the labels for posts from one time to another. It also returns how many labels of these posts it used.
func (s *Service) estimate(f *feeling, p feltPosts, categories []earshot.Category, l *labels, from, to time.Time) (list []Proportion, used int) {
	list = make([]Proportion, len(categories))
	all := 0.0
	for _, g := range p.groups {
		all += g.Posts
	}
	known, used, total := l.of(f, from, to, all)
	var shares []prevalence.Share
	if s.isCustom(f) || s.CustomLook {
		p.groups = slices.Clone(p.groups)
		for i := range p.groups {
			p.groups[i].Models = s.calibration(f, p.groups[i].Models)
		}
		for i := range known {
			known[i].Models = s.calibration(f, known[i].Models)
		}
	}
	switch {
	case known != nil:
		shares = f.estimator().Calibrate(p.groups, known, total)
	case s.isCustom(f):
		shares = countedShares(p.counts)
	default:
		shares = f.estimator().Estimate(p.groups)
	}
	if shares != nil {
		p.limit(shares)
	}
	for i, c := range categories {
		list[i] = Proportion{Category: c, Posts: p.counts[i]}
		if shares != nil {
			list[i].Share, list[i].Low, list[i].High = shares[i].Share, shares[i].Low, shares[i].High
		}
	}
	return list, used
}

// isCustom reports whether an operator's own model infers a feeling. Nothing is known about its
// errors.
func (s *Service) isCustom(f *feeling) bool {
	if f == &sentimentFeeling {
		return s.CustomSentiment
	}
	return s.CustomEmotion
}

// calibration returns the version of the models whose table is for the scores of a version. Nothing is
// known about an operator's own models.
func (s *Service) calibration(f *feeling, models uint16) uint16 {
	if s.isCustom(f) || f == &sentimentFeeling && s.CustomLook && enrich.IsLooked(uint32(models)) {
		return prevalence.UnknownModels
	}
	return models
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
	days   [][]Proportion
	total  []Proportion
	labels int  // of posts of these days
	drift  bool // see [Proportions.LabelDrift]
}

// estimateDays estimates a feeling for each day of the selected posts of a monitor. first is the first of
// its tallies in c.
func (s *Service) estimateDays(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, f *feeling, c *dayCounts, first int, categories []earshot.Category) (*dayFeelings, error) {
	posts, l, err := s.felt(ctx, m, sel, f, c, first)
	if err != nil {
		return nil, err
	}
	e, zone := &dayFeelings{days: make([][]Proportion, len(c.dates))}, m.Location()
	err = parallel.For(ctx, len(c.dates), 0, func(_ context.Context, day int) error {
		e.days[day], _ = s.estimate(f, posts[day], categories, l, c.dates[day].Start(zone), c.dates[day].AddDays(1).Start(zone))
		return nil
	})
	e.drift = l != nil && l.drift[f.index()]
	e.total, e.labels = s.estimateTotal(m, f, c, posts, l, categories)
	return e, err
}

// estimateTotal estimates a feeling for all days together.
func (s *Service) estimateTotal(m *earshot.Monitor, f *feeling, c *dayCounts, posts []feltPosts, l *labels, categories []earshot.Category) ([]Proportion, int) {
	all := feltPosts{counts: make([]int64, len(f.names))}
	for _, p := range posts {
		all.add(p)
	}
	var from, to time.Time
	if n := len(c.dates); n > 0 {
		from, to = c.dates[0].Start(m.Location()), c.dates[n-1].AddDays(1).Start(m.Location())
	}
	return s.estimate(f, all, categories, l, from, to)
}

// felt returns the selected posts of each day, and the labels for them. first is the first of the tallies
// of a feeling in c.
func (s *Service) felt(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, f *feeling, c *dayCounts, first int) ([]feltPosts, *labels, error) {
	posts := make([]feltPosts, len(c.dates))
	if len(posts) == 0 {
		return nil, nil, nil
	}
	domain := s.domains(m)
	for day := range posts {
		posts[day] = f.read([3][]poststore.Row{c.rows[first][day], c.rows[first+1][day], c.rows[first+2][day]}, domain)
	}
	l, err := s.labels(ctx, m, sel)
	if err != nil || s.corrections(m) == nil || sel.IsCorrectable() {
		return posts, l, err
	}
	days := earshot.Days{Start: c.dates[0], End: c.dates[len(c.dates)-1].AddDays(1)}
	ts := f.tallies()
	rows, err := s.Uncorrected.Days(ctx, sel, dayBounds(days, m.Location()), ts)
	if err != nil {
		return nil, nil, err
	}
	for day := range posts {
		posts[day].withoutCorrections(f.read([3][]poststore.Row{rows[0][day], rows[1][day], rows[2][day]}, domain))
	}
	return posts, l, nil
}

// feelingProportions is Proportions for a selection of the posts of a monitor whose categories are
// sentiments.
func (s *Service) feelingProportions(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, days earshot.Days) (*Proportions, error) {
	c, err := s.countDaysOf(ctx, m, sel, days, feelingTallies()...)
	if err != nil {
		return nil, err
	}
	sentiments, err := s.estimateDays(ctx, m, sel, &sentimentFeeling, c, sentimentTallies, m.Categories)
	if err != nil {
		return nil, err
	}
	emotions, err := s.estimateDays(ctx, m, sel, &emotionFeeling, c, emotionTallies, m.Emotions)
	if err != nil {
		return nil, err
	}
	p := newProportions(c, emotions)
	for day := range p.Days {
		p.Days[day].Categories = sentiments.days[day]
	}
	p.Total.Categories, p.Labels, p.LabelDrift = sentiments.total, sentiments.labels, sentiments.drift
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
	p := &Proportions{Total: DayProportions{Posts: c.total(0), Emotions: emotions.total}, EmotionLabels: emotions.labels}
	for day, date := range c.dates {
		p.Days = append(p.Days, DayProportions{Day: date, Posts: c.posts(0, day), Emotions: emotions.days[day]})
	}
	return p
}
