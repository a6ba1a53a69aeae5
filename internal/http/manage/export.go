package manage

import (
	"context"
	"io"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/report"
)

// exportPosts serves GET /manage/v1/monitors/{id}/export.
func (a *API) exportPosts(ctx context.Context, c *earshot.Caller, p struct {
	postsQuery
	Format string `query:"format"` // csv (default), xlsx or ndjson
	Method string `request:"method"`
}) (rest.Download, error) {
	m, days, err := p.find(a, c)
	if err != nil {
		return rest.Download{}, err
	}
	file, err := a.Exports.Posts(ctx, c, m, days, a.Filters.Refinement(c, m, p.Filter), p.Format)
	return newExport(file, p.Method), err
}

// exportCorrections serves GET /manage/v1/monitors/{id}/corrections/export.
func (a *API) exportCorrections(ctx context.Context, c *earshot.Caller, p struct {
	monitorPath
	Format string `query:"format"` // csv (default) or jsonl
	Method string `request:"method"`
}) (rest.Download, error) {
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	file, err := a.Exports.Corrected(ctx, c, m, p.Format)
	return newExport(file, p.Method), err
}

// newExport returns a file of posts as a response.
func newExport(file report.File, method string) rest.Download {
	d := newDownload(file, method)
	d.Export = true
	return d
}

// newDownload returns a file as a response. HEAD requests do not write it.
func newDownload(file report.File, method string) rest.Download {
	return rest.Download{Type: file.Type, Name: file.Name, Write: func(ctx context.Context, w io.Writer) error {
		if method == "HEAD" {
			return nil
		}
		return file.Write(ctx, w)
	}}
}
