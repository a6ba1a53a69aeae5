package digest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/state/ledger"
)

// maxAttachments bounds the files of a mail: many mail servers refuse more.
const maxAttachments = 15 << 20

// Render returns the message of a delivery of a scheduled report: a whole mail for email channels, and
// the key figures for others.
func (s *Composer) Render(ctx context.Context, d *earshot.Delivery) (earshot.Message, error) {
	message := d.Message
	r, ok := s.Catalog.Reports.Find(message.Report)
	if !ok || r.Team != d.Team {
		return message, earshot.Errorf(earshot.NotFound, "The report was removed")
	}
	at, ok := ledger.Period(message.Period).Time()
	if !ok {
		return message, earshot.Errorf(earshot.Invalid, "Invalid period '%s'", earshot.Clip(message.Period, 50))
	}
	run := newEdition(r, at, false)
	switch found, _, err := s.Ledger.FindRun(ctx, r.ID, ledger.Period(message.Period)); {
	case err == nil:
		run.late = found.Late && !isAgain(d.Key, found)
	case !errors.Is(err, ledger.ErrNotFound): // an old run is no longer listed
		return message, err
	}
	content, err := s.edition(ctx, run)
	if err != nil {
		return message, err
	}
	message.Title = r.Name + " · " + format.DateRange(run.days)
	message.Path = reportsPath
	if parts := content.document.Sections; len(parts) > 0 && parts[0].Link != "" {
		message.Path = parts[0].Link
	}
	if message.Data, err = json.Marshal(newDigestData(run, content)); err != nil {
		return message, err
	}
	ch, ok := s.Catalog.Channels.Find(d.Channel)
	if !ok || ch.Kind != earshot.EmailChannel {
		message.Text, message.Facts = strings.Join(append(content.document.Subtitle, content.summaries...), "\n"), content.facts
		return message, nil
	}
	return s.mailMessage(ctx, message, run, content)
}

// isAgain reports whether a person requested a delivery after the first one.
func isAgain(key string, run *ledger.ReportRun) bool {
	return strings.Count(key, ".") > 2 || len(run.Sends) > 0 && run.Sends[0].By != ""
}

// mailMessage completes the message of an email.
func (s *Composer) mailMessage(ctx context.Context, message earshot.Message, run edition, content *Contents) (earshot.Message, error) {
	files, err := s.files(ctx, run.report, content)
	if err != nil {
		return message, err
	}
	files = fittingFiles(files, content.document)
	mail, err := content.document.Mail(ctx, s.mailOptions(content))
	if err != nil {
		return message, err
	}
	if err := s.recordMail(ctx, run, content); err != nil {
		return message, err
	}
	message.Text, message.HTML, message.Facts = mail.Text, mail.HTML, nil
	message.Attachments = append(message.Attachments, files...)
	for i, image := range mail.Images {
		message.Attachments = append(message.Attachments, earshot.Attachment{Name: fmt.Sprintf("chart-%d.png", i+1), Type: "image/png", ContentID: image.ID, Data: image.PNG})
	}
	return message, nil
}

// recordMail records in the audit of monitors that a mail contains microblog posts of them. A run is
// delivered to several channels, and a delivery may need several attempts, but the audit of a monitor
// mentions it once.
func (s *Composer) recordMail(ctx context.Context, d edition, content *Contents) error {
	if len(content.microblogs) == 0 {
		return nil
	}
	by := earshot.TeamCaller(d.report.Team)
	by.Name = "Scheduled report"
	s.exports.Lock()
	defer s.exports.Unlock()
	period := ledger.PeriodOf(d.time)
	run, revision, err := s.Ledger.FindRun(ctx, d.report.ID, period)
	if errors.Is(err, ledger.ErrNotFound) {
		run, err = &ledger.ReportRun{}, nil // nothing remembers it
	}
	if err != nil {
		return err
	}
	recorded := run.Exported
	for _, m := range content.microblogs {
		if slices.Contains(recorded, m) {
			continue
		}
		if err := s.record(ctx, by, content.reader, m); err != nil {
			return err
		}
		recorded = append(recorded, m)
	}
	for range maxTries {
		if revision == 0 || len(run.Exported) == len(recorded) {
			return nil
		}
		run.Exported, run.Written = recorded, s.Now().UTC().Truncate(time.Second)
		if _, err = s.Ledger.PutRun(ctx, run, revision); !errors.Is(err, ledger.ErrConflict) {
			return err
		}
		if run, revision, err = s.Ledger.FindRun(ctx, d.report.ID, period); err != nil {
			return err
		}
	}
	return err
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

// mailOptions returns the options for the mail of a report. The preheader has the key figures.
func (s *Composer) mailOptions(content *Contents) report.MailOptions {
	facts := jsonvalue.Map(content.facts, func(f earshot.Fact) string { return f.Name + ": " + f.Value })
	return report.MailOptions{Fonts: s.Fonts, Base: s.PublicURL, Manage: reportsPath, Preheader: strings.Join(facts[:min(len(facts), 5)], " · ")}
}

// HTML returns a report as a page that looks like its mail.
func (s *Composer) HTML(ctx context.Context, content *Contents) (string, error) {
	options := s.mailOptions(content)
	options.Inline = true
	mail, err := content.document.Mail(ctx, options)
	if err != nil {
		return "", err
	}
	return mail.HTML, nil
}

func (s *Composer) files(ctx context.Context, r *earshot.ScheduledReport, content *Contents) ([]earshot.Attachment, error) {
	var files []earshot.Attachment
	for _, f := range []struct {
		wanted bool
		format Format
	}{{r.PDF, PDF}, {r.XLSX, XLSX}} {
		if !f.wanted {
			continue
		}
		file := s.File(content, f.format, report.Paper{})
		out := &boundedBuffer{left: 2 * maxAttachments}
		if err := file.Write(ctx, out); err != nil && !errors.Is(err, errTooLarge) {
			return nil, err
		}
		files = append(files, earshot.Attachment{Name: file.Name, Type: file.Type, Data: out.Bytes()})
	}
	return files, nil
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

// digestData is the part of a report that webhooks receive.
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

func newDigestData(run edition, content *Contents) digestData {
	return digestData{
		Report: run.report.ID, Name: run.report.Name, Period: string(ledger.PeriodOf(run.time)), Start: run.days.Start, End: run.days.End, Late: run.late,
		Facts: jsonvalue.Map(content.facts, func(f earshot.Fact) digestFact { return digestFact(f) }),
	}
}
