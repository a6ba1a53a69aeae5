// Package monitor keeps monitors and their filters: who may see them, what may
// be said in them, what changed and when. It decides that a change needs stored
// posts to be matched again, and leaves the matching to others.
package monitor

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/catalog"
)

// A Rematcher matches stored posts again after a change to what a monitor selects.
type Rematcher interface {
	// Rematch sees to it that the posts of a monitor and of its filters become those
	// that it selects as the catalog has it, and of a monitor or a filter that is gone,
	// none. done is closed when that is so. Posts that arrive meanwhile are neither
	// missed nor counted twice, and a crash delays it only.
	Rematch(id earshot.MonitorID) (done <-chan struct{})
}

// A Journal knows where posts that arrive now stand.
type Journal interface {
	Last(ctx context.Context) (earshot.Position, error)
}

// A Service keeps monitors.
type Service struct {
	Catalog   *catalog.Catalog
	Rematcher Rematcher
	Journal   Journal
	Now       func() time.Time
}

// Find returns the monitor if c may see it, and a NotFound error otherwise. The
// id of a filter finds the filter seen as a monitor: its own id, name and query,
// the rest as its monitor.
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

// Condition returns what selects the posts of a monitor that Find returned; of a
// filter, its own criteria and those of its monitor.
func (s *Service) Condition(m *earshot.Monitor) (*watchlist.Condition, error) {
	if m.Parent == 0 {
		return watchlist.CompileMonitor(m)
	}
	// m has both queries as one text, which may be more than one query may hold.
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

// List returns the monitors that c may see, by id; of one team unless that is 0.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.Monitor {
	var list []*earshot.Monitor
	for _, m := range s.Catalog.Monitors.List() {
		if !m.Removed && c.In(m.Team) && (team == 0 || m.Team == team) {
			list = append(list, m)
		}
	}
	return list
}

// Audit returns what happened to a monitor, newest first. It outlives the
// monitor: a removed one still tells who removed it.
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

// TeamName returns the name of the monitor's team.
func (s *Service) TeamName(m *earshot.Monitor) string {
	if t, ok := s.Catalog.Teams.Find(m.Team); ok {
		return t.Name
	}
	return ""
}

// Sources names the sources that m selects from. A monitor that chose none
// selects from every network and from its team's content sources.
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

// record adds an audit entry.
func (s *Service) record(m *earshot.Monitor, c *earshot.Caller, kind earshot.EventKind) {
	m.Record(kind, c.Name, s.Now())
}
