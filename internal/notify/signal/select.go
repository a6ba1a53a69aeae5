package signal

import (
	"context"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// refine returns a monitor, or a filter presented as one, and what a filter text selects of its posts.
// Rules and signals belong to a team, and outlive the people who made them.
func (s *Service) refine(m *earshot.Monitor, text string) (*earshot.Monitor, *filter.Refinement, error) {
	team := earshot.TeamCaller(m.Team)
	found, err := s.Monitors.Find(team, m.ID)
	if err != nil {
		return nil, nil, err
	}
	return found, s.Filters.Refinement(team, found, text), nil
}

// selectPosts calls use with the posts of m that a filter selects, and again if another model
// categorized them in between.
func (s *Service) selectPosts(ctx context.Context, m *earshot.Monitor, text string, use func(poststore.Selection) error) error {
	found, refinement, err := s.refine(m, text)
	if err != nil {
		return err
	}
	return s.Insight.WithCategorization(ctx, found, func(c insight.Categorization) error {
		sel, err := refinement.Selection(c)
		if err != nil {
			return err
		}
		sel.Set = poststore.MonitorSet(m.ID)
		return use(sel)
	})
}
