package digest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/patch"
	"earshot/internal/state/catalog"
	"earshot/internal/workspace/card"
)

func (s *Service) reports() catalog.Owned[earshot.ReportID, earshot.ScheduledReport] {
	return catalog.Owned[earshot.ReportID, earshot.ScheduledReport]{
		Catalog: s.Catalog, Table: s.Catalog.Reports, Name: "report", Plural: "scheduled reports", Max: earshot.MaxScheduledReports, Now: s.Now,
		Team: func(r *earshot.ScheduledReport) earshot.TeamID { return r.Team },
		Missing: func(id earshot.ReportID) error {
			return earshot.Errorf(earshot.NotFound, "Report %d does not exist", id)
		},
		Stamp: func(r *earshot.ScheduledReport) catalog.Stamp {
			return catalog.Stamp{Edits: &r.Edits, By: &r.EditedBy, Time: &r.Edited}
		},
	}
}

// Find returns a report if c may see it.
func (s *Service) Find(c *earshot.Caller, id earshot.ReportID) (*earshot.ScheduledReport, error) {
	return s.reports().Find(c, id)
}

// List returns the reports that c may see, ordered by ID. If team is not 0, it returns only those of
// that team.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.ScheduledReport {
	return s.reports().List(c, team)
}

// Add creates a report of r.Team with the fields of r. The default time zone is that of the first
// monitor.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, r earshot.ScheduledReport) (*earshot.ScheduledReport, error) {
	if err := s.checkTeam(c, r.Team); err != nil {
		return nil, err
	}
	if err := s.check(&r, &earshot.ScheduledReport{}); err != nil {
		return nil, err
	}
	return s.reports().Add(ctx, c, r.Team, func(id earshot.ReportID) (*earshot.ScheduledReport, error) {
		now := s.now()
		r.ID, r.Since, r.CreatedBy, r.Created, r.EditedBy, r.Edited = id, now, c.Name, now, c.Name, now
		return &r, nil
	})
}

// Changes are changes of a report. Fields that are nil stay as they are.
type Changes struct {
	Name       *string                `json:"name"`
	Monitors   *[]earshot.MonitorID   `json:"monitors"`
	Dashboards *[]earshot.DashboardID `json:"dashboards"`
	Cards      *[]card.Shown          `json:"cards"`
	Compare    *[]earshot.MonitorID   `json:"compare"`
	Filter     *string                `json:"filter"`
	Client     *earshot.ClientID      `json:"client"` // 0: none
	Cron       *string                `json:"cron"`
	Timezone   *string                `json:"timezone"` // empty: that of the first monitor
	Range      *card.RollingRange     `json:"range"`
	PDF        *bool                  `json:"pdf"`
	XLSX       *bool                  `json:"xlsx"`
	Channels   *[]earshot.ChannelID   `json:"channels"`
	Disabled   *bool                  `json:"disabled"`

	Edits *int64 `json:"-"` // the Edits value that the caller last saw, for optimistic locking; nil: do not check
}

// Apply makes the changes.
func (ch Changes) Apply(r *earshot.ScheduledReport) (err error) {
	if ch.Cards != nil {
		if r.Cards, err = card.Parse(*ch.Cards); err != nil {
			return err
		}
	}
	patch.Set(&r.Compare, ch.Compare)
	patch.Set(&r.Client, ch.Client)
	patch.Set(&r.Name, ch.Name)
	patch.Set(&r.Monitors, ch.Monitors)
	patch.Set(&r.Dashboards, ch.Dashboards)
	patch.Set(&r.Filter, ch.Filter)
	patch.Set(&r.Cron, ch.Cron)
	patch.Set(&r.Timezone, ch.Timezone)
	patch.Set(&r.Range, (*string)(ch.Range))
	patch.Set(&r.PDF, ch.PDF)
	patch.Set(&r.XLSX, ch.XLSX)
	patch.Set(&r.Channels, ch.Channels)
	patch.Set(&r.Disabled, ch.Disabled)
	return nil
}

// Edit changes a report. If ch.Edits is set and out of date, it returns an [earshot.Conflict] error
// that says who made the newer version. Another schedule holds from now on: a report is not sent for
// times that have passed.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.ReportID, ch Changes) (*earshot.ScheduledReport, error) {
	return s.reports().Edit(ctx, c, id, ch.Edits, func(r *earshot.ScheduledReport) error {
		before := *r
		if err := ch.Apply(r); err != nil {
			return err
		}
		if err := s.check(r, &before); err != nil {
			return err
		}
		if r.Cron != before.Cron || r.Timezone != before.Timezone || before.Disabled && !r.Disabled {
			r.Since = s.now()
		}
		return nil
	})
}

// Remove deletes a report. What was handed over for delivery is no longer sent.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.ReportID) error {
	return s.reports().Remove(ctx, c, id)
}

