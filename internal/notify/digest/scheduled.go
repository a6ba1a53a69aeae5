package digest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/incident"
)

// digestCards are the cards of a monitor in a scheduled report.
var digestCards = []earshot.CardKind{earshot.FiguresCard, earshot.VolumeCard, earshot.SentimentCard, earshot.TopicsCard, earshot.PostsCard}

// Numbers of posts and signals that a scheduled report shows of each monitor.
const (
	digestPosts   = 5
	digestSignals = 10
)

// An edition is a scheduled report at a time.
type edition struct {
	report *earshot.ScheduledReport
	reader *earshot.Caller // the team: whoever set up the report may be gone
	time   time.Time
	days   earshot.Days
	late   bool
}

func newEdition(r *earshot.ScheduledReport, at time.Time, late bool) edition {
	return edition{r, earshot.TeamCaller(r.Team), at, daysOf(r, at), late}
}

func daysOf(r *earshot.ScheduledReport, at time.Time) earshot.Days {
	zone, err := earshot.Zone(r.Timezone)
	if err != nil { // written by another version
		zone = time.UTC
	}
	return card.RollingRange(r.Range).Days(earshot.DateOf(at.In(zone)))
}

// Scheduled composes what a scheduled report says at a time.
func (s *Composer) Scheduled(ctx context.Context, r *earshot.ScheduledReport, at time.Time) (*Contents, error) {
	return s.edition(ctx, newEdition(r, at, false))
}

// edition composes an edition. Readers may be anybody, so they see what visitors of share links see.
func (s *Composer) edition(ctx context.Context, d edition) (*Contents, error) {
	if isEmpty(s.Catalog, d.report) {
		return nil, earshot.Errorf(earshot.Unprocessable, "All monitors and dashboards of the report were removed")
	}
	zone, err := earshot.Zone(d.report.Timezone)
	if err != nil { // written by another version
		zone = time.UTC
	}
	c := s.newContents(d.reader, d.report.Name, zone)
	c.fileName = []string{d.report.Name, d.days.Start.String(), d.days.End.AddDays(-1).String()}
	c.document.Subtitle = []string{format.DateRange(d.days) + " · " + scheduleInWords(d.report)}
	if d.report.Filter != "" {
		c.document.Subtitle = append(c.document.Subtitle, "Filter: "+d.report.Filter)
	}
	if d.late {
		c.document.Subtitle = append(c.document.Subtitle, "This report is late. It was due on "+format.DateTime(d.time.In(zone))+", when Earshot was not running.")
	}
	for _, id := range d.report.Monitors {
		if err := s.addMonitorPart(ctx, d, id, c); err != nil {
			return nil, err
		}
	}
	if err := s.addComparison(ctx, d, c); err != nil {
		return nil, err
	}
	for _, id := range d.report.Dashboards {
		if err := s.addDashboardPart(ctx, d, id, c); err != nil {
			return nil, err
		}
	}
	if len(d.report.Cards) > 0 {
		if len(c.document.Sections) > 0 {
			c.add(report.Section{Title: "Selected charts", Heading: true})
		}
		if err := s.addCards(ctx, d, d.report.Cards, c); err != nil {
			return nil, err
		}
	}
	c.document.Dates = format.DateRange(d.days)
	if err := s.SetClient(c, d.report.Team, &d.report.Client); err != nil && !earshot.IsKind(err, earshot.NotFound) {
		return nil, err
	}
	return c, ctx.Err()
}

// addComparison compares the monitors of a report with others, for example with competitors.
func (s *Composer) addComparison(ctx context.Context, d edition, c *Contents) error {
	if len(d.report.Compare) == 0 {
		return nil
	}
	compared := earshot.Card{Kind: earshot.ComparisonCard, Title: "Share of voice", Earlier: "previous"}
	for _, id := range slices.Concat(d.report.Monitors, d.report.Compare) {
		row := earshot.CardRow{Monitor: id, Filter: d.report.Filter}
		if m, err := s.Monitors.Find(d.reader, id); err == nil {
			row.Label = s.monitorTitle(m)
		}
		compared.Rows = append(compared.Rows, row)
	}
	c.add(report.Section{Title: "Comparison", Heading: true})
	return s.addCards(ctx, d, []earshot.Card{compared}, c)
}

// addCards adds cards as visitors of share links see them.
func (s *Composer) addCards(ctx context.Context, d edition, cards []earshot.Card, c *Contents) error {
	results := s.Cards.ShowVisitors(ctx, d.reader, cards, card.Period{Start: d.days.Start, End: d.days.End}, card.InReport)
	for i, r := range results {
		if err := failure(r.Err); err != nil {
			return err
		}
		s.addCard(c, cards[i], r)
	}
	return nil
}

func scheduleInWords(r *earshot.ScheduledReport) string {
	schedule, err := ParseSchedule(r.Cron, r.Timezone)
	if err != nil { // written by another version
		return r.Cron + ", " + r.Timezone
	}
	return schedule.String()
}

// removedPart is a part about something that no longer exists.
func removedPart(what string) report.Section {
	return report.Section{Title: what, Heading: true, Note: "This " + strings.ToLower(what) + " was removed. Take it out of the report, or replace it."}
}

