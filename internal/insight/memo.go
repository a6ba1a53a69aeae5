package insight

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"earshot/internal/poststore"
)

// Limits of each memo. Higher limits use more memory and avoid more computation.
const (
	maxMemoEntries = 4096
	maxMemoBytes   = 16 << 20
)

// A memo caches results that are slow to compute. It evicts the least recently used ones.
// Concurrent requests for the same result compute it once. The zero memo is empty and ready to use.
type memo[V sizer] struct {
	mu      sync.Mutex
	entries map[memoKey]*memoEntry[V] // guarded by mu
	bytes   int                       // guarded by mu
	lookups uint64                    // orders entries by last use; guarded by mu
}

// A sizer reports its approximate size in bytes.
type sizer interface{ size() int }

// A memoKey contains everything that a result depends on.
type memoKey struct {
	posts string // the sets and ranges of posts, with their fingerprints
	query string // identifies the rest of the query
}

// A memoEntry is a result, computed or in progress.
type memoEntry[V sizer] struct {
	done     chan struct{} // closed when value is set or the computation failed
	value    V             // set before done is closed
	ok       bool          // whether value is set
	lastUsed uint64        // value of lookups at the last use; guarded by mu
}

func (a *memoEntry[V]) size(key memoKey) int { return a.value.size() + len(key.posts) + len(key.query) }

// memoize returns the result of compute for posts of a monitor, or the cached result if those posts
// have not changed since. Callers share the result and must not modify it.
func memoize[V sizer](ctx context.Context, s Store, m *memo[V], sel poststore.Selection, query string, compute func() (V, error)) (V, error) {
	return memoizeAll(ctx, s, m, []poststore.Selection{sel}, query, compute)
}

// memoizeAll is memoize for the posts of several monitors or ranges.
func memoizeAll[V sizer](ctx context.Context, s Store, m *memo[V], sels []poststore.Selection, query string, compute func() (V, error)) (none V, err error) {
	before, err := fingerprints(ctx, s, sels)
	if err != nil {
		return none, err
	}
	return m.get(ctx, memoKey{before, query}, func() (v V, same bool, err error) {
		if v, err = compute(); err != nil {
			return v, false, err
		}
		// Posts that changed during the computation may change back.
		after, err := fingerprints(ctx, s, sels)
		return v, after == before, err
	})
}

// fingerprints describes the current posts of the sets and ranges of selections.
func fingerprints(ctx context.Context, s Store, sels []poststore.Selection) (string, error) {
	var b strings.Builder
	for _, sel := range sels {
		f, err := s.Fingerprint(ctx, sel.Set, sel.From, sel.To)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%d %s %s %x;", sel.Set, sel.From.UTC().Format(time.RFC3339Nano), sel.To.UTC().Format(time.RFC3339Nano), f)
	}
	return b.String(), nil
}

// get returns the result for a key. If there is none, it calls compute, which also reports whether
// to store the result.
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
		// The request that computed the result failed, perhaps because its client disconnected.
	}
}

// cached returns the result for a key if it has been computed.
func (m *memo[V]) cached(key memoKey) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.entries[key]
	if !ok || !a.ok {
		return value, false
	}
	m.lookups++
	a.lastUsed = m.lookups
	return a.value, true
}

// put stores a result that was computed together with others, unless there is one or it is being
// computed.
func (m *memo[V]) put(key memoKey, value V) {
	if a, found := m.find(key); !found {
		_, _ = m.fill(key, a, func() (V, bool, error) { return value, true, nil })
	}
}

// find returns the entry of a key, or a new entry that the caller must fill.
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

// fill computes the value of an entry and removes the entry if the value should not be stored.
func (m *memo[V]) fill(key memoKey, a *memoEntry[V], compute func() (V, bool, error)) (value V, err error) {
	ok, store := false, false
	defer func() { // also runs if compute panics
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

// evict removes the least recently used entries until the limits hold. The caller must hold mu.
func (m *memo[V]) evict() {
	for len(m.entries) > maxMemoEntries || m.bytes > maxMemoBytes {
		var oldest memoKey
		oldestUse := m.lookups + 1
		for key, a := range m.entries {
			if a.ok && a.lastUsed < oldestUse {
				oldest, oldestUse = key, a.lastUsed
			}
		}
		if oldestUse > m.lookups { // all remaining entries are in progress
			return
		}
		m.bytes -= m.entries[oldest].size(oldest)
		delete(m.entries, oldest)
	}
}
