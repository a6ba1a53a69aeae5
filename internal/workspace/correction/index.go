package correction

import (
	"slices"
	"sync"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// An index finds corrections by monitor and post. It follows the catalog; an update costs time
// proportional to the number of changed corrections.
type index struct {
	mu        sync.Mutex // guards the fields below and everything they refer to
	version   uint64     // of the table
	byMonitor map[earshot.MonitorID]*monitorIndex
	byID      map[earshot.CorrectionID]*earshot.Correction
}

// A monitorIndex has the corrections of a monitor, including those that were taken back.
type monitorIndex struct {
	byPost map[earshot.PostKey]*earshot.Correction

	// built is nil, or what the corrections say about the given categories.
	built      *poststore.Corrections
	categories []earshot.CategoryID
	current    bool // whether built is up to date
}

// update applies catalog changes since the last call. The caller must hold mu.
func (x *index) update(table *catalog.Table[earshot.CorrectionID, earshot.Correction]) {
	ids, version := table.Changes(x.version)
	if x.byMonitor == nil {
		x.byMonitor, x.byID = map[earshot.MonitorID]*monitorIndex{}, map[earshot.CorrectionID]*earshot.Correction{}
	}
	for _, id := range ids {
		x.remove(id)
		if c, ok := table.Find(id); ok {
			x.add(c)
		}
	}
	x.version = version
}

func (x *index) add(c *earshot.Correction) {
	of := x.byMonitor[c.Monitor]
	if of == nil {
		of = &monitorIndex{byPost: map[earshot.PostKey]*earshot.Correction{}}
		x.byMonitor[c.Monitor] = of
	}
	of.byPost[c.Post], x.byID[c.ID] = c, c
	of.current = false
}

func (x *index) remove(id earshot.CorrectionID) {
	old, ok := x.byID[id]
	if !ok {
		return
	}
	delete(x.byID, id)
	of := x.byMonitor[old.Monitor]
	if of.byPost[old.Post] == old {
		delete(of.byPost, old.Post)
	}
	if of.current = false; len(of.byPost) == 0 {
		delete(x.byMonitor, old.Monitor)
	}
}

// corrections returns what the corrections of m say.
func (of *monitorIndex) corrections(m *earshot.Monitor) *poststore.Corrections {
	categories := make([]earshot.CategoryID, len(m.Categories))
	for i, c := range m.Categories {
		categories[i] = c.ID
	}
	if of.current && slices.Equal(categories, of.categories) {
		return of.built
	}
	all := make(map[earshot.PostKey]poststore.Correction, len(of.byPost))
	for key, c := range of.byPost {
		if c, ok := visible(m, c); ok {
			all[key] = poststore.Correction{Sentiment: uint8(c.Sentiment), Emotion: uint8(c.Emotion), Category: c.Category}
		}
	}
	of.built, of.categories, of.current = poststore.NewCorrections(all), categories, true
	return of.built
}

// isEmpty reports whether there are no corrections at all.
func (s *Service) isEmpty() bool {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Corrections)
	return len(s.index.byMonitor) == 0
}

// of returns the corrections of a monitor, or nil.
func (s *Service) of(m *earshot.Monitor) *poststore.Corrections {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Corrections)
	if of := s.index.byMonitor[m.ID]; of != nil {
		return of.corrections(m)
	}
	return nil
}

// find returns the correction of a post, even if it was taken back, or nil.
func (s *Service) find(id earshot.MonitorID, post earshot.PostKey) *earshot.Correction {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Corrections)
	if of := s.index.byMonitor[id]; of != nil {
		return of.byPost[post]
	}
	return nil
}

// list returns all corrections of a monitor, including those that were taken back, in no particular
// order.
func (s *Service) list(id earshot.MonitorID) (list []*earshot.Correction) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.index.update(s.Catalog.Corrections)
	if of := s.index.byMonitor[id]; of != nil {
		for _, c := range of.byPost {
			list = append(list, c)
		}
	}
	return list
}
