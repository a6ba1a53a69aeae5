package catalog

import (
	"context"
	"sync"
	"time"

	"earshot/internal/state/kv"
)

// revisions tracks how far this process has read the store.
type revisions struct {
	mu      sync.Mutex
	highest uint64        // everything up to it was read and is visible; guarded by mu
	written uint64        // highest one that this process wrote; guarded by mu
	absent  uint64        // highest one that the store turned out not to have; guarded by mu
	changed chan struct{} // closed when highest changes; nil: nobody waits; guarded by mu
}

func (r *revisions) advance(to uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if to <= r.highest {
		return
	}
	r.highest = to
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// wait returns a channel that is closed when the highest revision changes, or nil if there is no need
// to wait for a revision.
func (r *revisions) wait(revision uint64) (highest uint64, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if revision <= max(r.highest, r.absent) {
		return r.highest, nil
	}
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.highest, r.changed
}

// wrote notes that this process wrote a revision. Its tables have the record at once, perhaps before
// earlier revisions.
func (r *revisions) wrote(revision uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written = max(r.written, revision)
}

func (r *revisions) setAbsent(revision uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.absent = max(r.absent, revision)
}

// Revision returns the highest revision of a record that this process has read. Every record up to
// this revision is visible.
func (c *Catalog) Revision() uint64 {
	c.read.mu.Lock()
	defer c.read.mu.Unlock()
	return c.read.highest
}

// Known returns the highest revision that this process has read or written. Its clients cannot know
// a later one.
func (c *Catalog) Known() uint64 {
	c.read.mu.Lock()
	defer c.read.mu.Unlock()
	return max(c.read.highest, c.read.written)
}

// WaitRevision waits for the watch for minUnseenWait before it asks the store, and then for
// maxUnseenWait between further requests. The watch does not see a record that is purged before it was
// read, and a request with a position waits for at most 2 s.
const (
	minUnseenWait = 250 * time.Millisecond
	maxUnseenWait = time.Second
)

// maxDenials is how often in a row the store denies having a revision until WaitRevision believes it.
// A server that was paused may not know the last revisions at first.
const maxDenials = 5

// WaitRevision waits until Revision is at least revision, or returns the error of ctx. It does not
// wait for a revision that the store does not have, such as one of another installation.
func (c *Catalog) WaitRevision(ctx context.Context, revision uint64) error {
	denials := 0
	for wait := minUnseenWait; ; wait = maxUnseenWait {
		highest, changed := c.read.wait(revision)
		if changed == nil {
			return nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-changed:
			timer.Stop()
			denials = 0
			continue
		case <-timer.C:
		}
		upTo, more, err := c.store.Unseen(ctx, highest)
		switch {
		case err != nil: // the watch has the same problem and logs it
		case more || upTo >= revision:
			denials = 0
			c.read.advance(upTo)
		default:
			if denials++; denials == maxDenials {
				c.read.setAbsent(revision)
			}
		}
	}
}

// A notedStore notes the revisions that this process writes.
type notedStore struct {
	kv.Store
	read *revisions
}

func (s *notedStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := s.Store.Put(ctx, key, value, revision)
	if err == nil {
		s.read.wrote(revision)
	}
	return revision, err
}

func (s *notedStore) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	revision, err := s.Store.Set(ctx, key, value)
	if err == nil {
		s.read.wrote(revision)
	}
	return revision, err
}
