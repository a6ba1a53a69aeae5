// Package export writes files for people and programs: the posts of a monitor as CSV, Excel workbook or
// lines of JSON, and its corrected posts as examples for training a model.
//
// A file is written while its posts are read, so its length does not matter. The audit log of the
// monitor mentions a file that contains microblog posts.
package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"earshot"
	"earshot/internal/ingest/item/record"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
	"earshot/internal/report"
	"earshot/internal/workspace/postview"
)

// A Service writes files. It is safe for concurrent use.
type Service struct {
	Insight     *insight.Service
	Views       *postview.Service
	Monitors    Monitors
	Corrections Corrections
}

// Monitors keeps the audit of monitors.
type Monitors interface {
	// RecordExport records in the audit log of m that c exported microblog posts of it.
	RecordExport(ctx context.Context, c *earshot.Caller, m *earshot.Monitor) error
}

// Content types of files.
const (
	csvType  = "text/csv; charset=utf-8"
	jsonType = "application/x-ndjson"
)

// Posts returns a file with the selected posts of a monitor. The format is csv, xlsx or ndjson; empty
// means csv.
func (s *Service) Posts(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, days earshot.Days, r *filter.Refinement, format string) (report.File, error) {
	e := &postExport{audit: audit{service: s, caller: c, monitor: m}, days: days}
	err := s.Insight.WithCategorization(ctx, m, func(c insight.Categorization) (err error) {
		e.categorization = c
		e.refinement, err = r.Selection(c)
		return err
	})
	if err != nil {
		return report.File{}, err
	}
	file := report.File{Name: fmt.Sprintf("monitor-%d-%s-%s.", m.ID, days.Start, days.End)}
	extension := strings.ToLower(cmp.Or(format, "csv"))
	switch extension {
	case "csv":
		file.Type, file.Write = csvType, e.writeTable(newCSV)
	case "xlsx":
		file.Type, file.Write = report.XLSXType, e.writeTable(newWorkbook)
	case "ndjson":
		file.Type, file.Write = jsonType, e.writeJSON
	default:
		return report.File{}, earshot.InvalidParameter("format", format, "csv, xlsx or ndjson")
	}
	file.Name += extension
	return file, nil
}

// An audit mentions a file in the audit log before the first microblog post is written to it.
type audit struct {
	service  *Service
	caller   *earshot.Caller
	monitor  *earshot.Monitor
	recorded bool
}

// record is called with every post before it is written.
func (a *audit) record(ctx context.Context, p *earshot.Post) error {
	if a.recorded || p.ContentSource != 0 || !p.Source.IsMicroblog() {
		return nil
	}
	a.recorded = true
	return a.service.Monitors.RecordExport(ctx, a.caller, a.monitor)
}

// A postExport is a file with posts of a monitor.
type postExport struct {
	audit
	categorization insight.Categorization
	days           earshot.Days
	refinement     poststore.Selection
	render         *postview.Renderer // for tables
}

// each calls write with all posts. It may keep and change them.
func (e *postExport) each(ctx context.Context, write func(*earshot.Post) error) error {
	for p, err := range e.service.Insight.EachPost(ctx, e.monitor, e.categorization, e.days, e.refinement) {
		if err != nil {
			return err
		}
		if err := e.record(ctx, p); err != nil {
			return err
		}
		if err := write(p); err != nil {
			return err
		}
	}
	return nil
}

// writeTable returns a function that writes the posts as a table.
func (e *postExport) writeTable(begin func(io.Writer, []report.Column) (table, error)) func(context.Context, io.Writer) error {
	return func(ctx context.Context, w io.Writer) error {
		e.render = e.service.Views.NewRenderer(postview.Options{Monitor: e.monitor, Categorization: e.categorization})
		out := bufio.NewWriterSize(w, bufferSize)
		t, err := begin(out, columns)
		if err != nil {
			return err
		}
		if err := e.each(ctx, func(p *earshot.Post) error { return t.Row(e.cells(p)...) }); err != nil {
			return err
		}
		if err := t.Close(); err != nil {
			return err
		}
		return out.Flush()
	}
}

const bufferSize = 64 << 10

// writeJSON writes the posts as lines of JSON in the format of imports.
func (e *postExport) writeJSON(ctx context.Context, w io.Writer) error {
	out, zone := bufio.NewWriterSize(w, bufferSize), e.monitor.Location()
	var buf []byte
	err := e.each(ctx, func(p *earshot.Post) (err error) {
		mark := e.mark(p)
		e.service.Views.Redact(p)
		line := record.NewLine(p, zone)
		line.Starred, line.Tags, line.Assignee, line.Notes = mark.Starred, mark.Tags, assigneeName(mark), noteTexts(mark)
		if buf, err = line.Append(buf[:0]); err == nil {
			_, err = out.Write(buf)
		}
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// mark returns what the team of the monitor keeps about a post.
func (e *postExport) mark(p *earshot.Post) postview.Mark {
	return e.service.Views.NewMark(e.service.Views.Marks.Of(e.monitor.Team, p.Key()))
}

// assigneeName returns the username of the colleague that a post is assigned to, or "".
func assigneeName(m postview.Mark) string {
	if m.Assignee == nil {
		return ""
	}
	return m.Assignee.Username
}

// noteTexts returns the notes on a post, each with its writer: "ann: A customer since 2019".
func noteTexts(m postview.Mark) []string {
	return jsonvalue.Map(m.Notes, func(n postview.Note) string { return n.By + ": " + n.Text })
}
