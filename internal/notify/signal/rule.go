package signal

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
)

// unusualName is the name of an unusual rule that states none.
const unusualName = "Unusual activity"

func (s *Service) ownedRules() catalog.Owned[earshot.RuleID, earshot.Rule] {
	return catalog.Owned[earshot.RuleID, earshot.Rule]{
		Catalog: s.Catalog, Table: s.Catalog.Rules, Name: "rule", Plural: "rules", Max: earshot.MaxRules, Now: s.Now,
		Team:    func(r *earshot.Rule) earshot.TeamID { return r.Team },
		Missing: func(id earshot.RuleID) error { return earshot.Errorf(earshot.NotFound, "Rule %d does not exist", id) },
		Exists:  func(r *earshot.Rule) bool { return s.exists(r.Team, r.Monitor) },
		Stamp: func(r *earshot.Rule) catalog.Stamp {
			return catalog.Stamp{Edits: &r.Edits, By: &r.EditedBy, Time: &r.Edited}
		},
	}
}

// FindRule returns a rule, or an [earshot.NotFound] error if it does not exist or c may not see it.
func (s *Service) FindRule(c *earshot.Caller, id earshot.RuleID) (*earshot.Rule, error) {
	return s.ownedRules().Find(c, id)
}

// A RuleQuery selects rules. Zero fields select all.
type RuleQuery struct {
	Team    earshot.TeamID
	Monitor earshot.MonitorID // or a filter; a monitor includes its filters
	Kind    earshot.RuleKind
}

// Rules returns the rules that c may see, ordered by ID.
func (s *Service) Rules(c *earshot.Caller, q RuleQuery) ([]*earshot.Rule, error) {
	is, err := s.isAbout(c, q.Monitor)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(s.ownedRules().List(c, q.Team), func(r *earshot.Rule) bool {
		return q.Kind != "" && r.Kind != q.Kind || !is(r.Monitor)
	}), nil
}

// isAbout returns a condition: whether something belongs to a monitor or one of its filters, or to a
// filter. It always holds if id is 0.
func (s *Service) isAbout(c *earshot.Caller, id earshot.MonitorID) (func(earshot.MonitorID) bool, error) {
	if id == 0 {
		return func(earshot.MonitorID) bool { return true }, nil
	}
	m, ok := s.Catalog.FindMonitor(id)
	if !ok || !c.In(m.Team) {
		return nil, earshot.NoMonitor(id)
	}
	return func(of earshot.MonitorID) bool {
		if of == id {
			return true
		}
		_, isFilter := m.Filter(of)
		return isFilter && id == m.ID
	}, nil
}

// AddRule creates a rule for its monitor, with the defaults for what it does not state.
func (s *Service) AddRule(ctx context.Context, c *earshot.Caller, r earshot.Rule) (*earshot.Rule, error) {
	if err := s.CheckRule(ctx, c, &r); err != nil {
		return nil, err
	}
	return s.ownedRules().Add(ctx, c, r.Team, func(id earshot.RuleID) (*earshot.Rule, error) {
		if r.Kind == earshot.UnusualRule && s.detectionOf(r.Team, r.Monitor).ID != 0 {
			return nil, earshot.Errorf(earshot.Conflict, "Monitor %d already has a rule for unusual activity; change that one", r.Monitor)
		}
		r.ID, r.Edits, r.CreatedBy, r.Created, r.EditedBy, r.Edited = id, 0, c.Name, s.now(), c.Name, s.now()
		return &r, nil
	})
}

// RuleChanges are changes to a rule, or the fields of a new one. Nil fields stay unchanged.
type RuleChanges struct {
	Name            *string              `json:"name"`
	Filter          *string              `json:"filter"`
	Unusual         *Unusual             `json:"unusual"`
	Threshold       *Threshold           `json:"threshold"`
	Severity        *earshot.Severity    `json:"severity"`
	Channels        *[]earshot.ChannelID `json:"channels"`
	Active          *[]Hours             `json:"active"`
	Quiet           *[]Hours             `json:"quiet"`
	CoolDownMinutes *int                 `json:"coolDownMinutes"`
	MutedUntil      OptionalTime         `json:"mutedUntil"` // null: not muted
	Enabled         *bool                `json:"enabled"`

	// Edits is the number of edits that the caller last saw, for optimistic locking. Nil: do not check.
	Edits *int64 `json:"revision"`
}

// Apply applies the changes to a rule, without checking them.
func (ch *RuleChanges) Apply(r *earshot.Rule) {
	patch.Set(&r.Name, ch.Name)
	patch.Set(&r.Filter, ch.Filter)
	if u := ch.Unusual; u != nil {
		r.Unusual = earshot.Unusual(*u)
	}
	if t := ch.Threshold; t != nil {
		r.Threshold = earshot.Threshold{Metric: t.Metric, Below: t.Below, Value: t.Value, Window: time.Duration(t.WindowHours) * time.Hour, Of: t.Of, MinPosts: t.MinPosts}
	}
	patch.Set(&r.Severity, ch.Severity)
	patch.Set(&r.Channels, ch.Channels)
	if ch.Active != nil {
		r.Active = jsonvalue.Map(*ch.Active, Hours.parse)
	}
	if ch.Quiet != nil {
		r.Quiet = jsonvalue.Map(*ch.Quiet, Hours.parse)
	}
	if ch.CoolDownMinutes != nil {
		r.CoolDown = time.Duration(*ch.CoolDownMinutes) * time.Minute
	}
	if ch.MutedUntil.Given {
		r.MutedUntil = ch.MutedUntil.Time
	}
	if ch.Enabled != nil {
		r.Disabled = !*ch.Enabled
	}
}

