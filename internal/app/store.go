package app

import (
	"context"

	"github.com/VictoriaMetrics/metrics"

	"earshot"
	"earshot/internal/backup"
	"earshot/internal/integrity"
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

// postFiles is what only an engine can do that has its files on this node.
type postFiles interface {
	backup.Posts

	// Verify returns everything that is damaged or missing.
	Verify(ctx context.Context, progress integrity.Progress) ([]integrity.Finding, error)

	// LostKeys returns the posts that quarantined segments had.
	LostKeys(ctx context.Context) (*local.LostKeys, error)

	// Dismiss forgets a quarantined segment.
	Dismiss(ctx context.Context, name string) error
}

// storeInfo is what the post store knows about the installation and its streams.
type storeInfo struct {
	Installation    string           // empty: unknown
	Position        earshot.Position // in the journal, up to which everything is durable
	CatalogRevision uint64           // highest revision of the catalog that the store has seen
}

// inspectPosts reads the state of the post store without changing anything.
func (a *App) inspectPosts(ctx context.Context) (storeInfo, error) {
	db, err := Database(a.config, a.options.StorePassword, a.log)
	if err != nil {
		return storeInfo{}, err
	}
	if db != nil {
		defer db.Close()
		info, err := db.Inspect(ctx)
		return storeInfo{Installation: info.Installation, Position: info.Position}, err
	}
	info, err := local.Inspect(a.postsDir())
	return storeInfo(info), err
}

// openPosts opens the post store.
func (a *App) openPosts(ctx context.Context) error {
	a.storeRequests = metrics.NewSet()
	db, err := newDatabase(a.config, a.options.StorePassword, a.log, a.observeStore)
	if err != nil {
		return err
	}
	if db != nil {
		return a.openClickHouse(ctx, db)
	}
	store, err := local.Open(ctx, local.Options{
		Dir:             a.postsDir(),
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
