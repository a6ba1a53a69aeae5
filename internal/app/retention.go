package app

import (
	"context"
	"fmt"
	"time"
)

// trimEvery is how often the journal is trimmed.
const trimEvery = time.Hour

// keepTrimming trims the journal at once and then every hour, until ctx ends.
func (a *App) keepTrimming(ctx context.Context) {
	tick := time.NewTicker(trimEvery)
	defer tick.Stop()
	for {
		if err := a.trimJournal(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("journal not trimmed; trying again later", "wait", trimEvery, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// trimJournal removes what the store and the streams have on disk and what is old enough.
func (a *App) trimJournal(ctx context.Context) error {
	days := a.config.RetentionJournal
	if days == 0 {
		return nil
	}
	durable := a.posts.Durable()
	offered, err := a.Streams.Position(ctx, durable)
	if err != nil {
		return fmt.Errorf("position of streams: %w", err)
	}
	return a.Journal.Trim(ctx, min(durable, offered), a.options.Now().AddDate(0, 0, -days))
}
