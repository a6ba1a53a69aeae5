package operate

import (
	"context"
	"fmt"
	"log/slog"

	"earshot/internal/config"
	"earshot/internal/operate/backup"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	feedstore "earshot/internal/state/feed/jetstream"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
)

// Restore restores the backup in dir to the data directory of cfg, which must be empty, and to the
// NATS cluster if cfg names one, which must have none of Earshot's streams. The service must not be
// running. After a failure Restore may be called again, once the streams that it created in a
// cluster are removed.
func Restore(ctx context.Context, dir string, cfg config.Config, log *slog.Logger) (*backup.Manifest, error) {
	b, err := backup.Open(dir)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	err = b.Restore(ctx, backup.Target{
		Data:   cfg.Data,
		Posts:  PostsDir(cfg),
		Secret: cfg.SecretPath(),
		Open: func(ctx context.Context, m *backup.Manifest) (backup.Engines, error) {
			return openArchive(ctx, cfg, m, log)
		},
		Verify: func(ctx context.Context) error { return verifyRestored(ctx, cfg) },
	})
	if err != nil {
		return nil, err
	}
	return &b.Manifest, nil
}

// openArchive opens the engines that a backup is loaded into.
func openArchive(ctx context.Context, cfg config.Config, m *backup.Manifest, log *slog.Logger) (e backup.Engines, err error) {
	options, err := NATSOptions(cfg, log)
	if err != nil {
		return e, err
	}
	options.Installation = m.Installation
	node, err := natsnode.Open(ctx, options)
	if err != nil {
		return e, fmt.Errorf("open NATS: %w", err)
	}
	defer func() {
		if err != nil {
			node.Close()
		}
	}()
	e.Close = node.Close
	records, err := natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: catalog.BucketName, After: m.CatalogRevision})
	if err != nil {
		return e, fmt.Errorf("open catalog: %w", err)
	}
	e.Catalog = records
	if e.Journal, err = journalstore.Open(ctx, node, journalstore.Options{Log: log}); err != nil {
		return e, fmt.Errorf("open journal: %w", err)
	}
	if e.Streams, err = feedstore.Open(ctx, node, feedstore.Options{Log: log}); err != nil {
		return e, fmt.Errorf("open streams: %w", err)
	}
	if e.Sources, err = natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: source.BucketName}); err != nil {
		return e, fmt.Errorf("open live sources: %w", err)
	}
	e.Results, err = OpenLedger(ctx, node)
	return e, err
}
