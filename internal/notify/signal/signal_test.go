package signal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/state/catalog"
)

const (
	raised   = "volume firing raised"
	updated  = "volume firing raised updated"
	resolved = "volume resolved raised resolved"
)

// spike adds posts within the last hour.
func (s *instance) spike(n int) { s.add(n, s.clock.Add(-10*time.Minute), nil) }

func TestVolumeIsRaisedAndResolved(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.turn()
	s.want()
	s.spike(40)
	s.turn()
	s.want(raised)
	sig := s.only()
	if sig.Observed < 40 || sig.Expected < 3 || sig.Expected > 7 || sig.Chance <= 0 || sig.Chance > 1e-4 || sig.Low > sig.Expected || sig.High < sig.Expected || sig.High > 30 {
		t.Errorf("got observed %g, expected %g (%g to %g), chance %g", sig.Observed, sig.Expected, sig.Low, sig.High, sig.Chance)
	}
	text := fmt.Sprintf("%g posts in an hour; %g to %g were expected. You'd expect this by chance in fewer than one in a million hours.", sig.Observed, sig.Low, sig.High)
	if want := "Coffee: 8.8× the usual posts on Mar 1"; sig.Title != want || sig.Text != text {
		t.Errorf("got title %q and text %q, want %q and %q", sig.Title, sig.Text, want, text)
	}
	if !sig.From.Equal(s.clock.Add(-time.Hour)) || !sig.To.Equal(s.clock) || sig.Window != time.Hour {
		t.Errorf("got %v to %v in a window of %v", sig.From, sig.To, sig.Window)
	}
	s.turn()
	s.want(raised)
	s.live(2, 5)
	s.want(raised) // still unusual within 4 hours
	s.live(10, 5)
	s.want(resolved)
	if sig := s.only(); sig.Quiet.IsZero() || sig.Resolved.Sub(sig.Quiet) < 3*time.Hour {
		t.Errorf("got quiet since %v, resolved at %v, want three hours between them", sig.Quiet, sig.Resolved)
	}
}

// A signal of 24 hours begins with the first hour that stands out.
func TestSignalsBeginWithTheFirstUnusualHour(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, Unusual: earshot.Unusual{FalseAlarms: 1, Kinds: []earshot.SignalKind{earshot.VolumeSignal}}})
	s.live(14, 5)
	began := s.clock
	s.live(8, 13)
	sig := s.only()
	if sig.Window < 4*time.Hour || !sig.From.Equal(began) || sig.Raised.Sub(sig.From) > sig.Window {
		t.Errorf("got a window of %v from %v, raised at %v, want it to begin at %v", sig.Window, sig.From, sig.Raised, began)
	}
}

func TestNothingIsRaisedWithoutACause(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.live(72, 5)
	s.want()
}

func TestUpdatesWhenThePeakDoubles(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(40)
	s.turn()
	s.clock = s.clock.Add(5 * time.Minute)
	s.spike(20)
	s.turn()
	s.want(raised)
	s.clock = s.clock.Add(5 * time.Minute)
	s.spike(40)
	s.turn()
	s.want(updated)
	if sig := s.only(); sig.Peak < 100 || !strings.Contains(sig.Title, " 19×") {
		t.Errorf("got peak %g and title %q, want the new peak in both", sig.Peak, sig.Title)
	}
	s.turn()
	s.want(updated)
}

func TestLearning(t *testing.T) {
	s := newWorld(t)
	s.past(13, 5)
	s.spike(60)
	s.turn()
	s.want()
	s = newWorld(t)
	s.past(16, 5)
	s.spike(60)
	s.turn()
	s.want(raised)
}

// Before a monitor existed, live sources did not keep posts for it.
func TestLearningSinceCreation(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	_, err := s.Catalog.Monitors.Update(t.Context(), coffee, func(m *earshot.Monitor) error {
		m.Created = s.clock.AddDate(0, 0, -5)
		return nil
	})
	s.must(err)
	s.must(s.Catalog.Live.Add(t.Context(), 5, &earshot.LiveSource{ID: 5, Team: 1, Keep: earshot.KeepMatched}))
	s.spike(60)
	s.turn()
	s.want()
}

