// Package email sends messages by SMTP. A message has a text part, an HTML part, and the attachments and
// inline images of a report.
//
// It speaks SMTP step by step, because the step at which an attempt fails decides whether the message
// may have arrived: only after its last byte was sent, and before the server has confirmed it.
package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"earshot/internal/notify/channel"
)

// timeout bounds an attempt. Servers check the contents of a message before they confirm it.
const timeout = 45 * time.Second

// A Server is where messages are sent from. It implements [channel.Sender].
type Server struct {
	Address  string // host:port
	Username string // empty: without authentication
	Password string
	From     string      // address, or name and address
	TLS      TLS         //
	Config   *tls.Config // nil: the certificate must be valid for the host
}

// A TLS is how a connection is encrypted.
type TLS string

const (
	StartTLS TLS = "starttls" // required
	Implicit TLS = "tls"
	None     TLS = "none"
)

// Send implements [channel.Sender].
func (s *Server) Send(ctx context.Context, to channel.Address, m channel.Outgoing) channel.Result {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	message, err := s.message(to.Recipients, m)
	if err != nil {
		return channel.Result{Outcome: channel.Rejected, Error: "the message could not be written: " + err.Error()}
	}
	c, err := s.dial(ctx)
	if err != nil {
		return channel.Result{Outcome: channel.Refused, Error: s.explain("connect to the mail server", err)}
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Text.Close() })() // c.Close waits for the current command
	result := s.deliver(c, to.Recipients, message)
	if result.Outcome == channel.Sent {
		_ = c.Quit() // the message is delivered
	}
	return result
}

// deliver sends a message on a connection.
func (s *Server) deliver(c *smtp.Client, recipients []string, message *gomail.Msg) channel.Result {
	fail := func(outcome channel.Outcome, doing string, err error) channel.Result {
		return channel.Result{Outcome: outcome, Error: s.explain(doing, err)}
	}
	from, err := message.GetSender(false)
	if err != nil {
		return fail(channel.Rejected, "read the sender", err)
	}
	if err := c.Mail(from); err != nil {
		return fail(channel.Refused, "the mail server refuses the sender", err)
	}
	var refusals, left []string
	accepted, temporary := 0, false
	for _, r := range recipients {
		err := c.Rcpt("<" + r + ">")
		if err == nil {
			accepted++
			continue
		}
		var answer *textproto.Error
		if !errors.As(err, &answer) { // the connection is broken
			return fail(channel.Refused, "name the recipients", err)
		}
		temporary = temporary || answer.Code < 500
		left = append(left, r)
		refusals = append(refusals, fmt.Sprintf("%s (%d %s)", r, answer.Code, channel.Line(answer.Msg)))
	}
	refused := "the mail server refuses " + strings.Join(refusals, ", ")
	if accepted == 0 {
		if temporary {
			return channel.Result{Outcome: channel.Refused, Error: refused}
		}
		return channel.Result{Outcome: channel.Rejected, Error: refused}
	}
	w, err := c.Data()
	if err != nil {
		return fail(channel.Refused, "the mail server refuses the message", err)
	}
	if _, err := message.WriteTo(w); err != nil { // without its end, the server does not accept it
		return fail(channel.Refused, "send the message", err)
	}
	if err := w.Close(); err != nil {
		var answer *textproto.Error
		switch {
		case !errors.As(err, &answer):
			return fail(channel.Unknown, "the mail server did not confirm the message", err)
		case answer.Code >= 500:
			return fail(channel.Rejected, "the mail server rejects the message", err)
		}
		return fail(channel.Refused, "the mail server refuses the message for now", err)
	}
	if len(refusals) > 0 {
		result := channel.Result{Outcome: channel.Sent, Error: "sent to the other recipients, but " + refused}
		if temporary { // those refused for good stay, so that the last error names them too
			result.Deferred = left
		}
		return result
	}
	return channel.Result{Outcome: channel.Sent}
}

// dial connects to the server, encrypts the connection and authenticates.
func (s *Server) dial(ctx context.Context) (*smtp.Client, error) {
	host, portText, err := net.SplitHostPort(s.Address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, err
	}
	config := s.Config.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	config.ServerName, config.MinVersion = host, tls.VersionTLS12
	options := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(timeout), gomail.WithTLSConfig(config)}
	if domain := s.domain(); domain != "" {
		options = append(options, gomail.WithHELO(domain))
	}
	switch s.TLS {
	case Implicit:
		options = append(options, gomail.WithSSL())
	case None:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.Username != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.Username), gomail.WithPassword(s.Password))
	}
	c, err := gomail.NewClient(host, options...)
	if err != nil {
		return nil, err
	}
	return c.DialToSMTPClientWithContext(ctx)
}

// domain returns the domain of the sender, which is also that of message IDs.
func (s *Server) domain() string {
	from, err := mail.ParseAddress(s.From)
	if err != nil {
		return ""
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	return domain
}

// explain returns what failed, without the password.
func (s *Server) explain(doing string, err error) string {
	text := err.Error()
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		text = fmt.Sprintf("no response within %d seconds", int(timeout.Seconds()))
	}
	if s.Password != "" {
		text = strings.ReplaceAll(text, s.Password, "…")
	}
	return doing + ": " + channel.Line(text)
}
