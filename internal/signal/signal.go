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
//	pipeline ── Touch ──▶ count ──▶ evaluate ──▶ raise, update, resolve ──▶ Notify
//	                        ▲            ▲                  │
//	                   post store   rules, detect       catalog ◀── explain
//
// It leaves the statistics to detect, the sending to delivery, and explanations to insight.
package signal

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/signal/detect"
	"earshot/internal/state/catalog"
)

// A Service raises signals and manages rules. Set the fields, then call Run.
type Service struct {
	Posts   poststore.Reader
	Catalog *catalog.Catalog
	Now     func() time.Time
	Log     *slog.Logger

	// Restricted lists sources whose words must not leave the installation. Their posts count, but
	// hashtags, links and topics come from others: what signals say is sent to people outside.
	Restricted []earshot.Source

	// Select calls use with the posts of a monitor, or of a saved filter presented as one
	// (earshot.Monitor.Parent), that a filter selects, in the filter language of the management API.
	Select func(ctx context.Context, m *earshot.Monitor, filter string, use func(poststore.Selection) error) error

	// Explain finds out what the additional posts of a period are about. m may be a saved filter
	// presented as a monitor.
	Explain func(ctx context.Context, m *earshot.Monitor, from, to time.Time, filter string) (*earshot.SignalExplanation, error)

	// Notify hands a notification over for delivery. When it returns, the notification is durable.
	// Repeating a call has no effect.
	Notify func(ctx context.Context, n earshot.Notification) error

	// EraseMessages erases what was handed over for delivery about signals whose author was erased: it
	// removes messages of some threads, and what those of others quote. It may be nil.
	EraseMessages func(ctx context.Context, removed, changed []string) error

	// Position returns the position of the last stored journal entry.
	Position func(ctx context.Context) (earshot.Position, error)

	// Gaps returns when the live sources of a monitor may have missed posts. It may be nil.
	Gaps func(m *earshot.Monitor, from, to time.Time) []catalog.Gap

	// Topics returns what the posts of a monitor in a period are about. It may be nil.
	Topics func(ctx context.Context, m *earshot.Monitor, from, to time.Time) ([]Topic, error)

	// Quote returns what a message shows of a post. It may be nil; then messages quote no posts.
	Quote func(p *earshot.Post) earshot.MessagePost

	// Data returns a signal as the management API has it, for webhooks. It may be nil.
	Data func(sig *earshot.Signal) (json.RawMessage, error)

	rules         ruleIndex
	signals       signalIndex
	found         postIndex
	touched       touches
	watches       watches
	cursors       cursors
	evaluatingAll sync.Mutex // held while the rules of all monitors are evaluated
	evaluating    sync.Mutex // held while a rule about a threshold or posts is evaluated
	explained     explained
	restUntil     map[earshot.TeamID]time.Time // no prompt evaluation before; used by one goroutine only
	pruned        time.Time                    // when old signals were last removed; used by Run only
}

// A Topic is a group of words that occur together in posts.
type Topic struct {
	Name   string
	Filter string // selects its posts
}

// Run evaluates the rules of all teams until ctx is done. Only one process should run it at a time;
// if two do, they waste work, but raise nothing twice.
func (s *Service) Run(ctx context.Context) {
	var background sync.WaitGroup
	defer background.Wait()
	background.Go(func() { s.runExplanations(ctx) })
	background.Go(func() { s.runPrompt(ctx) })
	background.Go(func() { s.runDeliveries(ctx) })
	for {
		// Models are fitted one after the other, with pauses, so that the first evaluation after a
		// start does not take all of a core.
		s.evaluateAll(ctx, func(worked time.Duration) { sleep(ctx, maxPause(worked)) })
		if err := s.guard(func() error { return s.prune(ctx) }); err != nil && ctx.Err() == nil {
			s.Log.Error("removing old signals failed; will retry", "error", err)
		}
		now := s.Now()
		if !sleep(ctx, now.Truncate(detect.Step).Add(detect.Step).Sub(now)) {
			return
		}
	}
}

// maxPause returns how long to wait after fitting a model.
func maxPause(worked time.Duration) time.Duration { return min(4*worked, 100*time.Millisecond) }

// runPrompt evaluates rules about thresholds and posts soon after posts of their monitors arrive.
func (s *Service) runPrompt(ctx context.Context) {
	s.restUntil = map[earshot.TeamID]time.Time{}
	for s.evaluatePrompt(ctx); sleep(ctx, promptStep); s.evaluatePrompt(ctx) {
	}
}

// runDeliveries hands over events for delivery, without waiting for evaluations.
func (s *Service) runDeliveries(ctx context.Context) {
	for s.deliver(ctx); sleep(ctx, promptStep); s.deliver(ctx) {
	}
}

// promptStep is the time between evaluations of rules that react within seconds.
const promptStep = 2 * time.Second

// sleep waits, and reports whether ctx is still valid.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
