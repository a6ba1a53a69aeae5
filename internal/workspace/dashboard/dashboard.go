// Package dashboard manages the dashboards of a team: pages of cards that its members arrange. It
// stores what each card shows and checks that a team can only refer to its own monitors. It leaves
// counting to insight, and knows nothing about how cards look.
//
// Two people who edit a dashboard at the same time do not overwrite each other: an edit names the
// version that it changes, and fails if there is a newer one.
package dashboard

import (
	"context"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// A Service manages dashboards. It is safe for concurrent use.
type Service struct {
	Catalog *catalog.Catalog
	Now     func() time.Time
}

// defaultRange is the range of a new dashboard that does not state one.
const defaultRange = "last30"

// maxName is the maximum length of a name, in characters.
const maxName = 200

func (s *Service) dashboards() catalog.Owned[earshot.DashboardID, earshot.Dashboard] {
	return catalog.Owned[earshot.DashboardID, earshot.Dashboard]{
		Catalog: s.Catalog, Table: s.Catalog.Dashboards, Name: "dashboard", Plural: "dashboards", Max: earshot.MaxDashboards, Now: s.Now,
		Team: func(d *earshot.Dashboard) earshot.TeamID { return d.Team },
		Missing: func(id earshot.DashboardID) error {
			return earshot.Errorf(earshot.NotFound, "Dashboard %d does not exist", id)
		},
		Stamp: func(d *earshot.Dashboard) catalog.Stamp {
			return catalog.Stamp{Edits: &d.Edits, By: &d.EditedBy, Time: &d.Edited}
		},
	}
}

// Find returns a dashboard if c may see it.
func (s *Service) Find(c *earshot.Caller, id earshot.DashboardID) (*earshot.Dashboard, error) {
	return s.dashboards().Find(c, id)
}

// List returns the dashboards that c may see, ordered by ID. If team is not 0, it returns only those
// of that team.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.Dashboard {
	return s.dashboards().List(c, team)
}

// Add creates a dashboard of d.Team with the name, range and cards of d.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, d earshot.Dashboard) (*earshot.Dashboard, error) {
	return s.add(ctx, c, d, nil)
}

// Copy creates a dashboard with the cards of another one of the same team. It also copies cards
// whose monitors were removed.
func (s *Service) Copy(ctx context.Context, c *earshot.Caller, id earshot.DashboardID, name string) (*earshot.Dashboard, error) {
	of, err := s.Find(c, id)
	if err != nil {
		return nil, err
	}
	cards := slices.Clone(of.Cards)
	for i := range cards {
		cards[i].Rows = slices.Clone(cards[i].Rows)
	}
	return s.add(ctx, c, earshot.Dashboard{Team: of.Team, Name: name, Range: of.Range, Cards: cards}, of)
}

// add creates a dashboard. before is the one that it copies, or nil.
func (s *Service) add(ctx context.Context, c *earshot.Caller, d earshot.Dashboard, before *earshot.Dashboard) (*earshot.Dashboard, error) {
	return s.dashboards().Add(ctx, c, d.Team, func(id earshot.DashboardID) (*earshot.Dashboard, error) {
		if d.Range == "" {
			d.Range = defaultRange
		}
		if before != nil {
			d.LastCard = before.LastCard
		}
		if err := s.check(&d, before); err != nil {
			return nil, err
		}
		now := s.Now().UTC().Truncate(time.Second)
		d.ID, d.CreatedBy, d.Created, d.EditedBy, d.Edited = id, c.Name, now, c.Name, now
		return &d, nil
	})
}

// Changes are changes of a dashboard. Fields that are nil stay as they are.
type Changes struct {
	Name  *string
	Range *string
	Cards *[]earshot.Card // all of them, in their order; new ones have no ID

	Edits *int64 // the Edits value that the caller last saw, for optimistic locking; nil: do not check
}

// Edit changes a dashboard. If ch.Edits is set and out of date, it returns an [earshot.Conflict]
// error that says who made the newer version.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.DashboardID, ch Changes) (*earshot.Dashboard, error) {
	return s.dashboards().Edit(ctx, c, id, ch.Edits, func(d *earshot.Dashboard) error {
		before := *d
		patch.Set(&d.Name, ch.Name)
		patch.Set(&d.Range, ch.Range)
		if ch.Cards != nil {
			d.Cards = slices.Clone(*ch.Cards)
		}
		if d.Range == "" {
			d.Range = defaultRange
		}
		return s.check(d, &before)
	})
}

// Remove deletes a dashboard.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.DashboardID) error {
	return s.dashboards().Remove(ctx, c, id)
}

// check checks a dashboard that is new or replaces before, and gives new cards an ID.
func (s *Service) check(d, before *earshot.Dashboard) error {
	d.Name = strings.TrimSpace(d.Name)
	if err := earshot.CheckText("name", d.Name, 1, maxName); err != nil {
		return err
	}
	if err := s.checkCards(d.Team, d.Cards, before); err != nil {
		return err
	}
	return assignIDs(d)
}

// assignIDs gives an ID to cards without one. Other IDs must be of cards that the dashboard has or
// has had, so that the removal of a card can be undone.
func assignIDs(d *earshot.Dashboard) error {
	used := map[int64]bool{}
	for i, card := range d.Cards {
		switch {
		case card.ID < 0 || card.ID > d.LastCard:
			return earshot.InvalidBody("cards[%d].id: the dashboard has no card %d; leave out the id of a new card", i, card.ID)
		case card.ID != 0 && used[card.ID]:
			return earshot.InvalidBody("cards[%d].id: there are two cards %d", i, card.ID)
		}
		used[card.ID] = true
	}
	for i := range d.Cards {
		if d.Cards[i].ID == 0 {
			d.LastCard++
			d.Cards[i].ID = d.LastCard
		}
	}
	return nil
}
