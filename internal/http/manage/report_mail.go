package manage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/digest"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/report"
	"earshot/internal/state/ledger"
)

// maxAttachments bounds the files of a mail: many mail servers refuse more.
const maxAttachments = 15 << 20

// RenderReport returns the message of a delivery of a scheduled report: a whole mail for e-mail
// channels, and the key figures for others.
func (a *API) RenderReport(ctx context.Context, d *earshot.Delivery) (earshot.Message, error) {
	message := d.Message
	r, ok := a.Digest.Catalog.Reports.Find(message.Report)
	if !ok || r.Team != d.Team {
		return message, earshot.Errorf(earshot.NotFound, "The report was removed")
	}
	at, ok := ledger.Period(message.Period).Time()
	if !ok {
		return message, earshot.Errorf(earshot.Invalid, "Invalid period '%s'", earshot.Clip(message.Period, 50))
	}
	run := newDigestRun(r, at, false)
	switch found, err := a.Digest.FindRun(ctx, r.ID, ledger.Period(message.Period)); {
	case err == nil:
		run.late = found.Late && !isAgain(d.Key, found)
	case !earshot.IsKind(err, earshot.NotFound): // an old run is no longer listed
		return message, err
	}
	content, err := a.digestContent(ctx, run)
	if err != nil {
		return message, err
	}
	message.Title = r.Name + " · " + report.DateRange(run.days)
	message.Path = digest.ReportsPath
	if parts := content.document.Sections; len(parts) > 0 && parts[0].Link != "" {
		message.Path = parts[0].Link
	}
	if message.Data, err = json.Marshal(a.newDigestData(run, content)); err != nil {
		return message, err
	}
	ch, ok := a.Digest.Catalog.Channels.Find(d.Channel)
	if !ok || ch.Kind != earshot.EmailChannel {
		message.Text, message.Facts = strings.Join(content.document.Subtitle, "\n"), content.facts
		return message, nil
	}
	return a.mailMessage(ctx, message, run, content)
}

// isAgain reports whether a delivery is one that a person requested after the first.
func isAgain(key string, run *ledger.ReportRun) bool {
	return strings.Count(key, ".") > 2 || len(run.Sends) > 0 && run.Sends[0].By != ""
}

// mailMessage completes the message of an e-mail.
func (a *API) mailMessage(ctx context.Context, message earshot.Message, run digestRun, content *digestContent) (earshot.Message, error) {
	files, err := a.digestFiles(ctx, run, content.document)
	if err != nil {
		return message, err
	}
	files = fittingFiles(files, content.document)
	mail, err := content.document.Mail(ctx, a.mailOptions(content))
	if err != nil {
		return message, err
	}
	if err := a.recordMail(ctx, run, content); err != nil {
		return message, err
	}
	message.Text, message.HTML, message.Facts = mail.Text, mail.HTML, nil
	message.Attachments = append(message.Attachments, files...)
	for i, image := range mail.Images {
		message.Attachments = append(message.Attachments, earshot.Attachment{Name: fmt.Sprintf("chart-%d.png", i+1), Type: "image/png", ContentID: image.ID, Data: image.PNG})
	}
	return message, nil
}

// fittingFiles returns the files of a mail, or none if they are too large together. The report then says
// so.
func fittingFiles(files []earshot.Attachment, doc *report.Document) []earshot.Attachment {
	size := 0
	for _, f := range files {
		size += len(f.Data)
	}
	if size <= maxAttachments {
		return files
	}
	doc.Subtitle = append(doc.Subtitle, "The attached files would be too large for a mail. Download them in Earshot, on the page of the report.")
	return nil
}

// mailOptions returns how a report becomes a mail. The preheader has the key figures.
func (a *API) mailOptions(content *digestContent) report.MailOptions {
	facts := jsonvalue.Map(content.facts, func(f earshot.Fact) string { return f.Name + ": " + f.Value })
	return report.MailOptions{Fonts: a.Fonts, Base: a.PublicURL, Manage: digest.ReportsPath, Preheader: strings.Join(facts[:min(len(facts), 5)], " · ")}
}

// digestFiles returns the files that come with a report.
func (a *API) digestFiles(ctx context.Context, run digestRun, doc *report.Document) ([]earshot.Attachment, error) {
	var files []earshot.Attachment
	for _, f := range []struct {
		wanted bool
		format fileFormat
	}{{run.report.PDF, pdfFile}, {run.report.XLSX, xlsxFile}} {
		if !f.wanted {
			continue
		}
		file := a.digestFile(run, doc, f.format)
		out := &boundedBuffer{left: 2 * maxAttachments}
		if err := file.Write(ctx, out); err != nil && !errors.Is(err, errTooLarge) {
			return nil, err
		}
		files = append(files, earshot.Attachment{Name: file.Name, Type: file.Type, Data: out.Bytes()})
	}
	return files, nil
}

// digestFile returns a report as a file.
func (a *API) digestFile(run digestRun, doc *report.Document, format fileFormat) rest.Download {
	return a.download(doc, reportFormat{Format: format}, run.report.Name, run.days.Start.String(), run.days.End.AddDays(-1).String())
}

var errTooLarge = errors.New("too large")

// A boundedBuffer is a buffer that does not exceed a size.
type boundedBuffer struct {
	bytes.Buffer
	left int
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errTooLarge
	}
	return b.Buffer.Write(p)
}

// digestData is what webhooks receive of a report.
type digestData struct {
	Report earshot.ReportID `json:"report"`
	Name   string           `json:"name"`
	Period string           `json:"period"`
	Start  earshot.Date     `json:"start"`
	End    earshot.Date     `json:"end"` // exclusive
	Late   bool             `json:"late"`
	Facts  []digestFact     `json:"facts"`
}

type digestFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (a *API) newDigestData(run digestRun, content *digestContent) digestData {
	return digestData{
		Report: run.report.ID, Name: run.report.Name, Period: string(ledger.PeriodOf(run.time)), Start: run.days.Start, End: run.days.End, Late: run.late,
		Facts: jsonvalue.Map(content.facts, func(f earshot.Fact) digestFact { return digestFact(f) }),
	}
}

// A previewFormat is a format of a preview. Empty means HTML.
type previewFormat string

const htmlFile previewFormat = "html"

// UnmarshalText implements [encoding.TextUnmarshaler].
func (f *previewFormat) UnmarshalText(text []byte) error {
	if *f = previewFormat(strings.ToLower(string(text))); slices.Contains([]previewFormat{"", htmlFile, previewFormat(pdfFile), previewFormat(xlsxFile)}, *f) {
		return nil
	}
	return errors.New("html, pdf or xlsx")
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
	run := newDigestRun(r, at, false)
	if p.Method == "HEAD" {
		return rest.Download{Type: "text/html; charset=utf-8", Policy: previewPolicy, Write: func(context.Context, io.Writer) error { return nil }}, nil
	}
	content, err := a.digestContent(ctx, run)
	if err != nil {
		return rest.Download{}, err
	}
	if p.Format != "" && p.Format != htmlFile {
		if err := a.recordFile(ctx, c, run, content); err != nil {
			return rest.Download{}, err
		}
		return a.digestFile(run, content.document, fileFormat(p.Format)), nil
	}
	options := a.mailOptions(content)
	options.Inline = true
	mail, err := content.document.Mail(ctx, options)
	if err != nil {
		return rest.Download{}, err
	}
	return rest.Download{Type: "text/html; charset=utf-8", Policy: previewPolicy, Write: func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, mail.HTML)
		return err
	}}, nil
}
