package app

import (
	"context"
	"fmt"
	"time"
)

// trimInterval is how often the journal is trimmed. Retention is in days, so an hour is precise
// enough.
const trimInterval = time.Hour

// runRetention trims the journal and the kept answers immediately and then every hour, until ctx ends.
// Every hour, it also removes what people noted about things that no longer exist.
func (a *App) runRetention(ctx context.Context) {
	tick := time.NewTicker(trimInterval)
	defer tick.Stop()
	for {
		if err := a.trimJournal(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("trimming the journal failed; will retry", "wait", trimInterval, "error", err)
		}
		if err := a.raiseFormats(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("recording the formats that all nodes know failed; will retry", "wait", trimInterval, "error", err)
		}
		if err := a.answers().Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("removing old answers failed; will retry", "wait", trimInterval, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := a.cleanMarks(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("removing notes about deleted posts failed; will retry", "wait", trimInterval, "error", err)
		}
	}
}

// cleanMarks removes marks, corrections, samples, rules and signals of posts, monitors and teams that no longer exist. It does
// nothing while something may seem to be gone that is not: because a segment is damaged, a record of
// the catalog cannot be read, or the store has not caught up with the journal.
func (a *App) cleanMarks(ctx context.Context) error {
	stats, err := a.posts.Stats(ctx)
	if err != nil || len(stats.Quarantined) > 0 || !a.catalog.Monitors.Complete() || !a.catalog.Teams.Complete() {
		return err
	}
	if n, err := a.pending(ctx); err != nil || n > 0 {
		return err
	}
	if err := a.Marks.Clean(ctx); err != nil {
		return err
	}
	if err := a.Signals.Clean(ctx); err != nil {
		return err
	}
	if err := a.Labels.Clean(ctx); err != nil {
		return err
	}
	return a.Corrections.Clean(ctx)
}

// trimJournal removes entries that are older than the retention and that the streams and the stores of
// all nodes have on disk. It does not wait for nodes that have been away for a day.
func (a *App) trimJournal(ctx context.Context) error {
	days := a.config.RetentionJournal
	if days == 0 {
		return nil
	}
	durable := a.posts.Durable()
	offered, err := a.Streams.Position(ctx, durable)
	if err != nil {
		return fmt.Errorf("get the position of streams: %w", err)
	}
	upTo := min(durable, offered)
	if a.members != nil {
		floor, known := a.members.Floor()
		if !known {
			return nil // it will be at the next attempt
		}
		upTo = min(upTo, floor)
	}
	return a.Journal.Trim(ctx, upTo, a.options.Now().AddDate(0, 0, -days))
}
