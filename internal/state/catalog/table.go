package catalog

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"earshot/internal/state/kv"
)

// A Table contains all records of one type, decoded. The records it returns are shared and must not
// be modified; Update changes a copy.
type Table[ID ~int64, T any] struct {
	store  kv.Store
	prefix string

	notifier notifier

	mu         sync.RWMutex // guards the fields below
	rows       map[ID]row[T]
	sorted     []*T       // by ID; nil after a change until the next List
	changed    *list.List // the IDs of all rows, most recently changed last
	version    uint64
	unreadable map[ID]bool // IDs whose newest version could not be decoded
}

// A row without a value is a tombstone. Its revision prevents an older notification from restoring
// the record.
type row[T any] struct {
	value    *T
	revision uint64
	version  uint64        // version of the table when the row last changed
	element  *list.Element // element of changed
}

func newTable[ID ~int64, T any](store kv.Store, prefix string) *Table[ID, T] {
	return &Table[ID, T]{store: store, prefix: prefix, rows: map[ID]row[T]{}, changed: list.New(), unreadable: map[ID]bool{}}
}

// Find returns the record with the given ID.
func (t *Table[ID, T]) Find(id ID) (*T, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, ok := t.rows[id]
	return r.value, ok && r.value != nil
}

// List returns all records, ordered by ID. The slice is shared too.
func (t *Table[ID, T]) List() []*T {
	t.mu.RLock()
	sorted := t.sorted
	t.mu.RUnlock()
	if sorted != nil {
		return sorted
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sorted == nil {
		t.sorted = make([]*T, 0, len(t.rows))
		for _, id := range slices.Sorted(maps.Keys(t.rows)) {
			if v := t.rows[id].value; v != nil {
				t.sorted = append(t.sorted, v)
			}
		}
	}
	return t.sorted
}

// Changes returns the IDs of records that were added, changed or removed after version since of the
// table, and the current version. Version 0 returns all IDs. The cost depends only on the number of
// changes. Find may already return a later version of a record; its ID is then also in the next
// changes.
func (t *Table[ID, T]) Changes(since uint64) (ids []ID, version uint64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for e := t.changed.Back(); e != nil && t.rows[e.Value.(ID)].version > since; e = e.Prev() {
		ids = append(ids, e.Value.(ID))
	}
	slices.Reverse(ids)
	return ids, t.version
}

// Refresh reads a record from the store and returns it. Find may return an older version of a record
// that another process has just changed. It returns [ErrNotFound] if there is no such record.
func (t *Table[ID, T]) Refresh(ctx context.Context, id ID) (*T, error) {
	e, err := t.store.Get(ctx, t.key(id))
	if err != nil {
		return nil, err
	}
	if err := t.apply(id, e); err != nil {
		return nil, fmt.Errorf("decode %s: %w", e.Key, err)
	}
	v, ok := t.Find(id) // possibly newer
	if !ok {
		return nil, ErrNotFound
	}
	return v, nil
}

// Complete reports whether the table has every record. If not, some could not be decoded, and a
// record that Find does not return may still exist.
func (t *Table[ID, T]) Complete() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.unreadable) == 0
}

// Add writes a new record. The ID must not have been used before.
func (t *Table[ID, T]) Add(ctx context.Context, id ID, v *T) error {
	return t.put(ctx, id, v, 0)
}

// Update changes a copy of the record and writes it, and retries if another writer changes the
// record first. It returns the written record, [ErrNotFound], or the error of change.
func (t *Table[ID, T]) Update(ctx context.Context, id ID, change func(*T) error) (*T, error) {
	for range maxTries {
		current, err := t.store.Get(ctx, t.key(id))
		if err != nil {
			return nil, err
		}
		v := new(T)
		if err := json.Unmarshal(current.Value, v); err != nil {
			return nil, fmt.Errorf("decode %s: %w", current.Key, err)
		}
		if err := change(v); err != nil {
			return nil, err
		}
		err = t.put(ctx, id, v, current.Revision)
		if err == nil {
			return v, nil
		}
		if !errors.Is(err, kv.ErrConflict) {
			return nil, err
		}
	}
	return nil, errBusy
}

// Remove deletes the record, or returns [ErrNotFound].
func (t *Table[ID, T]) Remove(ctx context.Context, id ID) error {
	for range maxTries {
		current, err := t.store.Get(ctx, t.key(id))
		if err != nil {
			return err
		}
		err = t.store.Delete(ctx, current.Key, current.Revision)
		if err == nil {
			t.set(id, row[T]{revision: current.Revision + 1})
			return nil
		}
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
	return errBusy
}

func (t *Table[ID, T]) put(ctx context.Context, id ID, v *T, revision uint64) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	revision, err = t.store.Put(ctx, t.key(id), value, revision)
	if err != nil {
		return err
	}
	t.set(id, row[T]{value: v, revision: revision})
	return nil
}

// apply applies a change reported by a watch.
func (t *Table[ID, T]) apply(id ID, e kv.Entry) error {
	r := row[T]{revision: e.Revision}
	if e.Value != nil {
		r.value = new(T)
		if err := json.Unmarshal(e.Value, r.value); err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.unreadable[id] = true
			return err
		}
	}
	t.set(id, r)
	return nil
}

func (t *Table[ID, T]) set(id ID, r row[T]) {
	if t.replace(id, r) {
		t.notifier.notify()
	}
}

// replace replaces a row unless it is newer, and reports whether it did.
func (t *Table[ID, T]) replace(id ID, r row[T]) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.rows[id]
	if r.revision <= old.revision {
		return false
	}
	delete(t.unreadable, id)
	t.version++
	r.version, r.element = t.version, old.element
	if r.element == nil {
		r.element = t.changed.PushBack(id)
	} else {
		t.changed.MoveToBack(r.element)
	}
	t.rows[id] = r
	t.sorted = nil
	return true
}

func (t *Table[ID, T]) key(id ID) string { return fmt.Sprintf("%s.%d", t.prefix, int64(id)) }
