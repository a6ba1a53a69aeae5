package app

import (
	"context"
	"log/slog"

	"earshot/internal/config"
	"earshot/internal/operate"
)

// OpenEngines opens NATS and the post store for a repair. The embedded NATS server locks the data
// directory by itself.
func OpenEngines(ctx context.Context, cfg config.Config, storePassword string, log *slog.Logger) (*operate.Engines, error) {
	a := &App{config: cfg, options: Options{Log: log, StorePassword: storePassword, gate: newGate(log, 0)}, log: log, stop: func() {}}
	if err := a.openEngines(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return &operate.Engines{
		Journal: a.backups.Journal, Posts: a.posts, Files: a.files, Catalog: a.catalog, Ledger: a.ledger, Streams: a.feed, Close: a.Close,
	}, nil
}
