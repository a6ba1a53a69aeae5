package signal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/report/format"
)

// deliver hands over events for delivery, in order, and records how far it got. After a crash, an event
// may be handed over again, which has no effect.
func (s *Service) deliver(ctx context.Context) {
	now := s.Now()
	list := s.signals.undelivered(s.Catalog)
	slices.SortFunc(list, func(a, b *earshot.Signal) int { return int(a.ID - b.ID) })
	for _, sig := range list {
		if ctx.Err() != nil {
			return
		}
		if s.awaitsExplanation(sig, now) {
			continue
		}
		err := s.guard(func() error { return s.deliverEvents(ctx, sig, now) })
		if err != nil && ctx.Err() == nil {
			s.Log.Error("handing over a signal for delivery failed; will retry", "signal", sig.ID, "error", err)
		}
	}
}

// explanationWait is how long a new signal waits for its explanation, which belongs in the message.
const explanationWait = 20 * time.Second

func (s *Service) awaitsExplanation(sig *earshot.Signal, now time.Time) bool {
	return sig.Notified == 0 && s.wantsExplanation(sig) && now.Sub(sig.Raised) < detectDelay+explanationWait && len(s.channelsOf(sig)) > 0
}

// detectDelay is how long an evaluation may take: the time of a signal is the time for which posts were
// counted.
const detectDelay = 5 * time.Second

func (s *Service) deliverEvents(ctx context.Context, sig *earshot.Signal, now time.Time) error {
	done := sig.Notified
	var failure error
	for _, e := range sig.Events {
		if e.Number <= sig.Notified {
			continue
		}
		if failure = s.notify(ctx, sig, e, now); failure != nil {
			break
		}
		done = e.Number
	}
	if failure == nil {
		done = max(done, sig.LastNumber)
	}
	if done == sig.Notified {
		return failure
	}
	err := s.amend(ctx, sig.ID, func(sig *earshot.Signal) error {
		if sig.Notified >= done {
			return errUnchanged
		}
		sig.Notified = done
		return nil
	})
	if failure != nil {
		return failure
	}
	return err
}

// eventNames are the names of events in messages. Other events are not delivered.
var eventNames = map[earshot.SignalEventKind]string{
	earshot.SignalRaised: "signal.fired", earshot.SignalUpdated: "signal.updated", earshot.SignalResolved: "signal.resolved",
}

// ruleOf returns the rule of a signal, or nil if it is a default or was removed.
func (s *Service) ruleOf(sig *earshot.Signal) *earshot.Rule {
	r, ok := s.Catalog.Rules.Find(sig.Rule)
	if !ok || r.Team != sig.Team {
		return nil
	}
	return r
}

// channelsOf returns the channels that events of a signal are delivered to.
func (s *Service) channelsOf(sig *earshot.Signal) []earshot.ChannelID {
	if r := s.ruleOf(sig); r != nil && !r.Disabled && s.Deliveries != nil {
		return r.Channels
	}
	return nil
}

// notify hands over an event for delivery, unless nobody wants to know.
func (s *Service) notify(ctx context.Context, sig *earshot.Signal, e earshot.SignalEvent, now time.Time) error {
	name, channels := eventNames[e.Kind], s.channelsOf(sig)
	if name == "" || len(channels) == 0 || sig.Kind == earshot.PostSignal && e.Kind == earshot.SignalResolved && e.By == "" {
		return nil
	}
	r := s.ruleOf(sig)
	if now.Before(r.MutedUntil) {
		return nil
	}
	m, ok := s.findMonitor(sig.Monitor)
	if !ok {
		return nil
	}
	n := earshot.Notification{
		Key: fmt.Sprintf("signal.%d.%d", sig.ID, e.Number), Team: sig.Team, Channels: channels,
		Message: earshot.Message{
			Event: name, Severity: sig.Severity, Title: sig.Title, Text: sig.Text,
			Path: fmt.Sprintf("/signals/%d", sig.ID), Thread: thread(sig.ID),
		},
	}
	if sig.Severity != earshot.Critical {
		n.NotBefore = endOfQuiet(r.Quiet, now.In(m.Location()))
	}
	if err := s.fill(ctx, sig, m, e, &n.Message); err != nil {
		return err
	}
	return s.Deliveries.Enqueue(ctx, n)
}

// thread returns what messages about a signal have in common.
func thread(id earshot.SignalID) string { return fmt.Sprintf("signal.%d", id) }

// quotedPosts is the maximum number of posts that a message quotes.
const quotedPosts = 3

// fill adds the explanation, facts, posts and data to a message.
func (s *Service) fill(ctx context.Context, sig *earshot.Signal, m *earshot.Monitor, e earshot.SignalEvent, msg *earshot.Message) (err error) {
	if e.Kind == earshot.SignalResolved {
		msg.Title = "Resolved: " + sig.Title
		msg.Text = fmt.Sprintf("It lasted %s.", roughly(sig.Resolved.Sub(sig.Raised)))
	}
	keys := sig.Posts
	if x := sig.Explanation; x != nil && e.Kind != earshot.SignalResolved {
		if x.Sentence != "" {
			msg.Text += " " + x.Sentence
		}
		keys = append(keys[:len(keys):len(keys)], x.Posts...)
	}
	msg.Facts = append(msg.Facts, earshot.Fact{Name: "Monitor", Value: earshot.OneLine(m.Name, maxName)})
	if sig.Window > 0 {
		msg.Facts = append(msg.Facts, earshot.Fact{Name: "Counted over", Value: roughly(sig.Window)})
	}
	for _, n := range sig.Newcomers {
		msg.Facts = append(msg.Facts, earshot.Fact{Name: "New " + string(n.Kind), Value: n.Label})
	}
	if len(keys) > 0 && e.Kind != earshot.SignalResolved {
		posts, err := s.Posts.Find(ctx, keys[:min(len(keys), quotedPosts)])
		if err != nil {
			return err
		}
		for i := range posts {
			msg.Posts = append(msg.Posts, s.quote(&posts[i]))
		}
	}
	msg.Data, err = json.Marshal(s.Page(0)(sig)) // as GET /manage/v1/signals/{id} has it
	return err
}

// maxQuote is the maximum number of characters of a quoted post.
const maxQuote = 500

// quote returns what a message shows of a post. Posts of restricted sources are quoted without their
// text, author and time.
func (s *Service) quote(p *earshot.Post) earshot.MessagePost {
	q := earshot.MessagePost{Key: p.Key(), Source: string(p.Source), URL: p.URL}
	if !slices.Contains(s.Restricted, p.Source) {
		q.Author, q.Time = p.Author, p.Time
		q.Text = earshot.Clip(strings.TrimSpace(p.Title+"\n"+p.Contents), maxQuote)
	}
	return q
}

// roughly returns a duration in its largest unit: 5 minutes, 3 hours, 4 days.
func roughly(d time.Duration) string {
	switch {
	case d < time.Hour:
		return format.Plural(max(1, int64(d.Round(time.Minute)/time.Minute)), "minute", "minutes")
	case d < 48*time.Hour:
		return format.Plural(int64(d.Round(time.Hour)/time.Hour), "hour", "hours")
	}
	return format.Plural(int64(d.Round(24*time.Hour)/(24*time.Hour)), "day", "days")
}
