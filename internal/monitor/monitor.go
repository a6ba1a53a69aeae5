// Package monitor manages monitors and their filters: access, validation, changes and the audit
// log. It decides when a change requires stored posts to be rematched; a [Rematcher] does the work.
package monitor

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/catalog"
)

// A Rematcher applies changed queries of monitors to stored posts.
type Rematcher interface {
	// Rematch brings the stored matches of a monitor and its filters up to date with their current
	// criteria. It deletes the matches of a deleted monitor or filter. It returns at once and
	// closes done when it has finished. Posts that arrive during the rematch are neither missed nor
	// counted twice. A rematch that a crash interrupts is restarted later.
	Rematch(id earshot.MonitorID) (done <-chan struct{})
}

// A Journal reports the position of its last entry.
type Journal interface {
	Last(ctx context.Context) (earshot.Position, error)
}

// A Service manages monitors.
type Service struct {
	Catalog   *catalog.Catalog
	Rematcher Rematcher
	Journal   Journal
	Now       func() time.Time
	Log       *slog.Logger // nil: nothing is logged

	CostLimit int                                        // of the enabled monitors of a team; 0: none
	Times     func() map[earshot.MonitorID]time.Duration // spent on matching; nil: unknown

	costs sync.Map // earshot.MonitorID -> knownCost
}

// Find returns the monitor, or an [earshot.NotFound] error if it does not exist or c may not see
// it. Given the ID of a filter, it returns the filter presented as a monitor: with the filter's ID
// and name, both queries joined with AND, and all other fields from its monitor.
func (s *Service) Find(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error) {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok || !c.In(m.Team) {
		return nil, earshot.NoMonitor(id)
	}
	if f, ok := m.Filter(id); ok {
		return filterView(m, f), nil
	}
	return m, nil
}

func filterView(m *earshot.Monitor, f *earshot.Filter) *earshot.Monitor {
	view := *m
	view.ID, view.Parent, view.Name = f.ID, m.ID, f.Name
	view.Criteria.Keywords = andQueries(m.Criteria.Keywords, f.Criteria.Keywords)
	return &view
}

func andQueries(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return "(" + a + ") AND (" + b + ")"
}

// Condition returns the condition that selects the posts of a monitor that [Service.Find] returned.
// The condition of a filter includes the criteria of its monitor.
func (s *Service) Condition(m *earshot.Monitor) (*watchlist.Condition, error) {
	if m.Parent == 0 {
		return watchlist.CompileMonitor(m)
	}
	// m.Criteria.Keywords joins both queries, which may exceed the limits of a single query.
	parent, ok := s.Catalog.Monitors.Find(m.Parent)
	if !ok {
		return nil, earshot.NoMonitor(m.ID)
	}
	f, ok := parent.Filter(m.ID)
	if !ok {
		return nil, earshot.NoMonitor(m.ID)
	}
	return watchlist.CompileFilter(parent, f)
}

// List returns the monitors that c may see, in order of ID. Unless team is 0, it returns only that
// team's monitors.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.Monitor {
	var list []*earshot.Monitor
	for _, m := range s.Catalog.Monitors.List() {
		if !m.Removed && c.In(m.Team) && (team == 0 || m.Team == team) {
			list = append(list, m)
		}
	}
	return list
}

// Audit returns a monitor and its audit log, newest entry first. The log remains available after
// the monitor is deleted, so it shows who deleted it.
func (s *Service) Audit(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, []earshot.Event, error) {
	m, ok := s.Catalog.Monitors.Find(id)
	if !ok {
		m, ok = s.Catalog.FindMonitor(id)
	}
	if !ok || !c.In(m.Team) {
		return nil, nil, earshot.NoMonitor(id)
	}
	events := slices.Clone(m.Audit)
	slices.Reverse(events)
	return m, events, nil
}

// TeamName returns the name of the monitor's team, or "" if the team does not exist.
func (s *Service) TeamName(m *earshot.Monitor) string {
	if t, ok := s.Catalog.Teams.Find(m.Team); ok {
		return t.Name
	}
	return ""
}

// Sources returns the names of the sources that m selects from. If m does not name any, these are
// all networks and the team's content sources.
func (s *Service) Sources(m *earshot.Monitor) []string {
	if len(m.Criteria.Sources) > 0 {
		return m.Criteria.Sources
	}
	var names []string
	for _, network := range earshot.Networks {
		names = append(names, string(network))
	}
	for _, src := range s.Catalog.Sources.List() {
		if src.Team == m.Team && !src.Removed {
			names = append(names, src.Name)
		}
	}
	return names
}

// recordEvent adds an entry to the monitor's audit log.
func (s *Service) recordEvent(m *earshot.Monitor, c *earshot.Caller, kind earshot.EventKind) {
	m.Record(kind, c.Name, s.Now())
}
