package content

import (
	"context"

	"earshot"
	"earshot/internal/state/journal"
)

// AddSnapshots records 1 to 10,000 account snapshots of a social monitor.
func (s *Service) AddSnapshots(ctx context.Context, m *earshot.Monitor, snapshots []earshot.Snapshot) error {
	if m.Type != earshot.Social {
		return earshot.Errorf(earshot.Invalid, "Monitor %d is not a Social Monitor", m.ID)
	}
	if len(snapshots) == 0 || len(snapshots) > 10_000 {
		return earshot.InvalidBody("the list must have 1 to 10000 snapshots, not %d", len(snapshots))
	}
	for i, s := range snapshots {
		if s.Date.IsZero() {
			return earshot.InvalidBody("[%d].date is missing", i)
		}
	}
	_, err := s.Journal.Append(ctx, journal.Entry{Snapshots: &journal.AccountSnapshots{Monitor: m.ID, Snapshots: snapshots}})
	return err
}
