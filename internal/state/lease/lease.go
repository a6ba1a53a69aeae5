// Package lease lets one of several processes do something, for example run a live source. The
// process that has a lease renews it. When it stops, crashes or is cut off, another takes over.
//
// A lease is a record of a [kv.Store] that names its owner. Every renewal changes its revision. A
// process that waits for the lease measures by its own clock how long the revision stays the same,
// so clocks need not agree.
//
// A lease alone does not keep a process from writing: the process may be paused after it has checked
// its lease, and continue when another has taken over. [Manager.Fence] closes this gap. It makes the
// store reject what an earlier owner writes.
package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

// BucketName is the name of the bucket with the leases, if several processes may run.
const BucketName = "leases"

// An owner renews its lease every interval. If it cannot, it stops working after stopAfter. Another
// process takes over the lease when it has seen no renewal for timeout. Shorter times would move
// work between nodes whenever the store elects a leader.
const (
	interval  = time.Second
	stopAfter = 3 * time.Second
	timeout   = 6 * time.Second
	poll      = 500 * time.Millisecond

	// regain replaces timeout for a renewal that becomes visible when the store, having been
	// unreachable for more than stopAfter, is back, or soon after that. While the store elected a
	// leader, the owner could not renew the lease: it has stopped working, or renews the lease now.
	regain = 2500 * time.Millisecond
)

// ErrLost is the cause of the end of a context of work whose lease was lost.
var ErrLost = errors.New("the lease was lost")

// A record is the value of a lease.
type record struct {
	Owner string    // unique for each manager
	Node  string    // its name, for people
	Since time.Time // when the owner acquired it
}

// A lease is one that this process has acquired.
type lease struct {
	store    kv.Store
	role     string
	value    []byte
	owner    string
	revision uint64
	renewed  time.Time // when the last successful renewal began
}

// acquire waits for a lease. It calls waiting with the owner if another process has it. It returns nil
// if ctx ends first.
func (m *Manager) acquire(ctx context.Context, role string, waiting func(node string)) *lease {
	var seen uint64
	var end, back time.Time // when the lease times out, unless its revision changes; when the store was back
	read := time.Now()      // when the store last answered
	for {
		began := time.Now()
		e, err := m.Store.Get(ctx, role)
		answered := time.Now()
		switch {
		case errors.Is(err, kv.ErrNotFound):
			e, err = kv.Entry{}, nil
		case err == nil:
			holder := decode(e.Value)
			m.setHolder(role, holder.Node)
			if holder.Owner == m.owner() {
				break
			}
			if answered.Sub(read) > stopAfter {
				back = answered
			}
			read = answered
			if e.Revision != seen {
				wait := timeout
				if seen > 0 && answered.Sub(back) < regain {
					wait = regain
				}
				seen, end = e.Revision, answered.Add(wait)
			}
			if answered.Before(end) {
				waiting(holder.Node)
				err = kv.ErrConflict
			}
		}
		if err == nil {
			l := &lease{store: m.Store, role: role, owner: m.owner(), renewed: began}
			l.value, err = json.Marshal(record{Owner: l.owner, Node: m.NodeName, Since: began.UTC().Truncate(time.Second)})
			if err == nil {
				l.revision, err = m.Store.Put(ctx, role, l.value, e.Revision)
			}
			if err == nil {
				m.setHolder(role, m.NodeName)
				return l
			}
		}
		if !sleep.For(ctx, poll) {
			return nil
		}
	}
}

// decode returns the record in a value, which is empty if the value is unreadable.
func decode(value []byte) (r record) {
	_ = json.Unmarshal(value, &r) // an owner without a name loses the lease like any other
	return r
}

// renew renews the lease. It returns ErrLost if another process has it.
func (l *lease) renew(ctx context.Context) error {
	began := time.Now()
	revision, err := l.store.Put(ctx, l.role, l.value, l.revision)
	if errors.Is(err, kv.ErrConflict) {
		// The response to an earlier renewal may have been lost.
		e, getErr := l.store.Get(ctx, l.role)
		switch {
		case errors.Is(getErr, kv.ErrNotFound), getErr == nil && decode(e.Value).Owner != l.owner:
			return ErrLost
		case getErr != nil:
			return getErr
		}
		l.revision = e.Revision
		return fmt.Errorf("renew lease %s: %w", l.role, err)
	}
	if err == nil {
		l.revision, l.renewed = revision, began
	}
	return err
}

// keep renews the lease until ctx ends, and returns ErrLost if it cannot.
func (l *lease) keep(ctx context.Context) error {
	for wait := interval; sleep.For(ctx, wait); {
		end := l.renewed.Add(stopAfter)
		attempt, cancel := context.WithDeadline(ctx, end)
		err := l.renew(attempt)
		cancel()
		switch left := time.Until(end); {
		case err == nil:
			wait = interval
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrLost), left <= 0:
			return ErrLost
		default:
			wait = min(poll, left)
		}
	}
	return nil
}

// release lets others take the lease immediately.
func (l *lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopAfter)
	defer cancel()
	_ = l.store.Delete(ctx, l.role, l.revision) // if this fails, the lease times out
}
