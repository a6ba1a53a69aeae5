package operate

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// trimInterval is how often the journal is trimmed. Retention is in days, so an hour is precise
// enough.
const trimInterval = time.Hour

// A Retention removes what is no longer needed: old entries of the journal, the kept answers, and what
// people noted about things that no longer exist.
type Retention struct {
	Days    int // of the journal; 0: forever
	Journal journal.Journal
	Catalog *catalog.Catalog
	Posts   interface {
		Durable() earshot.Position
		Stats(ctx context.Context) (poststore.Stats, error)
	}

	// Streams returns the position up to which all posts are in the streams, or sets it.
	Streams interface {
		Position(ctx context.Context, initial earshot.Position) (earshot.Position, error)
	}

	Floor        func(upTo earshot.Position) (earshot.Position, bool) // limits trimming; false: not known yet
	Pending      func(ctx context.Context) (int64, error)             // returns the number of entries that are not stored
	RaiseFormats func(ctx context.Context) error
	SweepAnswers func(ctx context.Context) error

	Notes []Notes

	Now func() time.Time
	Log *slog.Logger
}

// Notes are what people noted about posts, monitors and teams. Clean removes those about what no longer
// exists.
type Notes interface {
	Clean(ctx context.Context) error
}

// Run does everything immediately and then every hour, until ctx ends. It cleans notes only after an
// hour.
func (r *Retention) Run(ctx context.Context) {
	tick := time.NewTicker(trimInterval)
	defer tick.Stop()
	for {
		r.try(ctx, r.Trim, "trimming the journal")
		r.try(ctx, r.RaiseFormats, "recording the formats that all nodes know")
		r.try(ctx, r.SweepAnswers, "removing old answers")
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.try(ctx, r.cleanNotes, "removing notes about deleted posts")
	}
}

// try logs an error unless ctx has ended.
func (r *Retention) try(ctx context.Context, do func(context.Context) error, what string) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		r.Log.Error(what+" failed; will retry", "wait", trimInterval, "error", err)
	}
}

// cleanNotes removes notes about what no longer exists. It does nothing while something may seem to be
// gone that is not: because a segment is damaged, a record of the catalog cannot be read, or the store
// has not caught up with the journal.
func (r *Retention) cleanNotes(ctx context.Context) error {
	stats, err := r.Posts.Stats(ctx)
	if err != nil || len(stats.Quarantined) > 0 || !r.Catalog.Monitors.Complete() || !r.Catalog.Teams.Complete() {
		return err
	}
	if n, err := r.Pending(ctx); err != nil || n > 0 {
		return err
	}
	for _, notes := range r.Notes {
		if err := notes.Clean(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Trim removes entries of the journal that are older than the retention and that the streams and the
// stores of all nodes have on disk. It does not wait for nodes that have been away for a day.
func (r *Retention) Trim(ctx context.Context) error {
	if r.Days == 0 {
		return nil
	}
	durable := r.Posts.Durable()
	offered, err := r.Streams.Position(ctx, durable)
	if err != nil {
		return fmt.Errorf("get the position of streams: %w", err)
	}
	upTo, known := r.Floor(min(durable, offered))
	if !known {
		return nil // it will be at the next attempt
	}
	return r.Journal.Trim(ctx, upTo, r.Now().AddDate(0, 0, -r.Days))
}
