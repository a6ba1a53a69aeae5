package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// A Proportion is the estimated share of a category or emotion, with its 95% confidence interval.
type Proportion struct {
	Category  earshot.Category
	Share     float64
	Low, High float64
	Posts     int64 // posts assigned to the category; for an opinion monitor, they follow from the share
}

// DayProportions are the proportions of a day.
type DayProportions struct {
	Day        earshot.Date // zero for several days
	Posts      int64
	Categories []Proportion
	Emotions   []Proportion
}

// Proportions are the proportions of some days, of each and of all together.
type Proportions struct {
	Days  []DayProportions
	Total DayProportions

	// Counted reports whether the categories of an opinion monitor are counted because its training
	// posts do not suffice to estimate them.
	Counted bool

	// Labels is the number of labels of these posts that calibrate the shares of categories. 0: they are
	// estimated with what is known about other posts.
	Labels int

	EmotionLabels int // likewise, of emotions

	// LabelDrift reports whether people say other things about the same scores than earlier.
	LabelDrift bool
}

// maxIntervalDays limits the range of Proportions, because intervals take much longer than
// estimates.
const maxIntervalDays = 400

// Proportions returns the proportions of a monitor on some days, with their intervals.
func (s *Service) Proportions(ctx context.Context, m *earshot.Monitor, days earshot.Days) (p *Proportions, err error) {
	if days = s.withResults(m, days); days.Len() > maxIntervalDays {
		return nil, earshot.Errorf(earshot.Invalid, "The selected range has more than %d days", maxIntervalDays)
	}
	if m.Type != earshot.Opinion {
		return s.feelingProportions(ctx, m, poststore.Selection{Set: poststore.MonitorSet(m.ID)}, days)
	}
	err = s.WithCategorization(ctx, m, func(categorization Categorization) error {
		o, err := s.estimateOpinions(ctx, m, days, categorization, true)
		if err != nil {
			return err
		}
		emotions, err := s.estimateDays(ctx, m, poststore.Selection{Set: poststore.MonitorSet(m.ID)}, &emotionFeeling, o.dayCounts, emotionTallies, m.Emotions)
		if err != nil {
			return err
		}
		p = newProportions(o.dayCounts, emotions)
		for day := range p.Days {
			p.Days[day].Categories = o.proportions(m, day)
		}
		p.Total.Categories = o.totalProportions(m)
		p.Labels = o.labels
		p.Counted = !categorization.Model.IsSufficient() && o.labels == 0
		return nil
	})
	return p, err
}
