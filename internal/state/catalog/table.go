package catalog

import (
	"cmp"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Table holds all records of one kind, decoded. What it returns is shared and
// must not be changed; Update hands out a copy for that.
type Table[ID ~int64, T any] struct {
	store  Store
	prefix string

	mu      sync.RWMutex
	rows    map[ID]row[T]
	sorted  []*T       // by id; nil after a change, until someone asks
	changed *list.List // the ids of all rows, the one changed last at the end
	version uint64

	unreadable map[ID]bool // whose newest version could not be decoded
}

// A row without a value is a deleted record: its revision keeps an older
// notification from bringing it back.
type row[T any] struct {
	value    *T
	revision uint64
	version  uint64        // of the table, since which the row is as it is
	place    *list.Element // in changed
}

func newTable[ID ~int64, T any](store Store, prefix string) *Table[ID, T] {
	return &Table[ID, T]{store: store, prefix: prefix, rows: map[ID]row[T]{}, changed: list.New(), unreadable: map[ID]bool{}}
}

// Find returns the record with that id.
func (t *Table[ID, T]) Find(id ID) (*T, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	r, ok := t.rows[id]
	return r.value, ok && r.value != nil
}

// List returns all records in the order of their ids. The slice is shared too.
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
		t.sorted = t.sort()
	}
	return t.sorted
}

func (t *Table[ID, T]) sort() []*T {
	ids := make([]ID, 0, len(t.rows))
	for id, r := range t.rows {
		if r.value != nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, cmp.Compare[ID])
	sorted := make([]*T, len(ids))
	for i, id := range ids {
		sorted[i] = t.rows[id].value
	}
	return sorted
}

// Changes returns the ids of the records that were added, changed or removed after
// a version of the table, those of all since 0, and the version it has now. It takes
// time for what changed only. Find may show a record as it is even later; then it
// is in the next changes too.
func (t *Table[ID, T]) Changes(since uint64) (ids []ID, version uint64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for e := t.changed.Back(); e != nil && t.rows[e.Value.(ID)].version > since; e = e.Prev() {
		ids = append(ids, e.Value.(ID))
	}
	slices.Reverse(ids)
	return ids, t.version
}

// Complete reports whether the table has all there is. Otherwise there are records
// that cannot be read, and one that is not found may still exist.
func (t *Table[ID, T]) Complete() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.unreadable) == 0
}

// Add writes a new record. The id must be fresh.
func (t *Table[ID, T]) Add(ctx context.Context, id ID, v *T) error {
	return t.put(ctx, id, v, 0)
}

// Update changes a copy of the record and writes it, starting over when someone
// else wrote it meanwhile. It returns the written record, ErrNotFound when
// there is none, and change's error when that refuses.
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
		if !errors.Is(err, ErrConflict) {
			return nil, err
		}
	}
	return nil, errBusy
}

// Remove deletes the record. ErrNotFound when there is none.
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
		if !errors.Is(err, ErrConflict) {
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

// apply takes in what a watch reports.
func (t *Table[ID, T]) apply(id ID, rec Record) error {
	r := row[T]{revision: rec.Revision}
	if rec.Value != nil {
		r.value = new(T)
		if err := json.Unmarshal(rec.Value, r.value); err != nil {
			t.miss(id)
			return err
		}
	}
	t.set(id, r)
	return nil
}

func (t *Table[ID, T]) miss(id ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unreadable[id] = true
}

func (t *Table[ID, T]) set(id ID, r row[T]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.rows[id]
	if r.revision <= old.revision {
		return
	}
	delete(t.unreadable, id)
	t.version++
	r.version, r.place = t.version, old.place
	if r.place == nil {
		r.place = t.changed.PushBack(id)
	} else {
		t.changed.MoveToBack(r.place)
	}
	t.rows[id] = r
	t.sorted = nil
}

func (t *Table[ID, T]) key(id ID) string { return fmt.Sprintf("%s.%d", t.prefix, int64(id)) }
