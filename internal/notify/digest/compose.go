package digest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/state/catalog"
	"earshot/internal/state/ledger"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/incident"
	"earshot/internal/workspace/postview"
)

// A Composer turns cards into reports, mails and feeds. It is safe for concurrent use.
type Composer struct {
	Catalog   *catalog.Catalog
	Ledger    *ledger.Ledger
	Monitors  Monitors
	Cards     *card.Service
	Incidents *incident.Service
	Fonts     *report.Fonts
	PublicURL string // of the web app, for links, without a slash at the end
	Now       func() time.Time
	Log       *slog.Logger

	exports sync.Mutex // held while recordMail runs
}

// Monitors finds monitors and keeps their audit.
type Monitors interface {
	// Find returns a monitor, or a filter presented as one, if c may see it.
	Find(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error)

	// RecordExport records in the audit of m that c has exported microblog posts of it.
	RecordExport(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error
}

// Contents are the contents of a report before they become a file or a mail.
type Contents struct {
	document   *report.Document
	reader     *earshot.Caller
	fileName   []string            // parts of the name of a file
	facts      []earshot.Fact      // the number of posts of each monitor of a scheduled report
	summaries  []string            // of each monitor of a scheduled report
	microblogs []earshot.MonitorID // monitors of which it contains microblog posts
}

// newContents returns contents without sections, as a reader sees them. The zone is that of all times.
func (s *Composer) newContents(reader *earshot.Caller, title string, zone *time.Location) *Contents {
	now := s.Now().In(zone)
	return &Contents{reader: reader, document: &report.Document{
		Title: title, Created: now, Footer: title + " · Earshot, created " + format.DateTime(now),
	}}
}

// zone returns the name of the time zone of the report.
func (c *Contents) zone() string { return c.document.Created.Location().String() }

func (c *Contents) add(sections ...report.Section) {
	c.document.Sections = append(c.document.Sections, sections...)
}

// note notes which microblog posts a card contains.
func (c *Contents) note(of earshot.Card, posts *card.PostsResponse) {
	if hasMicroblogs(posts) && !slices.Contains(c.microblogs, of.Monitor) {
		c.microblogs = append(c.microblogs, of.Monitor)
	}
}

func hasMicroblogs(posts *card.PostsResponse) bool {
	return posts != nil && slices.ContainsFunc(posts.Items, func(p *postview.HighlightedPost) bool { return p.Type.IsMicroblog() })
}

// Record records in the audit of monitors that by receives microblog posts of them, like an export.
func (s *Composer) Record(ctx context.Context, by *earshot.Caller, c *Contents) error {
	for _, id := range c.microblogs {
		if err := s.record(ctx, by, c.reader, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Composer) record(ctx context.Context, by, reader *earshot.Caller, id earshot.MonitorID) error {
	m, err := s.Monitors.Find(reader, id)
	if err != nil {
		return err
	}
	return s.Monitors.RecordExport(ctx, by, m)
}

// monitorCards are the cards of the report of a monitor.
var monitorCards = []earshot.CardKind{
	earshot.FiguresCard, earshot.VolumeCard, earshot.SentimentCard, earshot.EmotionsCard, earshot.TopicsCard, earshot.HashtagsCard,
	earshot.SourcesCard, earshot.LanguagesCard, earshot.PlacesCard, earshot.AuthorsCard, earshot.ClockCard, earshot.PostsCard,
}

// cardsOf returns cards of some kinds about the same posts.
func cardsOf(kinds []earshot.CardKind, monitor earshot.MonitorID, filter string) []earshot.Card {
	return jsonvalue.Map(kinds, func(kind earshot.CardKind) earshot.Card {
		return earshot.Card{Kind: kind, Title: titleOf(kind, "engagement"), Monitor: monitor, Filter: filter, Sort: "engagement"}
	})
}

// Monitor composes the report of a monitor or filter for a caller.
func (s *Composer) Monitor(ctx context.Context, c *earshot.Caller, q card.Query) (*Contents, error) {
	m, days, err := s.Cards.Find(c, q)
	if err != nil {
		return nil, err
	}
	out := s.newContents(c, m.Name, m.Location())
	results := s.Cards.Insight.ResultDays(m, days)
	out.document.Subtitle, out.document.Dates = monitorSubtitle(m, results, q.Filter), datesOf(results)
	cards := cardsOf(monitorCards, m.ID, q.Filter)
	if _, err := s.addSummary(ctx, out, incident.Query{Caller: c, Monitor: m, Days: days, Filter: q.Filter}); err != nil {
		return nil, err
	}
	for i, r := range s.Cards.ShowAll(ctx, c, cards, q.Period, card.InReport) {
		if r.Err != nil {
			return nil, r.Err
		}
		out.note(cards[i], r.Posts)
		out.add(newSection(cards[i], r.Result, sectionPosts))
	}
	out.fileName = []string{m.Name, days.Start.String()}
	if last := days.End.AddDays(-1); last != days.Start {
		out.fileName = append(out.fileName, last.String())
	}
	out.fileName = append(out.fileName, q.Filter)
	return out, nil
}

// monitorSubtitle says what a report of a monitor counts.
func monitorSubtitle(m *earshot.Monitor, days earshot.Days, filter string) []string {
	lines := []string{datesOf(days) + " · all times in " + m.Timezone}
	if filter != "" {
		lines = append(lines, "Filter: "+filter)
	}
	return lines
}

func datesOf(days earshot.Days) string {
	if days.Len() <= 0 {
		return "No results for these dates"
	}
	return format.DateRange(days)
}

// Dashboard composes the report of a dashboard for a caller. days applies to cards without days of their
// own.
func (s *Composer) Dashboard(ctx context.Context, c *earshot.Caller, d *earshot.Dashboard, days card.Period) (*Contents, error) {
	out := s.newContents(c, d.Name, s.zoneOf(d.Cards))
	today := earshot.DateOf(out.document.Created)
	shown, err := days.DaysUntil(today.AddDays(1), today)
	if err != nil {
		return nil, err
	}
	out.document.Dates = datesOf(shown)
	if err := s.addPageSummary(ctx, out, d.Cards, shown, false); err != nil {
		return nil, err
	}
	return s.page(ctx, out, d.Cards, s.Cards.ShowAll(ctx, c, d.Cards, days, card.InReport))
}

// Page composes the report of a page that c shares with people without an account. It does not name
// monitors and filters that the page does not show.
func (s *Composer) Page(ctx context.Context, c *earshot.Caller, title string, cards []earshot.Card, days card.Period) (*Contents, error) {
	results := s.Cards.ShowVisitors(ctx, c, cards, days, card.InReport)
	hidden := jsonvalue.Map(cards, func(of earshot.Card) earshot.Card {
		if of.Title == "" && of.Kind != earshot.TextCard {
			of.Title = cardTitle(s.Cards.DescribeToVisitors(c, of))
		}
		of.Monitor, of.Filter, of.Rows = 0, "", nil
		return of
	})
	return s.page(ctx, s.newContents(c, title, s.zoneOf(cards)), hidden, results)
}

func (s *Composer) page(ctx context.Context, out *Contents, cards []earshot.Card, results []card.Outcome) (*Contents, error) {
	out.document.Subtitle = []string{joinNotes(out.document.Dates, "all times in "+out.zone())}
	out.fileName = []string{out.document.Title, earshot.DateOf(out.document.Created).String()}
	for i, r := range results {
		s.addCard(out, cards[i], r)
	}
	return out, ctx.Err()
}

// zoneOf returns the time zone of the first card about a monitor.
func (s *Composer) zoneOf(cards []earshot.Card) *time.Location {
	for _, of := range cards {
		ids := []earshot.MonitorID{of.Monitor}
		for _, row := range of.Rows {
			ids = append(ids, row.Monitor)
		}
		for _, id := range ids {
			if m, ok := s.Catalog.FindMonitor(id); ok {
				return m.Location()
			}
		}
	}
	return time.UTC
}

// addCard adds a card with its own monitor, filter and days.
func (s *Composer) addCard(out *Contents, of earshot.Card, r card.Outcome) {
	out.note(of, r.Posts)
	section := s.section(of, r, sectionPosts)
	if of.Title == "" && of.Kind != earshot.TextCard {
		section.Title = cardTitle(s.Cards.Describe(of))
	}
	zone := ""
	if o := r.Overview; o != nil && o.Monitor.Timezone != out.zone() {
		zone = "times in " + o.Monitor.Timezone
	}
	section.Note = joinNotes(cardScope(of, r.Result), zone, section.Note)
	out.add(section)
}

// section returns the section of a card, which says so if there is no result.
func (s *Composer) section(of earshot.Card, r card.Outcome, printed int) report.Section {
	section := newSection(of, r.Result, printed)
	if message := s.Cards.ErrorMessage(of, r.Err); message != "" {
		section.Blocks = []report.Block{report.Note(message)}
	}
	return section
}

// cardTitle returns the title of a card that has none of its own.
func cardTitle(c card.Shown) string {
	title, name := titleOf(c.Kind, c.Sort), c.MonitorName
	if c.FilterName != "" {
		name += ": " + c.FilterName
	}
	if name == "" {
		return title
	}
	return title + " · " + name
}

// cardScope says which posts a card counts: its days and filter.
func cardScope(of earshot.Card, data card.Result) string {
	var days earshot.Days
	switch {
	case data.Overview != nil:
		days = earshot.Days{Start: data.Overview.Start, End: data.Overview.End}
	case data.Topics != nil:
		days = earshot.Days{Start: data.Topics.Start, End: data.Topics.End}
	case data.Posts != nil:
		days = earshot.Days{Start: data.Posts.Start, End: data.Posts.End}
	}
	scope := ""
	if days.Len() > 0 {
		scope = format.DateRange(days)
	}
	if of.Filter != "" {
		scope = joinNotes(scope, "Filter: "+of.Filter)
	}
	return scope
}

func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), " · ")
}

// A Format is a format of files. Empty means PDF.
type Format string

const (
	PDF  Format = "pdf"
	XLSX Format = "xlsx"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *Format) UnmarshalText(text []byte) error {
	if *f = Format(strings.ToLower(string(text))); slices.Contains([]Format{"", PDF, XLSX}, *f) {
		return nil
	}
	return errors.New("pdf or xlsx")
}

// File returns a report as a file. The paper applies to PDF files; the zero value means A4.
func (s *Composer) File(c *Contents, format Format, paper report.Paper) report.File {
	doc := c.document
	doc.Paper = paper
	if format == XLSX {
		return report.File{Name: report.FileName("xlsx", c.fileName...), Type: report.XLSXType, Write: doc.WriteXLSX}
	}
	return report.File{
		Name: report.FileName("pdf", c.fileName...), Type: "application/pdf",
		Write: func(ctx context.Context, w io.Writer) error { return doc.WritePDF(ctx, w, s.Fonts) },
	}
}