// EditRule changes a rule. If ch.Edits is set and out of date, it returns an [earshot.Conflict] error
// that says who made the newer version.
func (s *Service) EditRule(ctx context.Context, c *earshot.Caller, id earshot.RuleID, ch RuleChanges) (*earshot.Rule, error) {
	return s.ownedRules().Edit(ctx, c, id, ch.Edits, func(r *earshot.Rule) error {
		wasDisabled := r.Disabled
		ch.Apply(r)
		if wasDisabled && !r.Disabled && r.Kind == earshot.PostRule && s.Posts != nil {
			position, err := s.Posts.Position(ctx)
			if err != nil {
				return err
			}
			r.Cursor = max(r.Cursor, position) // what came meanwhile does not count
		}
		return s.checkRule(ctx, r)
	})
}

// RemoveRule deletes a rule. Its signals stay; firing ones are resolved.
func (s *Service) RemoveRule(ctx context.Context, c *earshot.Caller, id earshot.RuleID) error {
	if err := s.ownedRules().Remove(ctx, c, id); err != nil {
		return err
	}
	for _, sig := range s.Catalog.Signals.List() {
		if sig.Rule != id || sig.State != earshot.Firing {
			continue
		}
		_, err := s.Catalog.Signals.Update(ctx, sig.ID, func(sig *earshot.Signal) error {
			s.resolveBy(sig, c.Name)
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Detection returns the rule that watches a monitor or filter for unusual activity: the saved one, or
// the defaults, which have no ID.
func (s *Service) Detection(c *earshot.Caller, id earshot.MonitorID) (*earshot.Rule, error) {
	m, ok := s.Catalog.FindMonitor(id)
	if !ok || !c.In(m.Team) {
		return nil, earshot.NoMonitor(id)
	}
	return s.detectionOf(m.Team, id), nil
}

// SetDetection changes the rule that watches a monitor or filter for unusual activity. What ch does
// not state stays as it is.
func (s *Service) SetDetection(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, ch RuleChanges) (*earshot.Rule, error) {
	r, err := s.Detection(c, id)
	if err != nil {
		return nil, err
	}
	if r.ID != 0 {
		return s.EditRule(ctx, c, r.ID, ch)
	}
	if ch.Edits != nil && *ch.Edits != 0 {
		return nil, earshot.Errorf(earshot.Conflict, "The settings were reset in the meantime; reload them and try again")
	}
	changed := *r
	ch.Apply(&changed)
	return s.AddRule(ctx, c, changed)
}

// ResetDetection returns a monitor or filter to the defaults. Doing so twice is harmless.
func (s *Service) ResetDetection(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) error {
	r, err := s.Detection(c, id)
	if err != nil || r.ID == 0 {
		return err
	}
	return s.RemoveRule(ctx, c, r.ID)
}

// detection returns the rule that watches m, which may be a filter, for unusual activity.
func (s *Service) detection(m *earshot.Monitor) *earshot.Rule { return s.detectionOf(m.Team, m.ID) }

func (s *Service) detectionOf(team earshot.TeamID, id earshot.MonitorID) *earshot.Rule {
	for _, r := range s.rulesOf(id) {
		if r.Kind == earshot.UnusualRule && r.Team == team {
			return r
		}
	}
	return &earshot.Rule{
		Team: team, Monitor: id, Name: unusualName, Kind: earshot.UnusualRule, Severity: earshot.Warning,
		Unusual: earshot.Unusual{FalseAlarms: earshot.DefaultFalseAlarms, MinPosts: earshot.DefaultMinPosts},
	}
}

// rulesOf returns the rules of a monitor or filter, ordered by ID.
func (s *Service) rulesOf(id earshot.MonitorID) []*earshot.Rule {
	return s.rules.of(s.Catalog.Rules, id)
}

// A ruleIndex finds the rules of a monitor. It follows the catalog.
type ruleIndex struct {
	mu        sync.Mutex
	version   uint64 // of the table
	byMonitor map[earshot.MonitorID][]*earshot.Rule
}

func (x *ruleIndex) of(table *catalog.Table[earshot.RuleID, earshot.Rule], id earshot.MonitorID) []*earshot.Rule {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, version := table.Changes(x.version); version != x.version || x.byMonitor == nil {
		x.version, x.byMonitor = version, map[earshot.MonitorID][]*earshot.Rule{}
		for _, r := range table.List() {
			x.byMonitor[r.Monitor] = append(x.byMonitor[r.Monitor], r)
		}
	}
	return x.byMonitor[id]
}

// exists reports whether a monitor or filter exists and belongs to a team.
func (s *Service) exists(team earshot.TeamID, id earshot.MonitorID) bool {
	m, ok := s.Catalog.FindMonitor(id)
	return ok && m.Team == team
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Second) }
