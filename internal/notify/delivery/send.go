package delivery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/state/kv"
)

const (
	// sendTimeout bounds an attempt. Senders have shorter limits of their own.
	sendTimeout = time.Minute
	// renderTimeout bounds the rendering of a report.
	renderTimeout = 5 * time.Minute
	// stopTimeout is how long an attempt may continue after the service begins to stop.
	stopTimeout = 5 * time.Second
	// staleAfter is when a delivery in the state sending was certainly given up by its process.
	staleAfter = 2 * time.Minute

	maxError = 500 // characters
)

// retryWaits is how long to wait after each failed attempt, as Standard Webhooks suggests; 76 hours in
// total. The attempt after the last wait is final.
var retryWaits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// recognizes reports whether the receivers of a kind of channel recognize a message that they have
// already received.
func recognizes(kind earshot.ChannelKind) bool { return kind == earshot.WebhookChannel }

// errTaken means that another process sends a delivery, or that it no longer waits.
var errTaken = errors.New("not waiting")

// errInternal hides the details of a panic from people.
var errInternal = errors.New("internal error; see the log for details")

// attempt makes one attempt to send a delivery that waits, and returns its new record. If it no longer
// waits, or its channel was disabled, the error is errTaken.
func (s *Service) attempt(ctx context.Context, ch *earshot.Channel, d *earshot.Delivery) (*earshot.Delivery, channel.Result, error) {
	message, renderErr := s.render(ctx, d) // takes long, and sends nothing yet
	if ctx.Err() != nil {
		return d, channel.Result{}, ctx.Err()
	}
	ch, ok := s.Catalog.Channels.Find(ch.ID) // may have changed in the meantime
	if !ok || !ch.Disabled.IsZero() {
		return d, channel.Result{}, errTaken // what waits is removed or fails next
	}
	var out channel.Outgoing
	if renderErr == nil {
		out, renderErr = s.outgoing(ch, d, message)
	}
	d, err := s.Catalog.Deliveries.Update(ctx, d.ID, func(d *earshot.Delivery) error {
		if d.State != earshot.DeliveryWaiting {
			return errTaken
		}
		d.State, d.Began, d.Error, d.Status = earshot.DeliverySending, s.now(), "", 0
		d.Attempts++
		return nil
	})
	if err != nil {
		return nil, channel.Result{}, err
	}
	result := channel.Result{Outcome: channel.Refused}
	if renderErr != nil {
		result.Error = earshot.Clip(renderErr.Error(), maxError)
		if slices.ContainsFunc(lastingErrors, func(k earshot.Kind) bool { return earshot.IsKind(renderErr, k) }) {
			result.Outcome = channel.Rejected
		}
	} else {
		result = s.send(ctx, ch, d, out)
	}
	d, err = s.finish(ctx, ch, d, result, false)
	return d, result, err
}

// lastingErrors are the errors of rendering a report that another attempt does not repair: the report,
// or all that it is about, was removed.
var lastingErrors = []earshot.Kind{earshot.NotFound, earshot.Unprocessable, earshot.Forbidden, earshot.Invalid}

// render returns the message of a delivery, with the contents of its report.
func (s *Service) render(ctx context.Context, d *earshot.Delivery) (m earshot.Message, err error) {
	if d.Message.Report == 0 || s.Render == nil {
		return d.Message, nil
	}
	ctx, cancel := context.WithTimeout(ctx, renderTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic while rendering a report", "delivery", d.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	m, err = s.Render(ctx, d)
	if err != nil {
		return m, fmt.Errorf("the report could not be rendered: %w", err)
	}
	return m, nil
}

// send sends a message once. Its result has no secrets.
func (s *Service) send(ctx context.Context, ch *earshot.Channel, d *earshot.Delivery, m channel.Outgoing) (result channel.Result) {
	sender := s.Senders[ch.Kind]
	if sender == nil {
		return channel.Result{Outcome: channel.Refused, Error: s.Unavailable(ch.Kind)}
	}
	of, err := s.open(ch)
	if err != nil {
		return channel.Result{Outcome: channel.Rejected, Error: err.Error()}
	}
	to := of.address(ch, s.now())
	if len(d.Recipients) > 0 {
		to.Recipients = slices.DeleteFunc(slices.Clone(d.Recipients), func(r string) bool { return !slices.Contains(ch.Recipients, r) })
		if len(to.Recipients) == 0 { // all others have it
			return channel.Result{Outcome: channel.Sent}
		}
	}
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopTimeout, cancel) })()
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic while sending a message", "channel", ch.ID, "panic", of.redact(fmt.Sprint(p)), "stack", of.redact(string(debug.Stack())))
			result = channel.Result{Outcome: channel.Unknown, Error: errInternal.Error()}
		}
	}()
	result = sender.Send(sending, to, m)
	result.Error = earshot.Clip(strings.ToValidUTF8(of.redact(result.Error), "�"), maxError)
	return result
}

// address returns where a channel sends to at a time.
func (of secrets) address(ch *earshot.Channel, now time.Time) channel.Address {
	to := channel.Address{URL: of.URL, Token: of.Token, Username: of.Username, Password: of.Password, Recipients: ch.Recipients}
	for _, k := range of.Keys {
		if k.Until.IsZero() || now.Before(k.Until) {
			to.Keys = append(to.Keys, k.Key)
		}
	}
	return to
}

