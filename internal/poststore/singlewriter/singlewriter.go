// Package singlewriter lets several nodes use one post store, to which one of them writes at a time.
//
//	node a  pipeline ──▶ Store ──▶ writer ──┐
//	node b  pipeline ──▶ Store (waits) ─────┼── posts of all nodes
//	all     queries  ──▶ Store ──▶ reader ──┘
//
// The central idea is that nothing above the store needs to know which node writes. Every node
// follows the journal. On the node that writes, [Store.Append] stores the posts of an entry; on the
// others it waits until the store has the entry. Both return when the posts can be found, so the
// position of a node's pipeline means the same everywhere, and a node that becomes the writer
// continues where the store ends: the store skips entries that it has already. Posts that it has
// matched before that are refused with [ErrMatchAgain]: a monitor may have changed, and the former
// writer may have rematched the store already.
//
// Changes of stored posts are not in the journal. A node that does not write cannot make them, but
// learns from the generations in the store when another one has: see [Store.Rematch].
//
// Who writes is decided elsewhere, by a lease; see [Store.Write]. The engine must make sure that a
// node that has lost its lease cannot write anymore.
package singlewriter

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

// pollInterval is how often a node that waits for another one reads the position of the store. It is
// the most that reading one's own posts on another node takes longer than on the node that writes.
const pollInterval = 100 * time.Millisecond

// A Store is one node's view of a store that several nodes use. It implements [poststore.Store].
type Store struct {
	poststore.Reader
	reader poststore.Store
	known  atomic.Uint64 // the highest position that the store was seen to have

	mu      sync.Mutex
	turn    *turn         // guarded by mu; nil: another node writes
	changed chan struct{} // guarded by mu; closed when turn changes
}

var _ poststore.GroupWriter = (*Store)(nil)

// A turn is the time in which this node writes.
type turn struct {
	ctx     context.Context // ends with the turn
	writer  poststore.Store // nil: the turn is about to begin
	running sync.WaitGroup  // calls of the writer
}

// New returns a Store that reads from reader and does not write until [Store.Write] is called.
func New(reader poststore.Store) *Store {
	return &Store{Reader: reader, reader: reader, changed: make(chan struct{})}
}

// Write makes this node write to the store with writer, until ctx is done. It returns when all calls
// of writer have returned. It must not be called again before that.
//
// Before it writes, it calls settle, which must return when no entry is being matched and stored
// anymore that was begun before. Until then, entries are refused.
func (s *Store) Write(ctx context.Context, writer poststore.Store, settle func()) {
	s.setTurn(&turn{ctx: ctx})
	settle()
	t := &turn{ctx: ctx, writer: writer}
	s.setTurn(t)
	<-ctx.Done()
	s.setTurn(nil)
	t.running.Wait()
}

func (s *Store) setTurn(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = t
	close(s.changed)
	s.changed = make(chan struct{})
}

// Writes reports whether this node writes to the store now.
func (s *Store) Writes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn != nil && s.turn.writer != nil
}

// ErrMatchAgain means that this node begins to write, so that posts that were matched before must be
// matched again.
var ErrMatchAgain = errors.New("this node begins to write to the post store: posts must be matched again")

// errEnded means that the turn ended during a call.
var errEnded = errors.New("this node does not write to the post store anymore")

// run calls f with the writer, if this node writes. Otherwise it reports false, and changed is closed
// when that changes. If the turn is about to begin, f is called with nil.
func (s *Store) run(ctx context.Context, f func(ctx context.Context, w poststore.Store) error) (written bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	t, changed := s.turn, s.changed
	if t != nil {
		t.running.Add(1) // under mu, so that Write waits for it
	}
	s.mu.Unlock()
	if t == nil {
		return false, changed, nil
	}
	defer t.running.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.ctx, func() { cancel(errEnded) })()
	err = f(ctx, t.writer)
	if err != nil && t.ctx.Err() != nil {
		return false, changed, nil // another node continues
	}
	return true, changed, err
}

// note notes a position that the store has.
func (s *Store) note(at earshot.Position) {
	for {
		known := s.known.Load()
		if uint64(at) <= known || s.known.CompareAndSwap(known, uint64(at)) {
			return
		}
	}
}

