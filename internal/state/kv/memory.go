package kv

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot/internal/sleep"
)

// Memory is a [Store] in memory, with a map and a lock. It has no background work, and all data is
// lost when the process ends.
type Memory struct {
	MaxAge time.Duration    // of an entry since it was last written; 0: unlimited
	Now    func() time.Time // clock for MaxAge; may be replaced before the first call

	mu       sync.Mutex
	entries  map[string]storedEntry // guarded by mu
	revision uint64                 // newest revision; guarded by mu
	watchers map[*watcher]bool      // guarded by mu
}

type storedEntry struct {
	Entry
	written time.Time
}

// A watcher is one call of Watch.
type watcher struct {
	queue  []Entry       // changes not reported yet; guarded by Memory.mu
	signal chan struct{} // contains a token while queue is not empty
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{Now: time.Now, entries: map[string]storedEntry{}, watchers: map[*watcher]bool{}}
}

// lock locks the store and removes expired entries.
func (m *Memory) lock() {
	m.mu.Lock()
	if m.MaxAge > 0 {
		end := m.Now().Add(-m.MaxAge)
		maps.DeleteFunc(m.entries, func(_ string, e storedEntry) bool { return !e.written.After(end) })
	}
}

func check(ctx context.Context, key string) error { return cmp.Or(CheckKey(key), ctx.Err()) }

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key string) (Entry, error) {
	if err := check(ctx, key); err != nil {
		return Entry{}, err
	}
	m.lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		return Entry{}, ErrNotFound
	}
	return e.clone(), nil
}

// Put implements Store.
func (m *Memory) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	m.lock()
	defer m.mu.Unlock()
	if m.entries[key].Revision != revision {
		return 0, ErrConflict
	}
	return m.write(key, value), nil
}

// Set implements Store.
func (m *Memory) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	m.lock()
	defer m.mu.Unlock()
	return m.write(key, value), nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	m.lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[key]; !ok || e.Revision != revision {
		return ErrConflict
	}
	delete(m.entries, key)
	m.revision++
	m.notify(Entry{Key: key, Revision: m.revision})
	return nil
}

// Purge implements Store.
func (m *Memory) Purge(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	m.lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
	return nil
}

// Keys implements Store.
func (m *Memory) Keys(ctx context.Context, filter string) ([]string, error) {
	m.lock()
	defer m.mu.Unlock()
	var keys []string
	for key := range m.entries {
		if matches(filter, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, ctx.Err()
}

// Watch implements Store.
func (m *Memory) Watch(ctx context.Context, change func(Entry), ready func(revision uint64)) error {
	w := &watcher{signal: make(chan struct{}, 1)}
	m.lock()
	m.watchers[w] = true
	current := slices.SortedFunc(maps.Values(m.entries), func(a, b storedEntry) int { return cmp.Compare(a.Revision, b.Revision) })
	revision := m.revision
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.watchers, w)
	}()
	for _, e := range current {
		change(e.clone())
	}
	ready(revision)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.signal:
		}
		m.mu.Lock()
		queue := w.queue
		w.queue = nil
		m.mu.Unlock()
		for _, e := range queue {
			change(e.clone())
		}
	}
}

// Unseen implements Store. Watchers see every write, so nothing is ever skipped.
func (m *Memory) Unseen(ctx context.Context, after uint64) (upTo uint64, more bool, err error) {
	m.lock()
	defer m.mu.Unlock()
	return after, m.revision > after, ctx.Err()
}

// write stores a value and returns its revision. m.mu must be held.
func (m *Memory) write(key string, value []byte) uint64 {
	m.revision++
	e := Entry{Key: key, Value: append([]byte{}, value...), Revision: m.revision} // non-nil, because nil means a deletion
	m.entries[key] = storedEntry{e, m.Now()}
	m.notify(e)
	return m.revision
}

// notify queues a change for every watcher. m.mu must be held.
func (m *Memory) notify(e Entry) {
	for w := range m.watchers {
		w.queue = append(w.queue, e)
		sleep.Notify(w.signal)
	}
}

// clone returns a copy, so callers do not share the store's bytes. A nil Value, which means a
// deletion, stays nil.
func (e Entry) clone() Entry {
	e.Value = bytes.Clone(e.Value)
	return e
}

func matches(filter, key string) bool {
	patterns, parts := strings.Split(filter, "."), strings.Split(key, ".")
	for i, p := range patterns {
		switch {
		case i == len(parts):
			return false
		case p == ">":
			return true
		case p != "*" && p != parts[i]:
			return false
		}
	}
	return len(patterns) == len(parts)
}