// outgoing returns a message for a sender, with the text of the channel's template.
func (s *Service) outgoing(ch *earshot.Channel, d *earshot.Delivery, m earshot.Message) (out channel.Outgoing, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic while rendering a message", "channel", ch.ID, "delivery", d.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	out = channel.Outgoing{ID: messageID(d.ID), Time: d.Created, Channel: ch.Name, Message: m}
	if s.PublicURL != "" {
		out.Manage = s.PublicURL + "/signals/channels"
		if strings.HasPrefix(m.Path, "/") {
			out.Link = s.PublicURL + m.Path
		}
	}
	if m.Thread != "" {
		for _, other := range s.deliveriesOf(ch.ID) {
			if other.Message.Thread == m.Thread {
				out.First = messageID(other.ID)
				break
			}
		}
	}
	if ch.Template != "" {
		if out.Text, err = renderTemplate(ch.Template, newTemplateData(out)); err != nil { // e.g. too long: the standard text is better than none
			s.Log.Warn("a template failed; the standard text is sent instead", "channel", ch.ID, "error", err)
			out.Text = ""
		}
	}
	return out, nil
}

func messageID(id earshot.DeliveryID) string { return fmt.Sprintf("msg_%d", id) }

func newTemplateData(out channel.Outgoing) templateData {
	data := templateData{
		Event: out.Event, Severity: string(out.Severity), Title: out.Title, Text: out.Message.Text, Link: out.Link, Channel: out.Channel, Facts: out.Facts,
	}
	for _, p := range out.Posts {
		data.Posts = append(data.Posts, templatePost{p.Author, p.Text, p.Source, p.URL, p.Time})
	}
	return data
}

// finish writes what happened to an attempt. If final is set, there are no more attempts.
func (s *Service) finish(ctx context.Context, ch *earshot.Channel, d *earshot.Delivery, result channel.Result, final bool) (*earshot.Delivery, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second) // must be written even if the service stops
	defer cancel()
	attempt := d
	d, err := s.Catalog.Deliveries.Update(ctx, attempt.ID, func(d *earshot.Delivery) error {
		if (d.State != earshot.DeliverySending || !d.Began.Equal(attempt.Began)) && result.Outcome != channel.Sent {
			return errTaken // we took so long that another process has decided
		}
		conclude(d, ch.Kind, result, s.now(), final)
		return nil
	})
	switch {
	case errors.Is(err, kv.ErrNotFound), errors.Is(err, errTaken): // the channel was removed
		return nil, err
	case err != nil: // the delivery stays in the state sending
		return nil, fmt.Errorf("write the result of delivery %d: %w", attempt.ID, err)
	}
	s.totals.count(ch.Kind, d.State)
	switch d.State {
	case earshot.DeliveryFailed:
		s.Log.Warn("a message could not be sent", "channel", ch.ID, "name", ch.Name, "delivery", d.ID, "attempts", d.Attempts, "error", d.Error)
	case earshot.DeliveryInterrupted:
		s.Log.Warn("a message may or may not have arrived; it is not sent again automatically", "channel", ch.ID, "name", ch.Name, "delivery", d.ID, "error", d.Error)
	}
	if result.Outcome == channel.Gone {
		return d, s.disable(ctx, ch, result.Error)
	}
	return d, nil
}

// conclude changes a delivery according to the result of an attempt.
func conclude(d *earshot.Delivery, kind earshot.ChannelKind, result channel.Result, now time.Time, final bool) {
	d.Error, d.Status = result.Error, result.Status
	again := !final && d.Attempts <= len(retryWaits)
	switch outcome := result.Outcome; {
	case outcome == channel.Sent && len(result.Deferred) > 0 && !final:
		d.Recipients = result.Deferred
		d.State, d.Next = earshot.DeliveryWaiting, now.Add(retryWait(d.Attempts, result))
		if !again {
			d.State, d.Finished = earshot.DeliveryFailed, now
		}
	case outcome == channel.Sent:
		d.State, d.Finished, d.Recipients = earshot.DeliverySent, now, nil
		shrink(&d.Message)
	case outcome == channel.Unknown && !recognizes(kind):
		d.State, d.Finished = earshot.DeliveryInterrupted, now
	case outcome == channel.Rejected || outcome == channel.Gone || !again:
		d.State, d.Finished = earshot.DeliveryFailed, now
	default:
		d.State, d.Next = earshot.DeliveryWaiting, now.Add(retryWait(d.Attempts, result))
	}
}

// retryWait returns how long to wait after a number of attempts, the last of which had the given result.
func retryWait(attempts int, result channel.Result) time.Duration {
	wait := retryWaits[min(attempts, len(retryWaits))-1]
	return max(jitter(wait), min(result.Wait, maxRetryAfter))
}

// shrink drops what nobody needs after a message was sent. The log shows its title, the thread names the
// first message, and the keys of posts tell what to remove when they are erased.
func shrink(m *earshot.Message) {
	m.Text, m.Facts, m.Data = "", nil, nil
	m.Posts = slices.Clone(m.Posts)
	for i, p := range m.Posts {
		m.Posts[i] = earshot.MessagePost{Key: p.Key}
	}
}

// maxRetryAfter bounds how long a receiver can ask to wait.
const maxRetryAfter = 24 * time.Hour

// jitter adds up to 10%, so that channels that failed together are not tried together.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration(rand.Int64N(int64(d)/10))
}

// disable disables a channel whose address no longer exists, unless someone has changed it since.
func (s *Service) disable(ctx context.Context, ch *earshot.Channel, reason string) error {
	_, err := s.Catalog.Channels.Update(ctx, ch.ID, func(now *earshot.Channel) error {
		if string(now.Secret) != string(ch.Secret) || !now.Disabled.IsZero() {
			return errUnchanged
		}
		now.Disabled, now.DisabledReason = s.now().Truncate(time.Second), reason
		return nil
	})
	if errors.Is(err, errUnchanged) || errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	s.Log.Warn("disabled a channel, because its address does not exist anymore", "channel", ch.ID, "name", ch.Name, "reason", reason, "error", err)
	return err
}
