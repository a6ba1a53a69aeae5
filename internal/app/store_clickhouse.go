package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"earshot/internal/poststore/clickhouse"
	"earshot/internal/poststore/singlewriter"
)

// storeRole is the role of the node that writes posts to a store that all nodes share.
const storeRole = "store"

// clickHousePosts is a post store in ClickHouse as one node uses it.
type clickHousePosts struct {
	*singlewriter.Store
	db     *clickhouse.Database
	reader *clickhouse.Store

	stop    context.CancelFunc // ends running
	running sync.WaitGroup     // probes, and writing on a single node
}

// openClickHouse opens the post store in a database. A single node writes from now on; one of several
// nodes writes while it has the role.
func (a *App) openClickHouse(ctx context.Context, db *clickhouse.Database) (err error) {
	if err := db.Prepare(ctx, a.node.Installation()); err != nil {
		return err
	}
	db.Now = a.options.Now
	p := &clickHousePosts{db: db}
	var fence func(context.Context) error
	if !a.config.Clustered() {
		fence = func(context.Context) error { return nil } // guardInstallation makes sure that there is no other node
	}
	if p.reader, err = db.Open(ctx, fence); err != nil {
		return err
	}
	p.Store = singlewriter.New(p.reader)
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop = stop
	p.running.Go(func() { db.Watch(running, a.options.StoreProbe) })
	if fence != nil {
		p.running.Go(func() { p.Write(running, p.reader, func() {}) })
	}
	a.posts, a.remote = p, p // Close closes it
	_, err = p.Position(ctx) // so that Durable knows it
	return err
}

// Err returns why the database cannot be used now, or nil.
func (p *clickHousePosts) Err() error {
	if p == nil {
		return nil
	}
	return p.db.Err()
}

// Close implements postStore.
func (p *clickHousePosts) Close() error {
	p.stop()
	p.running.Wait()
	err := p.reader.Close()
	p.db.Close()
	return err
}

// observeStore counts a request to ClickHouse.
func (a *App) observeStore(kind string, code int, took time.Duration) {
	a.storeRequests.GetOrCreateCounter(fmt.Sprintf(`earshot_clickhouse_requests_total{kind=%q,code="%d"}`, kind, code)).Inc()
	a.storeRequests.GetOrCreateSummary(fmt.Sprintf(`earshot_clickhouse_request_seconds{kind=%q}`, kind)).Update(took.Seconds())
}

// writePosts writes to the shared post store until ctx ends. It is the work of a role.
func (a *App) writePosts(ctx context.Context) {
	if err := a.takeOverPosts(ctx); err != nil && ctx.Err() == nil {
		a.log.Error("writing to the post store cannot begin; will retry", "error", err)
	}
}

// takeOverPosts is writePosts. Before it writes, this node must know every monitor that the former
// writer may have matched stored posts against: posts that are stored from now on would miss such a
// monitor forever.
func (a *App) takeOverPosts(ctx context.Context) error {
	if err := a.catalog.Exclusive(ctx, func(context.Context) error { return nil }); err != nil {
		return err
	}
	if err := a.rematch.Refresh(ctx); err != nil {
		return err
	}
	writer, err := a.remote.db.Open(ctx, func(ctx context.Context) error { return a.roles.Verify(ctx, storeRole) })
	if err != nil {
		return err
	}
	a.remote.Write(ctx, writer, a.pipeline.Barrier)
	return writer.Close()
}