// After an interruption, the usual number of posts is usual: the hours in between were not quiet.
func TestGapsOfSources(t *testing.T) {
	run := func(gaps ...catalog.Gap) []string {
		s := newWorld(t)
		s.gaps = gaps
		s.past(40, 20)
		s.clock = s.clock.AddDate(0, 0, 20)
		s.live(30, 20)
		return s.list()
	}
	if got := run(); len(got) == 0 {
		t.Error("without a recorded gap, nothing is raised, so this test shows nothing")
	}
	if got := run(catalog.Gap{From: start, To: start.AddDate(0, 0, 20)}); len(got) != 0 {
		t.Errorf("with a recorded gap: got %q, want nothing", got)
	}
}

func TestDisabledTimesAreGaps(t *testing.T) {
	s := newWorld(t)
	s.past(40, 20)
	s.clock = s.clock.AddDate(0, 0, 20)
	_, err := s.Catalog.Monitors.Update(t.Context(), coffee, func(m *earshot.Monitor) error {
		m.Record(earshot.EventDisabled, "ann", start)
		m.Record(earshot.EventEnabled, "ann", s.clock)
		return nil
	})
	s.must(err)
	s.live(30, 20)
	s.want()
}

func TestRestartInTheMiddle(t *testing.T) {
	s := newWorld(t)
	id := s.rule(earshot.Rule{Kind: earshot.UnusualRule, Channels: []earshot.ChannelID{7}})
	s.past(40, 5)
	s.spike(40)
	// The process dies after it has written the signal, before anybody is notified.
	s.evaluateAll(t.Context(), func(time.Duration) {})
	s.wantSent()
	s = s.open()
	s.turn()
	s.clock = s.clock.Add(time.Minute)
	s.deliver(t.Context())
	sig := s.only()
	if sig.Rule != id || sig.Notified != 1 {
		t.Errorf("got rule %d, notified %d", sig.Rule, sig.Notified)
	}
	first := fmt.Sprintf("signal.%d.1 signal.fired", sig.ID)
	s.wantSent(first)
	// It dies after the notification, before that is recorded.
	_, err := s.Catalog.Signals.Update(t.Context(), sig.ID, func(sig *earshot.Signal) error { sig.Notified = 0; return nil })
	s.must(err)
	s = s.open()
	s.turn()
	s.wantSent(first)
	s.want(raised)
	s = s.open()
	s.live(30, 5)
	s.want(resolved)
	s.wantSent(first, fmt.Sprintf("signal.%d.2 signal.resolved", sig.ID))
}

func TestTwoServicesRaiseOnce(t *testing.T) {
	a := newWorld(t)
	a.past(40, 5)
	b := a.open()
	a.spike(40)
	done := make(chan bool)
	go func() { b.evaluateAll(t.Context(), func(time.Duration) {}); close(done) }()
	a.evaluateAll(t.Context(), func(time.Duration) {})
	<-done
	if n := len(a.open().Catalog.Signals.List()); n != 1 {
		t.Errorf("got %d signals, want 1", n)
	}
}

func TestAuthorsAndDuplicates(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.add(60, s.clock.Add(-10*time.Minute), func(p *earshot.Post) { p.AuthorUsername = "spammer" })
	s.turn()
	if sig := s.list(); strings.Contains(strings.Join(sig, " "), "volume") {
		t.Errorf("one author: got %q", sig)
	}
	s = newWorld(t)
	s.past(40, 5)
	n := 0
	s.add(200, s.clock.Add(-10*time.Minute), func(p *earshot.Post) {
		p.AuthorUsername, p.Contents = fmt.Sprintf("bot%d", n%4), "buy coffee"
		n++
	})
	s.turn()
	if sig := s.list(); strings.Contains(strings.Join(sig, " "), "volume") {
		t.Errorf("duplicates: got %q", sig)
	}
}