// check checks a report that is new or replaces before, and brings it into its stored form.
func (s *Service) check(r, before *earshot.ScheduledReport) error {
	r.Name = strings.TrimSpace(r.Name)
	if err := earshot.CheckText("name", r.Name, 1, maxName); err != nil {
		return err
	}
	if err := s.checkParts(r, before); err != nil {
		return err
	}
	if err := s.checkChannels(r, before); err != nil {
		return err
	}
	if cl, ok := s.Catalog.Clients.Find(r.Client); r.Client != 0 && r.Client != before.Client && (!ok || cl.Team != r.Team) {
		return noClient(r.Client)
	}
	if r.Timezone == "" {
		r.Timezone = s.defaultZone(r)
	}
	schedule, err := ParseSchedule(r.Cron, r.Timezone)
	if err != nil {
		return err
	}
	r.Cron, r.Range = schedule.Cron, cmp.Or(r.Range, defaultRange)
	return nil
}

// defaultRange is the range of a report that does not state one.
const defaultRange = "lastweek"

// checkParts checks what a report is about. Monitors and dashboards that were removed may stay.
func (s *Service) checkParts(r, before *earshot.ScheduledReport) error {
	switch n := len(r.Monitors) + len(r.Dashboards); {
	case n+len(r.Cards) == 0:
		return earshot.InvalidBody("monitors, dashboards, or cards is missing: the report would be empty")
	case n > earshot.MaxReportParts:
		return earshot.InvalidBody("monitors and dashboards must have at most %d entries together", earshot.MaxReportParts)
	}
	switch n := len(r.Monitors) + len(r.Compare); {
	case len(r.Compare) > 0 && len(r.Monitors) == 0:
		return earshot.InvalidBody("compare needs monitors to compare")
	case len(r.Compare) > 0 && n > earshot.MaxCardRows:
		return earshot.InvalidBody("monitors and compare must have at most %d entries together", earshot.MaxCardRows)
	}
	for _, list := range []struct {
		name          string
		of, of0, also []earshot.MonitorID
	}{{"monitors", r.Monitors, before.Monitors, nil}, {"compare", r.Compare, before.Compare, r.Monitors}} {
		for i, id := range list.of {
			if slices.Contains(list.of[:i], id) || slices.Contains(list.also, id) {
				return earshot.InvalidBody("%s contains %d twice", list.name, id)
			}
			if m, ok := s.Catalog.FindMonitor(id); (!ok || m.Team != r.Team) && !slices.Contains(list.of0, id) {
				return earshot.NoMonitor(id)
			}
		}
	}
	for i, id := range r.Dashboards {
		if slices.Contains(r.Dashboards[:i], id) {
			return earshot.InvalidBody("dashboards contains %d twice", id)
		}
		if d, ok := s.Catalog.Dashboards.Find(id); (!ok || d.Team != r.Team) && !slices.Contains(before.Dashboards, id) {
			return earshot.Errorf(earshot.NotFound, "Dashboard %d does not exist", id)
		}
	}
	return nil
}

// checkChannels checks where a report is sent. Channels that were removed in the meantime disappear.
func (s *Service) checkChannels(r, before *earshot.ScheduledReport) error {
	if len(r.Channels) > earshot.MaxReportChannels {
		return earshot.InvalidBody("channels must have at most %d entries", earshot.MaxReportChannels)
	}
	var kept []earshot.ChannelID
	for _, id := range r.Channels {
		ch, ok := s.Catalog.Channels.Find(id)
		switch {
		case slices.Contains(kept, id):
			return earshot.InvalidBody("channels contains %d twice", id)
		case ok && ch.Team == r.Team:
			kept = append(kept, id)
		case !slices.Contains(before.Channels, id):
			return earshot.Errorf(earshot.NotFound, "Channel %d does not exist", id)
		}
	}
	r.Channels = kept
	return nil
}

// defaultZone returns the time zone of the first monitor, or of the first monitor of a dashboard.
func (s *Service) defaultZone(r *earshot.ScheduledReport) string {
	monitors, cards := slices.Clone(r.Monitors), slices.Clone(r.Cards)
	for _, id := range r.Dashboards {
		if d, ok := s.Catalog.Dashboards.Find(id); ok {
			cards = append(cards, d.Cards...)
		}
	}
	for _, card := range cards {
		monitors = append(monitors, card.Monitor)
		for _, row := range card.Rows {
			monitors = append(monitors, row.Monitor)
		}
	}
	for _, id := range monitors {
		if m, ok := s.Catalog.FindMonitor(id); ok {
			return m.Location().String()
		}
	}
	return "UTC"
}

// Channels returns the channels of a report that exist.
func (s *Service) Channels(r *earshot.ScheduledReport) (list []*earshot.Channel) {
	for _, id := range r.Channels {
		if ch, ok := s.Catalog.Channels.Find(id); ok && ch.Team == r.Team {
			list = append(list, ch)
		}
	}
	return list
}

// A Timetable is a schedule for people: in words, and its next times.
type Timetable struct {
	Cron  string      `json:"cron"` // as given
	Words string      `json:"schedule"`
	Next  []time.Time `json:"next"`
}

// nextTimes is the number of times in a timetable.
const nextTimes = 3

// Timetable returns the timetable of a cron expression in a time zone.
func (s *Service) Timetable(cron, timezone string) (Timetable, error) {
	schedule, err := ParseSchedule(cron, timezone)
	if err != nil {
		return Timetable{}, err
	}
	t := Timetable{Cron: cron, Words: schedule.String()}
	for at := s.Now(); len(t.Next) < nextTimes; t.Next = append(t.Next, at) {
		if at = schedule.Next(at); at.IsZero() {
			break
		}
	}
	return t, nil
}
