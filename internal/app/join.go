package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"earshot"
	"earshot/internal/cluster"
	"earshot/internal/operate"
	"earshot/internal/operate/disk"
	"earshot/internal/poststore/local"
)

// Directories in the data directory: the snapshots that other nodes copy, the copy that this node
// makes, and the store that the copy replaces.
const (
	snapshotsDir = ".snapshots"
	joiningDir   = ".joining"
	replacedDir  = ".replaced"
)

// joinEntries is the number of journal entries from which on an empty node copies the store of another
// one instead of processing them. Fewer are processed in seconds.
const joinEntries = 1000

// peerWait is how long a node that could process the journal waits for another one to copy.
const peerWait = 5 * time.Second

// joinRetry is the wait after copying has failed.
const joinRetry = 2 * time.Second

// A joinPlan is whether a node copies the store of another one.
type joinPlan int

const (
	follow   joinPlan = iota // the journal has everything that the store lacks
	mayJoin                  // so it does, but copying is faster
	mustJoin                 // entries that the store lacks have been trimmed
)

// planJoin decides how a node whose store ends at a position gets what it lacks of the journal, which
// has the entries after trimmed up to last.
func planJoin(stored, trimmed, last earshot.Position) joinPlan {
	switch {
	case stored < trimmed:
		return mustJoin
	case stored == 0 && last > joinEntries:
		return mayJoin
	}
	return follow
}

// join copies the post store of another node if the journal does not have, or would take long to
// process, what the store of this node lacks. posts is what it has.
func (a *App) join(ctx context.Context, posts operate.StoreInfo) error {
	if _, remote := a.config.ClickHouse(); remote || a.members == nil {
		return nil // a shared store has everything already
	}
	for _, name := range []string{joiningDir, replacedDir} {
		if err := os.RemoveAll(filepath.Join(a.config.Data, name)); err != nil {
			return fmt.Errorf("remove the rest of an interrupted copy: %w", err)
		}
	}
	last, err := a.Journal.Last(ctx)
	if err != nil {
		return err
	}
	trimmed, err := a.Journal.Trimmed(ctx)
	if err != nil {
		return err
	}
	plan := planJoin(posts.Position, trimmed, last)
	for plan != follow {
		peer, err := a.findPeer(ctx, plan, trimmed)
		if err != nil {
			return err
		}
		if peer.ID == "" {
			a.log.Info("no other node is live; processing the journal from the start", "entries", last-trimmed)
			break
		}
		if err = a.copyFrom(ctx, peer); err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.log.Warn("copying the post store failed; will retry", "node", peer.Name, "wait", joinRetry, "error", err)
		if !wait(ctx, joinRetry) {
			return ctx.Err()
		}
	}
	a.members.setState(cluster.Starting, "")
	return nil
}

// findPeer waits for a node whose store can be copied. If the journal is complete, it gives up after a
// while and returns the zero Member.
func (a *App) findPeer(ctx context.Context, plan joinPlan, trimmed earshot.Position) (cluster.Member, error) {
	limit, step := time.Minute, "waiting for another node with a post store to copy: the journal no longer has all entries that this node lacks"
	if plan == mayJoin {
		limit, step = peerWait, "looking for another node with a post store to copy"
	}
	a.members.setState(cluster.Joining, step)
	for {
		a.options.startup.begin(step) // again and again, because this step may take any time
		search, cancel := context.WithTimeout(ctx, limit)
		peer, err := a.members.WaitFor(search, func(list []cluster.Member) (cluster.Member, bool) { return bestPeer(list, trimmed) })
		cancel()
		switch {
		case err == nil || ctx.Err() != nil:
			return peer, err
		case plan == mayJoin:
			return cluster.Member{}, nil
		}
	}
}

// bestPeer returns the live node whose store is furthest, if the journal has everything after it.
func bestPeer(list []cluster.Member, trimmed earshot.Position) (best cluster.Member, found bool) {
	for _, m := range list {
		usable := !m.Self && m.Live && m.Durable > 0 && m.Durable >= trimmed
		if usable && (!found || m.Durable > best.Durable) {
			best, found = m, true
		}
	}
	return best, found
}