func TestImportedHistoryRaisesNothing(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.turn()
	s.add(3000, s.clock.AddDate(0, 0, -10), nil)
	s.turn()
	s.want()
	// Recent posts first, then those that show that they are not unusual.
	s.spike(40)
	s.add(500, s.clock.AddDate(0, 0, -2), nil)
	s.turn()
	s.want()
}

func TestPostsThatArriveLateCountByTheirTime(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.turn()
	s.clock = s.clock.Add(3 * time.Hour)
	for h := range 3 { // a backlog after an interruption, at the usual rate
		s.add(5, s.clock.Add(-time.Duration(h)*time.Hour-30*time.Minute), nil)
	}
	s.turn()
	s.want()
}

func TestDeletedPosts(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(40)
	s.at++
	var guids []string
	for i := range 40 {
		guids = append(guids, fmt.Sprint(s.posts-i))
	}
	s.must(s.store.Delete(t.Context(), s.at, earshot.Deletion{Source: earshot.Twitter, GUIDs: guids}))
	s.turn()
	s.want()
}

func TestMutedDisabledAndInactiveRules(t *testing.T) {
	for name, r := range map[string]earshot.Rule{
		"muted":                 {MutedUntil: start.AddDate(1, 0, 0)},
		"disabled":              {Disabled: true},
		"inactive":              {Active: []earshot.Hours{{From: 60 * 8, To: 60 * 18}}},
		"volume is not watched": {Unusual: earshot.Unusual{Kinds: []earshot.SignalKind{earshot.HashtagSignal}}},
		"minimum":               {Unusual: earshot.Unusual{MinPosts: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWorld(t)
			r.Kind = earshot.UnusualRule
			s.rule(r)
			s.past(40, 5)
			s.spike(40)
			s.turn()
			s.want()
		})
	}
}

func TestCoolDown(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, CoolDown: 48 * time.Hour, Unusual: earshot.Unusual{Kinds: []earshot.SignalKind{earshot.VolumeSignal}}})
	s.past(40, 5)
	s.spike(40)
	s.turn()
	s.live(30, 5)
	s.want(resolved)
	s.spike(40)
	s.turn()
	s.want(resolved)
	s.live(50, 5)
	s.spike(40)
	s.turn()
	s.want(resolved, raised)
}

func TestResolvedByHand(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(40)
	s.turn()
	sig := s.only()
	_, err := s.Catalog.Signals.Update(t.Context(), sig.ID, func(sig *earshot.Signal) error { s.resolveBy(sig, "ann"); return nil })
	s.must(err)
	s.live(2, 5) // still unusual within 4 hours
	s.want(resolved)
	s.live(30, 5)
	s.spike(40)
	s.turn()
	s.want(resolved, raised)
}

func TestRemovedRuleOrMonitorResolvesSilently(t *testing.T) {
	s := newWorld(t)
	id := s.rule(earshot.Rule{Kind: earshot.UnusualRule, Channels: []earshot.ChannelID{7}})
	s.past(40, 5)
	s.spike(40)
	s.turn()
	s.clock = s.clock.Add(time.Minute)
	s.deliver(t.Context())
	s.want(raised)
	_, err := s.Catalog.Rules.Update(t.Context(), id, func(r *earshot.Rule) error { r.Disabled = true; return nil })
	s.must(err)
	s.turn()
	s.want(resolved)
	if len(s.sent) != 1 {
		t.Errorf("got %d notifications, want only the first", len(s.sent))
	}
}

func TestQuietHoursDelayNotifications(t *testing.T) {
	for severity, want := range map[earshot.Severity]time.Time{earshot.Warning: start.Add(7 * time.Hour), earshot.Critical: {}} {
		s := newWorld(t)
		s.rule(earshot.Rule{Kind: earshot.UnusualRule, Severity: severity, Channels: []earshot.ChannelID{7}, Quiet: []earshot.Hours{{From: 22 * 60, To: 7 * 60}}})
		s.past(40, 5)
		s.spike(40)
		s.turn()
		s.clock = s.clock.Add(time.Minute)
		s.deliver(t.Context())
		if len(s.sent) != 1 || !s.sent[0].NotBefore.Equal(want) {
			t.Errorf("%s: got %+v, want one not before %v", severity, s.sent, want)
		}
	}
}

