package email

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"earshot"
	"earshot/internal/notify/channel"
)

// A fakeServer is a mail server that keeps what it receives.
type fakeServer struct {
	address string
	config  *tls.Config // of clients

	mu       sync.Mutex
	messages []received
	refuse   map[string]*smtp.SMTPError // by recipient
	data     func(io.Reader) error      // nil: accepts
}

type received struct {
	from string
	to   []string
	data []byte
	user string
	tls  bool
}

func newServer(t *testing.T, mode TLS) *fakeServer {
	t.Helper()
	f := &fakeServer{refuse: map[string]*smtp.SMTPError{}}
	certificate, pool := newCertificate(t)
	f.config = &tls.Config{RootCAs: pool}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{server: f, conn: c}, nil }))
	s.Domain, s.AllowInsecureAuth = "localhost", false
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	switch mode {
	case StartTLS:
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	case Implicit:
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate}})
	}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { s.Close() })
	return f
}

func newCertificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

type session struct {
	server *fakeServer
	conn   *smtp.Conn
	received
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != "earshot" || password != "hunter2222" {
			return smtp.ErrAuthFailed
		}
		s.user = username
		return nil
	}), nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from, s.to = from, nil
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if err := s.server.refuse[to]; err != nil {
		return err
	}
	s.to = append(s.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	if s.server.data != nil {
		return s.server.data(r)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.data = data
	_, s.tls = s.conn.TLSConnectionState()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.messages = append(s.server.messages, s.received)
	return nil
}

func (f *fakeServer) sender(mode TLS) *Server {
	return &Server{Address: f.address, From: "Earshot <earshot@example.com>", TLS: mode, Config: f.config}
}

func (f *fakeServer) all() []received {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.messages
}

func example() channel.Outgoing {
	return channel.Outgoing{
		ID: "msg_2", First: "msg_1", Channel: "Alerts", Link: "https://earshot.example/signals/7", Manage: "https://earshot.example/signals/channels",
		Message: earshot.Message{
			Event: "signal.fired", Severity: earshot.Critical, Title: "Kaffee: überall <Feuer>\r\nBcc: evil@example.com", Text: "96 posts & more.\nReally.",
			Facts: []earshot.Fact{{Name: "Posts", Value: "96"}},
			Posts: []earshot.MessagePost{{Author: "ann", Source: "Twitter", Text: "<script>alert(1)</script>", URL: "javascript:alert(1)"}},
		},
	}
}

var recipients = []string{"ann@example.com", "bob@example.com"}

func TestModes(t *testing.T) {
	for _, mode := range []TLS{StartTLS, Implicit, None} {
		f := newServer(t, mode)
		s := f.sender(mode)
		if mode != None {
			s.Username, s.Password = "earshot", "hunter2222"
		}
		if got := s.Send(t.Context(), channel.Address{Recipients: recipients}, example()); !reflect.DeepEqual(got, channel.Result{Outcome: channel.Sent}) {
			t.Errorf("%s: got %+v", mode, got)
		}
		all := f.all()
		if len(all) != 1 || all[0].from != "earshot@example.com" || strings.Join(all[0].to, " ") != strings.Join(recipients, " ") || all[0].user != s.Username || all[0].tls != (mode == StartTLS) && mode != Implicit {
			t.Errorf("%s: got %+v", mode, all)
		}
	}
}

func TestMessage(t *testing.T) {
	f := newServer(t, None)
	m := example()
	m.Attachments = []earshot.Attachment{
		{Name: "../../a\"b\r\n.pdf", Type: "application/pdf", Data: []byte("%PDF")},
		{Name: "chart.png", Type: "image/png", ContentID: "chart1", Data: []byte("PNG")},
	}
	if got := f.sender(None).Send(t.Context(), channel.Address{Recipients: recipients}, m); got.Outcome != channel.Sent {
		t.Fatalf("got %+v", got)
	}
	e, err := mail.ReadMessage(bytes.NewReader(f.all()[0].data))
	if err != nil {
		t.Fatal(err)
	}
	header := func(name, want string) {
		t.Helper()
		got, err := new(mime.WordDecoder).DecodeHeader(e.Header.Get(name))
		if err != nil || got != want {
			t.Errorf("%s: got %q %v, want %q", name, got, err, want)
		}
	}
	header("Subject", "[critical] Kaffee: überall <Feuer> Bcc: evil@example.com")
	header("Bcc", "")
	header("Message-ID", "<msg_2@example.com>")
	header("In-Reply-To", "<msg_1@example.com>")
	header("References", "<msg_1@example.com>")
	header("Auto-Submitted", "auto-generated")
	header("List-Unsubscribe", "<https://earshot.example/signals/channels>")
	header("From", `"Earshot" <earshot@example.com>`)
	header("To", "<ann@example.com>, <bob@example.com>")

	parts := map[string]string{}
	names := readParts(t, e.Header.Get("Content-Type"), e.Header.Get("Content-Transfer-Encoding"), e.Body, parts)
	if text := parts["text/plain"]; !strings.Contains(text, "96 posts & more.") || !strings.Contains(text, "Posts: 96") || !strings.Contains(text, "https://earshot.example/signals/7") || !strings.Contains(text, "Change or remove it: https://earshot.example/signals/channels") {
		t.Errorf("got text %q", text)
	}
	html := parts["text/html"]
	if strings.Contains(html, "<script>") || strings.Contains(html, `href="javascript:`) || !strings.Contains(html, "&lt;script&gt;") || !strings.Contains(html, "96 posts &amp; more.") {
		t.Errorf("got HTML %s", html)
	}
	if parts["application/pdf"] != "%PDF" || parts["image/png"] != "PNG" {
		t.Errorf("got parts %v", parts)
	}
	if strings.Join(names, " ") != "chart.png .._.._a_b .pdf" {
		t.Errorf("got names %q", names)
	}
	if !bytes.Contains(f.all()[0].data, []byte("Content-Id: <chart1>")) {
		t.Errorf("got %s, want an inline image", f.all()[0].data)
	}
}

// readParts reads the parts of a message, also within each other, and returns the names of files.
func readParts(t *testing.T, contentType, encoding string, body io.Reader, parts map[string]string) (names []string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kind, "multipart/") {
		data, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		switch encoding {
		case "base64":
			decoded, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(bytes.ReplaceAll(data, []byte("\r\n"), nil))))
			if err != nil {
				t.Fatal(err)
			}
			data = decoded
		case "quoted-printable":
			if data, err = io.ReadAll(quotedprintable.NewReader(bytes.NewReader(data))); err != nil {
				t.Fatal(err)
			}
		}
		parts[kind] = string(data)
		return nil
	}
	r := multipart.NewReader(body, params["boundary"])
	for {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition")); err == nil {
			names = append(names, params["filename"])
		}
		names = append(names, readParts(t, p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p, parts)...)
	}
}

