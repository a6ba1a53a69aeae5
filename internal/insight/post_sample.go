package insight

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// A sample comes from at most sampleHours hours, drawn from the latest recentHours hours with
// posts.
const (
	sampleHours = 60
	recentHours = 30 * 24
)

// Sample returns at most n recent posts of m, spread over time. It takes the newest posts of
// several hours, which the seed draws from the latest hours with posts. The same posts and seed
// yield the same sample.
func (s *Service) Sample(ctx context.Context, m *earshot.Monitor, n int, seed uint64) ([]earshot.Post, error) {
	days := m.Results(s.Now())
	if days.Len() <= 0 {
		return nil, nil
	}
	sel := selection(m, days)
	hours, err := s.hours(ctx, sel)
	if err != nil {
		return nil, err
	}
	hours = hours[:min(recentHours, len(hours))]
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(hours), func(i, j int) { hours[i], hours[j] = hours[j], hours[i] })
	hours = hours[:min(sampleHours, len(hours))]
	slices.SortFunc(hours, func(a, b hour) int { return cmp.Compare(a.posts, b.posts) })
	var all []earshot.Post
	for i, h := range hours {
		each := (n - len(all)) / (len(hours) - i) // larger hours make up for smaller ones
		sel.From, sel.To = h.begin, h.end
		posts, _, err := s.Store.Posts(ctx, sel, each)
		if err != nil {
			return nil, err
		}
		all = append(all, posts...)
	}
	return all, nil
}

// An hour is the part of an hour that is within a selection, with its number of posts.
type hour struct {
	begin, end time.Time // end is exclusive
	posts      int64
}

// hours returns the hours with posts of a selection, latest first.
func (s *Service) hours(ctx context.Context, sel poststore.Selection) ([]hour, error) {
	rows, err := poststore.TallyOne(ctx, s.Store, sel, poststore.Tally{By: []poststore.Dim{poststore.ByHour}})
	if err != nil {
		return nil, err
	}
	hours := make([]hour, len(rows))
	for i, row := range rows {
		begin, err := time.Parse(time.RFC3339, row.Key[0])
		if err != nil {
			return nil, err
		}
		hours[i] = hour{period.Later(begin, sel.From), period.Earlier(begin.Add(time.Hour), sel.To), row.Posts}
	}
	slices.SortFunc(hours, func(a, b hour) int { return b.begin.Compare(a.begin) })
	return hours, nil
}
