package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// Feelings are the categories and the emotions of posts: in all, in the order of the monitor,
// and day by day.
type Feelings struct {
	Daily      []DayFeelings // every day, in order
	Categories []CategoryTotal
	Emotions   []CategoryTotal

	Estimated bool             // the posts of categories follow from estimated proportions
	Intervals []DayProportions // then, unless the days are too many for bounds
	Untaught  string           // what is missing to tell the categories of an opinion monitor; they have no posts
}

// DayFeelings are the posts of a day, and those of each category and emotion.
type DayFeelings struct {
	Day        earshot.Date
	Posts      int64
	Categories []int64
	Emotions   []int64
}

// A CategoryTotal is the posts of a category or an emotion.
type CategoryTotal struct {
	Category earshot.Category
	Posts    int64
	Share    float64 // of the posts that are in any that is not hidden; 0 for one that is
}

// feelingsPart is counted when one of the parts is asked for that Feelings has.
const feelingsPart Part = "feelings"

// feels reports whether that is so.
func (v *viewed) feels() bool { return v.has(DaysPart, CategoriesPart, EmotionsPart) }

// viewFeelings tells the categories and emotions.
func (s *Service) viewFeelings(ctx context.Context, v *viewed, f *viewFigures, o *Overview) error {
	if !v.feels() {
		return nil
	}
	daily, err := f.daily(v)
	if err != nil {
		return err
	}
	o.Feelings = Feelings{Daily: daily}
	if v.monitor.Type == earshot.Opinion && v.has(DaysPart, CategoriesPart) {
		if err := s.viewOpinions(ctx, v, &o.Feelings); err != nil {
			return err
		}
	}
	o.Feelings.addUp(v.monitor)
	return nil
}

// newDaily returns days without posts.
func newDaily(m *earshot.Monitor, days earshot.Days) []DayFeelings {
	list := make([]DayFeelings, 0, max(days.Len(), 0))
	for _, day := range dates(days) {
		list = append(list, DayFeelings{Day: day, Categories: make([]int64, len(m.Categories)), Emotions: make([]int64, len(m.Emotions))})
	}
	return list
}

// daily returns the days of a view with what their posts say by themselves.
func (f *viewFigures) daily(v *viewed) ([]DayFeelings, error) {
	list := newDaily(v.monitor, v.days)
	put := []func(day *DayFeelings, row poststore.Row){
		func(day *DayFeelings, row poststore.Row) { day.Posts = row.Posts },
		func(day *DayFeelings, row poststore.Row) { putAt(day.Emotions, earshot.BasicEmotions, row) },
		func(day *DayFeelings, row poststore.Row) { putAt(day.Categories, earshot.BasicCategories, row) },
	}
	if !v.monitor.HasBasicCategories() {
		put = put[:2]
	}
	for i := range put {
		for _, row := range f.rows(feelingsPart, i) {
			day, err := earshot.ParseDate(row.Key[0])
			if err != nil {
				return nil, err
			}
			put[i](&list[v.days.Start.DaysUntil(day)], row)
		}
	}
	return list, nil
}

// putAt puts the posts of a row where its second key is among names.
func putAt(counts []int64, names []string, row poststore.Row) {
	if i := slices.Index(names, row.Key[1]); i >= 0 && i < len(counts) {
		counts[i] = row.Posts
	}
}

// addUp makes the totals of the days.
func (f *Feelings) addUp(m *earshot.Monitor) {
	f.Categories, f.Emotions = newTotals(m.Categories), newTotals(m.Emotions)
	for _, day := range f.Daily {
		for i, n := range day.Categories {
			f.Categories[i].Posts += n
		}
		for i, n := range day.Emotions {
			f.Emotions[i].Posts += n
		}
	}
	share(f.Categories)
	share(f.Emotions)
}

func newTotals(categories []earshot.Category) []CategoryTotal {
	list := make([]CategoryTotal, len(categories))
	for i, c := range categories {
		list[i].Category = c
	}
	return list
}

// share sets the shares of totals.
func share(totals []CategoryTotal) {
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
