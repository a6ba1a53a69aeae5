package signal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
	"earshot/internal/state/catalog"
)

// maxComment is the maximum length of a comment, in characters.
const maxComment = 1000

// Changes are changes that a person makes to a signal. Nil fields stay unchanged.
type Changes struct {
	Acknowledged *bool
	Assignee     *earshot.UserID // 0: none
	Resolved     *bool           // only true is allowed: a signal cannot be reopened
	Feedback     *Rating
}

// A Rating is a person's opinion about a signal.
type Rating string

const (
	NoRating  Rating = ""
	Useful    Rating = "useful"
	NotUseful Rating = "not useful"
)

// Edit acknowledges, assigns, resolves or rates a signal. Repeating a change has no effect.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.SignalID, ch Changes) (*earshot.Signal, error) {
	return s.ownedSignals().Edit(ctx, c, id, nil, func(sig *earshot.Signal) error {
		if ch.Acknowledged != nil {
			s.acknowledge(sig, c, *ch.Acknowledged)
		}
		if ch.Assignee != nil {
			if err := s.assign(sig, c, *ch.Assignee); err != nil {
				return err
			}
		}
		switch {
		case ch.Resolved == nil:
		case *ch.Resolved:
			s.resolveBy(sig, c.Name)
		case sig.State == earshot.ResolvedSignal:
			return earshot.InvalidBody("a resolved signal cannot fire again; if what it is about continues, a new one is raised")
		}
		if ch.Feedback != nil {
			s.rate(sig, c.User, *ch.Feedback)
		}
		return nil
	})
}

func (s *Service) acknowledge(sig *earshot.Signal, c *earshot.Caller, on bool) {
	switch {
	case on == !sig.Acknowledged.IsZero():
	case on:
		sig.AcknowledgedBy, sig.Acknowledged = c.Name, s.now()
		s.record(sig, earshot.SignalEvent{Kind: earshot.SignalAcknowledged, By: c.Name})
	default:
		sig.AcknowledgedBy, sig.Acknowledged = "", earshot.Signal{}.Acknowledged
		sig.Events = slices.DeleteFunc(sig.Events, func(e earshot.SignalEvent) bool { return e.Kind == earshot.SignalAcknowledged })
	}
}

func (s *Service) assign(sig *earshot.Signal, c *earshot.Caller, to earshot.UserID) error {
	if to == sig.Assignee {
		return nil
	}
	if u, ok := s.Catalog.Users.Find(to); to != 0 && (!ok || !earshot.NewCaller(u).In(sig.Team)) {
		return earshot.InvalidBody("assignee must be a member of the team")
	}
	sig.Assignee = to
	s.record(sig, earshot.SignalEvent{Kind: earshot.SignalAssigned, By: c.Name, Assignee: to})
	return nil
}

// resolveBy resolves a signal on behalf of a person. It does nothing if the signal is resolved.
func (s *Service) resolveBy(sig *earshot.Signal, name string) {
	if sig.State == earshot.ResolvedSignal {
		return
	}
	sig.State, sig.Resolved = earshot.ResolvedSignal, s.now()
	s.record(sig, earshot.SignalEvent{Kind: earshot.SignalResolved, By: name, Observed: sig.Observed})
}

func (s *Service) rate(sig *earshot.Signal, user earshot.UserID, r Rating) {
	sig.Feedback = slices.DeleteFunc(sig.Feedback, func(f earshot.SignalFeedback) bool { return f.User == user })
	if r != NoRating {
		sig.Feedback = append(sig.Feedback, earshot.SignalFeedback{User: user, Useful: r == Useful, Time: s.now()})
	}
}

// record adds an event with the next number. If there are too many events, it drops the oldest one
// after the first that was handed over for delivery.
func (s *Service) record(sig *earshot.Signal, e earshot.SignalEvent) {
	sig.LastNumber++
	e.Number, e.Time = sig.LastNumber, s.now()
	if len(sig.Events) >= earshot.MaxSignalEvents && sig.Events[1].Number <= sig.Notified {
		sig.Events = slices.Delete(sig.Events, 1, 2)
	}
	sig.Events = append(sig.Events, e)
}

// Assignee returns the user that a signal is assigned to. It is nobody if that user is gone or has
// left the team.
func (s *Service) Assignee(sig *earshot.Signal) (*earshot.User, bool) {
	if sig.Assignee == 0 {
		return nil, false
	}
	u, ok := s.Catalog.Users.Find(sig.Assignee)
	return u, ok && earshot.NewCaller(u).In(sig.Team)
}

// AddComment adds a comment to a signal.
func (s *Service) AddComment(ctx context.Context, c *earshot.Caller, id earshot.SignalID, text string) (*earshot.Signal, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n < 1 || n > maxComment {
		return nil, earshot.InvalidBody("text must have 1 to %d characters", maxComment)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return nil, earshot.InvalidBody("text must not contain control characters")
	}
	return s.ownedSignals().Edit(ctx, c, id, nil, func(sig *earshot.Signal) error {
		if len(sig.Comments) >= earshot.MaxSignalComments {
			return earshot.Errorf(earshot.Invalid, "The signal has %d comments, which is the maximum", len(sig.Comments))
		}
		last := int64(0)
		for _, comment := range sig.Comments {
			last = max(last, comment.ID)
		}
		sig.Comments = append(sig.Comments, earshot.SignalComment{ID: last + 1, Text: text, By: c.Name, Time: s.now()})
		return nil
	})
}

// RemoveComment deletes a comment. Only its writer and administrators may.
func (s *Service) RemoveComment(ctx context.Context, c *earshot.Caller, id earshot.SignalID, comment int64) (*earshot.Signal, error) {
	return s.ownedSignals().Edit(ctx, c, id, nil, func(sig *earshot.Signal) error {
		i := slices.IndexFunc(sig.Comments, func(x earshot.SignalComment) bool { return x.ID == comment })
		if i < 0 {
			return earshot.Errorf(earshot.NotFound, "Comment %d does not exist", comment)
		}
		if sig.Comments[i].By != c.Name && !c.Admin() {
			return earshot.Errorf(earshot.Forbidden, "Only %s can delete this comment", sig.Comments[i].By)
		}
		sig.Comments = slices.Delete(sig.Comments, i, i+1)
		return nil
	})
}

// Clean removes the rules and signals of removed monitors, filters and teams.
func (s *Service) Clean(ctx context.Context) error {
	for _, r := range s.Catalog.Rules.List() {
		if !s.exists(r.Team, r.Monitor) {
			if err := s.Catalog.Rules.Remove(ctx, r.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return err
			}
		}
	}
	exists := s.knownMonitors()
	for _, sig := range s.Catalog.Signals.List() {
		if !exists(sig.Team, sig.Monitor) {
			if err := s.Catalog.Signals.Remove(ctx, sig.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}
