package monitor

import (
	"context"

	"earshot"
)

// SetRealtime says whether realtime data of a monitor and of its filters may be asked for.
// A repeat changes nothing. docs/decisions/0052-realtime-monitor.md
func (s *Service) SetRealtime(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, enabled bool) (*earshot.Monitor, error) {
	return s.update(ctx, c, id, func(m *earshot.Monitor) error {
		if m.Realtime != enabled {
			m.Realtime = enabled
			s.record(m, c, earshot.EventEdited)
		}
		return nil
	})
}
