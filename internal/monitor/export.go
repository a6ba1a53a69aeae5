package monitor

import (
	"context"

	"earshot"
)

// Exported notes in the audit that c takes microblog posts of m out of Earshot. Those of a
// filter are noted of its monitor.
func (s *Service) Exported(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error {
	id := m.ID
	if m.Parent != 0 {
		id = m.Parent
	}
	_, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		s.record(m, c, earshot.EventTwitterExport)
		return nil
	})
	return err
}
