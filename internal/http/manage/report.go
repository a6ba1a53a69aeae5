package manage

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/http/postview"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
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
	shown, err := a.showOverview(ctx, c, overviewParams{p.postsQuery, monitorParts()})
	if err != nil {
		return rest.Download{}, err
	}
	doc := a.newDocument(m.Name, p.Paper.Paper)
	doc.Subtitle = append(doc.Subtitle, monitorSubtitle(m, a.Insight.ResultDays(m, days), p.Filter)...)
	microblogs := false
	for i, kind := range monitorCards {
		card := earshot.Card{ID: int64(i + 1), Kind: kind, Monitor: m.ID, Filter: p.Filter, Sort: "engagement"}
		data := cardData{Overview: &shown}
		if _, counted := cardParts[kind]; !counted {
			if data, err = a.cardData(ctx, c, card, p.dayParams); err != nil {
				return rest.Download{}, err
			}
		}
		microblogs = microblogs || hasMicroblogs(data.Posts)
		doc.Sections = append(doc.Sections, newSection(card, data))
	}
	name := []string{m.Name, days.Start.String()}
	if last := days.End.AddDays(-1); last != days.Start {
		name = append(name, last.String())
	}
	file := a.download(doc, p.reportFormat, append(name, p.Filter)...)
	if microblogs && p.Method != "HEAD" { // recorded before it is sent, like an export
		return file, a.Monitors.RecordExport(ctx, c, m)
	}
	return file, nil
}

// hasMicroblogs reports whether a list contains microblog posts.
func hasMicroblogs(posts *postsResponse) bool {
	return posts != nil && slices.ContainsFunc(posts.Items, func(p *postview.HighlightedPost) bool { return p.Type.IsMicroblog() })
}

// monitorParts are the parts of the overview that the cards of a monitor's report show.
func monitorParts() (all parts) {
	for _, part := range insight.Parts {
		if slices.ContainsFunc(monitorCards, func(kind earshot.CardKind) bool { return slices.Contains(cardParts[kind], part) }) {
			all = append(all, part)
		}
	}
	return all
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
func (a *API) newDocument(title string, paper report.Paper) *report.Document {
	now := a.Now().UTC()
	return &report.Document{Title: title, Created: now, Footer: title + " · Earshot, created " + report.DateTime(now) + " UTC", Paper: paper}
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

// cardsReport returns a report of cards, each with its own monitor, filter and days. days applies to
// cards without days of their own. A card whose monitor is gone says so.
func (a *API) cardsReport(ctx context.Context, c *earshot.Caller, title string, cards []earshot.Card, days dayParams, f reportFormat) (rest.Download, error) {
	doc := a.newDocument(title, f.Paper.Paper)
	doc.Subtitle = []string{"Created on " + report.Day(earshot.DateOf(a.Now().UTC()))}
	for _, card := range cards {
		data, err := a.cardData(ctx, c, card, days)
		if earshot.IsKind(err, earshot.NotFound) {
			doc.Sections = append(doc.Sections, report.Section{Title: card.Title, Blocks: []report.Block{report.Note("This monitor was removed.")}})
			continue
		}
		if err != nil {
			return rest.Download{}, err
		}
		section := newSection(card, data)
		if from := a.cardScope(c, card, data); from != "" {
			section.Note = strings.Trim(from+" · "+section.Note, "· ")
		}
		doc.Sections = append(doc.Sections, section)
	}
	return a.download(doc, f, title, earshot.DateOf(a.Now().UTC()).String()), nil
}

// cardScope says which posts a card counts: its monitor, days and filter.
func (a *API) cardScope(c *earshot.Caller, card earshot.Card, data cardData) string {
	var words []string
	if m, err := a.Monitors.Find(c, card.Monitor); err == nil {
		words = append(words, m.Name)
	}
	var days earshot.Days
	switch {
	case data.Overview != nil:
		days = earshot.Days{Start: data.Overview.Start, End: data.Overview.End}
	case data.Topics != nil:
		days = earshot.Days{Start: data.Topics.Start, End: data.Topics.End}
	case data.Posts != nil:
		days = earshot.Days{Start: data.Posts.Start, End: data.Posts.End}
	}
	if days.Len() > 0 {
		words = append(words, report.DateRange(days))
	}
	if card.Filter != "" {
		words = append(words, "filter: "+card.Filter)
	}
	return strings.Join(words, " · ")
}
