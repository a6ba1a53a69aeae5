package monitor

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/patch"
)

// FilterChanges are changes to a filter. Nil fields stay unchanged.
type FilterChanges struct {
	Name     *string
	Criteria CriteriaChanges
}

// FindFilter returns a filter and its monitor, or an [earshot.NotFound] error if the filter does
// not exist or c may not see it.
func (s *Service) FindFilter(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, *earshot.Filter, error) {
	m, ok := s.Catalog.FindMonitor(id)
	if ok && c.In(m.Team) {
		if f, ok := m.Filter(id); ok {
			return m, f, nil
		}
	}
	return nil, nil, noFilter(id)
}

// AddFilter adds a filter to a monitor and rematches stored posts.
func (s *Service) AddFilter(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, ch FilterChanges) (*earshot.Filter, error) {
	if m, err := s.Find(c, id); err != nil || m.Parent != 0 {
		return nil, earshot.NoMonitor(id)
	}
	next, err := s.Catalog.NextIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	f := earshot.Filter{ID: earshot.MonitorID(next)}
	ch.apply(&f)
	_, err = s.updateCost(ctx, c, id, func(m *earshot.Monitor) error {
		if len(m.Filters) >= maxFilters {
			return earshot.Errorf(earshot.OverLimit, "Monitor %d already has the maximum of %d filters; delete one first", id, maxFilters)
		}
		if err := s.checkFilter(m, &f, nil); err != nil {
			return err
		}
		m.Filters = append(m.Filters, f)
		s.recordEvent(m, c, earshot.EventEdited)
		m.RequestRematch(earshot.Date{})
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.rematch(ctx, id)
	return &f, nil
}

// EditFilter changes a filter. If its criteria change, it rematches stored posts.
func (s *Service) EditFilter(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, ch FilterChanges) (*earshot.Monitor, *earshot.Filter, error) {
	m, _, err := s.FindFilter(c, id)
	if err != nil {
		return nil, nil, err
	}
	var before, after earshot.Filter
	reset := false
	m, err = s.updateCost(ctx, c, m.ID, func(m *earshot.Monitor) error {
		f, ok := m.Filter(id)
		if !ok {
			return noFilter(id)
		}
		before = *f
		ch.apply(f)
		if err := s.checkFilter(m, f, before.Criteria.Sources); err != nil {
			return err
		}
		after = *f
		if !reflect.DeepEqual(before, after) {
			s.recordEvent(m, c, earshot.EventEdited)
		}
		if reset = !reflect.DeepEqual(before.Criteria, after.Criteria); reset {
			m.RequestRematch(earshot.Date{})
		}
		return nil
	})
	if err == nil && reset {
		s.rematch(ctx, m.ID)
	}
	return m, &after, err
}

// RemoveFilter deletes a filter and its stored matches.
func (s *Service) RemoveFilter(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) error {
	m, _, err := s.FindFilter(c, id)
	if err != nil {
		return err
	}
	_, err = s.update(ctx, c, m.ID, func(m *earshot.Monitor) error {
		m.Filters = slices.DeleteFunc(m.Filters, func(f earshot.Filter) bool { return f.ID == id })
		s.recordEvent(m, c, earshot.EventEdited)
		return nil
	})
	if err == nil {
		s.rematch(ctx, id)
	}
	return err
}

func (ch FilterChanges) apply(f *earshot.Filter) {
	patch.Set(&f.Name, ch.Name)
	ch.Criteria.apply(&f.Criteria)
}

func (s *Service) checkFilter(m *earshot.Monitor, f *earshot.Filter, previous []string) error {
	f.Name = strings.TrimSpace(f.Name)
	if err := earshot.CheckText("name", f.Name, 1, maxName); err != nil {
		return err
	}
	return s.checkCriteria(m.Team, &f.Criteria, previous)
}

// Describe summarizes a filter's criteria, for example "Keywords: coffee; Not languages: EN".
func Describe(f *earshot.Filter) string {
	var parts []string
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, label+": "+text)
		}
	}
	choice := func(label string, c earshot.Choice) {
		if c.Exclude {
			label = "Not " + strings.ToLower(label[:1]) + label[1:]
		}
		add(label, strings.Join(c.Values, ", "))
	}
	add("Keywords", f.Criteria.Keywords)
	choice("Languages", f.Criteria.Languages)
	choice("Locations", geo.PlainChoice(f.Criteria.Places))
	add("Gender", string(f.Criteria.Gender))
	add("Sources", strings.Join(f.Criteria.Sources, ", "))
	return strings.Join(parts, "; ")
}

func noFilter(id earshot.MonitorID) *earshot.Error {
	return earshot.Errorf(earshot.NotFound, "Filter %d does not exist", id)
}
