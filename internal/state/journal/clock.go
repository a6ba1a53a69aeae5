package journal

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"earshot"
)

// WithClock returns a journal for a program whose clock may differ from that of the journal's server.
// The time of an entry is when it is first read, by the program's clock.
func WithClock(j Journal, now func() time.Time) Journal { return &clockedJournal{Journal: j, now: now} }

type clockedJournal struct {
	Journal
	now func() time.Time

	mu       sync.Mutex
	arrivals []arrival // guarded by mu; ascending
}

// An arrival is the time when an entry was first read.
type arrival struct {
	position earshot.Position
	time     time.Time
}

// Batches implements [Journal].
func (j *clockedJournal) Batches(ctx context.Context, after earshot.Position) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		for b, err := range j.Journal.Batches(ctx, after) {
			if err == nil {
				b.Time = j.arrivalTime(b.Position)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// arrivalTime returns when an entry was first read.
func (j *clockedJournal) arrivalTime(at earshot.Position) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, found := slices.BinarySearchFunc(j.arrivals, at, func(m arrival, at earshot.Position) int { return cmp.Compare(m.position, at) })
	if !found {
		j.arrivals = slices.Insert(j.arrivals, i, arrival{at, j.now()})
	}
	return j.arrivals[i].time
}

// LastBefore implements [Journal].
func (j *clockedJournal) LastBefore(_ context.Context, t time.Time) (last earshot.Position, _ error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.arrivals {
		if m.time.Before(t) {
			last = m.position
		}
	}
	return last, nil
}
