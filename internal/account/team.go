package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// TeamChanges are changes to a team. Nil fields stay unchanged.
type TeamChanges struct {
	Name         *string
	MonitorLimit *int
}

// ListTeams returns the teams that c may see, in order of ID.
func (s *Service) ListTeams(c *earshot.Caller) []*earshot.Team {
	var teams []*earshot.Team
	for _, t := range s.catalog.Teams.List() {
		if c.In(t.ID) {
			teams = append(teams, t)
		}
	}
	return teams
}

// FindTeam returns the team, or an [earshot.NotFound] error if it does not exist or c may not see
// it.
func (s *Service) FindTeam(c *earshot.Caller, id earshot.TeamID) (*earshot.Team, error) {
	if t, ok := s.catalog.Teams.Find(id); ok && c.In(id) {
		return t, nil
	}
	return nil, noTeam(id)
}

// RequireTeam returns the team. The error is [earshot.ErrAccessDenied] if c is not a member, even if
// there is no such team: IDs can be guessed. For administrators, it is then [earshot.NotFound].
func (s *Service) RequireTeam(c *earshot.Caller, id earshot.TeamID) (*earshot.Team, error) {
	if !c.In(id) {
		return nil, earshot.ErrAccessDenied
	}
	t, ok := s.catalog.Teams.Find(id)
	if !ok {
		return nil, noTeam(id)
	}
	return t, nil
}

// AddTeam creates a team and makes its creator a member. Names are unique, ignoring case.
func (s *Service) AddTeam(ctx context.Context, c *earshot.Caller, t earshot.Team) (*earshot.Team, error) {
	t.Name = strings.TrimSpace(t.Name)
	if err := checkTeam(&t); err != nil {
		return nil, err
	}
	id, err := s.catalog.NextIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	t.ID = earshot.TeamID(id)
	if err := s.claimTeamName(ctx, &t); err != nil {
		return nil, err
	}
	if err := s.catalog.Teams.Add(ctx, t.ID, &t); err != nil {
		return nil, err
	}
	_, err = s.catalog.Users.Update(ctx, c.User, func(u *earshot.User) error {
		u.Teams = dedupe(append(u.Teams, t.ID))
		return nil
	})
	return &t, err
}

