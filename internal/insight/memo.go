package insight

import (
	"context"
	"sync"
	"time"

	"earshot/internal/poststore"
)

// How much a memo keeps.
const (
	maxMemoEntries = 4096
	maxMemoBytes   = 16 << 20
)

// A memo keeps responses that take long to compute, those that were asked for last. A response
// is computed once, however many ask for it at the same time. The zero memo is empty.
type memo[V sizer] struct {
	mu      sync.Mutex
	entries map[memoKey]*memoEntry[V]
	bytes   int
	lookups uint64 // how often something was
}

// sizer is what knows roughly how many bytes it takes.
type sizer interface{ size() int }

// A memoKey is all that a response depends on.
type memoKey struct {
	set         poststore.SetID
	from, to    time.Time
	fingerprint poststore.Fingerprint // of the posts of set in that range
	query       string                // what else was asked, different for different questions
}

// A memoEntry is a response, or a place for one that is being computed.
type memoEntry[V sizer] struct {
	done     chan struct{} // is closed when value is there, or when there will be none
	value    V
	ok       bool   // value is there
	lastUsed uint64 // when it was last asked for
}

func (a *memoEntry[V]) size(key memoKey) int { return a.value.size() + len(key.query) }

// memoize returns the response of compute about posts of a monitor, an earlier one if these
// have not changed since. The response belongs to all who ask: nobody may change it.
func memoize[V sizer](ctx context.Context, s Store, m *memo[V], sel poststore.Selection, query string, compute func() (V, error)) (none V, err error) {
	before, err := s.Fingerprint(ctx, sel.Set, sel.From, sel.To)
	if err != nil {
		return none, err
	}
	key := memoKey{sel.Set, sel.From.UTC(), sel.To.UTC(), before, query}
	return m.get(ctx, key, func() (v V, same bool, err error) {
		if v, err = compute(); err != nil {
			return v, false, err
		}
		// What changed while it was computed may change back.
		after, err := s.Fingerprint(ctx, sel.Set, sel.From, sel.To)
		return v, after == before, err
	})
}

// get returns the response of a key. When there is none, compute makes it, and says whether it
// is to be kept.
func (m *memo[V]) get(ctx context.Context, key memoKey, compute func() (value V, store bool, err error)) (none V, err error) {
	for {
		a, found := m.find(key)
		if !found {
			return m.fill(key, a, compute)
		}
		select {
		case <-a.done:
		case <-ctx.Done():
			return none, ctx.Err()
		}
		if a.ok {
			return a.value, nil
		}
		// Who computed it failed, perhaps because nobody waited there any more.
	}
}

// find returns the response of a key. When there is none, it returns a place for the caller to
// fill.
func (m *memo[V]) find(key memoKey) (a *memoEntry[V], found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lookups++
	if a, found = m.entries[key]; !found {
		if m.entries == nil {
			m.entries = map[memoKey]*memoEntry[V]{}
		}
		a = &memoEntry[V]{done: make(chan struct{})}
		m.entries[key] = a
	}
	a.lastUsed = m.lookups
	return a, found
}

// fill computes a response and takes its place out again when it is not to be kept.
func (m *memo[V]) fill(key memoKey, a *memoEntry[V], compute func() (V, bool, error)) (value V, err error) {
	ok, store := false, false
	defer func() { // also when compute panics
		m.mu.Lock()
		defer m.mu.Unlock()
		a.value, a.ok = value, ok
		if store {
			m.bytes += a.size(key)
			m.evict()
		} else {
			delete(m.entries, key)
		}
		close(a.done)
	}()
	value, store, err = compute()
	ok = err == nil
	store = store && ok
	return value, err
}

// evict forgets what was not asked for longest until the rest is not too much. The caller
// holds the lock.
func (m *memo[V]) evict() {
	for len(m.entries) > maxMemoEntries || m.bytes > maxMemoBytes {
		var oldest memoKey
		oldestUse := m.lookups + 1
		for key, a := range m.entries {
			if a.ok && a.lastUsed < oldestUse {
				oldest, oldestUse = key, a.lastUsed
			}
		}
		if oldestUse > m.lookups { // all that are left are being computed
			return
		}
		m.bytes -= m.entries[oldest].size(oldest)
		delete(m.entries, oldest)
	}
}