// Position implements [poststore.Store].
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	at, err := s.reader.Position(ctx)
	if err == nil {
		s.note(at)
	}
	return at, err
}

// Durable returns the highest position that the store was seen to have. An entry that is in the store
// has been written to its disks.
func (s *Store) Durable() earshot.Position { return earshot.Position(s.known.Load()) }

// write calls f with the writer, or waits until the store has the entry at a position.
func (s *Store) write(ctx context.Context, at earshot.Position, f func(ctx context.Context, w poststore.Store) error) error {
	for waited := false; uint64(at) > s.known.Load(); waited = true {
		written, changed, err := s.run(ctx, func(ctx context.Context, w poststore.Store) error {
			if waited || w == nil {
				return ErrMatchAgain
			}
			return f(ctx, w)
		})
		if err != nil {
			return err
		}
		if written {
			s.note(at)
			return nil
		}
		if stored, err := s.Position(ctx); err != nil {
			return err
		} else if stored >= at {
			return nil
		}
		if err := wait(ctx, changed, pollInterval); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// wait waits for a change or for a time.
func wait(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-t.C:
	}
	return ctx.Err()
}

// Append implements [poststore.Store]. On a node that does not write, it waits until the store has the
// entry.
func (s *Store) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	return s.write(ctx, at, func(ctx context.Context, w poststore.Store) error { return w.Append(ctx, at, posts) })
}

// AppendGroup implements [poststore.GroupWriter], like Append.
func (s *Store) AppendGroup(ctx context.Context, group []poststore.Batch) error {
	if len(group) == 0 {
		return ctx.Err()
	}
	return s.write(ctx, group[len(group)-1].At, func(ctx context.Context, w poststore.Store) error {
		if w, ok := w.(poststore.GroupWriter); ok {
			return w.AppendGroup(ctx, group)
		}
		for _, b := range group {
			if err := w.Append(ctx, b.At, b.Posts); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete implements [poststore.Store], like Append.
func (s *Store) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	return s.write(ctx, at, func(ctx context.Context, w poststore.Store) error { return w.Delete(ctx, at, d) })
}

// AddSnapshots implements [poststore.Store], like Append.
func (s *Store) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, snapshots []earshot.Snapshot) error {
	return s.write(ctx, at, func(ctx context.Context, w poststore.Store) error { return w.AddSnapshots(ctx, at, m, snapshots) })
}

// maintain calls f with the writer, if this node writes, and otherwise reports false.
func (s *Store) maintain(ctx context.Context, f func(ctx context.Context, w poststore.Store) error) (written bool, err error) {
	if !s.Writes() {
		return false, nil
	}
	written, _, err = s.run(ctx, func(ctx context.Context, w poststore.Store) error {
		if w == nil { // another turn is about to begin
			return poststore.ErrElsewhere
		}
		return f(ctx, w)
	})
	return written, err
}

// Rematch implements [poststore.Store]. On a node that does not write, it succeeds if the store has the
// generations of the rules, because another node has applied them then, and otherwise returns
// [poststore.ErrElsewhere].
func (s *Store) Rematch(ctx context.Context, r poststore.Rematch) error {
	written, err := s.maintain(ctx, func(ctx context.Context, w poststore.Store) error { return w.Rematch(ctx, r) })
	if written || err != nil {
		return err
	}
	generations, err := s.reader.Generations(ctx)
	if err != nil {
		return err
	}
	for set, rule := range r.Rules {
		if generations[set] != rule.Generation {
			return poststore.ErrElsewhere
		}
	}
	return nil
}

// Reinfer implements [poststore.Store]. On a node that does not write, it returns
// [poststore.ErrElsewhere].
func (s *Store) Reinfer(ctx context.Context, r poststore.Reinfer) error {
	written, err := s.maintain(ctx, func(ctx context.Context, w poststore.Store) error { return w.Reinfer(ctx, r) })
	if !written && err == nil {
		err = poststore.ErrElsewhere
	}
	return err
}

// Generations implements [poststore.Store].
func (s *Store) Generations(ctx context.Context) (map[poststore.SetID]int64, error) {
	return s.reader.Generations(ctx)
}

// Stats implements [poststore.Store].
func (s *Store) Stats(ctx context.Context) (poststore.Stats, error) { return s.reader.Stats(ctx) }
