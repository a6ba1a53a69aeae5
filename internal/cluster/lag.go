package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	"earshot"
)

// journalEnd returns the last position of the journal, and the one up to which this node has processed
// it. Both are the same if only fences follow the last processed entry.
func (m *Membership) journalEnd(ctx context.Context) (last, processed earshot.Position, err error) {
	if last, err = m.Journal.Last(ctx); err != nil {
		return 0, 0, err
	}
	processed = m.Stored().Processed
	pending, err := m.Journal.Pending(ctx, processed)
	if err == nil && pending == 0 {
		processed = max(processed, last)
	}
	return last, processed, err
}

// Lags from which on a node is not ready. Shorter ones occur whenever much is uploaded, and clients
// that must see their own posts send X-Earshot-Position.
const (
	maxLagTime    = 10 * time.Second
	maxLagEntries = 10_000
)

// A lagWatch knows whether a node has been too far behind the journal for a while.
type lagWatch struct {
	mu      sync.Mutex
	samples []lagSample // guarded by mu; of the last maxLagTime and one before
	entries int64       // guarded by mu; newest lag
	behind  bool        // guarded by mu

	// processed is the highest position that was added; guarded by mu. The next one may be lower: that
	// of the last entry before fences, if an entry follows them.
	processed earshot.Position
}

// A lagSample is the end of the journal at a time.
type lagSample struct {
	time time.Time
	last earshot.Position
	far  bool // more than maxLagEntries were not processed
}

// add adds what was measured at a time: the end of the journal, and how much of it is processed.
func (w *lagWatch) add(now time.Time, last, processed earshot.Position) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processed = max(w.processed, processed)
	processed = w.processed
	w.entries = int64(max(last, processed) - processed)
	w.samples = append(w.samples, lagSample{now, last, w.entries > maxLagEntries})
	old := 0 // the newest sample that is at least maxLagTime old
	for i, s := range w.samples {
		if now.Sub(s.time) >= maxLagTime {
			old = i
		}
	}
	w.samples = w.samples[old:]
	long := now.Sub(w.samples[0].time) >= maxLagTime
	far := !slices.ContainsFunc(w.samples, func(s lagSample) bool { return !s.far })
	w.behind = long && (w.samples[0].last > processed || far)
}

// get returns the newest lag, and whether the node is not ready because of it.
func (w *lagWatch) get() (entries int64, behind bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entries, w.behind
}

// lagOf returns a function that returns how many positions of the journal, which ends at last, a node
// at a position has not processed.
func (m *Membership) lagOf(ctx context.Context) func(at, last earshot.Position) int64 {
	known := map[earshot.Position]int64{} // nodes that keep up are at the same position
	return func(at, last earshot.Position) int64 {
		lag, is := known[at]
		if !is {
			lag = int64(max(last, at) - at)
			pending, err := m.Journal.Pending(ctx, at)
			switch {
			case err == nil && pending == 0:
				lag = 0 // only fences follow
			case err != nil && at == m.Stored().Processed: // without a majority, what was last known about this node
				lag, _ = m.lag.get()
			}
			known[at] = lag
		}
		return lag
	}
}
