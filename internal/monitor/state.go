package monitor

import (
	"context"
	"time"

	"earshot"
)

// Remove deletes a monitor and its stored matches. Its audit log remains.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) error {
	_, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		m.Removed, m.Enabled = true, false
		s.recordEvent(m, c, earshot.EventRemoved)
		return nil
	})
	if err == nil {
		s.rematch(ctx, id)
	}
	return err
}

// Enable enables a disabled monitor. It also matches the posts that arrived while the monitor was
// disabled, so the results have no gap. Enabling an enabled monitor does nothing.
func (s *Service) Enable(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	changed := false
	m, err := s.updateCost(ctx, c, id, func(m *earshot.Monitor) error {
		if changed = !m.Enabled; !changed {
			return nil
		}
		m.Enabled, m.DisabledOn, m.DisabledAt = true, earshot.Date{}, 0
		s.recordEvent(m, c, earshot.EventEnabled)
		m.RequestRematch(earshot.Date{})
		return nil
	})
	if err == nil && changed {
		s.rematch(ctx, id)
	}
	return m, err
}

// Disable disables a monitor. The monitor still matches all posts that are already in the journal,
// and its results end after today. A rematch removes later posts that were matched concurrently.
// Disabling a disabled monitor does nothing.
func (s *Service) Disable(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	changed := false
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) (err error) {
		if changed = m.Enabled; !changed {
			return nil
		}
		m.Enabled, m.DisabledOn = false, earshot.DateOf(s.Now().In(m.Location()))
		s.recordEvent(m, c, earshot.EventDisabled)
		m.RequestRematch(earshot.Date{})
		m.DisabledAt, err = s.Journal.Last(ctx)
		return err
	})
	if err == nil && changed {
		s.rematch(ctx, id)
	}
	return m, err
}

// Reset rematches a monitor from the given day or, if that is zero or not after its start, from its
// start.
func (s *Service) Reset(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, from earshot.Date) (*earshot.Monitor, error) {
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		if from.IsZero() || !m.Start.Before(from) {
			s.recordEvent(m, c, earshot.EventReset)
			m.RequestRematch(earshot.Date{})
			return nil
		}
		s.recordEvent(m, c, earshot.EventPartialReset)
		m.RequestRematch(from)
		return nil
	})
	if err == nil {
		s.rematch(ctx, id)
	}
	return m, err
}

// SetRealtime enables or disables realtime data for a monitor and its filters. It is idempotent.
// See docs/decisions/0052-realtime-monitor.md.
func (s *Service) SetRealtime(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, enabled bool) (*earshot.Monitor, error) {
	return s.update(ctx, c, id, func(m *earshot.Monitor) error {
		if m.Realtime != enabled {
			m.Realtime = enabled
			s.recordEvent(m, c, earshot.EventEdited)
		}
		return nil
	})
}

// rematchWait is how long a change waits for its rematch. Small installations finish within it, so
// the next response shows the new results. In large ones it adds no noticeable delay. See
// docs/decisions/0030-rematching.md.
const rematchWait = 2 * time.Second

// rematch starts a rematch after a stored change and waits up to rematchWait for it to finish. If
// the caller cancels ctx, the rematch continues.
func (s *Service) rematch(ctx context.Context, id earshot.MonitorID) {
	done := s.Rematcher.Rematch(id)
	select {
	case <-done:
	case <-time.After(rematchWait):
	case <-ctx.Done():
	}
}

// RecordExport records in the audit log that c exported microblog posts of m. If m is a filter, the
// entry goes to its monitor. If the disk is full, only the program's log has the export: people must be
// able to save their posts then.
func (s *Service) RecordExport(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error {
	id := m.ID
	if m.Parent != 0 {
		id = m.Parent
	}
	_, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		s.recordEvent(m, c, earshot.EventTwitterExport)
		return nil
	})
	if earshot.IsKind(err, earshot.StorageFull) {
		if s.Log != nil {
			s.Log.Warn("an export is not in the audit log of its monitor, because the disk is full", "monitor", id, "user", c.Name)
		}
		return nil
	}
	return err
}
