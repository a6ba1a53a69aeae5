package bluesky

import "container/list"

// An lru is a map that evicts the least recently used entries.
type lru[V any] struct {
	size    int // maximum number of entries
	order   list.List
	entries map[string]*list.Element
}

type lruEntry[V any] struct {
	key   string
	value V
}

func newLRU[V any](size int) *lru[V] {
	return &lru[V]{size: size, entries: map[string]*list.Element{}}
}

// get returns the value of a key, and whether there is one.
func (l *lru[V]) get(key string) (value V, ok bool) {
	e, ok := l.entries[key]
	if !ok {
		return value, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*lruEntry[V]).value, true
}

func (l *lru[V]) put(key string, value V) {
	if e, ok := l.entries[key]; ok {
		l.order.MoveToFront(e)
		e.Value.(*lruEntry[V]).value = value
		return
	}
	l.entries[key] = l.order.PushFront(&lruEntry[V]{key, value})
	if len(l.entries) > l.size {
		l.remove(l.order.Back().Value.(*lruEntry[V]).key)
	}
}

// remove removes a key. It is not an error if there is none.
func (l *lru[V]) remove(key string) {
	if e, ok := l.entries[key]; ok {
		l.order.Remove(e)
		delete(l.entries, key)
	}
}