func (s *Composer) addMonitorPart(ctx context.Context, d edition, id earshot.MonitorID, c *Contents) error {
	m, err := s.Monitors.Find(d.reader, id)
	if err != nil {
		c.add(removedPart("Monitor"))
		return nil
	}
	query := url.Values{"start": {d.days.Start.String()}, "end": {d.days.End.String()}}
	if d.report.Filter != "" {
		query.Set("filter", d.report.Filter)
	}
	heading := report.Section{Title: s.monitorTitle(m), Heading: true, Link: fmt.Sprintf("/monitors/%d?%s", id, query.Encode())}
	if zone := m.Location().String(); zone != d.report.Timezone {
		heading.Note = "Days and times of this monitor are in " + zone
	}
	c.add(heading)
	incidents, err := s.addSummary(ctx, c, incident.Query{Caller: d.reader, Monitor: m, Days: d.days, Filter: d.report.Filter, Visitors: true})
	if err != nil {
		return err
	}
	cards := cardsOf(digestCards, id, d.report.Filter)
	results := s.Cards.ShowVisitors(ctx, d.reader, cards, card.Period{Start: d.days.Start, End: d.days.End}, card.InReport)
	for i, r := range results {
		if err := failure(r.Err); err != nil {
			return err
		}
		c.note(cards[i], r.Posts)
		section := s.section(cards[i], r, digestPosts)
		section.Half = false
		if o := r.Overview; o != nil && cards[i].Kind == earshot.FiguresCard {
			c.facts = append(c.facts, postsFact(s.monitorTitle(m), o))
		}
		c.add(section)
		if cards[i].Kind == earshot.VolumeCard {
			c.add(s.signalsSection(d, m, incidents)...)
		}
	}
	return nil
}

// failure returns an error that is not meant for readers. The report is then rendered again later.
func failure(err error) error {
	var visible *earshot.Error
	if errors.As(err, &visible) && visible.Kind != earshot.Unavailable {
		return nil
	}
	return err
}

// monitorTitle returns the name of a monitor, with that of its parent if it is a filter.
func (s *Composer) monitorTitle(m *earshot.Monitor) string {
	if parent, ok := s.Catalog.FindMonitor(m.Parent); m.Parent != 0 && ok {
		return parent.Name + ": " + m.Name
	}
	return m.Name
}

func postsFact(name string, o *card.Overview) earshot.Fact {
	value := format.Plural(o.Posts, "post", "posts")
	if note := changeNote(o); note != "" {
		value += ", " + note
	}
	return earshot.Fact{Name: name, Value: value}
}

// signalsSection returns the signals of a monitor that were raised on the days of the report and are not
// about incidents, newest first, or nothing.
func (s *Composer) signalsSection(d edition, m *earshot.Monitor, incidents incident.List) []report.Section {
	zone := m.Location()
	from, to := d.days.Start.Start(zone), d.days.End.Start(zone)
	var found []*earshot.Signal
	for _, sig := range s.Catalog.Signals.List() {
		isIncident := slices.ContainsFunc(incidents.Incidents, func(i incident.Incident) bool { return slices.Contains(i.Signals, sig.ID) })
		if !isIncident && sig.Team == d.report.Team && sig.Monitor == m.ID && !sig.Raised.Before(from) && sig.Raised.Before(to) {
			found = append(found, sig)
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b *earshot.Signal) int { return b.Raised.Compare(a.Raised) })
	section := report.Section{Title: "Signals", Note: format.Plural(int64(len(found)), "signal", "signals"),
		Data: report.Table{Columns: []report.Column{{Name: "Raised", Kind: report.TimeColumn}, {Name: "Severity"}, {Name: "Signal"}, {Name: "State"}}}}
	var list report.Posts
	for i, sig := range found {
		raised := sig.Raised.In(zone)
		section.Data.Rows = append(section.Data.Rows, []any{raised, string(sig.Severity), sig.Title, string(sig.State)})
		if i < digestSignals {
			list = append(list, report.Post{Head: format.DateTime(raised) + " · " + string(sig.Severity), Title: sig.Title, Text: sig.Text, Facts: string(sig.State)})
		}
	}
	section.Blocks = []report.Block{list}
	if more := len(found) - digestSignals; more > 0 {
		section.Blocks = append(section.Blocks, report.Note("and "+format.Plural(int64(more), "more signal", "more signals")))
	}
	return []report.Section{section}
}

func (s *Composer) addDashboardPart(ctx context.Context, d edition, id earshot.DashboardID, c *Contents) error {
	page, ok := s.Catalog.Dashboards.Find(id)
	if !ok || page.Team != d.report.Team {
		c.add(removedPart("Dashboard"))
		return nil
	}
	c.add(report.Section{Title: page.Name, Heading: true, Link: fmt.Sprintf("/dashboards/%d", id)})
	if len(d.report.Monitors) == 0 {
		if err := s.addPageSummary(ctx, c, page.Cards, d.days, true); err != nil {
			return err
		}
	}
	return s.addCards(ctx, d, page.Cards, c)
}
