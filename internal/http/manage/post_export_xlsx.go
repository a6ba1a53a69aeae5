package manage

import (
	"bufio"
	"strings"
	"time"

	"earshot"
	"earshot/internal/notify/digest"
	"earshot/internal/poststore"
	"earshot/internal/report"
	"earshot/internal/workspace/postview"
)

// An xlsxWriter writes posts as an Excel workbook with the columns of a CSV export. Dates are in the
// monitor's time zone.
type xlsxWriter struct {
	export *export
	zone   *time.Location
	render *postview.Renderer
	out    *bufio.Writer
	book   *report.Workbook
}

func (e *export) newXLSX(w *bufio.Writer) (postWriter, error) {
	x := &xlsxWriter{export: e, zone: e.monitor.Location(), out: w, book: report.NewWorkbook(w),
		render: e.api.Posts.NewRenderer(postview.Options{Monitor: e.monitor, Categorization: e.categorization})}
	columns := make([]report.Column, len(csvColumns))
	for i, name := range csvColumns {
		columns[i].Name = name
		switch name {
		case "date":
			columns[i].Kind = report.TimeColumn
		case "likes", "shares", "comments", "authorFollowers":
			columns[i].Kind = report.NumberColumn
		}
	}
	return x, x.book.Sheet("Posts", columns)
}

func (x *xlsxWriter) write(p *earshot.Post) error {
	category, emotion := x.render.Assigned(p) // before Redact removes the text
	mark := x.export.mark(p)
	x.export.api.Posts.Redact(p)
	var date any
	if !p.Time.IsZero() { // redacted
		date = p.Time.In(x.zone)
	}
	return x.book.Row(
		date, string(p.Source), p.Author, p.AuthorUsername, p.Title, p.Contents, p.URL, p.Language, p.Place.Country, p.Place.State, p.Place.City,
		string(p.Gender), poststore.AgeGroup(p).String(), category, emotion, digest.CountCell(p.Likes), digest.CountCell(p.Shares), digest.CountCell(p.Comments),
		digest.CountCell(p.Followers), strings.Join(p.Hashtags, " "), p.GUID,
		formatYes(mark.Starred), strings.Join(mark.Tags, ", "), assigneeName(mark), strings.Join(noteTexts(mark), "\n"),
	)
}

func (x *xlsxWriter) flush() error {
	if err := x.book.Close(); err != nil {
		return err
	}
	return x.out.Flush()
}
