package source

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

// A process that runs a source renews its lease every leaseInterval. If it cannot, it stops the
// source after leaseStop, and stores nothing more after leaseEnd. Another process takes over
// the lease when it has seen no renewal for leaseTimeout by its own clock, so clocks need not agree.
const (
	leaseInterval = 5 * time.Second
	leaseStop     = 8 * time.Second
	leaseEnd      = 12 * time.Second
	leaseTimeout  = 15 * time.Second
	leasePoll     = time.Second
)

// A lease is the right to run a source. Its record contains the ID of the owner.
type lease struct {
	store kv.Store
	key   string
	owner string

	mu       sync.Mutex // guards the fields below
	revision uint64
	renewed  time.Time // when the last successful renewal began
}

// ownerID identifies a service among all that may run sources.
type ownerID struct {
	once sync.Once
	id   string
}

func (o *ownerID) get() string {
	o.once.Do(func() { o.id = rand.Text() })
	return o.id
}

func leaseKey(id earshot.LiveSourceID) string { return strconv.FormatInt(int64(id), 10) }

// acquire waits for the lease of a source. It calls waiting if another process has it. It returns
// nil if ctx ends first.
func (s *Service) acquire(ctx context.Context, id earshot.LiveSourceID, waiting func()) *lease {
	l := &lease{store: s.Leases, key: leaseKey(id), owner: s.owner.get()}
	var seen uint64
	var since time.Time
	for {
		began := time.Now()
		e, err := l.store.Get(ctx, l.key)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			e, err = kv.Entry{}, nil
		case err == nil && string(e.Value) != l.owner:
			if e.Revision != seen {
				seen, since = e.Revision, time.Now()
			}
			if time.Since(since) < leaseTimeout {
				waiting()
				err = kv.ErrConflict
			}
		}
		if err == nil {
			if l.revision, err = l.store.Put(ctx, l.key, []byte(l.owner), e.Revision); err == nil {
				l.renewed = began
				return l
			}
		}
		if !sleep(ctx, leasePoll) {
			return nil
		}
	}
}

// keep renews the lease until ctx ends, and calls lost if it cannot.
func (l *lease) keep(ctx context.Context, lost func()) {
	for wait := leaseInterval; sleep(ctx, wait); {
		began := time.Now()
		renewal, cancel := context.WithTimeout(ctx, leaseStop-leaseInterval)
		revision, err := l.store.Put(renewal, l.key, []byte(l.owner), l.revision)
		cancel()
		switch {
		case err == nil:
			l.mu.Lock()
			l.revision, l.renewed = revision, began
			l.mu.Unlock()
			wait = leaseInterval
		case errors.Is(err, kv.ErrConflict) && !l.stillOurs(ctx), !l.valid(leaseStop):
			lost()
			return
		default:
			wait = 500 * time.Millisecond
		}
	}
}

// stillOurs reports whether a renewal that seemed to fail has succeeded.
func (l *lease) stillOurs(ctx context.Context) bool {
	e, err := l.store.Get(ctx, l.key)
	if err != nil || string(e.Value) != l.owner {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision = e.Revision
	return true
}

// valid reports whether the lease was renewed within a time.
func (l *lease) valid(within time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.renewed) < within
}

// release lets others take the lease immediately.
func (l *lease) release(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.store.Delete(ctx, l.key, l.revision) // if this fails, the lease times out
}

// sleep waits for a time and reports whether ctx is still valid.
func sleep(ctx context.Context, d time.Duration) bool { return wait(ctx, d) == nil }

// wait returns after a time, or when ctx ends with its error.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ctx.Err()
	}
}
