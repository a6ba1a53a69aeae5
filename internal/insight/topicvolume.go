package insight

import (
	"context"
	"strings"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// aboutTopic returns the query for the posts of a topic.
func aboutTopic(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = `"` + term + `"`
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	pairs := make([]string, len(quoted)-1)
	for i := range pairs {
		pairs[i] = "(" + quoted[i] + " AND (" + strings.Join(quoted[i+1:], " OR ") + "))"
	}
	return "(" + strings.Join(pairs, " OR ") + ")"
}

// volumeAbout counts the posts that a query selects.
func (s *Service) volumeAbout(ctx context.Context, m *earshot.Monitor, of poststore.Selection, about string, steps []period.Step, by earshot.Grouping) (Volume, error) {
	where, err := watchlist.Compile(m.Team, earshot.Criteria{Keywords: about})
	if err != nil {
		return Volume{}, err
	}
	of.Where = where
	if by != "" {
		return s.countSteps(ctx, m, of, steps, by)
	}
	rows, err := s.Store.Tally(ctx, poststore.Tally{Of: of})
	if err != nil {
		return Volume{}, err
	}
	return Volume{Steps: []VolumeStep{{steps[0], rows[0].Posts}}, Posts: rows[0].Posts}, nil
}
