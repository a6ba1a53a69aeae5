package manage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/poststore"
	"earshot/internal/report"
	"earshot/internal/workspace/postview"
)

type exportParams struct {
	postsQuery
	Format string `query:"format"` // csv (default), xlsx or ndjson
	Method string `request:"method"`
}

// An export is a file with posts of a monitor.
type export struct {
	api            *API
	caller         *earshot.Caller
	monitor        *earshot.Monitor
	categorization insight.Categorization
	days           earshot.Days
	refinement     poststore.Selection
	audited        bool // the export is in the audit log
}

// mark returns what the team of the monitor keeps about a post.
func (e *export) mark(p *earshot.Post) postview.Mark {
	return e.api.Posts.NewMark(e.api.Marks.Of(e.monitor.Team, p.Key()))
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

// A postWriter writes posts to a buffer. The method flush must be called at the end.
type postWriter interface {
	write(p *earshot.Post) error
	flush() error
}

// exportPosts serves GET /manage/v1/monitors/{id}/export.
func (a *API) exportPosts(ctx context.Context, c *earshot.Caller, p exportParams) (rest.Download, error) {
	m, days, err := p.find(a, c)
	if err != nil {
		return rest.Download{}, err
	}
	e := &export{api: a, caller: c, monitor: m, days: days}
	refinement := a.Filters.Refinement(c, m, p.Filter)
	err = a.Insight.WithCategorization(ctx, m, func(c insight.Categorization) (err error) {
		e.categorization = c
		e.refinement, err = refinement.Selection(c)
		return err
	})
	if err != nil {
		return rest.Download{}, err
	}
	return e.download(p)
}

// download returns the file in the requested format.
func (e *export) download(p exportParams) (rest.Download, error) {
	file := rest.Download{Export: true, Name: fmt.Sprintf("monitor-%d-%s-%s.", e.monitor.ID, e.days.Start, e.days.End)}
	var begin func(w *bufio.Writer) (postWriter, error)
	switch strings.ToLower(p.Format) {
	case "", "csv":
		file.Type, begin = "text/csv; charset=utf-8", e.newCSV
		file.Name += "csv"
	case "xlsx":
		file.Type, begin = report.XLSXType, e.newXLSX
		file.Name += "xlsx"
	case "ndjson":
		file.Type, begin = "application/x-ndjson", e.newJSON
		file.Name += "ndjson"
	default:
		return rest.Download{}, earshot.InvalidParameter("format", p.Format, "csv, xlsx or ndjson")
	}
	file.Write = func(ctx context.Context, w io.Writer) error {
		if p.Method == "HEAD" {
			return nil // no posts are exported
		}
		return e.write(ctx, w, begin)
	}
	return file, nil
}

// write writes all posts, or returns an error.
func (e *export) write(ctx context.Context, w io.Writer, begin func(*bufio.Writer) (postWriter, error)) error {
	out, err := begin(bufio.NewWriterSize(w, 64<<10))
	if err != nil {
		return err
	}
	for p, err := range e.api.Insight.EachPost(ctx, e.monitor, e.categorization, e.days, e.refinement) {
		if err != nil {
			return err
		}
		if err := e.audit(ctx, p); err != nil {
			return err
		}
		if err := out.write(p); err != nil {
			return err
		}
	}
	return out.flush()
}

// audit records the export in the audit log before the first microblog post is sent.
func (e *export) audit(ctx context.Context, p *earshot.Post) error {
	if e.audited || p.ContentSource != 0 || !p.Source.IsMicroblog() {
		return nil
	}
	e.audited = true
	return e.api.Monitors.RecordExport(ctx, e.caller, e.monitor)
}