// copyFrom replaces the store of this node by a copy of another node's.
func (a *App) copyFrom(ctx context.Context, peer cluster.Member) error {
	began, dir := time.Now(), filepath.Join(a.config.Data, joiningDir)
	if err := os.RemoveAll(dir); err != nil { // of an earlier attempt
		return err
	}
	a.log.Info("copying the post store", "node", peer.Name)
	show := a.showCopy(peer.Name)
	c := &cluster.SnapshotClient{
		Node: a.members.Identity.ID,
		Request: func(ctx context.Context, request []byte) ([]byte, error) {
			return a.node.Request(ctx, a.snapshotSubject(peer.ID), request)
		},
		Progress: func(done, total int64) { show(int(100 * done / max(total, 1))) },
	}
	show(0)
	manifest, err := c.Fetch(ctx, dir)
	if err != nil {
		return err
	}
	a.options.startup.allowFor(manifest.Size())
	a.options.startup.begin("verifying the copy of the post store")
	if err := local.VerifyCheckpoint(ctx, dir); err != nil {
		return err
	}
	copied, err := local.Inspect(dir)
	switch {
	case err != nil:
		return err
	case copied.Installation != a.node.Installation():
		return fmt.Errorf("the post store of node %s belongs to installation %s, not to %s", peer.Name, copied.Installation, a.node.Installation())
	case copied.Position < manifest.Position:
		return fmt.Errorf("the copy ends at position %d, before %d", copied.Position, manifest.Position)
	}
	if err := a.replacePosts(dir); err != nil {
		return err
	}
	a.log.Info("copied the post store", "node", peer.Name, "bytes", manifest.Size(), "position", copied.Position, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// showCopy returns a function that shows the progress of copying, which several goroutines may call.
func (a *App) showCopy(node string) func(percent int) {
	return func(percent int) {
		step := fmt.Sprintf("copying the post store from node %s: %d %%", node, percent)
		if a.options.startup.current() != step {
			a.options.startup.begin(step)
			a.members.setState(cluster.Joining, step)
		}
	}
}

// replacePosts makes dir the post store of this node. If it is interrupted, the node has no store, and
// joins again.
func (a *App) replacePosts(dir string) error {
	replaced := filepath.Join(a.config.Data, replacedDir)
	if err := os.Rename(operate.PostsDir(a.config), replaced); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(dir, operate.PostsDir(a.config)); err != nil {
		return err
	}
	if err := disk.Sync(a.config.Data); err != nil {
		return err
	}
	return os.RemoveAll(replaced)
}

// rejoin makes Run open the App again, because the journal no longer has entries that this node lacks.
// err names them.
func (a *App) rejoin(err error) {
	next := "copying the post store of another node"
	if a.files == nil {
		next = "continuing where the post store ends"
	}
	a.log.Warn("this node lacks entries that the journal no longer has; "+next, "error", err)
	a.end(errRejoin)
	close(a.trimmed)
}

// snapshotSubject is where a node serves snapshots of its store.
func (a *App) snapshotSubject(node string) string { return a.node.Subject("snapshot", node) }

// serveSnapshots lets other nodes copy the store of this one.
func (a *App) serveSnapshots() error {
	if a.members == nil || a.files == nil {
		return nil
	}
	s := &cluster.SnapshotServer{
		Dir: filepath.Join(a.config.Data, snapshotsDir), Log: a.log,
		Checkpoint: func(ctx context.Context, dir string, m *cluster.Manifest) error {
			if err := a.files.Flush(ctx); err != nil {
				return err
			}
			m.Installation, m.Position, m.Catalog = a.node.Installation(), a.files.Durable(), a.catalog.Revision()
			return a.files.Checkpoint(ctx, dir)
		},
	}
	if err := s.Clean(); err != nil {
		return err
	}
	stop, err := a.node.Serve(a.snapshotSubject(a.members.Identity.ID), s.Serve)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	a.stopSnapshots = func() {
		stop()
		cancel()
		<-done
	}
	return nil
}

// wait waits for a time and reports whether ctx is still valid.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
