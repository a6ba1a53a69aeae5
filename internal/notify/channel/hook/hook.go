// Package hook sends messages by HTTP: Standard Webhooks, Slack, Microsoft Teams workflows, Discord and
// ntfy. Each kind has a file with the format of its messages, their limits, and what its responses
// mean. Everything that a message contains is escaped, so that a post cannot mention people, hide a
// link or look like a part of the message.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/fetch"
	"earshot/internal/notify/channel"
)

// Timeout bounds an attempt.
const Timeout = 20 * time.Second

// maxResponse is how much of an error response is read, in bytes.
const maxResponse = 4 << 10

// Senders returns the senders of all kinds. The client must connect only to allowed addresses and must
// not follow redirects.
func Senders(client *http.Client, now func() time.Time) map[earshot.ChannelKind]channel.Sender {
	return map[earshot.ChannelKind]channel.Sender{
		earshot.WebhookChannel: &sender{client, now, webhookRequest, webhookResult},
		earshot.SlackChannel:   &sender{client, now, slackRequest, slackResult},
		earshot.TeamsChannel:   &sender{client, now, teamsRequest, teamsResult},
		earshot.DiscordChannel: &sender{client, now, discordRequest, discordResult},
		earshot.NtfyChannel:    &sender{client, now, ntfyRequest, ntfyResult},
	}
}

// A sender sends messages of one kind.
type sender struct {
	client  *http.Client
	now     func() time.Time
	request func(to channel.Address, m channel.Outgoing, now time.Time) (request, error)
	result  func(r response) channel.Result // of a response that is not a success
}

// A request is what is sent.
type request struct {
	url    string
	header http.Header
	body   []byte
}

// A response is what a receiver answers.
type response struct {
	status int
	header http.Header
	body   []byte // the beginning, unless it is a success
}

// Send implements [channel.Sender].
func (s *sender) Send(ctx context.Context, to channel.Address, m channel.Outgoing) channel.Result {
	q, err := s.request(to, m, s.now())
	if err != nil {
		return channel.Result{Outcome: channel.Rejected, Error: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	r, connected, err := s.post(ctx, q)
	if err != nil {
		return failure(err, connected)
	}
	result := channel.Result{Outcome: channel.Sent}
	if r.status < 200 || r.status > 299 {
		result = s.result(r)
	}
	result.Status = r.status
	result.Wait = max(result.Wait, retryAfter(r, s.now()))
	return result
}

// post sends a request. It reports whether there was a connection, so that the receiver may have got
// the request even if there is an error.
func (s *sender) post(ctx context.Context, q request) (r response, connected bool, err error) {
	var got atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.url, bytes.NewReader(q.body))
	if err != nil {
		return r, false, errors.New("the address is invalid")
	}
	for name, values := range q.header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Close = true // a connection that the receiver is about to close would leave open what has arrived
	resp, err := s.client.Do(req)
	if err != nil {
		return r, got.Load(), err
	}
	defer resp.Body.Close()
	r = response{status: resp.StatusCode, header: resp.Header}
	if r.status < 200 || r.status > 299 { // what a success says does not matter
		r.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	}
	return r, true, nil
}

// failure returns the result of an attempt without a response.
func failure(err error, connected bool) channel.Result {
	result := channel.Result{Outcome: channel.Refused, Error: explain(err)}
	switch {
	case errors.Is(err, fetch.ErrRefused): // for good
		result.Outcome = channel.Rejected
	case connected:
		result.Outcome = channel.Unknown
	}
	return result
}

// explain returns the text of an error without the URL, which is a secret.
func explain(err error) string {
	var address *url.Error
	if errors.As(err, &address) {
		err = address.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no response within %d seconds", int(Timeout.Seconds()))
	}
	if errors.Is(err, context.Canceled) {
		return "Earshot stopped while it was waiting for the response"
	}
	return err.Error()
}

// refused returns the result for a status that may be temporary.
func refused(r response, detail string) channel.Result {
	result := channel.Result{Outcome: channel.Refused, Error: "the receiver responded with status " + statusText(r.status)}
	switch {
	case r.status >= 300 && r.status <= 399:
		result.Error = "the receiver redirects to another address, which Earshot does not follow; enter the new address"
	case r.status == http.StatusGone:
		result.Outcome, result.Error = channel.Gone, "the receiver no longer accepts messages (status 410)"
	case detail != "":
		result.Error += ": " + detail
	}
	return result
}

// rejected is like refused for services that repeat their answer if a message is repeated.
func rejected(r response, detail string) channel.Result {
	result := refused(r, detail)
	temporary := r.status == http.StatusRequestTimeout || r.status == http.StatusTooEarly || r.status == http.StatusTooManyRequests
	if r.status >= 400 && r.status <= 499 && !temporary && result.Outcome == channel.Refused {
		result.Outcome = channel.Rejected
	}
	return result
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// retryAfter returns how long a response asks to wait.
func retryAfter(r response, now time.Time) time.Duration {
	text := r.header.Get("Retry-After")
	if r.status >= 200 && r.status <= 299 || text == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// authorize adds credentials to a header.
func authorize(h http.Header, to channel.Address) {
	switch {
	case to.Token != "":
		h.Set("Authorization", "Bearer "+to.Token)
	case to.Username != "":
		r := http.Request{Header: h}
		r.SetBasicAuth(to.Username, to.Password)
	}
}

// encode returns JSON without escaping that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// clipEscaped escapes a text and clips it to n bytes, without cutting an escape sequence in two.
func clipEscaped(text string, n int, escape func(rune) string) string {
	const ellipsis = "…"
	var b strings.Builder
	cut := 0 // length that leaves room for the ellipsis
	for _, r := range text {
		e := escape(r)
		if b.Len()+len(e) > n {
			return b.String()[:cut] + ellipsis
		}
		b.WriteString(e)
		if b.Len() <= n-len(ellipsis) {
			cut = b.Len()
		}
	}
	return b.String()
}

// plain escapes nothing but control characters, which no service needs.
func plain(r rune) string {
	if r < ' ' && r != '\n' || r == 0x7f {
		return " "
	}
	return string(r)
}
