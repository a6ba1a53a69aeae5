package manage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/card"
	"earshot/internal/digest"
	"earshot/internal/filter"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/report"
	"earshot/internal/state/ledger"
)

// digestCards are the cards of a monitor in a scheduled report.
var digestCards = []earshot.CardKind{earshot.FiguresCard, earshot.VolumeCard, earshot.SentimentCard, earshot.TopicsCard, earshot.PostsCard}

// Numbers of posts and signals that a scheduled report shows of each monitor.
const (
	digestPosts   = 5
	digestSignals = 10
)

// A digestRun is a scheduled report at a time.
type digestRun struct {
	report *earshot.ScheduledReport
	caller *earshot.Caller // the team: whoever set up the report may be gone
	time   time.Time
	days   earshot.Days
	late   bool
}

func newDigestRun(r *earshot.ScheduledReport, at time.Time, late bool) digestRun {
	return digestRun{r, earshot.TeamCaller(r.Team), at, reportDays(r, at), late}
}

// A digestContent is what a scheduled report says.
type digestContent struct {
	document *report.Document
	facts    []earshot.Fact // the number of posts of each monitor

	microblogs []earshot.MonitorID // monitors of which it contains microblog posts
}

// add adds sections.
func (c *digestContent) add(sections ...report.Section) {
	c.document.Sections = append(c.document.Sections, sections...)
}

// note notes which microblog posts a card contains.
func (c *digestContent) note(card earshot.Card, data card.Result) {
	if hasMicroblogs(data.Posts) && !slices.Contains(c.microblogs, card.Monitor) {
		c.microblogs = append(c.microblogs, card.Monitor)
	}
}

// recordFile records in the audit of monitors that a file contains microblog posts of them, like an
// export.
func (a *API) recordFile(ctx context.Context, by *earshot.Caller, d digestRun, c *digestContent) error {
	for _, id := range c.microblogs {
		if err := a.recordMicroblogs(ctx, by, d, id); err != nil {
			return err
		}
	}
	return nil
}

// recordMail records in the audit of monitors that a mail contains microblog posts of them, once per
// run.
func (a *API) recordMail(ctx context.Context, d digestRun, c *digestContent) error {
	by := earshot.TeamCaller(d.report.Team)
	by.Name = "Scheduled report"
	return a.Digest.RecordExports(ctx, d.report.ID, ledger.PeriodOf(d.time), c.microblogs, func(id earshot.MonitorID) error {
		return a.recordMicroblogs(ctx, by, d, id)
	})
}

func (a *API) recordMicroblogs(ctx context.Context, by *earshot.Caller, d digestRun, id earshot.MonitorID) error {
	m, err := a.Monitors.Find(d.caller, id)
	if err != nil {
		return err
	}
	return a.Monitors.RecordExport(ctx, by, m)
}

// digestContent returns the contents of a scheduled report. Readers may be anybody, so they see what
// visitors of share links see.
func (a *API) digestContent(ctx context.Context, d digestRun) (*digestContent, error) {
	if a.Digest.IsEmpty(d.report) {
		return nil, earshot.Errorf(earshot.Unprocessable, "All monitors and dashboards of the report were removed")
	}
	now := a.Now().UTC()
	c := &digestContent{document: &report.Document{
		Title: d.report.Name, Created: now, Footer: d.report.Name + " · Earshot, created " + report.DateTime(now) + " UTC",
		Subtitle: []string{report.DateRange(d.days) + " · " + a.scheduleInWords(d.report)},
	}}
	if d.report.Filter != "" {
		c.document.Subtitle = append(c.document.Subtitle, "Filter: "+d.report.Filter)
	}
	if d.late {
		zone, _ := earshot.Zone(d.report.Timezone)
		c.document.Subtitle = append(c.document.Subtitle, "This report is late. It was due on "+report.DateTime(d.time.In(zone))+", when Earshot was not running.")
	}
	for _, id := range d.report.Monitors {
		if err := a.addMonitorPart(ctx, d, id, c); err != nil {
			return nil, err
		}
	}
	for _, id := range d.report.Dashboards {
		if err := a.addDashboardPart(ctx, d, id, c); err != nil {
			return nil, err
		}
	}
	return c, ctx.Err()
}

