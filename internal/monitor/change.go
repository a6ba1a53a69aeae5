package monitor

import (
	"context"
	"errors"
	"reflect"
	"time"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// Changes are the fields of a monitor to set; nil ones stay as they are, or take
// their default in a new monitor.
type Changes struct {
	Name           *string
	Description    *string
	Type           *earshot.MonitorType // of a new monitor only
	Team           *earshot.TeamID      // of a new monitor only
	Criteria       CriteriaChanges
	Timezone       *string
	Start          *earshot.Date
	Tags           *[]string
	Categories     *[]CategoryChange // those that are left out go
	Account        *earshot.Account
	TargetHashtags *[]string

	Edits *int64 // those that the one who changes the monitor knows of; nil: she may not have seen all
}

// CriteriaChanges are the selecting fields of a monitor or a filter.
type CriteriaChanges struct {
	Keywords  *string
	Languages *earshot.Choice
	Places    *earshot.Choice
	Gender    *earshot.Gender
	Sources   *[]string
}

// defaultDays is how far back a new monitor reaches when it names no start: as
// far as posts that no monitor matched are kept.
// docs/decisions/0013-monitor-start.md
const defaultDays = 30

// Add creates a monitor, enabled, and has stored posts matched against it.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, ch Changes) (*earshot.Monitor, error) {
	m, err := s.create(ch)
	if err != nil {
		return nil, err
	}
	if err := ch.applyCategories(m); err != nil {
		return nil, err
	}
	if err := s.write(ctx, c, m); err != nil {
		return nil, err
	}
	s.rematch(ctx, m.ID)
	return m, nil
}

// Draft returns the monitor that Add would create, as far as that says which posts
// it selects, and stores nothing: it has no id, and needs neither a name nor
// categories nor room in its team.
func (s *Service) Draft(c *earshot.Caller, ch Changes) (*earshot.Monitor, error) {
	m, err := s.create(ch)
	if err != nil {
		return nil, err
	}
	if _, err := s.findTeam(c, m.Team); err != nil {
		return nil, err
	}
	return m, s.checkSelection(m, nil)
}

// create returns a new monitor, unchecked.
func (s *Service) create(ch Changes) (*earshot.Monitor, error) {
	if ch.Team == nil {
		return nil, earshot.InvalidBody("team is missing")
	}
	m := &earshot.Monitor{Type: earshot.Buzz, Team: *ch.Team, Timezone: "UTC", Enabled: true, Created: s.Now().UTC().Truncate(time.Second)}
	patch.Set(&m.Type, ch.Type)
	ch.apply(m)
	if m.Start.IsZero() {
		m.Start = earshot.DateOf(s.Now().In(m.Location())).AddDays(-defaultDays)
	}
	return m, nil
}

// write checks, numbers and stores a new monitor. The team must neither go nor
// fill up meanwhile; matching posts, which may take long, comes after.
func (s *Service) write(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error {
	s.Catalog.MultiRecord.Lock()
	defer s.Catalog.MultiRecord.Unlock()
	if err := s.checkTeam(c, m.Team); err != nil {
		return err
	}
	if err := s.check(m, nil); err != nil {
		return err
	}
	if err := s.assignIDs(ctx, m); err != nil {
		return err
	}
	s.record(m, c, earshot.EventEnabled)
	m.RequestRematch(earshot.Date{})
	return s.Catalog.Monitors.Add(ctx, m.ID, m)
}

// errChanged says that a monitor is not the one any more that somebody has seen and changes.
var errChanged = &earshot.Error{Kind: earshot.Conflict, Message: "The monitor was changed meanwhile by someone else; load it again"}

// Edit changes a monitor. When that changes what it selects, it is computed anew
// from its start; when it changes what is to be learnt, its model is learnt anew.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, ch Changes) (*earshot.Monitor, error) {
	again := false
	m, err := s.update(ctx, c, id, func(m *earshot.Monitor) error {
		again = false
		if ch.Edits != nil && *ch.Edits != m.Edits {
			return errChanged
		}
		if ch.Type != nil && *ch.Type != m.Type || ch.Team != nil && *ch.Team != m.Team {
			return earshot.InvalidBody("type and team of a monitor cannot change; create a new monitor")
		}
		if ch.Categories != nil && m.Type != earshot.Opinion {
			return errCategories
		}
		before := *m
		ch.apply(m)
		if err := ch.applyCategories(m); err != nil {
			return err
		}
		if err := s.check(m, before.Criteria.Sources); err != nil {
			return err
		}
		if err := s.assignNewIDs(ctx, &before, m); err != nil {
			return err
		}
		if reflect.DeepEqual(&before, m) {
			return nil
		}
		m.Edits++
		s.record(m, c, earshot.EventEdited)
		again = completesTraining(&before, m)
		if removesTraining(&before, m) {
			again = true
			m.Training.Changes++
		}
		if changesSelection(&before, m) {
			again = true
			s.record(m, c, earshot.EventReset)
			m.RequestRematch(earshot.Date{})
		}
		return nil
	})
	if err == nil && again {
		s.rematch(ctx, id)
	}
	return m, err
}

// changesSelection reports whether a and b may have different posts on their days.
func changesSelection(a, b *earshot.Monitor) bool {
	return !reflect.DeepEqual(a.Criteria, b.Criteria) || a.Account != b.Account ||
		a.Start != b.Start || a.Timezone != b.Timezone
}

// update changes a monitor that c may see; the id must not be a filter's.
func (s *Service) update(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, change func(*earshot.Monitor) error) (*earshot.Monitor, error) {
	if m, ok := s.Catalog.Monitors.Find(id); !ok || m.Removed || !c.In(m.Team) {
		return nil, earshot.NoMonitor(id)
	}
	m, err := s.Catalog.Monitors.Update(ctx, id, func(m *earshot.Monitor) error {
		if m.Removed {
			return earshot.NoMonitor(id)
		}
		return change(m)
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, earshot.NoMonitor(id)
	}
	return m, err
}

func (ch Changes) apply(m *earshot.Monitor) {
	patch.Set(&m.Name, ch.Name)
	patch.Set(&m.Description, ch.Description)
	ch.Criteria.apply(&m.Criteria)
	patch.Set(&m.Timezone, ch.Timezone)
	patch.Set(&m.Start, ch.Start)
	patch.Set(&m.Tags, ch.Tags)
	patch.Set(&m.Account, ch.Account)
	patch.Set(&m.TargetHashtags, ch.TargetHashtags)
}

// applyCategories is apply for categories.
func (ch Changes) applyCategories(m *earshot.Monitor) (err error) {
	if ch.Categories != nil {
		m.Categories, err = changeCategories(m.Categories, *ch.Categories)
	}
	return err
}

func (ch CriteriaChanges) apply(c *earshot.Criteria) {
	patch.Set(&c.Keywords, ch.Keywords)
	patch.Set(&c.Languages, ch.Languages)
	patch.Set(&c.Places, ch.Places)
	patch.Set(&c.Gender, ch.Gender)
	patch.Set(&c.Sources, ch.Sources)
}