// TestMessageWithoutChannel sends a message to one person. It names no channel.
func TestMessageWithoutChannel(t *testing.T) {
	f := newServer(t, None)
	m := example()
	m.Channel, m.Manage = "", ""
	if got := f.sender(None).Send(t.Context(), channel.Address{Recipients: recipients[:1]}, m); got.Outcome != channel.Sent {
		t.Fatalf("got %+v", got)
	}
	if data := f.all()[0].data; bytes.Contains(data, []byte("sent this to the channel")) || bytes.Contains(data, []byte("List-Unsubscribe")) {
		t.Errorf("the message names a channel: %s", data)
	}
}

func TestReportIsSentAsRendered(t *testing.T) {
	f := newServer(t, None)
	m := channel.Outgoing{ID: "msg_3", Message: earshot.Message{Title: "Weekly", Text: "Key figures", HTML: "<h1>Weekly</h1>"}}
	if got := f.sender(None).Send(t.Context(), channel.Address{Recipients: recipients[:1]}, m); got.Outcome != channel.Sent {
		t.Fatalf("got %+v", got)
	}
	if data := f.all()[0].data; !bytes.Contains(data, []byte("<h1>Weekly</h1>")) || bytes.Contains(data, []byte("In-Reply-To")) || bytes.Contains(data, []byte("List-Unsubscribe")) {
		t.Errorf("got %s", data)
	}
}

