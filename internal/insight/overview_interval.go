package insight

import (
	"context"

	"earshot"
)

// fillIntervals sets the estimated shares of categories and emotions, by day and in total, to those
// that [Service.Proportions] returns. With a filter, the shares of days are counted.
func (s *Service) fillIntervals(ctx context.Context, v *overviewQuery, b *Breakdown) error {
	if !v.includes(CategoriesPart, EmotionsPart) || v.Filter != "" || v.days.Len() > maxIntervalDays || b.NeedsTraining != "" {
		return nil
	}
	if v.monitor.Type == earshot.Opinion && !b.Estimated { // only emotions were requested
		return nil
	}
	p, err := s.Proportions(ctx, v.monitor, v.days)
	if err != nil {
		return err
	}
	b.Intervals = p.Days
	setEstimates(b.Categories, p.Total.Categories, !b.Estimated)
	setEstimates(b.Emotions, p.Total.Emotions, true)
	return nil
}

// setEstimates sets the intervals of totals to those of proportions and, if replace is true, the
// shares. Both are among the visible categories.
func setEstimates(totals []CategoryTotal, proportions []Proportion, replace bool) {
	visible := 0.0
	for _, p := range proportions {
		if !p.Category.Hidden {
			visible += p.Share
		}
	}
	if visible == 0 {
		return
	}
	for i, p := range proportions {
		t := &totals[i]
		if p.Category.Hidden {
			continue
		}
		if replace {
			t.Share = p.Share / visible
		}
		t.Low, t.High = min(p.Low/visible, t.Share), max(min(1, p.High/visible), t.Share)
	}
}
