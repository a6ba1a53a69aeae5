package memory_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/state/ledger"
	"earshot/internal/state/ledger/ledgertest"
	"earshot/internal/state/ledger/memory"
)

func TestLedger(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) ledger.Ledger { return memory.New() })
}

func TestArchive(t *testing.T) {
	ledgertest.RunArchive(t, func(*testing.T) ledger.Archive { return memory.New() })
}

func TestALedgerForgetsAfterThirtyDays(t *testing.T) {
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	l := memory.New()
	l.Now = func() time.Time { return now }
	f := func(record bool, opened int) {
		t.Helper()
		_, _, err := l.Find(t.Context(), 1)
		if record && err != nil || !record && !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("on %v: got %v, want a record: %v", now, err, record)
		}
		if list, err := l.List(t.Context(), 0, 0, 10); err != nil || (len(list) == 1) != record {
			t.Errorf("on %v: got the list %v, %v, want a record: %v", now, list, err, record)
		}
		if ids, err := l.Opened(t.Context()); err != nil || len(ids) != opened {
			t.Errorf("on %v: got %v, %v, want %d opened ids", now, ids, err, opened)
		}
	}
	first, err := l.Put(t.Context(), &ledger.Record{ID: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.Open(t.Context(), 1)
	l.Open(t.Context(), 2)

	now = now.Add(ledger.Kept - 1)
	f(true, 2)
	second, err := l.Put(t.Context(), &ledger.Record{ID: 1}, first) // written last now
	if err != nil {
		t.Fatal(err)
	}
	l.Open(t.Context(), 2) // opened last now
	now = now.Add(1)
	f(true, 1)
	now = now.Add(ledger.Kept - 1)
	f(false, 0)

	if _, err := l.Put(t.Context(), &ledger.Record{ID: 1}, second); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("a write to what is gone: got %v, want ErrConflict", err)
	}
	if _, err := l.Put(t.Context(), &ledger.Record{ID: 1}, 0); err != nil {
		t.Errorf("a new record: %v", err)
	}
}

func TestTimeMayBeVirtual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := memory.New()
		if _, err := l.Put(t.Context(), &ledger.Record{ID: 1}, 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(ledger.Kept)
		if _, _, err := l.Find(t.Context(), 1); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	})
}
