package insight

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// A Preview shows which posts a monitor would have.
type Preview struct {
	Posts  int64
	Days   []DayCount     // all days of the range
	Newest []earshot.Post // newest first
}

// A DayCount is the number of posts on a day.
type DayCount struct {
	Day   earshot.Date
	Posts int64
}

// Preview counts the stored posts that m would select on some days, and returns the newest of them,
// up to the limit newest. m does not need to exist in the catalog, and its start date is ignored.
func (s *Service) Preview(ctx context.Context, m *earshot.Monitor, days earshot.Days, newest int) (Preview, error) {
	where, err := watchlist.CompileMonitor(m)
	if err != nil {
		return Preview{}, err
	}
	sel := selection(m, days)
	sel.Set, sel.Where = 0, where
	rows, err := poststore.TallyOne(ctx, s.Store, sel, poststore.Tally{By: []poststore.Dim{poststore.ByDay}, Zone: m.Location()})
	if err != nil {
		return Preview{}, err
	}
	p := newPreview(days, rows)
	p.Newest, _, err = s.Store.Posts(ctx, sel, newest)
	return p, err
}

// IsEmpty reports whether no posts are stored at all.
func (s *Service) IsEmpty(ctx context.Context) (bool, error) {
	posts, err := s.Store.Histogram(ctx, poststore.Selection{}, []time.Time{{}, time.Unix(1<<40, 0)})
	return err == nil && posts[0] == 0, err
}

// newPreview returns the rows of a tally by day as a list of all days.
func newPreview(days earshot.Days, rows []poststore.Row) Preview {
	counts := make(map[string]int64, len(rows))
	for _, row := range rows {
		counts[row.Key[0]] = row.Posts
	}
	var p Preview
	for day := days.Start; day.Before(days.End); day = day.AddDays(1) {
		n := counts[day.String()]
		p.Days = append(p.Days, DayCount{day, n})
		p.Posts += n
	}
	return p
}
