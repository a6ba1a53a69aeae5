package insight

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/model/opinion"
	"earshot/internal/model/quantify"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// Opinions has the models that sort the posts of opinion monitors.
type Opinions interface {
	// InUse returns the model that has sorted the posts of a monitor, zero ones when none has.
	// It may be replaced at any time, all at once.
	InUse(ctx context.Context, id earshot.MonitorID) (earshot.Model, *opinion.Model, error)
}

// A Categorization is how the posts of an opinion monitor are sorted into its categories. That of
// other monitors, and of one that has not been taught, is zero.
type Categorization struct {
	Buffer    int
	ModelID   int64 // is another for another sorting
	TrainedAt time.Time
	Model     *opinion.Model
}

// IsZero reports whether posts are not sorted.
func (s Categorization) IsZero() bool { return s.Model == nil }

// maxAttempts bounds how often something is asked again because a new model took over meanwhile,
// which happens once in a while.
const maxAttempts = 20

// WithCategorization calls ask with the sorting of m's posts, and again when that has become another
// one meanwhile: what ask found out may be of both.
func (s *Service) WithCategorization(ctx context.Context, m *earshot.Monitor, do func(Categorization) error) error {
	if m.Type != earshot.Opinion || s.Opinions == nil {
		return do(Categorization{})
	}
	var err error
	for range maxAttempts {
		var before, after Categorization
		if before, err = s.categorization(ctx, m); errors.Is(err, catalog.ErrNotFound) {
			continue // a model is gone that was there a moment ago
		}
		if err != nil {
			return err
		}
		if err := do(before); err != nil {
			return err
		}
		if after, err = s.categorization(ctx, m); err == nil && after.ModelID == before.ModelID {
			return nil
		}
	}
	if err == nil {
		err = earshot.Errorf(earshot.Unavailable, "Monitor %d is being trained over and over; try again in a moment", m.ID)
	}
	return err
}

// categorization returns how the posts of m, or of the monitor whose filter it is, are sorted now.
func (s *Service) categorization(ctx context.Context, m *earshot.Monitor) (Categorization, error) {
	id := m.ID
	if m.Parent != 0 {
		id = m.Parent
	}
	used, model, err := s.Opinions.InUse(ctx, id)
	if err != nil || model == nil || outdated(m, model) {
		return Categorization{}, err
	}
	return Categorization{Buffer: used.Buffer, ModelID: used.Record, TrainedAt: used.Time, Model: model}, nil
}

// outdated reports whether a model knows categories that m has no more, and there is not enough
// to learn another one from: it would put posts where they cannot be.
func outdated(m *earshot.Monitor, model *opinion.Model) bool {
	removed := slices.ContainsFunc(model.Categories, func(id earshot.CategoryID) bool {
		return !slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return c.ID == id })
	})
	return removed && earshot.RequireTraining(m) != nil
}

// Require returns an error that says what is missing unless posts of m are sorted.
func (s Categorization) Require(m *earshot.Monitor) error {
	if !s.IsZero() {
		return nil
	}
	if err := earshot.RequireTraining(m); err != nil {
		return err
	}
	return &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
		Message: "The monitor is learning from its training posts; try again in a moment"}
}

// opinionResults is Results of an opinion monitor.
func (s *Service) opinionResults(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool) (results []Result, err error) {
	err = s.WithCategorization(ctx, m, func(categorization Categorization) error {
		o, err := s.estimateOpinions(ctx, m, days, categorization, false)
		if err != nil {
			return err
		}
		results, err = s.results(ctx, m, o.dayCounts, visible, func(day int) ([]int64, []float64) {
			shares := o.shares(m, day)
			return apportion(o.posts(0, day), shares), shares
		})
		if err != nil {
			return err
		}
		return s.setOpinionChanges(ctx, m, categorization, results)
	})
	return results, err
}

// setOpinionChanges sets when the figures of days last changed: with their posts, with the model,
// when the monitor was edited, or, where they lean on days before them, with those.
func (s *Service) setOpinionChanges(ctx context.Context, m *earshot.Monitor, categorization Categorization, results []Result) error {
	if len(results) == 0 {
		return nil
	}
	since := categorization.TrainedAt
	for _, e := range m.Audit {
		if e.Kind == earshot.EventEdited && e.Time.After(since) {
			since = e.Time
		}
	}
	lead := s.withResults(m, earshot.Days{Start: results[0].Day.AddDays(-quantify.LookbackDays), End: results[len(results)-1].Day.AddDays(1)})
	changed, err := s.changed(ctx, m, listDays(lead))
	if err != nil {
		return err
	}
	before := len(changed) - len(results)
	for i := range results {
		r := &results[i]
		if r.Posts == 0 {
			continue
		}
		if since.After(r.Changed) {
			r.Changed = since
		}
		for _, at := range changed[max(0, before+i-quantify.LookbackDays) : before+i] {
			if r.Posts < quantify.FullDayPosts && at.After(r.Changed) {
				r.Changed = at
			}
		}
	}
	return nil
}

// A Proportion is the estimated share of a category, and between which bounds it is with a
// probability of 95 %.
type Proportion struct {
	Category  earshot.Category
	Share     float64
	Low, High float64
	Posts     int64
}

