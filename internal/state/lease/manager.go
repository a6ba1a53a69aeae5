package lease

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

// A Manager runs roles: work that only one of several processes does at a time. The name of a role is
// the key of its lease, for example signals or source.7. All methods are safe for concurrent use.
type Manager struct {
	Store    kv.Store // of all processes; of one process alone, it may be in memory
	NodeName string   // of this process, for people

	// Fence returns a context for the work of a role, derived from ctx. Once it returns, no write
	// with a context of an earlier call for this role, in any process, can succeed. Nil: there is
	// only one process.
	Fence func(ctx context.Context, role string) (context.Context, error)

	Log *slog.Logger // may be nil

	once sync.Once
	id   string // unique; set by once

	mu      sync.Mutex        // guards the fields below
	held    map[string]bool   // roles whose work is running
	holders map[string]string // nodes that were last seen to have a lease, by role
}

// owner returns the ID of the process in leases.
func (m *Manager) owner() string {
	m.once.Do(func() { m.id = rand.Text() })
	return m.id
}

// Run calls work whenever this process has a role, until ctx ends. The context of work carries the
// fence of the role, and ends when the lease is lost; work must then return soon. When work returns
// by itself, another process may get the role.
func (m *Manager) Run(ctx context.Context, role string, work func(ctx context.Context)) {
	for m.Do(ctx, role, func(string) {}, work) {
		if !sleep.For(ctx, poll) { // lets others have it if work returned by itself
			return
		}
	}
}

// Do waits for a role and calls work once, as Run does. While it waits, it calls waiting with the name
// of the node that has the role. It reports whether ctx is still valid. If the lease is lost before
// work can start, Do returns without calling it.
func (m *Manager) Do(ctx context.Context, role string, waiting func(node string), work func(ctx context.Context)) bool {
	l := m.acquire(ctx, role, waiting)
	if l == nil {
		return false
	}
	held, end := context.WithCancelCause(ctx)
	defer end(nil)
	fenced, err := m.fence(held, role)
	if err == nil {
		// While the fence was raised, another process may have taken over. It raises the fence
		// again, so work must not start; and if not, it can only raise it later.
		err = l.renew(held)
	}
	if err != nil {
		if ctx.Err() == nil {
			m.log().Warn("a role cannot start; will retry", "role", role, "error", err)
		}
		l.release(ctx)
		return ctx.Err() == nil
	}
	if m.Fence != nil {
		m.log().Info("this node has a role now", "role", role)
	}
	m.run(ctx, l, func() { work(fenced) }, func() { end(ErrLost) })
	return ctx.Err() == nil
}

// run calls work and keeps the lease until work returns, also after ctx ends, because work then saves
// its state. If the lease is lost, it calls lost.
func (m *Manager) run(ctx context.Context, l *lease, work, lost func()) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keep sync.WaitGroup
	var err error
	keep.Go(func() {
		if err = l.keep(keeping); err != nil {
			m.log().Warn("a role was lost: its lease could not be renewed", "role", l.role)
			lost()
		}
	})
	m.setHeld(l.role, true)
	defer func() { // also if work panics
		m.setHeld(l.role, false)
		stop()
		keep.Wait()
		if err == nil {
			l.release(ctx)
		}
	}()
	work()
}

func (m *Manager) fence(ctx context.Context, role string) (context.Context, error) {
	if m.Fence == nil {
		return ctx, nil
	}
	fenced, err := m.Fence(ctx, role)
	if err != nil {
		return nil, fmt.Errorf("raise the fence: %w", err)
	}
	return fenced, nil
}

// Held returns the roles whose work runs in this process, sorted.
func (m *Manager) Held() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.held))
}

// Holder returns the node that was last seen to have a role. It knows only roles that this process
// runs or waits for.
func (m *Manager) Holder(role string) (nodeName string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	nodeName, ok = m.holders[role]
	return nodeName, ok
}

func (m *Manager) setHeld(role string, held bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !held {
		delete(m.held, role)
		delete(m.holders, role)
		return
	}
	if m.held == nil {
		m.held = map[string]bool{}
	}
	m.held[role] = true
}

func (m *Manager) setHolder(role, node string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holders == nil {
		m.holders = map[string]string{}
	}
	m.holders[role] = node
}

func (m *Manager) log() *slog.Logger {
	if m.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return m.Log
}

// Verify returns [ErrLost] unless this process has the lease of a role now. It reads the lease, so that
// a process that was paused notices that another one has taken over.
func (m *Manager) Verify(ctx context.Context, role string) error {
	e, err := m.Store.Get(ctx, role)
	switch {
	case errors.Is(err, kv.ErrNotFound), err == nil && decode(e.Value).Owner != m.owner():
		return fmt.Errorf("role %s: %w", role, ErrLost)
	case err != nil:
		return fmt.Errorf("read the lease of %s: %w", role, err)
	}
	return nil
}