func TestNotifyIsRetried(t *testing.T) {
	s := newWorld(t)
	s.rule(earshot.Rule{Kind: earshot.UnusualRule, Channels: []earshot.ChannelID{7}})
	s.past(40, 5)
	s.spike(40)
	s.refuse = fmt.Errorf("disk full")
	s.turn()
	s.clock = s.clock.Add(time.Minute)
	s.deliver(t.Context())
	if sig := s.only(); sig.Notified != 0 {
		t.Errorf("got %d events notified, want none", sig.Notified)
	}
	s.refuse = nil
	s.deliver(t.Context())
	s.wantSent(fmt.Sprintf("signal.%d.1 signal.fired", s.only().ID))
	if n := s.sent[0]; n.Message.Path != fmt.Sprintf("/signals/%d", s.only().ID) || n.Message.Title != s.only().Title || n.Team != 1 {
		t.Errorf("got %+v", n)
	}
}

func TestExplanationIsStoredAndRetried(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(40)
	calls := 0
	s.why = func() (*insight.Explanation, error) {
		if calls++; calls == 1 {
			return nil, fmt.Errorf("busy")
		}
		return &insight.Explanation{Change: insight.ChangeMore, Cause: insight.CauseNone}, nil
	}
	s.turn()
	if s.only().Explanation != nil {
		t.Fatal("the first attempt fails")
	}
	s.explainAll(t.Context())
	if calls != 1 {
		t.Errorf("got %d attempts, want a pause after the first", calls)
	}
	s.clock = s.clock.Add(10 * time.Second)
	s.explainAll(t.Context())
	if x := s.only().Explanation; x == nil || x.Sentence != "The additional posts have no single cause." {
		t.Errorf("got explanation %+v", x)
	}
	s.explainAll(t.Context())
	if calls != 2 {
		t.Errorf("got %d attempts, want 2", calls)
	}
}

func TestHostileNames(t *testing.T) {
	s := newWorld(t)
	_, err := s.Catalog.Monitors.Update(t.Context(), coffee, func(m *earshot.Monitor) error {
		m.Name = "a\nb\x00\u202e" + strings.Repeat("x", 1000)
		return nil
	})
	s.must(err)
	s.past(40, 5)
	s.spike(40)
	s.turn()
	title := s.only().Title
	if strings.ContainsAny(title, "\n\x00\u202e") || len([]rune(title)) > maxTitle+1 || !strings.HasPrefix(title, "a bxx") {
		t.Errorf("got title %q", title)
	}
}

func TestRemovedMonitor(t *testing.T) {
	s := newWorld(t)
	s.past(40, 5)
	s.spike(40)
	s.turn()
	s.want(raised)
	_, err := s.Catalog.Monitors.Update(t.Context(), coffee, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	s.must(err)
	s.turn()
	s.want(resolved)
	s.must(s.Clean(t.Context()))
	s.turn()
	s.want()
}

func TestRetention(t *testing.T) {
	s := newWorld(t)
	for i, months := range []int{14, 14, 12, 1} {
		sig := &earshot.Signal{ID: earshot.SignalID(i + 1), Team: 1, Monitor: coffee, Kind: earshot.VolumeSignal, State: earshot.ResolvedSignal, Resolved: s.clock.AddDate(0, -months, 0)}
		if i == 0 {
			sig.State, sig.Resolved = earshot.Firing, time.Time{}
		}
		s.must(s.Catalog.Signals.Add(t.Context(), sig.ID, sig))
	}
	s.must(s.prune(t.Context()))
	s.want("volume firing", "volume resolved", "volume resolved")
}
