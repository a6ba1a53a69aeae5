// Package memory is the plain twin of the ledger: two maps and a lock. Nothing survives the
// process, and nothing runs between the calls.
package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/ledger"
)

// A Ledger is a ledger.Ledger in memory.
type Ledger struct {
	// Now tells the time by which records grow old. It may be replaced before the first call.
	Now func() time.Time

	mu       sync.Mutex
	revision uint64 // of the newest write
	records  map[earshot.ResultID]record
	opened   map[earshot.ResultID]time.Time // when each was
}

// A record is encoded, so that callers share nothing with the ledger.
type record struct {
	value    []byte
	revision uint64
	written  time.Time
}

var _ ledger.Ledger = (*Ledger)(nil)

// New returns an empty ledger.
func New() *Ledger {
	return &Ledger{Now: time.Now, records: map[earshot.ResultID]record{}, opened: map[earshot.ResultID]time.Time{}}
}

// Find implements ledger.Ledger.
func (l *Ledger) Find(ctx context.Context, id earshot.ResultID) (*ledger.Record, uint64, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	stored, ok := l.records[id]
	if !ok {
		return nil, 0, ledger.ErrNotFound
	}
	r, err := ledger.Decode(stored.value)
	return r, stored.revision, err
}

// Put implements ledger.Ledger.
func (l *Ledger) Put(ctx context.Context, r *ledger.Record, revision uint64) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	value, err := ledger.Encode(r)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	if l.records[r.ID].revision != revision {
		return 0, ledger.ErrConflict
	}
	return l.write(r.ID, value), nil
}

// write stores a record. Lock should be held.
func (l *Ledger) write(id earshot.ResultID, value []byte) uint64 {
	l.revision++
	l.records[id] = record{value: value, revision: l.revision, written: l.Now()}
	return l.revision
}

// Open implements ledger.Ledger.
func (l *Ledger) Open(ctx context.Context, id earshot.ResultID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened[id] = l.Now()
	return nil
}

// Close implements ledger.Ledger.
func (l *Ledger) Close(ctx context.Context, id earshot.ResultID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.opened, id)
	return nil
}

// Opened implements ledger.Ledger.
func (l *Ledger) Opened(ctx context.Context) ([]earshot.ResultID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	return slices.Sorted(maps.Keys(l.opened)), nil
}

// List implements ledger.Ledger.
func (l *Ledger) List(ctx context.Context, user earshot.UserID, before earshot.ResultID, most int) ([]*ledger.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	var list []*ledger.Record
	for id, stored := range l.records {
		r, err := ledger.Decode(stored.value)
		if err != nil {
			return nil, err
		}
		if r.User == user && (before == 0 || id < before) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *ledger.Record) int { return cmp.Compare(b.ID, a.ID) })
	return list[:min(most, len(list))], nil
}

// forget removes what has been kept long enough. Lock should be held.
func (l *Ledger) forget() {
	end := l.Now().Add(-ledger.Kept)
	maps.DeleteFunc(l.records, func(_ earshot.ResultID, r record) bool { return !r.written.After(end) })
	maps.DeleteFunc(l.opened, func(_ earshot.ResultID, at time.Time) bool { return !at.After(end) })
}
