// Package signal tells people when something happens to a monitor. It watches the counts of every
// monitor, raises a signal when a rule applies, updates it while it lasts, and resolves it. It also
// manages the rules, and what people do with signals: acknowledge, assign, comment, rate.
//
// The central idea is that the post store is the truth and everything here follows it. A [Service]
// keeps the recent counts of each monitor in memory, queries only monitors that changed, and compares
// the counts with what package detect expects. What it concludes is in the catalog: a signal is written
// before anybody is notified, and its record says which of its events were handed over for delivery.
// After a crash, the service therefore continues where it stopped, and nothing is raised twice.
//
//	pipeline ── Touch ──▶ count ──▶ evaluate ──▶ raise, update, resolve ──▶ deliver
//	                        ▲            ▲                  │
//	                   post store   rules, detect       catalog ◀── explain
//
// It leaves the statistics to detect, the sending to delivery, and explanations to insight.
package signal

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/insight/detect"
	"earshot/internal/query/filter"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
)

// A Service raises signals and manages rules. Set the fields, then call Run.
type Service struct {
	Posts    insight.Store
	Catalog  *catalog.Catalog
	Monitors Monitors
	Filters  *filter.Service
	Insight  Insight
	Now      func() time.Time
	Log      *slog.Logger

	Sources    Sources    // nil: outages are unknown
	Deliveries Deliveries // nil: no notifications are sent

	// Restricted lists sources whose words must not leave the installation. Their posts count, but
	// hashtags, links, topics and explanations come from others: what signals say is sent to people
	// outside, and the words of a few posts would reveal their texts.
	Restricted []earshot.Source

	rules         ruleIndex
	signals       signalIndex
	found         postIndex
	touched       touches
	watches       watches
	cursors       cursors
	evaluatingAll sync.Mutex    // held while the rules of all monitors are evaluated
	evaluating    sync.Mutex    // held while a rule about a threshold or posts is evaluated
	queried       time.Duration // by the rule that is being evaluated; guarded by evaluating
	explained     explained
	restUntil     map[earshot.TeamID]time.Time // no prompt evaluation before; used by one goroutine only
	pruned        time.Time                    // when old signals were last removed; used by Run only
}

// Monitors finds monitors.
type Monitors interface {
	// Find returns a monitor, or a filter presented as one, if c may see it.
	Find(c *earshot.Caller, id earshot.MonitorID) (*earshot.Monitor, error)
}

// Insight is the part of [insight.Service] that says what posts are about.
type Insight interface {
	WithCategorization(ctx context.Context, m *earshot.Monitor, do func(insight.Categorization) error) error
	Explain(ctx context.Context, m *earshot.Monitor, r insight.ExplainRequest) (*insight.Explanation, error)
	Overview(ctx context.Context, m *earshot.Monitor, r insight.OverviewRequest) (*insight.Overview, error)
	ReportTopics(ctx context.Context, m *earshot.Monitor, r insight.ReportRequest, limit int) (*insight.TopicReport, error)
}

// Sources knows when live sources had outages.
type Sources interface {
	// Outages returns when the live sources of a monitor may have missed posts.
	Outages(m *earshot.Monitor, from, to time.Time) []catalog.Gap
}

// Deliveries sends messages.
type Deliveries interface {
	// Enqueue hands a notification over for delivery. When it returns, the notification is durable.
	// Repeating a call has no effect.
	Enqueue(ctx context.Context, n earshot.Notification) error

	// RemoveThreads removes messages of some threads, and what those of others quote.
	RemoveThreads(ctx context.Context, removed, changed []string) error
}

// Run evaluates the rules of all teams until ctx is done. Only one process should run it at a time;
// if two do, they waste work, but raise nothing twice.
func (s *Service) Run(ctx context.Context) {
	var background sync.WaitGroup
	defer background.Wait()
	background.Go(func() { sleep.Repeat(ctx, promptStep, s.explainAll) })
	background.Go(func() { s.runPrompt(ctx) })
	background.Go(func() { sleep.Repeat(ctx, promptStep, s.deliver) })
	for {
		// Models are fitted one after the other, with pauses, so that the first evaluation after a
		// start does not take all of a core.
		s.evaluateAll(ctx, func(worked time.Duration) { sleep.For(ctx, maxPause(worked)) })
		if err := s.guard(func() error { return s.prune(ctx) }); err != nil && ctx.Err() == nil {
			s.Log.Error("removing old signals failed; will retry", "error", err)
		}
		now := s.Now()
		if !sleep.For(ctx, now.Truncate(detect.Step).Add(detect.Step).Sub(now)) {
			return
		}
	}
}

// maxPause returns how long to wait after fitting a model.
func maxPause(worked time.Duration) time.Duration { return min(4*worked, 100*time.Millisecond) }

// runPrompt evaluates rules about thresholds and posts soon after posts of their monitors arrive.
func (s *Service) runPrompt(ctx context.Context) {
	s.restUntil = map[earshot.TeamID]time.Time{}
	sleep.Repeat(ctx, promptStep, s.evaluatePrompt)
}

// promptStep is the time between evaluations of rules that react within seconds, between deliveries,
// and between explanations. None of them waits for the others.
const promptStep = 2 * time.Second