func (a *API) scheduleInWords(r *earshot.ScheduledReport) string {
	t, err := a.Digest.Timetable(r.Cron, r.Timezone)
	if err != nil {
		return r.Cron + ", " + r.Timezone
	}
	return t.Words
}

// removedPart is a part about something that no longer exists.
func removedPart(what string) report.Section {
	return report.Section{Title: what, Heading: true, Note: "This " + strings.ToLower(what) + " was removed. Take it out of the report, or replace it."}
}

// addMonitorPart adds the part of a monitor.
func (a *API) addMonitorPart(ctx context.Context, d digestRun, id earshot.MonitorID, c *digestContent) error {
	m, err := a.Monitors.Find(d.caller, id)
	if err != nil {
		c.add(removedPart("Monitor"))
		return nil
	}
	query := url.Values{"start": {d.days.Start.String()}, "end": {d.days.End.String()}}
	if d.report.Filter != "" {
		query.Set("filter", d.report.Filter)
	}
	c.add(report.Section{Title: a.monitorTitle(m), Heading: true, Link: fmt.Sprintf("/monitors/%d?%s", id, query.Encode())})
	cards := jsonvalue.Map(digestCards, func(kind earshot.CardKind) earshot.Card {
		return earshot.Card{Kind: kind, Title: digest.TitleOf(kind, "engagement"), Monitor: id, Filter: d.report.Filter, Sort: "engagement"}
	})
	results := a.Cards.ShowVisitors(ctx, d.caller, cards, card.Period{Start: d.days.Start, End: d.days.End}, insight.CompareCounts)
	for i, r := range results {
		if err := failure(r.Err); err != nil {
			return err
		}
		if r.Posts != nil {
			r.Posts.Items = r.Posts.Items[:min(len(r.Posts.Items), digestPosts)]
		}
		c.note(cards[i], r.Result)
		section := digest.NewSection(cards[i], r.Result)
		if message := a.Cards.ErrorMessage(cards[i], r.Err); message != "" {
			section.Blocks = []report.Block{report.Note(message)}
		}
		section.Half = false
		if o := r.Overview; o != nil && cards[i].Kind == earshot.FiguresCard {
			c.facts = append(c.facts, postsFact(a.monitorTitle(m), o))
		}
		if o := r.Overview; o != nil && cards[i].Kind == earshot.VolumeCard {
			if sentence := a.unusualSentence(ctx, d, m, o); sentence != "" {
				section.Blocks = append(section.Blocks, report.Text(sentence))
			}
		}
		c.add(section)
		if cards[i].Kind == earshot.VolumeCard {
			c.add(a.signalsSection(d, m)...)
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
func (a *API) monitorTitle(m *earshot.Monitor) string {
	if parent, ok := a.Monitors.Catalog.FindMonitor(m.Parent); m.Parent != 0 && ok {
		return parent.Name + ": " + m.Name
	}
	return m.Name
}

func postsFact(name string, o *card.Overview) earshot.Fact {
	value := report.Plural(o.Posts, "post", "posts")
	if note := figuresNote(o); note != "" {
		value += ", " + note
	}
	return earshot.Fact{Name: name, Value: value}
}

// figuresNote returns how the number of posts has changed, as the key figures say it.
func figuresNote(o *card.Overview) string {
	for _, b := range digest.FiguresSection(o).Blocks {
		if figures, ok := b.(report.Figures); ok {
			return figures[0].Note
		}
	}
	return ""
}

// unusualSentence explains the day with the most additional posts, or returns "".
func (a *API) unusualSentence(ctx context.Context, d digestRun, m *earshot.Monitor, o *card.Overview) string {
	var day *card.UnusualDay
	for i, u := range o.Unusual {
		excess := func(u *card.UnusualDay) float64 { return float64(u.Posts) - u.Expected.Posts }
		if excess(&u) > 0 && (day == nil || excess(&u) > excess(day)) {
			day = &o.Unusual[i]
		}
	}
	if day == nil {
		return ""
	}
	zone := m.Location()
	refinement := a.Filters.Refinement(d.caller, m, filter.Without(d.report.Filter, a.Posts.Restricted))
	e, err := a.Insight.Explain(ctx, m, insight.ExplainRequest{From: day.Date.Start(zone), To: day.Date.AddDays(1).Start(zone), Filter: refinement.Key(), Refine: refinement.Selection})
	if err != nil {
		a.Log.Warn("a report has no explanation", "report", d.report.ID, "monitor", m.ID, "error", err)
		return ""
	}
	sentence := e.Sentence()
	if sentence == "" {
		return ""
	}
	return digest.ShortDay(day.Date) + ": " + sentence
}

// signalsSection returns the signals of a monitor that were raised on the days of the report, newest
// first, or nothing.
func (a *API) signalsSection(d digestRun, m *earshot.Monitor) []report.Section {
	zone := m.Location()
	from, to := d.days.Start.Start(zone), d.days.End.Start(zone)
	var found []*earshot.Signal
	for _, s := range a.Monitors.Catalog.Signals.List() {
		if s.Team == d.report.Team && s.Monitor == m.ID && !s.Raised.Before(from) && s.Raised.Before(to) {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b *earshot.Signal) int { return b.Raised.Compare(a.Raised) })
	section := report.Section{Title: "Signals", Note: report.Plural(int64(len(found)), "signal", "signals"),
		Data: report.Table{Columns: []report.Column{{Name: "Raised", Kind: report.TimeColumn}, {Name: "Severity"}, {Name: "Signal"}, {Name: "State"}}}}
	var list report.Posts
	for i, s := range found {
		section.Data.Rows = append(section.Data.Rows, []any{s.Raised.In(zone), string(s.Severity), s.Title, string(s.State)})
		if i < digestSignals {
			list = append(list, report.Post{Head: report.DateTime(s.Raised.In(zone)) + " · " + string(s.Severity), Title: s.Title, Text: s.Text, Facts: string(s.State)})
		}
	}
	section.Blocks = []report.Block{list}
	if more := len(found) - digestSignals; more > 0 {
		section.Blocks = append(section.Blocks, report.Note("and "+report.Plural(int64(more), "more signal", "more signals")))
	}
	return []report.Section{section}
}

// addDashboardPart adds the part of a dashboard: its cards.
func (a *API) addDashboardPart(ctx context.Context, d digestRun, id earshot.DashboardID, c *digestContent) error {
	page, err := a.Dashboards.Find(d.caller, id)
	if err != nil {
		c.add(removedPart("Dashboard"))
		return nil
	}
	c.add(report.Section{Title: page.Name, Heading: true, Link: fmt.Sprintf("/dashboards/%d", id)})
	results := a.Cards.ShowVisitors(ctx, d.caller, page.Cards, card.Period{Start: d.days.Start, End: d.days.End}, insight.CompareCounts)
	for i, r := range results {
		if err := failure(r.Err); err != nil {
			return err
		}
		card := page.Cards[i]
		c.note(card, r.Result)
		section := digest.NewSection(card, r.Result)
		if card.Title == "" && card.Kind != earshot.TextCard {
			section.Title = cardTitle(a.Cards.Describe(card))
		}
		section.Note = joinNotes(cardScope(card, r.Result), section.Note)
		if message := a.Cards.ErrorMessage(card, r.Err); message != "" {
			section.Blocks = []report.Block{report.Note(message)}
		}
		c.add(section)
	}
	return nil
}
