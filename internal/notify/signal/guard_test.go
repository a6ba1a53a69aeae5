package signal

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

const tea earshot.MonitorID = 12

// addTea adds a monitor of another team, with a rule that always applies.
func (s *instance) addTea() {
	s.Helper()
	s.must(s.Catalog.Teams.Add(s.Context(), 2, &earshot.Team{ID: 2}))
	s.must(s.Catalog.Monitors.Add(s.Context(), tea, &earshot.Monitor{ID: tea, Team: 2, Name: "Tea", Enabled: true, Timezone: "UTC", Start: earshot.DateOf(start)}))
	r := always(tea)
	r.ID, r.Team, r.Severity = 1000, 2, earshot.Warning
	s.must(s.Catalog.Rules.Add(s.Context(), r.ID, &r))
}

// always returns a rule that applies to a monitor with any number of posts.
func always(m earshot.MonitorID) earshot.Rule {
	return earshot.Rule{Monitor: m, Kind: earshot.ThresholdRule, Name: "x", Threshold: earshot.Threshold{Metric: earshot.PostsMetric, Value: -1, Window: time.Hour}}
}

// touch tells the service that monitors got posts.
func (s *instance) touch(ids ...earshot.MonitorID) {
	var batch []poststore.MatchedPost
	for _, id := range ids {
		batch = append(batch, poststore.MatchedPost{Post: earshot.Post{Time: s.clock}, Sets: []poststore.SetID{poststore.MonitorSet(id)}})
	}
	s.Touch(batch)
}

// brokenSources panics for one monitor.
type brokenSources struct{}

func (brokenSources) Outages(m *earshot.Monitor, _, _ time.Time) []catalog.Gap {
	if m.ID == coffee {
		panic("broken")
	}
	return nil
}

// What is wrong with one monitor, rule or signal does not keep others from being evaluated.
func TestPanics(t *testing.T) {
	breakRule := func(s *instance) {
		s.rule(always(coffee))
		s.broken = func(_ context.Context, m *earshot.Monitor) error {
			if m.ID == coffee {
				panic("broken")
			}
			return nil
		}
	}
	breakMonitor := func(s *instance) {
		s.past(40, 5)
		s.Sources = brokenSources{}
	}
	for name, breakIt := range map[string]func(*instance){"rule": breakRule, "monitor": breakMonitor} {
		t.Run(name, func(t *testing.T) {
			s := newWorld(t)
			s.addTea()
			breakIt(s)
			s.touch(coffee, tea)
			s.evaluatePrompt(t.Context())
			s.evaluateAll(t.Context(), func(time.Duration) {})
			s.want("threshold firing raised")
			if sig := s.only(); sig.Monitor != tea {
				t.Errorf("got a signal of monitor %d", sig.Monitor)
			}
		})
	}
}

// A notifier is a Deliveries with another Enqueue.
type notifier struct {
	Deliveries
	enqueue func(n earshot.Notification) error
}

func (n notifier) Enqueue(_ context.Context, of earshot.Notification) error { return n.enqueue(of) }

func TestPanicsOfExplanationsAndNotifications(t *testing.T) {
	s := newWorld(t)
	r := always(coffee)
	r.Channels = []earshot.ChannelID{7}
	s.rule(r)
	s.rule(r)
	s.why = func() (*insight.Explanation, error) { panic("broken") }
	s.Deliveries = notifier{s.world, func(n earshot.Notification) error {
		if n.Key == fmt.Sprintf("signal.%d.1", s.Catalog.Signals.List()[0].ID) {
			panic("broken")
		}
		return s.world.Enqueue(t.Context(), n)
	}}
	s.turn()
	s.clock = s.clock.Add(time.Minute)
	s.deliver(t.Context())
	s.wantSent(fmt.Sprintf("signal.%d.1 signal.fired", s.Catalog.Signals.List()[1].ID))
}

// A rule that takes long is interrupted, and its team rests.
func TestSlowRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t)
		s.addTea()
		s.rule(always(coffee))
		calls := 0
		s.broken = func(ctx context.Context, m *earshot.Monitor) error {
			if m.ID == coffee {
				calls++
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		began := time.Now()
		s.touch(coffee)
		s.evaluatePrompt(t.Context())
		if took := time.Since(began); calls != 1 || took != ruleTimeout {
			t.Errorf("got %d evaluations in %v, want one of %v", calls, took, ruleTimeout)
		}
		s.clock = s.clock.Add(restFactor*ruleTimeout - time.Second)
		s.touch(coffee, tea)
		s.evaluatePrompt(t.Context())
		s.want("threshold firing raised") // of the other team
		if calls != 1 {
			t.Error("the team did not rest")
		}
		s.clock = s.clock.Add(time.Second)
		s.evaluatePrompt(t.Context())
		if calls != 2 {
			t.Error("the team was not evaluated after its rest")
		}
	})
}

// Events are handed over while a rule is being evaluated.
func TestDeliveryDoesNotWaitForEvaluations(t *testing.T) {
	s := newWorld(t)
	r := always(coffee)
	r.Channels = []earshot.ChannelID{7}
	s.rule(r)
	s.evaluateAll(t.Context(), func(time.Duration) {})
	s.clock = s.clock.Add(time.Minute)
	var evaluated, handed atomic.Bool
	s.broken = func(ctx context.Context, _ *earshot.Monitor) error {
		<-ctx.Done()
		evaluated.Store(true)
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Deliveries = notifier{s.world, func(earshot.Notification) error {
		handed.Store(!evaluated.Load())
		cancel()
		return nil
	}}
	s.touch(coffee)
	s.Run(ctx)
	if !handed.Load() {
		t.Error("nothing was handed over before the end of the evaluation")
	}
}
