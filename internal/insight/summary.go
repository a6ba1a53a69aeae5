package insight

import (
	"context"

	"earshot"
)

// A Summary is what the posts of a monitor say in a few figures.
type Summary struct {
	Days       earshot.Days // that have results; both zero when there are none
	Posts      int64
	Previous   *Previous // nil: not all of the days before have results
	Daily      []int64   // of each day
	Categories []CategoryTotal
	Untaught   string // what is missing to tell the categories of an opinion monitor
}

// Summary returns what the posts of m say on those of the days that have results, next to as
// many days before them. All of it is of days, each of which is counted once.
func (s *Service) Summary(ctx context.Context, m *earshot.Monitor, days earshot.Days) (*Summary, error) {
	days, err := s.countable(m, days)
	if err != nil {
		return nil, err
	}
	if days.Len() <= 0 {
		return &Summary{Categories: newTotals(m.Categories)}, nil
	}
	sum, counted := &Summary{Days: days}, days
	if before, comparable := s.before(m, days); comparable {
		sum.Previous, counted.Start = &Previous{Days: before}, before.Start
	}
	c, err := s.daily(ctx, m, counted, nil, everything, emotions, sentiments)
	if err != nil {
		return nil, err
	}
	for day, date := range c.dates {
		if date.Before(days.Start) {
			sum.Previous.Posts += c.posts(0, day)
			continue
		}
		sum.Posts += c.posts(0, day)
		sum.Daily = append(sum.Daily, c.posts(0, day))
	}
	return sum, s.sumCategories(ctx, m, c, sum)
}

// sumCategories adds up the categories of the days.
func (s *Service) sumCategories(ctx context.Context, m *earshot.Monitor, c *daily, sum *Summary) error {
	f := Feelings{Daily: newDaily(m, sum.Days)}
	if m.HasBasicCategories() {
		first := len(c.dates) - len(f.Daily)
		for i := range f.Daily {
			f.Daily[i].Categories = places(c.rows[2][first+i], earshot.BasicCategories)
		}
	}
	if m.Type == earshot.Opinion {
		err := s.Steadily(ctx, m, func(sorted Sorting) error {
			return s.viewOpinions(ctx, &viewed{View: View{Parts: []Part{CategoriesPart}}, monitor: m, days: sum.Days, sorted: sorted}, &f)
		})
		if err != nil {
			return err
		}
	}
	f.addUp(m)
	sum.Categories, sum.Untaught = f.Categories, f.Untaught
	return nil
}
