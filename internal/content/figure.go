package content

import (
	"context"

	"earshot"
	"earshot/internal/state/journal"
)

// AddSnapshots records account figures of a social monitor.
func (s *Service) AddSnapshots(ctx context.Context, m *earshot.Monitor, figures []earshot.Snapshot) error {
	if m.Type != earshot.Social {
		return earshot.Errorf(earshot.Invalid, "Monitor %d is not a Social Monitor", m.ID)
	}
	if len(figures) == 0 || len(figures) > 10_000 {
		return earshot.InvalidBody("1 to 10000 figures may be sent at once, not %d", len(figures))
	}
	for i, f := range figures {
		if f.Date.IsZero() {
			return earshot.InvalidBody("[%d].date is missing", i)
		}
	}
	_, err := s.Journal.Append(ctx, journal.Entry{Snapshots: &journal.AccountSnapshots{Monitor: m.ID, Snapshots: figures}})
	return err
}
