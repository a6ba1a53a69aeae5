package monitor

import (
	"context"

	"earshot"
)

// Remove deletes a monitor. Its audit stays readable.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) error {
	_, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		m.Removed, m.Enabled = true, false
		s.record(m, c, earshot.EventRemoved)
		return nil
	})
	if err == nil {
		s.rematch(ctx, id)
	}
	return err
}

// Enable lets a disabled monitor go on. Posts that arrived meanwhile, whatever
// their date, are matched, so that its results have no hole.
func (s *Service) Enable(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	changed := false
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		if changed = !m.Enabled; !changed {
			return nil
		}
		m.Enabled, m.DisabledOn, m.DisabledAt = true, earshot.Date{}, 0
		s.record(m, c, earshot.EventEnabled)
		m.RequestRematch(earshot.Date{})
		return nil
	})
	if err == nil && changed {
		s.rematch(ctx, id)
	}
	return m, err
}

// Disable stops a monitor. It takes the posts that were in the journal by now, and
// its results end after today. Posts that were matched while this was being written
// are taken out again.
func (s *Service) Disable(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	changed := false
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) (err error) {
		if changed = m.Enabled; !changed {
			return nil
		}
		m.Enabled, m.DisabledOn = false, earshot.DateOf(s.Now().In(m.Location()))
		s.record(m, c, earshot.EventDisabled)
		m.RequestRematch(earshot.Date{})
		m.DisabledAt, err = s.Journal.Last(ctx)
		return err
	})
	if err == nil && changed {
		s.rematch(ctx, id)
	}
	return m, err
}

// Reset computes a monitor anew, from its start or from a later day.
func (s *Service) Reset(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, from earshot.Date) (*earshot.Monitor, error) {
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		if from.IsZero() || !m.Start.Before(from) {
			s.record(m, c, earshot.EventReset)
			m.RequestRematch(earshot.Date{})
			return nil
		}
		s.record(m, c, earshot.EventPartialReset)
		m.RequestRematch(from)
		return nil
	})
	if err == nil {
		s.rematch(ctx, id)
	}
	return m, err
}
