// Package lease lets one of several processes do something, for example run a live source. The
// process that has a lease renews it. When it stops, crashes or is cut off, another takes over.
//
// A lease is a record of a [kv.Store] that contains the ID of its owner. Every renewal changes its
// revision. A process that waits for the lease measures by its own clock how long the revision stays
// the same, so clocks need not agree.
package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"earshot/internal/state/kv"
)

// BucketName is the name of the bucket with the leases, if several processes may run.
const BucketName = "leases"

// An owner renews its lease every interval. If it cannot, it stops working after stopAfter, and must
// store nothing more after endAfter. Another process takes over the lease when it has seen no renewal
// for timeout.
const (
	interval  = 5 * time.Second
	stopAfter = 8 * time.Second
	endAfter  = 12 * time.Second
	timeout   = 15 * time.Second
	poll      = time.Second
)

// An Owner identifies a process, or a part of one, among all that may acquire a lease. Its zero value
// is ready to use. It must not be copied.
type Owner struct {
	once sync.Once
	id   string
}

func (o *Owner) get() string {
	o.once.Do(func() { o.id = rand.Text() })
	return o.id
}

// A Lease is the right to do something.
type Lease struct {
	store kv.Store
	key   string
	owner string

	mu       sync.Mutex // guards the fields below
	revision uint64
	renewed  time.Time // when the last successful renewal began
}

// Acquire waits for a lease. It calls waiting if another process has it. It returns nil if ctx ends
// first. The caller must call [Lease.Keep] to keep the lease.
func Acquire(ctx context.Context, store kv.Store, key string, owner *Owner, waiting func()) *Lease {
	l := &Lease{store: store, key: key, owner: owner.get()}
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
			if time.Since(since) < timeout {
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
		if !sleep(ctx, poll) {
			return nil
		}
	}
}

// Keep renews the lease until ctx ends, and calls lost if it cannot.
func (l *Lease) Keep(ctx context.Context, lost func()) {
	for wait := interval; sleep(ctx, wait); {
		began := time.Now()
		renewal, cancel := context.WithTimeout(ctx, stopAfter-interval)
		revision, err := l.store.Put(renewal, l.key, []byte(l.owner), l.revision)
		cancel()
		switch {
		case err == nil:
			l.mu.Lock()
			l.revision, l.renewed = revision, began
			l.mu.Unlock()
			wait = interval
		case errors.Is(err, kv.ErrConflict) && !l.stillOurs(ctx), !l.renewedWithin(stopAfter):
			lost()
			return
		default:
			wait = 500 * time.Millisecond
		}
	}
}

// stillOurs reports whether a renewal that seemed to fail has succeeded.
func (l *Lease) stillOurs(ctx context.Context) bool {
	e, err := l.store.Get(ctx, l.key)
	if err != nil || string(e.Value) != l.owner {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revision = e.Revision
	return true
}

// Valid reports whether no other process can have the lease yet.
func (l *Lease) Valid() bool { return l.renewedWithin(endAfter) }

func (l *Lease) renewedWithin(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.renewed) < d
}

// Release lets others take the lease immediately. Keep must have returned.
func (l *Lease) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interval)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.store.Delete(ctx, l.key, l.revision) // if this fails, the lease times out
}

// Run calls work whenever this process has the lease, until ctx ends. The context of work ends when
// the lease is lost; work must then return soon.
func Run(ctx context.Context, store kv.Store, key string, work func(ctx context.Context)) {
	var owner Owner
	for ctx.Err() == nil {
		l := Acquire(ctx, store, key, &owner, func() {})
		if l == nil {
			return
		}
		held, lost := context.WithCancel(ctx)
		var keeping sync.WaitGroup
		keeping.Go(func() { l.Keep(held, lost) })
		work(held)
		lost()
		keeping.Wait()
		l.Release(ctx)
		sleep(ctx, poll) // lets others have it if work returned by itself
	}
}

// sleep waits for a time and reports whether ctx is still valid.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
