package manage

import (
	"context"
	"errors"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/digest"
	"earshot/internal/state/ledger"
)

// listReportRuns serves GET /manage/v1/reports/{id}/runs. The newest run is first. All of them fit on a
// page.
func (a *API) listReportRuns(ctx context.Context, c *earshot.Caller, p reportPath) (page[digest.RunInfo], error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return page[digest.RunInfo]{}, err
	}
	runs, err := a.Digest.Runs(ctx, c, p.ID)
	return page[digest.RunInfo]{Items: jsonvalue.Map(runs, func(run *ledger.ReportRun) digest.RunInfo { return a.Digest.DescribeRun(r, run) })}, err
}

// sendReport serves POST /manage/v1/reports/{id}/send: sends the report of a period again, or the report of
// now.
func (a *API) sendReport(ctx context.Context, c *earshot.Caller, p struct {
	reportPath
	Body struct {
		Period string `json:"period"` // of a run; empty: now
	} `body:"json"`
}) (digest.RunInfo, error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return digest.RunInfo{}, err
	}
	run, err := a.Digest.Send(ctx, c, p.ID, ledger.Period(p.Body.Period))
	if err != nil {
		return digest.RunInfo{}, err
	}
	return a.Digest.DescribeRun(r, run), nil
}

// A previewFormat is a format of a preview. Empty means HTML.
type previewFormat string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *previewFormat) UnmarshalText(text []byte) error {
	var file digest.Format
	switch err := file.UnmarshalText(text); {
	case err == nil:
		*f = previewFormat(file)
	case strings.EqualFold(string(text), "html"):
		*f = ""
	default:
		return errors.New("html, pdf or xlsx")
	}
	return nil
}

type reportPreviewParams struct {
	reportPath
	Format previewFormat `query:"format"`
	Period string        `query:"period"` // of a run; empty: now
	Method string        `request:"method"`
}

// ResponseMemory implements [rest.Weighted].
func (p reportPreviewParams) ResponseMemory() int64 { return reportMemory }

// previewPolicy lets the web app show a mail in a frame, and the mail show its own pictures. It cannot
// run scripts, send forms, or load anything.
const previewPolicy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

// previewReport serves GET /manage/v1/reports/{id}/preview: what would be sent now, or was sent for a
// period.
func (a *API) previewReport(ctx context.Context, c *earshot.Caller, p reportPreviewParams) (rest.Download, error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	at := a.Now().Truncate(time.Minute)
	if p.Period != "" {
		var ok bool
		if at, ok = ledger.Period(p.Period).Time(); !ok {
			return rest.Download{}, earshot.InvalidParameter("period", p.Period, "the period of a run, such as 2026-11-16T0700Z")
		}
	}
	page := rest.Download{Type: "text/html; charset=utf-8", Policy: previewPolicy, Write: downloadText(nil)}
	if p.Method == "HEAD" {
		return page, nil
	}
	contents, err := a.Composer.Scheduled(ctx, r, at)
	if err != nil {
		return rest.Download{}, err
	}
	if p.Format != "" {
		return a.recordedReport(ctx, c, contents, reportFormat{Format: digest.Format(p.Format)})
	}
	html, err := a.Composer.HTML(ctx, contents)
	page.Write = downloadText([]byte(html))
	return page, err
}
