package scenariotest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/mmcdole/gofeed"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/state/ledger"
)

// A mailServer is a mail server that hands on what it receives.
type mailServer struct {
	address string
	mails   chan []byte
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	m := &mailServer{mails: make(chan []byte, 10)}
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return mailSession{m}, nil }))
	s.Domain = "localhost"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.address = l.Addr().String()
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { s.Close() })
	return m
}

type mailSession struct{ *mailServer }

func (mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (mailSession) Reset()                               {}
func (mailSession) Logout() error                        { return nil }

func (s mailSession) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.mails <- data
	return err
}

// partsOf returns the parts of a mail by media type.
func partsOf(t *testing.T, header interface{ Get(string) string }, body io.Reader, parts map[string]string) map[string]string {
	t.Helper()
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		for r := multipart.NewReader(body, params["boundary"]); ; {
			p, err := r.NextRawPart()
			if err == io.EOF {
				return parts
			}
			if err != nil {
				t.Fatal(err)
			}
			partsOf(t, p.Header, p, parts)
		}
	}
	switch strings.ToLower(header.Get("Content-Transfer-Encoding")) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	parts[kind] += string(text)
	return parts
}

// TestAReportArrives sends a report through a mail server, and reads it: posts without the texts of
// restricted sources, and signals, which a feed has as well. Removing the team ends all of it.
func TestAReportArrives(t *testing.T) {
	t.Parallel()
	server := newMailServer(t)
	now := time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC)
	cfg := config.New()
	cfg.Data, cfg.RateLimit = t.TempDir(), 0
	cfg.SMTPAddress, cfg.SMTPFrom, cfg.SMTPTLS = server.address, "earshot@example.com", "none"
	w := &world{T: t, app: openApp(t, cfg, app.Options{Now: func() time.Time { return now }})}
	w.signIn()
	team := w.add("/manage/v1/teams", `{"name":"Acme"}`)
	monitor := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Coffee","team":%d,"keywords":"coffee","timezone":"UTC","start":"2026-01-01"}`, team))
	w.post(now.Add(-48*time.Hour), 3, "hushedwords")
	w.send("/manage/v1/posts", `{"type":"Blogs","guid":"b1","url":"https://example.com/b1","date":"2026-04-18T11:00:00Z","contents":"coffee openwords","author":"bob"}`, &struct{}{})
	if err := w.app.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	catalog := w.app.Digest.Catalog
	for id, raised := range map[earshot.SignalID]time.Time{1: now.Add(-50 * time.Hour), 2: now.Add(-20 * 24 * time.Hour)} {
		s := &earshot.Signal{ID: id, Team: earshot.TeamID(team), Monitor: earshot.MonitorID(monitor), Kind: earshot.UnusualKinds[0], State: earshot.ResolvedSignal, Severity: earshot.Warning,
			Title: fmt.Sprintf("Coffee: signal %d", id), Text: "More posts than expected.", Raised: raised, Updated: raised.Add(time.Hour), Resolved: raised.Add(2 * time.Hour)}
		if err := catalog.Signals.Add(t.Context(), id, s); err != nil {
			t.Fatal(err)
		}
	}
	channel := w.add("/manage/v1/channels", fmt.Sprintf(`{"name":"Board","team":%d,"kind":"email","recipients":["board@example.com"]}`, team))
	report := w.add("/manage/v1/reports", fmt.Sprintf(`{"team":%d,"name":"Weekly","monitors":[%d],"cron":"0 8 * * 1","range":"last7","pdf":true,"channels":[%d]}`, team, monitor, channel))
	w.send(fmt.Sprintf("/manage/v1/reports/%d/send", report), `{"period":""}`, &struct{}{})

	received, err := mail.ReadMessage(bytes.NewReader(<-server.mails))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(received.Header.Get("Subject"))
	if err != nil || !strings.HasPrefix(subject, "Weekly · ") || !strings.Contains(received.Header.Get("To"), "board@example.com") {
		t.Errorf("got %q to %s, %v", subject, received.Header.Get("To"), err)
	}
	parts := partsOf(t, received.Header, received.Body, map[string]string{})
	for _, text := range []string{parts["text/plain"], textOfHTML(t, parts["text/html"])} {
		for _, want := range []string{"Weekly", "openwords", "Coffee: signal 1", "More posts than expected."} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in the mail:\n%s", want, text)
			}
		}
		for _, secret := range []string{"hushedwords", "signal 2", "late"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in the mail:\n%s", secret, text)
			}
		}
	}
	if !strings.HasPrefix(parts["application/pdf"], "%PDF-") {
		t.Errorf("got file %.20q", parts["application/pdf"])
	}
	var list struct {
		Items []struct {
			LastRun *struct{ Sends []struct{ By string } }
		}
	}
	w.get("/manage/v1/reports", &list)
	if len(list.Items) != 1 || list.Items[0].LastRun == nil || len(list.Items[0].LastRun.Sends) != 1 || list.Items[0].LastRun.Sends[0].By != "admin" {
		t.Errorf("got %+v", list)
	}

	var feed struct{ Path string }
	w.send("/manage/v1/feeds", fmt.Sprintf(`{"kind":"signals","team":%d}`, team), &feed)
	fetch := func() *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		w.app.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", feed.Path, nil))
		return recorder
	}
	parsed, err := gofeed.NewParser().Parse(fetch().Body)
	if err != nil || len(parsed.Items) != 2 {
		t.Fatalf("got %+v, %v, want two entries", parsed, err)
	}
	e := parsed.Items[0]
	if e.Title != "Coffee: signal 1" || e.Content != "More posts than expected." || strings.Join(e.Categories, " ") != "warning resolved" ||
		!e.PublishedParsed.Equal(now.Add(-50*time.Hour)) || !e.UpdatedParsed.Equal(now.Add(-48*time.Hour)) || parsed.Items[1].Title != "Coffee: signal 2" {
		t.Errorf("got %+v", e)
	}

	w.remove(fmt.Sprintf("/manage/v1/monitors/%d", monitor))
	w.remove(fmt.Sprintf("/manage/v1/teams/%d", team))
	if n, m := len(catalog.Reports.List()), len(catalog.FeedLinks.List()); n+m > 0 {
		t.Errorf("%d reports and %d feeds of a removed team are left", n, m)
	}
	if code := fetch().Code; code != 404 {
		t.Errorf("the feed of a removed team: got %d, want 404", code)
	}
}

