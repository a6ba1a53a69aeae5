package app

import (
	"context"

	"github.com/VictoriaMetrics/metrics"

	"earshot"
	"earshot/internal/operate"
	"earshot/internal/operate/backup"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

// A postStore is the engine that stores posts.
type postStore interface {
	poststore.Store

	// Durable returns the journal position up to which a crash loses nothing. The journal may be
	// trimmed up to it.
	Durable() earshot.Position

	Close() error
}

// postFiles has the methods of an engine whose files are on this node.
type postFiles interface {
	backup.Posts

	// Verify returns everything that is damaged or missing.
	Verify(ctx context.Context, progress integrity.Progress) ([]integrity.Finding, error)

	operate.Files
}

func (a *App) openPosts(ctx context.Context) error {
	a.storeRequests = metrics.NewSet()
	db, err := operate.Database(a.config, operate.StoreOptions{Password: a.options.StorePassword, Log: a.log, Observe: a.observeStore})
	if err != nil {
		return err
	}
	if db != nil {
		return a.openClickHouse(ctx, db)
	}
	store, err := local.Open(ctx, local.Options{
		Dir:             operate.PostsDir(a.config),
		UnmatchedDays:   a.config.RetentionUnmatched,
		Log:             a.log,
		Now:             a.options.Now,
		Installation:    a.node.Installation(),
		CatalogRevision: a.catalog.Revision,
	})
	if err != nil {
		return err
	}
	a.posts, a.files = store, store
	return nil
}

// Compact flushes and compacts a local post store immediately instead of in the background, so that
// its files do not depend on the speed of the machine.
func (a *App) Compact(ctx context.Context) error {
	if store, ok := a.posts.(*local.Store); ok {
		return store.Compact(ctx)
	}
	return nil
}