// DayProportions are the proportions of a day.
type DayProportions struct {
	Day        earshot.Date
	Posts      int64
	Categories []Proportion
}

// maxIntervalDays bounds the days of Proportions: bounds take much longer than estimates.
const maxIntervalDays = 400

// Proportions returns the proportions of each day of an opinion monitor with their bounds.
func (s *Service) Proportions(ctx context.Context, m *earshot.Monitor, days earshot.Days) (list []DayProportions, err error) {
	if days = s.withResults(m, days); days.Len() > maxIntervalDays {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", maxIntervalDays)
	}
	err = s.WithCategorization(ctx, m, func(categorization Categorization) error {
		o, err := s.estimateOpinions(ctx, m, days, categorization, true)
		if err != nil {
			return err
		}
		list = make([]DayProportions, len(o.dates))
		for day, date := range o.dates {
			list[day] = DayProportions{Day: date, Posts: o.posts(0, day), Categories: o.proportions(m, day)}
		}
		return nil
	})
	return list, err
}

// opinions are what was counted of an opinion monitor, by nothing and by emotions, and what is
// estimated of each of these days.
type opinions struct {
	*dayCounts
	categorization Categorization
	estimates      []quantify.Estimate
}

var emotions, sentiments = countBy(poststore.ByEmotion), countBy(poststore.BySentiment)

// scoreChunkDays is how many days are estimated at a time: the scores of as many are in memory, and
// those of the days before them that they lean on.
const scoreChunkDays = 31

// estimateOpinions counts the posts of m by their scores and estimates the proportions of each
// day, and between which bounds they are if that is wanted.
func (s *Service) estimateOpinions(ctx context.Context, m *earshot.Monitor, days earshot.Days, categorization Categorization, bounds bool) (*opinions, error) {
	if err := categorization.Require(m); err != nil {
		return nil, err
	}
	c, err := s.countDays(ctx, m, days, nil, allPosts, emotions)
	if err != nil {
		return nil, err
	}
	o := &opinions{dayCounts: c, categorization: categorization}
	for chunk := range slices.Chunk(c.dates, scoreChunkDays) {
		scores, err := s.countScores(ctx, m, earshot.Days{Start: chunk[0], End: chunk[len(chunk)-1].AddDays(1)}, categorization)
		if err != nil {
			return nil, err
		}
		estimates, err := s.estimates.lastDays(ctx, scores, len(chunk), bounds)
		if err != nil {
			return nil, err
		}
		o.estimates = append(o.estimates, estimates...)
	}
	return o, nil
}

// countScores counts the posts of some days, and of those that their estimates lean on.
func (s *Service) countScores(ctx context.Context, m *earshot.Monitor, days earshot.Days, categorization Categorization) (*scores, error) {
	days.Start = days.Start.AddDays(-quantify.LookbackDays)
	c, err := s.countDays(ctx, m, days, nil, poststore.Tally{
		By: []poststore.Dim{poststore.BySets}, Sets: poststore.ScoreSets(categorization.Model.Categories, categorization.Buffer), Sorting: categorization.ModelID,
	})
	if err != nil {
		return nil, err
	}
	all := &scores{categorization: categorization}
	for _, rows := range c.rows[0] {
		var day quantify.Day
		for _, row := range rows {
			if group, ok := categorization.Model.Group(row.Key[0], row.Posts); ok {
				day = append(day, group)
			}
		}
		all.days, all.fingerprints = append(all.days, day), append(all.fingerprints, fingerprintOf(rows))
	}
	return all, nil
}

// index returns the place of a category in the model, if that knows it.
func (o *opinions) index(id earshot.CategoryID) (int, bool) {
	index := slices.Index(o.categorization.Model.Categories, id)
	return index, index >= 0
}

// shares returns the shares of m's categories among a day's posts, none when there are no
// posts. Categories that the model does not know have none, and those that it knows and m has
// lost give theirs to the others.
func (o *opinions) shares(m *earshot.Monitor, day int) []float64 {
	shares := make([]float64, len(m.Categories))
	if o.posts(0, day) == 0 {
		return shares
	}
	sum := 0.0
	for i, c := range m.Categories {
		if index, ok := o.index(c.ID); ok {
			shares[i] = o.estimates[day].Prevalence[index]
			sum += shares[i]
		}
	}
	for i := range shares {
		if sum > 0 {
			shares[i] /= sum
		}
	}
	return shares
}

// proportions returns those of a day.
func (o *opinions) proportions(m *earshot.Monitor, day int) []Proportion {
	shares := o.shares(m, day)
	volumes := apportion(o.posts(0, day), shares)
	list := make([]Proportion, len(m.Categories))
	for i, c := range m.Categories {
		list[i] = Proportion{Category: c, Share: shares[i], Posts: volumes[i]}
		if index, ok := o.index(c.ID); ok && o.posts(0, day) > 0 {
			bounds := o.estimates[day].Intervals[index] // of another share where m has lost categories
			list[i].Low, list[i].High = min(bounds.Low, shares[i]), max(bounds.High, shares[i])
		}
	}
	return list
}
