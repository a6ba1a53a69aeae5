package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// fillShares sets the estimated shares of categories and emotions in total and, where they are shown,
// of each day. Without a filter, [Service.Proportions] returns the same.
func (s *Service) fillShares(ctx context.Context, v *overviewQuery, f *overviewCounts, b *Breakdown) error {
	if !v.hasDailyShares(b) {
		return s.estimateTotals(ctx, v, f, b)
	}
	p, err := s.dailyShares(ctx, v)
	if err != nil {
		return err
	}
	b.Intervals, b.Labels, b.EmotionLabels = p.Days, p.Labels, p.EmotionLabels
	setEstimates(b.Categories, p.Total.Categories, !b.Estimated)
	setEstimates(b.Emotions, p.Total.Emotions, true)
	return nil
}

// hasDailyShares reports whether an overview has the estimated shares of each day. The categories of an
// opinion monitor are counted with a filter, and if only emotions are requested.
func (v *overviewQuery) hasDailyShares(b *Breakdown) bool {
	if !v.includes(CategoriesPart, EmotionsPart) || v.days.Len() > maxIntervalDays || b.NeedsTraining != "" {
		return false
	}
	return v.monitor.Type != earshot.Opinion || b.Estimated && v.Filter == ""
}

func (s *Service) dailyShares(ctx context.Context, v *overviewQuery) (*Proportions, error) {
	if v.Filter == "" {
		return s.Proportions(ctx, v.monitor, v.days)
	}
	return s.feelingProportions(ctx, v.monitor, v.selection(v.days), v.days)
}

// estimateTotals sets the shares of sentiments and emotions in total, from the counts of the overview.
func (s *Service) estimateTotals(ctx context.Context, v *overviewQuery, f *overviewCounts, b *Breakdown) error {
	sel := v.selection(v.days)
	l, err := s.labels(ctx, v.monitor, sel)
	if err != nil {
		return err
	}
	domain := s.domains(v.monitor)
	set := func(of *feeling, totals []CategoryTotal, first int) error {
		p := of.read([3][]poststore.Row{nil, f.rows(breakdownPart, first), f.rows(breakdownPart, first+1)}, domain)
		if s.corrections(v.monitor) != nil && !sel.IsCorrectable() {
			rows, err := s.Uncorrected.Tallies(ctx, sel, of.tallies())
			if err != nil {
				return err
			}
			p.withoutCorrections(of.read([3][]poststore.Row(rows), domain))
		}
		categories := make([]earshot.Category, len(totals))
		for i, t := range totals {
			categories[i], p.counts[i] = t.Category, t.Posts
		}
		shares, used := s.estimate(of, p, categories, l, sel.From, sel.To)
		setEstimates(totals, shares, true)
		if of == &sentimentFeeling {
			b.Labels = used
		} else {
			b.EmotionLabels = used
		}
		return nil
	}
	if err := set(&emotionFeeling, b.Emotions, 3); err != nil || !v.monitor.HasBasicCategories() {
		return err
	}
	return set(&sentimentFeeling, b.Categories, 5)
}

// newEstimatedTotals returns totals with shares among the visible categories.
func newEstimatedTotals(proportions []Proportion) []CategoryTotal {
	totals := make([]CategoryTotal, len(proportions))
	for i, p := range proportions {
		totals[i] = CategoryTotal{Category: p.Category, Posts: p.Posts}
	}
	setEstimates(totals, proportions, true)
	return totals
}

// setEstimates sets the intervals of totals to those of proportions and, if replace is true, the shares.
// Both are among the visible categories; those of a hidden category are 0 if they are replaced.
func setEstimates(totals []CategoryTotal, proportions []Proportion, replace bool) {
	visible := 0.0
	for _, p := range proportions {
		if !p.Category.Hidden {
			visible += p.Share
		}
	}
	for i, p := range proportions {
		t := &totals[i]
		if replace {
			t.Share, t.Low, t.High = 0, 0, 0
		}
		if visible == 0 || p.Category.Hidden {
			continue
		}
		if replace {
			t.Share = p.Share / visible
		}
		t.Low, t.High = min(p.Low/visible, t.Share), max(min(1, p.High/visible), t.Share)
	}
}
