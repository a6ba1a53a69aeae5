package app

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// A clockedJournal is a journal for a program with a clock of its own, which need not show
// the time of the journal's server: entries were appended when they are read, by that clock.
type clockedJournal struct {
	journal.Journal
	now func() time.Time

	mu   sync.Mutex
	read []moment // ascending
}

// A moment is when an entry was read for the first time.
type moment struct {
	at   earshot.Position
	time time.Time
}

// Batches implements journal.Journal.
func (j *clockedJournal) Batches(ctx context.Context, consumer string) iter.Seq[*journal.Batch] {
	return func(yield func(*journal.Batch) bool) {
		for b := range j.Journal.Batches(ctx, consumer) {
			if b.Time = j.note(b.Position); !yield(b) {
				return
			}
		}
	}
}

// note returns when an entry was read.
func (j *clockedJournal) note(at earshot.Position) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, known := slices.BinarySearchFunc(j.read, at, func(m moment, at earshot.Position) int { return cmp.Compare(m.at, at) })
	if !known {
		j.read = slices.Insert(j.read, i, moment{at, j.now()})
	}
	return j.read[i].time
}

// LastBefore implements journal.Journal.
func (j *clockedJournal) LastBefore(_ context.Context, t time.Time) (last earshot.Position, _ error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.read {
		if m.time.Before(t) {
			last = m.at
		}
	}
	return last, nil
}
