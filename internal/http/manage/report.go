package manage

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/card"
	"earshot/internal/digest"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/postview"
	"earshot/internal/report"
)

// reportFormat has the parameters that reports have in common.
type reportFormat struct {
	Format fileFormat `query:"format"`
	Paper  paperSize  `query:"paper"`
	Method string     `request:"method"`
}

// A fileFormat is a format of reports. Empty means PDF.
type fileFormat string

const (
	pdfFile  fileFormat = "pdf"
	xlsxFile fileFormat = "xlsx"
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *fileFormat) UnmarshalText(text []byte) error {
	if *f = fileFormat(strings.ToLower(string(text))); slices.Contains([]fileFormat{"", pdfFile, xlsxFile}, *f) {
		return nil
	}
	return errors.New("pdf or xlsx")
}

// A paperSize is the size of the pages of a PDF file. The zero value means A4.
type paperSize struct{ report.Paper }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *paperSize) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "", "a4":
		s.Paper = report.A4
	case "letter":
		s.Paper = report.Letter
	default:
		return errors.New("a4 or letter")
	}
	return nil
}

type monitorReportParams struct {
	postsQuery
	reportFormat
}

// ResponseMemory implements [rest.Weighted].
func (p monitorReportParams) ResponseMemory() int64 {
	return max(reportMemory, p.dayParams.ResponseMemory())
}

// reportMemory is about what drawing a report takes, including its fonts.
const reportMemory = 32 << 20

// monitorCards are the cards of the report of a monitor.
var monitorCards = []earshot.CardKind{
	earshot.FiguresCard, earshot.VolumeCard, earshot.SentimentCard, earshot.EmotionsCard, earshot.TopicsCard, earshot.HashtagsCard,
	earshot.SourcesCard, earshot.LanguagesCard, earshot.PlacesCard, earshot.AuthorsCard, earshot.ClockCard, earshot.PostsCard,
}

// reportMonitor serves GET /manage/v1/monitors/{id}/report, for monitors and filters.
func (a *API) reportMonitor(ctx context.Context, c *earshot.Caller, p monitorReportParams) (rest.Download, error) {
	m, days, err := p.find(a, c)
	if err != nil {
		return rest.Download{}, err
	}
	cards := make([]earshot.Card, len(monitorCards))
	for i, kind := range monitorCards {
		cards[i] = earshot.Card{Kind: kind, Title: digest.TitleOf(kind, "engagement"), Monitor: m.ID, Filter: p.Filter, Sort: "engagement"}
	}
	doc := a.newDocument(m.Name, p.reportFormat)
	doc.Subtitle = monitorSubtitle(m, a.Insight.ResultDays(m, days), p.Filter)
	results := a.Cards.ShowAll(ctx, c, cards, p.period(), insight.CompareCounts)
	for i, r := range results {
		if r.Err != nil {
			return rest.Download{}, r.Err
		}
		doc.Sections = append(doc.Sections, digest.NewSection(cards[i], r.Result))
	}
	if err := a.recordReport(ctx, c, p.reportFormat, cards, results); err != nil {
		return rest.Download{}, err
	}
	name := []string{m.Name, days.Start.String()}
	if last := days.End.AddDays(-1); last != days.Start {
		name = append(name, last.String())
	}
	return a.download(doc, p.reportFormat, append(name, p.Filter)...), nil
}

type dashboardReportParams struct {
	dashboardPath
	cardDayParams
	reportFormat
}

// ResponseMemory implements [rest.Weighted].
func (p dashboardReportParams) ResponseMemory() int64 {
	return max(reportMemory, p.cardDayParams.ResponseMemory())
}

