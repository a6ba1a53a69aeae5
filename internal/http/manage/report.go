package manage

import (
	"context"
	"errors"
	"io"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/notify/digest"
	"earshot/internal/report"
)

// reportFormat has the parameters that reports have in common.
type reportFormat struct {
	Format digest.Format `query:"format"`
	Paper  paperSize     `query:"paper"`
	Method string        `request:"method"`
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

// reportClient returns the client of a report. Nil selects the default client of the team, and 0 none.
type reportClient struct {
	Client *earshot.ClientID `query:"client"`
}

type monitorReportParams struct {
	postsQuery
	reportFormat
	reportClient
}

// ResponseMemory implements [rest.Weighted].
func (p monitorReportParams) ResponseMemory() int64 {
	return max(reportMemory, p.dayParams.ResponseMemory())
}

// reportMemory is about what drawing a report takes, including its fonts.
const reportMemory = 32 << 20

// reportMonitor serves GET /manage/v1/monitors/{id}/report, for monitors and filters.
func (a *API) reportMonitor(ctx context.Context, c *earshot.Caller, p monitorReportParams) (rest.Download, error) {
	contents, err := a.Composer.Monitor(ctx, c, p.query())
	if err != nil {
		return rest.Download{}, err
	}
	m, err := a.Monitors.Find(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	if err := a.Composer.SetClient(contents, m.Team, p.Client); err != nil {
		return rest.Download{}, err
	}
	return a.recordedReport(ctx, c, contents, p.reportFormat)
}

type dashboardReportParams struct {
	dashboardPath
	cardDayParams
	reportFormat
	reportClient
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
	contents, err := a.Composer.Dashboard(ctx, c, d, p.of(d))
	if err != nil {
		return rest.Download{}, err
	}
	if err := a.Composer.SetClient(contents, d.Team, p.Client); err != nil {
		return rest.Download{}, err
	}
	return a.recordedReport(ctx, c, contents, p.reportFormat)
}

// recordedReport returns a report that the audit of its monitors mentions, unless only the headers of
// the response are sent.
func (a *API) recordedReport(ctx context.Context, c *earshot.Caller, contents *digest.Contents, f reportFormat) (rest.Download, error) {
	if f.Method != "HEAD" {
		if err := a.Composer.Record(ctx, c, contents); err != nil {
			return rest.Download{}, err
		}
	}
	return a.download(contents, f), nil
}

func (a *API) download(contents *digest.Contents, f reportFormat) rest.Download {
	return newDownload(a.Composer.File(contents, f.Format, f.Paper.Paper), f.Method)
}

// downloadText returns a response that consists of a text.
func downloadText(text []byte) func(context.Context, io.Writer) error {
	return func(_ context.Context, w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}
