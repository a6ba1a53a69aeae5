package position

import (
	"context"
	"sync"
	"time"

	"earshot/internal/state/kv"
)

// Store returns s, noting the revisions of all writes. With deletions, it notes those of deletions,
// too: to know them, it waits until a watch of the returned store has reported them. At least one watch
// must run; without it, or if it takes longer than two seconds, the deletion is not noted.
func Store(s kv.Store, deletions bool) kv.Store {
	return &notingStore{Store: s, deletions: deletions, deleted: map[string][]chan uint64{}}
}

// maxDeletionWait bounds the wait for a watch. Responses that miss a deletion are better than none.
const maxDeletionWait = 2 * time.Second

type notingStore struct {
	kv.Store
	deletions bool

	mu      sync.Mutex
	deleted map[string][]chan uint64 // guarded by mu; by key; get the revisions of deletions
}

func (s *notingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	next, err := s.Store.Put(ctx, key, value, revision)
	if err == nil {
		Note(ctx, Position{Catalog: next})
	}
	return next, err
}

func (s *notingStore) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	next, err := s.Store.Set(ctx, key, value)
	if err == nil {
		Note(ctx, Position{Catalog: next})
	}
	return next, err
}

func (s *notingStore) Delete(ctx context.Context, key string, revision uint64) error {
	if _, noted := ctx.Value(recorderKey{}).(*Recorder); !noted || !s.deletions {
		return s.Store.Delete(ctx, key, revision)
	}
	seen := make(chan uint64, 1)
	s.mu.Lock()
	s.deleted[key] = append(s.deleted[key], seen)
	s.mu.Unlock()
	defer s.forget(key, seen)
	if err := s.Store.Delete(ctx, key, revision); err != nil {
		return err
	}
	timeout := time.NewTimer(maxDeletionWait)
	defer timeout.Stop()
	select {
	case at := <-seen:
		Note(ctx, Position{Catalog: at})
	case <-timeout.C:
	case <-ctx.Done():
	}
	return nil
}

// forget ends waiting for a deletion.
func (s *notingStore) forget(key string, seen chan uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var others []chan uint64
	for _, c := range s.deleted[key] {
		if c != seen {
			others = append(others, c)
		}
	}
	if s.deleted[key] = others; others == nil {
		delete(s.deleted, key)
	}
}

func (s *notingStore) Watch(ctx context.Context, change func(kv.Entry), ready func(revision uint64)) error {
	return s.Store.Watch(ctx, func(e kv.Entry) {
		change(e)
		if e.Value != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, c := range s.deleted[e.Key] {
			select {
			case c <- e.Revision:
			default: // it has one already
			}
		}
	}, ready)
}
