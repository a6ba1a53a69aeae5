// Package memory is the plain twin of the catalog store: a map and a lock.
// Nothing survives the process.
package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"earshot/internal/state/catalog"
)

// A Store is a catalog.Store in memory.
type Store struct {
	mu       sync.Mutex
	records  map[string]catalog.Record
	revision uint64
	watchers map[*watcher]bool
}

var _ catalog.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{records: map[string]catalog.Record{}, watchers: map[*watcher]bool{}}
}

// Get implements catalog.Store.
func (s *Store) Get(ctx context.Context, key string) (catalog.Record, error) {
	if err := check(ctx, key); err != nil {
		return catalog.Record{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[key]
	if !ok {
		return catalog.Record{}, catalog.ErrNotFound
	}
	return clone(r), nil
}

// Put implements catalog.Store.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[key].Revision != revision {
		return 0, catalog.ErrConflict
	}
	s.revision++
	r := catalog.Record{Key: key, Value: append([]byte{}, value...), Revision: s.revision}
	s.records[key] = r
	s.tell(r)
	return r.Revision, nil
}

// Delete implements catalog.Store.
func (s *Store) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.records[key]; !ok || r.Revision != revision {
		return catalog.ErrConflict
	}
	s.revision++
	delete(s.records, key)
	s.tell(catalog.Record{Key: key, Revision: s.revision})
	return nil
}

// Watch implements catalog.Store.
func (s *Store) Watch(ctx context.Context, change func(catalog.Record), ready func()) error {
	w, current := s.join()
	defer s.leave(w)
	for _, r := range current {
		change(clone(r))
	}
	ready()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.news:
			for _, r := range s.take(w) {
				change(clone(r))
			}
		}
	}
}

// A watcher is a Watch and what it has not shown yet.
type watcher struct {
	waiting []catalog.Record
	news    chan struct{} // holds one token when waiting is not empty
}

// join registers a watcher and returns what there is at that moment, in the order it was written.
func (s *Store) join() (*watcher, []catalog.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &watcher{news: make(chan struct{}, 1)}
	s.watchers[w] = true
	return w, slices.SortedFunc(maps.Values(s.records), func(a, b catalog.Record) int { return cmp.Compare(a.Revision, b.Revision) })
}

func (s *Store) leave(w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers, w)
}

// tell queues a change for every watcher. Lock should be held.
func (s *Store) tell(r catalog.Record) {
	for w := range s.watchers {
		w.waiting = append(w.waiting, r)
		select {
		case w.news <- struct{}{}:
		default:
		}
	}
}

func (s *Store) take(w *watcher) []catalog.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := w.waiting
	w.waiting = nil
	return waiting
}

var validKey = regexp.MustCompile(`^[-_=A-Za-z0-9]+(\.[-_=A-Za-z0-9]+)*$`)

func check(ctx context.Context, key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("catalog: invalid key %q", key)
	}
	return ctx.Err()
}

// clone keeps callers from sharing the store's bytes. A deletion's nil stays nil.
func clone(r catalog.Record) catalog.Record {
	r.Value = bytes.Clone(r.Value)
	return r
}
