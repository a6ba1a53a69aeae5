package ledger

import (
	"errors"
	"testing"
	"time"

	"earshot/internal/state/kv"
)

func TestAnalysesExpireAfterThirtyDays(t *testing.T) {
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	store := kv.NewMemory()
	store.MaxAge, store.Now = Retention, func() time.Time { return now }
	l := New(store)
	f := func(record, listed bool, opened int) {
		t.Helper()
		_, _, err := l.Find(t.Context(), 1)
		if record && err != nil || !record && !errors.Is(err, ErrNotFound) {
			t.Errorf("on %v: got %v, want a record: %v", now, err, record)
		}
		if list, err := l.List(t.Context(), 0, 0, 10); err != nil || (len(list) == 1) != listed {
			t.Errorf("on %v: got the list %v, %v, want a record: %v", now, list, err, listed)
		}
		if ids, err := l.ListPending(t.Context()); err != nil || len(ids) != opened {
			t.Errorf("on %v: got %v, %v, want %d pending IDs", now, ids, err, opened)
		}
	}
	first, err := l.Put(t.Context(), &Analysis{ID: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.AddPending(t.Context(), 1)
	l.AddPending(t.Context(), 2)

	now = now.Add(Retention - 1)
	f(true, true, 2)
	second, err := l.Put(t.Context(), &Analysis{ID: 1}, first) // restarts its retention
	if err != nil {
		t.Fatal(err)
	}
	l.AddPending(t.Context(), 2) // restarts its retention
	now = now.Add(1)
	f(true, false, 1) // list entries expire by the first write
	now = now.Add(Retention - 1)
	f(false, false, 0)

	if _, err := l.Put(t.Context(), &Analysis{ID: 1}, second); !errors.Is(err, ErrConflict) {
		t.Errorf("a write to an expired record: got %v, want ErrConflict", err)
	}
	if _, err := l.Put(t.Context(), &Analysis{ID: 1}, 0); err != nil {
		t.Errorf("a new record: %v", err)
	}
}
