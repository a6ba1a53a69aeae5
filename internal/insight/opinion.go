package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/opinion"
	"earshot/internal/poststore"
	"earshot/internal/quantify"
)

// Opinions has the models that sort the posts of opinion monitors.
type Opinions interface {
	// InUse returns the model that has sorted the posts of a monitor, zero ones when none has.
	// It may be replaced at any time, all at once.
	InUse(ctx context.Context, id earshot.MonitorID) (earshot.Model, *opinion.Model, error)
}

// A Sorting is how the posts of an opinion monitor are sorted into its categories. That of
// other monitors, and of one that has not been taught, is zero.
type Sorting struct {
	Slot   int
	Record int64 // is another for another sorting
	Learnt time.Time
	Model  *opinion.Model
}

// IsZero reports whether posts are not sorted.
func (s Sorting) IsZero() bool { return s.Model == nil }

// tries bounds how often something is asked again because a new model took over meanwhile,
// which happens once in a while.
const tries = 20

// Steadily calls ask with the sorting of m's posts, and again when that has become another
// one meanwhile: what ask found out may be of both.
func (s *Service) Steadily(ctx context.Context, m *earshot.Monitor, ask func(Sorting) error) error {
	if m.Type != earshot.Opinion || s.Opinions == nil {
		return ask(Sorting{})
	}
	var err error
	for range tries {
		var before, after Sorting
		if before, err = s.sorting(ctx, m); err != nil {
			continue // a model is gone that was there a moment ago
		}
		if err := ask(before); err != nil {
			return err
		}
		if after, err = s.sorting(ctx, m); err == nil && after.Record == before.Record {
			return nil
		}
	}
	if err == nil {
		err = earshot.Errorf(earshot.Unavailable, "Monitor %d is being trained over and over; try again in a moment", m.ID)
	}
	return err
}

// sorting returns how the posts of m, or of the monitor whose filter it is, are sorted now.
func (s *Service) sorting(ctx context.Context, m *earshot.Monitor) (Sorting, error) {
	id := m.ID
	if m.Parent != 0 {
		id = m.Parent
	}
	used, model, err := s.Opinions.InUse(ctx, id)
	return Sorting{Slot: used.Slot, Record: used.Record, Learnt: used.Time, Model: model}, err
}

// Require returns an error that says what is missing unless posts of m are sorted.
func (s Sorting) Require(m *earshot.Monitor) error {
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
	err = s.Steadily(ctx, m, func(by Sorting) error {
		o, err := s.countOpinions(ctx, m, days, by)
		if err != nil {
			return err
		}
		results, err = s.results(ctx, m, o.daily, visible, func(day int) ([]int64, []float64) {
			shares := o.shares(m, o.estimate(s, day, false).Proportions, o.posts(0, day))
			return apportion(o.posts(0, day), shares), shares
		})
		for i := range results {
			if results[i].Posts > 0 && by.Learnt.After(results[i].Changed) {
				results[i].Changed = by.Learnt
			}
		}
		return err
	})
	return results, err
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

// mostIntervalDays bounds the days of Proportions: bounds take much longer than estimates.
const mostIntervalDays = 400

// Proportions returns the proportions of each day of an opinion monitor with their bounds.
func (s *Service) Proportions(ctx context.Context, m *earshot.Monitor, days earshot.Days) (list []DayProportions, err error) {
	if days = s.withResults(m, days); days.Len() > mostIntervalDays {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", mostIntervalDays)
	}
	err = s.Steadily(ctx, m, func(by Sorting) error {
		o, err := s.countOpinions(ctx, m, days, by)
		if err != nil {
			return err
		}
		list = make([]DayProportions, len(o.dates))
		for day, date := range o.dates {
			if err := ctx.Err(); err != nil {
				return err
			}
			list[day] = DayProportions{Day: date, Posts: o.posts(0, day), Categories: o.proportions(m, s, day)}
		}
		return nil
	})
	return list, err
}

// An opinionCount is what was counted of an opinion monitor: by nothing, by emotions, and on
// these days and those that come before them by scores.
type opinionCount struct {
	*daily
	sorting Sorting
	before  int            // days in front of the first
	scores  []quantify.Day // from the first of those on
	prints  []fingerprint  // of the scores
}

// countOpinions counts posts by scores.
func (s *Service) countOpinions(ctx context.Context, m *earshot.Monitor, days earshot.Days, by Sorting) (*opinionCount, error) {
	if err := by.Require(m); err != nil {
		return nil, err
	}
	c, err := s.daily(ctx, m, days, nil, everything, emotions)
	if err != nil || len(c.dates) == 0 {
		return &opinionCount{daily: c}, err
	}
	lead := earshot.Days{Start: c.dates[0].AddDays(-quantify.Memory), End: c.dates[len(c.dates)-1].AddDays(1)}
	scores, err := s.daily(ctx, m, lead, nil, poststore.Tally{
		By: []poststore.Dim{poststore.BySets}, Sets: by.Model.ScoreSets(by.Slot), Sorting: by.Record,
	})
	if err != nil {
		return nil, err
	}
	o := &opinionCount{daily: c, sorting: by, before: len(scores.dates) - len(c.dates)}
	for _, rows := range scores.rows[0] {
		var day quantify.Day
		for _, row := range rows {
			if group, ok := by.Model.Group(row.Key[0], row.Posts); ok {
				day = append(day, group)
			}
		}
		o.scores = append(o.scores, day)
		o.prints = append(o.prints, printOf(rows))
	}
	return o, nil
}

var emotions = by(poststore.ByEmotion)

// shares returns the shares of m's categories among a day's posts, none when there are no
// posts. Categories that the model does not know have none, and those that it knows and m has
// lost give theirs to the others.
func (o *opinionCount) shares(m *earshot.Monitor, estimated []float64, posts int64) []float64 {
	shares := make([]float64, len(m.Categories))
	if posts == 0 {
		return shares
	}
	sum := 0.0
	for i, c := range m.Categories {
		for k, id := range o.sorting.Model.Categories {
			if id == c.ID {
				shares[i] = estimated[k]
				sum += estimated[k]
			}
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
func (o *opinionCount) proportions(m *earshot.Monitor, s *Service, day int) []Proportion {
	posts := o.posts(0, day)
	estimate := o.estimate(s, day, true)
	shares := o.shares(m, estimate.Proportions, posts)
	volumes := apportion(posts, shares)
	list := make([]Proportion, len(m.Categories))
	for i, c := range m.Categories {
		list[i] = Proportion{Category: c, Share: shares[i], Posts: volumes[i]}
		for k, id := range o.sorting.Model.Categories {
			if id == c.ID && posts > 0 { // another share where the model knows categories that are gone
				list[i].Low, list[i].High = min(estimate.Intervals[k].Low, shares[i]), max(estimate.Intervals[k].High, shares[i])
			}
		}
	}
	return list
}