// Where an attempt fails decides whether the message may have arrived.
func TestFailures(t *testing.T) {
	check := func(name string, got channel.Result, want channel.Outcome, wantError string) {
		t.Helper()
		if got.Outcome != want || !strings.Contains(got.Error, wantError) || strings.Contains(got.Error, "hunter") {
			t.Errorf("%s: got %+v, want outcome %d and error %q", name, got, want, wantError)
		}
	}
	send := func(s *Server) channel.Result {
		return s.Send(t.Context(), channel.Address{Recipients: recipients}, example())
	}
	f := newServer(t, StartTLS)
	s := f.sender(StartTLS)
	s.Username, s.Password = "earshot", "hunter3333"
	check("wrong password", send(s), channel.Refused, "535")
	s = f.sender(StartTLS)
	s.Config = nil
	check("unknown certificate", send(s), channel.Refused, "certificate")
	check("no TLS offered", send(newServer(t, None).sender(StartTLS)), channel.Refused, "STARTTLS")

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	check("connection refused", send(&Server{Address: closed, From: "a@example.com", TLS: None}), channel.Refused, "connection refused")

	f = newServer(t, None)
	no, later := &smtp.SMTPError{Code: 550, Message: "no such user"}, &smtp.SMTPError{Code: 451, Message: "greylisted"}
	f.refuse = map[string]*smtp.SMTPError{"bob@example.com": no}
	check("one recipient refused", send(f.sender(None)), channel.Sent, "sent to the other recipients, but the mail server refuses bob@example.com (550")
	if got := f.all(); len(got) != 1 || strings.Join(got[0].to, " ") != "ann@example.com" {
		t.Errorf("got %+v, want the message for ann", got)
	}
	if got := send(f.sender(None)); len(got.Deferred) > 0 {
		t.Errorf("got %v to try again, want nobody", got.Deferred)
	}
	f = newServer(t, None)
	f.refuse = map[string]*smtp.SMTPError{"ann@example.com": no, "bob@example.com": no}
	check("all recipients refused", send(f.sender(None)), channel.Rejected, "no such user")
	f = newServer(t, None)
	f.refuse = map[string]*smtp.SMTPError{"ann@example.com": no, "bob@example.com": later}
	check("one recipient later", send(f.sender(None)), channel.Refused, "greylisted")
	f = newServer(t, None)
	f.refuse = map[string]*smtp.SMTPError{"bob@example.com": later}
	result := send(f.sender(None))
	check("the other recipient later", result, channel.Sent, "sent to the other recipients, but the mail server refuses bob@example.com (451")
	if !slices.Equal(result.Deferred, []string{"bob@example.com"}) {
		t.Errorf("got %v to try again, want bob", result.Deferred)
	}

	f = newServer(t, None)
	f.data = func(r io.Reader) error {
		_, _ = io.Copy(io.Discard, r)
		return &smtp.SMTPError{Code: 554, Message: "looks like spam"}
	}
	check("rejected", send(f.sender(None)), channel.Rejected, "looks like spam")
	f = newServer(t, None)
	f.data = func(r io.Reader) error {
		_, _ = io.Copy(io.Discard, r)
		return &smtp.SMTPError{Code: 452, Message: "disk full"}
	}
	check("refused for now", send(f.sender(None)), channel.Refused, "disk full")

	f = newServer(t, None)
	got := make(chan struct{})
	end := make(chan struct{})
	defer close(end)
	f.data = func(r io.Reader) error {
		_, _ = io.Copy(io.Discard, r)
		close(got)
		<-end
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-got
		cancel()
	}()
	check("no confirmation", f.sender(None).Send(ctx, channel.Address{Recipients: recipients}, example()), channel.Unknown, "did not confirm")
}

// FuzzHeaders checks that no text of a message becomes a header.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"a\r\nBcc: x@example.com", "ü", "\u2028", "a\nb", "=?utf-8?q?a?=", strings.Repeat("x ", 500)} {
		f.Add(seed)
	}
	s := &Server{From: "earshot@example.com"}
	f.Fuzz(func(t *testing.T, text string) {
		m := channel.Outgoing{ID: "msg_1", Channel: text, Message: earshot.Message{Title: text, Text: text, Attachments: []earshot.Attachment{{Name: text, Type: "text/plain"}}}}
		e, err := s.message(recipients, m)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if _, err := e.WriteTo(&b); err != nil {
			return
		}
		read, err := mail.ReadMessage(&b)
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		for name := range read.Header {
			switch name {
			case "Subject", "Date", "Message-Id", "From", "To", "Mime-Version", "Content-Type", "Auto-Submitted", "X-Auto-Response-Suppress", "Content-Transfer-Encoding":
			default:
				t.Errorf("got header %s from %q", name, text)
			}
		}
	})
}