// reportDashboard serves GET /manage/v1/dashboards/{id}/report.
func (a *API) reportDashboard(ctx context.Context, c *earshot.Caller, p dashboardReportParams) (rest.Download, error) {
	d, err := a.Dashboards.Find(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	results := a.Cards.ShowAll(ctx, c, d.Cards, p.of(d), insight.CompareCounts)
	if err := a.recordReport(ctx, c, p.reportFormat, d.Cards, results); err != nil {
		return rest.Download{}, err
	}
	return a.cardsReport(ctx, d.Name, d.Cards, results, p.reportFormat)
}

// cardsReport returns a report of cards with their data, each with its own monitor, filter and days.
func (a *API) cardsReport(ctx context.Context, title string, cards []earshot.Card, results []card.Outcome, f reportFormat) (rest.Download, error) {
	if err := ctx.Err(); err != nil {
		return rest.Download{}, err
	}
	doc := a.newDocument(title, f)
	for i, r := range results {
		shown := a.Cards.Describe(cards[i])
		section := digest.NewSection(cards[i], r.Result)
		if cards[i].Title == "" && cards[i].Kind != earshot.TextCard {
			section.Title = cardTitle(shown)
		}
		section.Note = joinNotes(cardScope(cards[i], r.Result), section.Note)
		if message := a.Cards.ErrorMessage(cards[i], r.Err); message != "" {
			section.Blocks = []report.Block{report.Note(message)}
		}
		doc.Sections = append(doc.Sections, section)
	}
	return a.download(doc, f, title, earshot.DateOf(doc.Created).String()), nil
}

// cardTitle returns the title of a card that has none of its own.
func cardTitle(c card.Shown) string {
	title, name := digest.TitleOf(c.Kind, c.Sort), c.MonitorName
	if c.FilterName != "" {
		name += ": " + c.FilterName
	}
	if name == "" {
		return title
	}
	return title + " · " + name
}

// cardScope says which posts a card counts: its days and filter.
func cardScope(card earshot.Card, data card.Result) string {
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
		scope = report.DateRange(days)
	}
	if card.Filter != "" {
		scope = joinNotes(scope, "Filter: "+card.Filter)
	}
	return scope
}

func joinNotes(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(note string) bool { return note == "" }), " · ")
}

// recordReport records in the audit of monitors that a report contains microblog posts of them, like
// an export, before they are sent.
func (a *API) recordReport(ctx context.Context, c *earshot.Caller, f reportFormat, cards []earshot.Card, results []card.Outcome) error {
	var recorded []earshot.MonitorID
	for i, r := range results {
		if f.Method == "HEAD" || !hasMicroblogs(r.Posts) || slices.Contains(recorded, cards[i].Monitor) {
			continue
		}
		m, err := a.Monitors.Find(c, cards[i].Monitor)
		if err != nil {
			return err
		}
		if err := a.Monitors.RecordExport(ctx, c, m); err != nil {
			return err
		}
		recorded = append(recorded, m.ID)
	}
	return nil
}

// hasMicroblogs reports whether a list contains microblog posts.
func hasMicroblogs(posts *card.PostsResponse) bool {
	return posts != nil && slices.ContainsFunc(posts.Items, func(p *postview.HighlightedPost) bool { return p.Type.IsMicroblog() })
}

// monitorSubtitle says what a report of a monitor counts.
func monitorSubtitle(m *earshot.Monitor, days earshot.Days, filter string) []string {
	dates := "No results for these dates"
	if days.Len() > 0 {
		dates = report.DateRange(days)
	}
	lines := []string{dates + " · all times in " + m.Timezone}
	if filter != "" {
		lines = append(lines, "Filter: "+filter)
	}
	return lines
}

// newDocument returns a report without sections.
func (a *API) newDocument(title string, f reportFormat) *report.Document {
	now := a.Now().UTC()
	return &report.Document{Title: title, Created: now, Footer: title + " · Earshot, created " + report.DateTime(now) + " UTC", Paper: f.Paper.Paper}
}

// download returns a document as a file, whose name consists of the given parts.
func (a *API) download(doc *report.Document, f reportFormat, name ...string) rest.Download {
	file := rest.Download{Type: "application/pdf", Name: report.FileName("pdf", name...)}
	write := func(ctx context.Context, w io.Writer) error { return doc.WritePDF(ctx, w, a.Fonts) }
	if f.Format == xlsxFile {
		file = rest.Download{Type: report.XLSXType, Name: report.FileName("xlsx", name...)}
		write = doc.WriteXLSX
	}
	file.Write = func(ctx context.Context, w io.Writer) error {
		if f.Method == "HEAD" {
			return nil
		}
		return write(ctx, w)
	}
	return file
}