// EditTeam changes a team.
func (s *Service) EditTeam(ctx context.Context, id earshot.TeamID, c TeamChanges) (*earshot.Team, error) {
	before, ok := s.catalog.Teams.Find(id)
	if !ok {
		return nil, noTeam(id)
	}
	after, err := s.catalog.Teams.Update(ctx, id, func(t *earshot.Team) error {
		patch.Set(&t.MonitorLimit, c.MonitorLimit)
		if c.Name != nil {
			t.Name = strings.TrimSpace(*c.Name)
		}
		if err := checkTeam(t); err != nil {
			return err
		}
		if sameName(t.Name, before.Name) {
			return nil
		}
		return s.claimTeamName(ctx, t)
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, noTeam(id)
	}
	if err == nil && !sameName(after.Name, before.Name) {
		err = s.catalog.ReleaseName(ctx, teamName(before.Name), int64(id))
	}
	return after, err
}

// RemoveTeam deletes a team that has no monitors, content sources, live sources or streams, and removes its
// members.
func (s *Service) RemoveTeam(ctx context.Context, id earshot.TeamID) error {
	return s.catalog.Exclusive(ctx, func(ctx context.Context) error {
		t, ok := s.catalog.Teams.Find(id)
		if !ok {
			return noTeam(id)
		}
		owns := func(what string) error {
			return earshot.Errorf(earshot.Invalid, "Team %d still has %s; delete them first", id, what)
		}
		if slices.ContainsFunc(s.catalog.Monitors.List(), func(m *earshot.Monitor) bool { return m.Team == id && !m.Removed }) {
			return owns("monitors")
		}
		if slices.ContainsFunc(s.catalog.Sources.List(), func(src *earshot.ContentSource) bool { return src.Team == id }) {
			return owns("content sources")
		}
		if slices.ContainsFunc(s.catalog.Live.List(), func(src *earshot.LiveSource) bool { return src.Team == id }) {
			return owns("live sources")
		}
		if slices.ContainsFunc(s.catalog.Streams.List(), func(st *earshot.Stream) bool { return st.Team == id }) {
			return owns("streams")
		}
		if err := errors.Join(s.removeMembers(ctx, id), s.removeRecords(ctx, id)); err != nil {
			return err
		}
		if err := s.catalog.Teams.Remove(ctx, id); err != nil {
			if errors.Is(err, catalog.ErrNotFound) {
				return noTeam(id)
			}
			return err
		}
		return s.catalog.ReleaseName(ctx, teamName(t.Name), int64(id))
	})
}

// removeRecords removes what the members of a team have made for each other.
func (s *Service) removeRecords(ctx context.Context, id earshot.TeamID) error {
	return errors.Join(
		removeAll(ctx, s.catalog.Dashboards, func(d *earshot.Dashboard) (earshot.DashboardID, bool) { return d.ID, d.Team == id }),
		removeAll(ctx, s.catalog.Views, func(v *earshot.SavedView) (earshot.ViewID, bool) { return v.ID, v.Team == id }),
		removeAll(ctx, s.catalog.ShareLinks, func(l *earshot.ShareLink) (earshot.ShareLinkID, bool) { return l.ID, l.Team == id }),
		removeAll(ctx, s.catalog.Reports, func(r *earshot.ScheduledReport) (earshot.ReportID, bool) { return r.ID, r.Team == id }),
		removeAll(ctx, s.catalog.Clients, func(c *earshot.Client) (earshot.ClientID, bool) { return c.ID, c.Team == id }),
		removeAll(ctx, s.catalog.FeedLinks, func(l *earshot.FeedLink) (earshot.FeedLinkID, bool) { return l.ID, l.Team == id }),
		removeAll(ctx, s.catalog.Invitations, func(i *earshot.Invitation) (earshot.InvitationID, bool) { return i.ID, i.Team == id }),
		removeAll(ctx, s.catalog.Annotations, func(a *earshot.Annotation) (earshot.AnnotationID, bool) { return a.ID, a.Team == id }),
		removeAll(ctx, s.catalog.Channels, func(c *earshot.Channel) (earshot.ChannelID, bool) { return c.ID, c.Team == id }),
		removeAll(ctx, s.catalog.Deliveries, func(d *earshot.Delivery) (earshot.DeliveryID, bool) { return d.ID, d.Team == id }),
		removeAll(ctx, s.catalog.Rules, func(r *earshot.Rule) (earshot.RuleID, bool) { return r.ID, r.Team == id }),
		removeAll(ctx, s.catalog.Signals, func(sig *earshot.Signal) (earshot.SignalID, bool) { return sig.ID, sig.Team == id }),
		removeAll(ctx, s.catalog.Marks, func(m *earshot.PostMark) (earshot.MarkID, bool) { return m.ID, m.Team == id }),
	)
}

// removeAll removes the records for which of returns true and their ID.
func removeAll[ID ~int64, T any](ctx context.Context, table *catalog.Table[ID, T], of func(*T) (ID, bool)) error {
	for _, record := range table.List() {
		if id, ok := of(record); ok {
			if err := table.Remove(ctx, id); err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

// removeMembers removes all members from a team.
func (s *Service) removeMembers(ctx context.Context, id earshot.TeamID) error {
	for _, u := range s.catalog.Users.List() {
		if !slices.Contains(u.Teams, id) {
			continue
		}
		_, err := s.catalog.Users.Update(ctx, u.ID, func(u *earshot.User) error {
			u.Teams = slices.DeleteFunc(u.Teams, func(t earshot.TeamID) bool { return t == id })
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

func checkTeam(t *earshot.Team) error {
	if err := earshot.CheckText("name", t.Name, 1, 200); err != nil {
		return err
	}
	if t.MonitorLimit < 0 {
		return earshot.InvalidBody("monitorLimit must be 0 (no limit) or more")
	}
	return nil
}

func (s *Service) claimTeamName(ctx context.Context, t *earshot.Team) error {
	err := s.catalog.ReserveName(ctx, teamName(t.Name), int64(t.ID), func(id int64) bool {
		owner, ok := s.catalog.Teams.Find(earshot.TeamID(id))
		return ok && sameName(owner.Name, t.Name)
	})
	if errors.Is(err, catalog.ErrNameTaken) {
		return earshot.Errorf(earshot.Conflict, "The name '%s' is taken by another team", t.Name)
	}
	return err
}

func teamName(name string) catalog.UniqueName { return catalog.UniqueName{Kind: "team", Text: name} }

func noTeam(id earshot.TeamID) *earshot.Error {
	return earshot.Errorf(earshot.NotFound, "Team %d does not exist", id)
}