// TestRetriedMails renders a late report several times, as after failed attempts and for several
// channels: it says that it is late, and the audit of the monitor mentions it once.
func TestRetriedMails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 18)
	now := time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC)
	team := w.add("/manage/v1/teams", `{"name":"Retries"}`)
	monitor := earshot.MonitorID(w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Coffee","team":%d,"keywords":"coffee","timezone":"UTC","start":"2026-01-01"}`, team)))
	w.post(now.Add(-48*time.Hour), 3, "with milk")
	if err := w.app.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	id := earshot.ReportID(w.add("/manage/v1/reports", fmt.Sprintf(`{"team":%d,"name":"Weekly","monitors":[%d],"cron":"0 8 * * 1","timezone":"Europe/Berlin","range":"last7"}`, team, monitor)))
	due := now.Add(-6 * time.Hour)
	run := &ledger.ReportRun{Report: id, Time: due, Late: true, Written: now, Sends: []ledger.ReportSend{{Time: now, Channels: []earshot.ChannelID{1, 2}, Handed: true}}}
	if _, err := w.app.Digest.Ledger.PutRun(t.Context(), run, 0); err != nil {
		t.Fatal(err)
	}
	render := func(channel earshot.ChannelID, key string) string {
		t.Helper()
		m, err := w.app.Deliveries.Render(t.Context(), &earshot.Delivery{Team: earshot.TeamID(team), Channel: channel, Key: key,
			Message: earshot.Message{Event: "report.ready", Title: "Weekly", Report: id, Period: string(run.Period())}})
		if err != nil {
			t.Fatal(err)
		}
		return textOfHTML(t, m.HTML)
	}
	key := fmt.Sprintf("report.%d.%s", id, run.Period())
	const late = "This report is late. It was due on Apr 20, 2026, 8:00 AM, when Earshot was not running."
	for _, channel := range []earshot.ChannelID{1, 2} {
		if err := w.app.Digest.Catalog.Channels.Add(t.Context(), channel, &earshot.Channel{ID: channel, Team: earshot.TeamID(team), Kind: earshot.EmailChannel, Disabled: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if text := render(channel, key); !strings.Contains(text, late) {
				t.Errorf("%q is not in the mail:\n%s", late, text)
			}
		}
	}
	if text := render(1, key+".2"); strings.Contains(text, "late") { // somebody wanted it again
		t.Errorf("the mail says that it is late:\n%s", text)
	}
	m, ok := w.app.Digest.Catalog.FindMonitor(monitor)
	exports := 0
	for _, e := range m.Audit {
		if e.Kind == earshot.EventTwitterExport && e.User == "Scheduled report" {
			exports++
		}
	}
	if !ok || exports != 1 {
		t.Errorf("got %d exports in the audit %+v, want 1", exports, m.Audit)
	}
}
