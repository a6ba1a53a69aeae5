package insight

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A Breakdown counts posts by category and by emotion, in total and by day. Categories and emotions
// are in the order of the monitor.
type Breakdown struct {
	ByDay      []DayBreakdown // all days, in order
	Categories []CategoryTotal
	Emotions   []CategoryTotal

	Estimated     bool             // whether the posts of categories follow from estimated proportions
	Intervals     []DayProportions // estimated shares of each day; empty for too many days, or an opinion monitor with a filter
	Labels        int              // of these posts, that calibrate the shares of sentiments
	EmotionLabels int              // likewise, of emotions
	NeedsTraining string           // message if an opinion monitor has no model yet, or empty
	Outdated      int64            // posts that an older version of the models has labeled
}

// DayBreakdown is the number of posts on a day, in total and for each category and emotion.
type DayBreakdown struct {
	Day        earshot.Date
	Posts      int64
	Categories []int64
	Emotions   []int64
}

// HourBreakdown is the number of posts in an hour, in total and for each category and emotion.
// Categories of opinion monitors are estimated for whole days only, so their hours have none.
type HourBreakdown struct {
	Start      time.Time
	Posts      int64
	Categories []int64
	Emotions   []int64
}

// A CategoryTotal is the number of posts in a category or with an emotion.
type CategoryTotal struct {
	Category  earshot.Category
	Posts     int64
	Share     float64 // estimated fraction of the posts in visible categories; 0 for a hidden category
	Low, High float64 // 95% interval of Share; 0 if Share is counted
}

// breakdownPart is an internal part, counted if any part of the breakdown is requested.
const breakdownPart Part = "feelings"

// needsBreakdown reports whether any part of the breakdown is requested. The counts of hours are in
// the order of its categories and emotions.
func (v *overviewQuery) needsBreakdown() bool {
	return v.includes(DaysPart, HoursPart, CategoriesPart, EmotionsPart)
}

// fillBreakdown sets the categories and emotions.
func (s *Service) fillBreakdown(ctx context.Context, v *overviewQuery, f *overviewCounts, o *Overview) error {
	if !v.needsBreakdown() {
		return nil
	}
	daily, err := f.days(v)
	if err != nil {
		return err
	}
	o.Breakdown = Breakdown{ByDay: daily, Outdated: s.countLabels(f.rows(breakdownPart, 7)).Outdated}
	if v.monitor.Type == earshot.Opinion && v.includes(DaysPart, CategoriesPart) {
		if err := s.fillOpinions(ctx, v, &o.Breakdown); err != nil {
			return err
		}
	}
	o.Breakdown.sum(v.monitor)
	return s.fillShares(ctx, v, f, &o.Breakdown)
}

// newDayBreakdowns returns breakdowns of days without posts.
func newDayBreakdowns(m *earshot.Monitor, days earshot.Days) []DayBreakdown {
	list := make([]DayBreakdown, 0, max(days.Len(), 0))
	for _, day := range listDays(days) {
		list = append(list, DayBreakdown{Day: day, Categories: make([]int64, len(m.Categories)), Emotions: make([]int64, len(m.Emotions))})
	}
	return list
}

// days returns the days of a query with the sentiments and emotions of their posts.
func (f *overviewCounts) days(v *overviewQuery) ([]DayBreakdown, error) {
	list := newDayBreakdowns(v.monitor, v.days)
	put := []func(day *DayBreakdown, row poststore.Row){
		func(day *DayBreakdown, row poststore.Row) { day.Posts = row.Posts },
		func(day *DayBreakdown, row poststore.Row) { putAt(day.Emotions, earshot.BasicEmotions, row) },
		func(day *DayBreakdown, row poststore.Row) { putAt(day.Categories, earshot.BasicCategories, row) },
	}
	if !v.monitor.HasBasicCategories() {
		put = put[:2]
	}
	for i := range put {
		for _, row := range f.rows(breakdownPart, i) {
			day, err := earshot.ParseDate(row.Key[0])
			if err != nil {
				return nil, err
			}
			put[i](&list[v.days.Start.DaysUntil(day)], row)
		}
	}
	return list, nil
}

// hours returns the hours of a query with the sentiments and emotions of their posts.
func (f *overviewCounts) hours(v *overviewQuery) ([]HourBreakdown, error) {
	if f.parts[HoursPart] == nil {
		return nil, nil
	}
	steps, err := period.Steps(v.days, earshot.Hourly, v.monitor.Location())
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	categories := len(v.monitor.Categories)
	if !v.monitor.HasBasicCategories() {
		categories = 0
	}
	list := make([]HourBreakdown, len(steps))
	for i, step := range steps {
		list[i] = HourBreakdown{Start: step.Start, Categories: make([]int64, categories), Emotions: make([]int64, len(v.monitor.Emotions))}
	}
	for i, put := range []func(hour *HourBreakdown, row poststore.Row){
		func(hour *HourBreakdown, row poststore.Row) { hour.Posts += row.Posts },
		func(hour *HourBreakdown, row poststore.Row) { putAt(hour.Emotions, earshot.BasicEmotions, row) },
		func(hour *HourBreakdown, row poststore.Row) { putAt(hour.Categories, earshot.BasicCategories, row) },
	} {
		for _, row := range f.rows(HoursPart, i) {
			at, err := parseHourKey(row.Key[0], nil)
			if err != nil {
				return nil, err
			}
			put(&list[stepAt(steps, at)], row)
		}
	}
	return list, nil
}

// putAt adds to the count at the index that the row's second key has in names.
func putAt(counts []int64, names []string, row poststore.Row) {
	if i := slices.Index(names, row.Key[1]); i >= 0 && i < len(counts) {
		counts[i] += row.Posts
	}
}

// sum sets the totals from the days.
func (f *Breakdown) sum(m *earshot.Monitor) {
	f.Categories, f.Emotions = newTotals(m.Categories), newTotals(m.Emotions)
	for _, day := range f.ByDay {
		for i, n := range day.Categories {
			f.Categories[i].Posts += n
		}
		for i, n := range day.Emotions {
			f.Emotions[i].Posts += n
		}
	}
	setShares(f.Categories)
	setShares(f.Emotions)
}

func newTotals(categories []earshot.Category) []CategoryTotal {
	list := make([]CategoryTotal, len(categories))
	for i, c := range categories {
		list[i].Category = c
	}
	return list
}

func setShares(totals []CategoryTotal) {
	var all int64
	for _, t := range totals {
		if !t.Category.Hidden {
			all += t.Posts
		}
	}
	for i := range totals {
		if t := &totals[i]; all > 0 && !t.Category.Hidden {
			t.Share = float64(t.Posts) / float64(all)
		}
	}
}
