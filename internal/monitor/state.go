package monitor

import (
	"context"
	"time"

	"earshot"
)

// Remove deletes a monitor. Its audit log remains.
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

// Enable enables a disabled monitor. It also matches posts that arrived meanwhile, so that the
// results have no gap.
func (s *Service) Enable(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	changed := false
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
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

// Disable disables a monitor. It still matches the posts in the journal so far, and its results
// end after today. The rematch removes posts that were matched concurrently.
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

// Reset rematches a monitor, from its start or from a later day.
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

// SetRealtime enables or disables realtime data of a monitor and its filters. It is
// idempotent. docs/decisions/0052-realtime-monitor.md
func (s *Service) SetRealtime(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, enabled bool) (*earshot.Monitor, error) {
	return s.update(ctx, c, id, func(m *earshot.Monitor) error {
		if m.Realtime != enabled {
			m.Realtime = enabled
			s.recordEvent(m, c, earshot.EventEdited)
		}
		return nil
	})
}

// rematchWait is how long a change waits for the rematch. In small installations it suffices for
// the next response to show the results, and in large ones nobody notices it.
// docs/decisions/0030-rematching.md
const rematchWait = 2 * time.Second

// rematch starts a rematch after a stored change, and waits for it up to rematchWait. The
// rematch continues when the caller is gone.
func (s *Service) rematch(ctx context.Context, id earshot.MonitorID) {
	done := s.Rematcher.Rematch(id)
	select {
	case <-done:
	case <-time.After(rematchWait):
	case <-ctx.Done():
	}
}

// RecordExport records in the audit log that c exports microblog posts of m. For a filter, it
// records that in its monitor.
func (s *Service) RecordExport(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error {
	id := m.ID
	if m.Parent != 0 {
		id = m.Parent
	}
	_, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		s.recordEvent(m, c, earshot.EventTwitterExport)
		return nil
	})
	return err
}
