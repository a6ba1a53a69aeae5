package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"earshot"
	"earshot/internal/operate/disk"
	"earshot/internal/sleep"
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

// JoinOptions describe the post store of this node.
type JoinOptions struct {
	Dir    string           // data directory
	Posts  string           // directory of the post store, in Dir
	Stored earshot.Position // in the journal, up to which the store has everything

	// Inspect verifies a copy of a post store and returns the installation it belongs to and the
	// position up to which it has everything.
	Inspect func(ctx context.Context, dir string) (installation string, at earshot.Position, err error)

	Steps Steps
}

// Steps show what a start does.
type Steps interface {
	Begin(step string)
	Current() string
	AllowFor(bytes int64) // the running step and the next ones may take as long as this much data needs
}

// Join copies the post store of another node if the journal does not have, or would take long to
// process, what the store of this node lacks.
func (m *Membership) Join(ctx context.Context, o JoinOptions) error {
	if m.members == nil {
		return nil
	}
	for _, name := range []string{joiningDir, replacedDir} {
		if err := os.RemoveAll(filepath.Join(o.Dir, name)); err != nil {
			return fmt.Errorf("remove the rest of an interrupted copy: %w", err)
		}
	}
	last, err := m.Journal.Last(ctx)
	if err != nil {
		return err
	}
	trimmed, err := m.Journal.Trimmed(ctx)
	if err != nil {
		return err
	}
	plan := planJoin(o.Stored, trimmed, last)
	for plan != follow {
		peer, err := m.findPeer(ctx, o.Steps, plan, trimmed)
		if err != nil {
			return err
		}
		if peer.ID == "" {
			m.Log.Info("no other node is live; processing the journal from the start", "entries", last-trimmed)
			break
		}
		if err = m.copyFrom(ctx, peer, o); err == nil {
			break
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m.Log.Warn("copying the post store failed; will retry", "node", peer.Name, "wait", joinRetry, "error", err)
		if !sleep.For(ctx, joinRetry) {
			return ctx.Err()
		}
	}
	m.setState(Starting, "")
	return nil
}

// findPeer waits for a node whose store can be copied. If the journal is complete, it gives up after a
// while and returns the zero Member.
func (m *Membership) findPeer(ctx context.Context, steps Steps, plan joinPlan, trimmed earshot.Position) (Member, error) {
	limit, step := time.Minute, "waiting for another node with a post store to copy: the journal no longer has all entries that this node lacks"
	if plan == mayJoin {
		limit, step = peerWait, "looking for another node with a post store to copy"
	}
	m.setState(Joining, step)
	for {
		steps.Begin(step) // again and again, because this step may take any time
		search, cancel := context.WithTimeout(ctx, limit)
		peer, err := m.members.WaitFor(search, func(list []Member) (Member, bool) { return bestPeer(list, trimmed) })
		cancel()
		switch {
		case err == nil || ctx.Err() != nil:
			return peer, err
		case plan == mayJoin:
			return Member{}, nil
		}
	}
}

// bestPeer returns the live node whose store is furthest, if the journal has everything after it.
func bestPeer(list []Member, trimmed earshot.Position) (best Member, found bool) {
	for _, m := range list {
		usable := !m.Self && m.Live && m.Durable > 0 && m.Durable >= trimmed
		if usable && (!found || m.Durable > best.Durable) {
			best, found = m, true
		}
	}
	return best, found
}

// copyFrom replaces the store of this node by a copy of another node's.
func (m *Membership) copyFrom(ctx context.Context, peer Member, o JoinOptions) error {
	began, dir := time.Now(), filepath.Join(o.Dir, joiningDir)
	if err := os.RemoveAll(dir); err != nil { // of an earlier attempt
		return err
	}
	m.Log.Info("copying the post store", "node", peer.Name)
	show := m.showCopy(o.Steps, peer.Name)
	c := &SnapshotClient{
		Node: m.Identity.ID,
		Request: func(ctx context.Context, request []byte) ([]byte, error) {
			return m.Messenger.Request(ctx, m.Messenger.Subject(snapshotSubject, peer.ID), request)
		},
		Progress: func(done, total int64) { show(int(100 * done / max(total, 1))) },
	}
	show(0)
	manifest, err := c.Fetch(ctx, dir)
	if err != nil {
		return err
	}
	o.Steps.AllowFor(manifest.Size())
	o.Steps.Begin("verifying the copy of the post store")
	installation, at, err := o.Inspect(ctx, dir)
	switch {
	case err != nil:
		return err
	case installation != m.Installation:
		return fmt.Errorf("the post store of node %s belongs to installation %s, not to %s", peer.Name, installation, m.Installation)
	case at < manifest.Position:
		return fmt.Errorf("the copy ends at position %d, before %d", at, manifest.Position)
	}
	if err := o.replacePosts(dir); err != nil {
		return err
	}
	m.Log.Info("copied the post store", "node", peer.Name, "bytes", manifest.Size(), "position", at, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// showCopy returns a function that shows the progress of copying, which several goroutines may call.
func (m *Membership) showCopy(steps Steps, node string) func(percent int) {
	return func(percent int) {
		step := fmt.Sprintf("copying the post store from node %s: %d %%", node, percent)
		if steps.Current() != step {
			steps.Begin(step)
			m.setState(Joining, step)
		}
	}
}

// replacePosts makes dir the post store of this node. If it is interrupted, the node has no store, and
// joins again.
func (o JoinOptions) replacePosts(dir string) error {
	replaced := filepath.Join(o.Dir, replacedDir)
	if err := os.Rename(o.Posts, replaced); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(dir, o.Posts); err != nil {
		return err
	}
	if err := disk.Sync(o.Dir); err != nil {
		return err
	}
	return os.RemoveAll(replaced)
}

// A PostFiles is a post store with files on this node.
type PostFiles interface {
	Flush(ctx context.Context) error
	Durable() earshot.Position
	Checkpoint(ctx context.Context, dir string) error
}

// ServeSnapshots lets other nodes copy the post store of this one, until stop is called. dir is the data
// directory.
func (m *Membership) ServeSnapshots(dir string, posts PostFiles) (stop func(), err error) {
	if m.members == nil {
		return func() {}, nil
	}
	s := &SnapshotServer{
		Dir: filepath.Join(dir, snapshotsDir), Log: m.Log,
		Checkpoint: func(ctx context.Context, dir string, manifest *Manifest) error {
			if err := posts.Flush(ctx); err != nil {
				return err
			}
			manifest.Installation, manifest.Position, manifest.Catalog = m.Installation, posts.Durable(), m.Catalog.Revision()
			return posts.Checkpoint(ctx, dir)
		},
	}
	if err := s.Clean(); err != nil {
		return nil, err
	}
	unsubscribe, err := m.Messenger.Serve(m.Messenger.Subject(snapshotSubject, m.Identity.ID), s.Serve)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	return func() {
		unsubscribe()
		cancel()
		running.Wait()
	}, nil
}
