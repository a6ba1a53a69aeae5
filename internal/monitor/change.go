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

// Changes are changes to a monitor. Nil fields stay unchanged, or get their defaults in a new
// monitor.
type Changes struct {
	Name           *string
	Description    *string
	Type           *earshot.MonitorType // can be set only when the monitor is created
	Team           *earshot.TeamID      // can be set only when the monitor is created
	Criteria       CriteriaChanges
	Timezone       *string
	Start          *earshot.Date
	Tags           *[]string
	Categories     *[]CategoryChange // the complete list: categories that it omits are removed
	Account        *earshot.Account
	TargetHashtags *[]string
	OwnAccounts    *[]string

	Edits *int64 // the Edits value that the caller last saw, for optimistic locking; nil: do not check
}

// CriteriaChanges are changes to the criteria of a monitor or filter. Nil fields stay unchanged.
type CriteriaChanges struct {
	Keywords  *string
	Languages *earshot.Choice
	Places    *earshot.Choice
	Gender    *earshot.Gender
	Sources   *[]string
}

// defaultDays is how many days before its creation a new monitor starts by default. It equals the
// number of days for which posts that no monitor matches are retained. See
// docs/decisions/0013-monitor-start.md.
const defaultDays = 30

// Add creates an enabled monitor and rematches stored posts. It waits up to rematchWait for the
// rematch.
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

// Draft returns the monitor that Add would create, without storing it. Draft validates only the
// fields that select posts. A draft has no ID, does not need a name or categories, and does not
// count against the team's monitor limit.
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

// create returns a new monitor with defaults and changes applied, without validating it.
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

// write validates a new monitor, assigns its IDs and stores it. It runs under Exclusive so that the
// team cannot be removed or exceed its limit concurrently. The caller rematches afterward, without
// the lock, because that can take a long time.
func (s *Service) write(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error {
	return s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		if err := s.checkTeam(c, m.Team); err != nil {
			return err
		}
		if err := s.check(m, nil); err != nil {
			return err
		}
		if err := s.checkCost(m, 0); err != nil {
			return err
		}
		if err := s.assignIDs(ctx, m); err != nil {
			return err
		}
		s.recordEvent(m, c, earshot.EventEnabled)
		m.RequestRematch(earshot.Date{})
		return s.Catalog.Monitors.Add(ctx, m.ID, m)
	})
}

// errChanged is the error for a monitor that was edited since the caller loaded it.
var errChanged = &earshot.Error{Kind: earshot.Conflict, Message: "Someone else has changed the monitor; reload it and try again"}

// Edit changes a monitor. Changing what it selects rematches stored posts from its start. Removing
// a category that has training posts, or making the training posts sufficient, trains a new model.
// If ch.Edits is set and out of date, Edit returns an [earshot.Conflict] error.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, ch Changes) (*earshot.Monitor, error) {
	needsRematch := false
	m, err := s.updateCost(ctx, c, id, func(m *earshot.Monitor) error {
		needsRematch = false
		if ch.Edits != nil && *ch.Edits != m.Edits {
			return errChanged
		}
		if ch.Type != nil && *ch.Type != m.Type || ch.Team != nil && *ch.Team != m.Team {
			return earshot.InvalidBody("type and team of a monitor cannot be changed; create a new monitor instead")
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
		s.recordEvent(m, c, earshot.EventEdited)
		needsRematch = completesTraining(&before, m)
		if removesTraining(&before, m) {
			needsRematch = true
			m.Training.Changes++
		}
		if changesSelection(&before, m) {
			needsRematch = true
			s.recordEvent(m, c, earshot.EventReset)
			m.RequestRematch(earshot.Date{})
		}
		return nil
	})
	if err == nil && needsRematch {
		s.rematch(ctx, id)
	}
	return m, err
}

// changesSelection reports whether a and b may select different posts on any day.
func changesSelection(a, b *earshot.Monitor) bool {
	return !reflect.DeepEqual(a.Criteria, b.Criteria) || a.Account != b.Account ||
		a.Start != b.Start || a.Timezone != b.Timezone
}

// update applies change to a monitor that c may see. It does not accept the ID of a filter.
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
	patch.Set(&m.OwnAccounts, ch.OwnAccounts)
}

// applyCategories applies the changes to categories. It is separate from apply because drafts
// ignore categories.
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
