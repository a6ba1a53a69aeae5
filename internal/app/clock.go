package app

import (
	"context"
	"iter"
	"time"

	"earshot/internal/journal"
)

// A clockedJournal is a journal for a program with a clock of its own, which need not show
// the time of the journal's server: entries were appended when they are read, by that clock.
type clockedJournal struct {
	journal.Journal
	now func() time.Time
}

// Batches implements journal.Journal.
func (j *clockedJournal) Batches(ctx context.Context, consumer string) iter.Seq[*journal.Batch] {
	return func(yield func(*journal.Batch) bool) {
		for b := range j.Journal.Batches(ctx, consumer) {
			if b.Time = j.now(); !yield(b) {
				return
			}
		}
	}
}
