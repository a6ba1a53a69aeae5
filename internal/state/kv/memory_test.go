package kv_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/state/kv"
	"earshot/internal/state/kv/kvtest"
)

func TestMemory(t *testing.T) {
	kvtest.Run(t, func(*testing.T) kv.Store { return kv.NewMemory() })
}

func TestMemoryEntriesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := kv.NewMemory()
		m.MaxAge = time.Hour
		f := func(key string, want error) {
			t.Helper()
			if _, err := m.Get(t.Context(), key); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", key, err, want)
			}
		}
		rev, err := m.Put(t.Context(), "a", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour - 1)
		f("a", nil)
		if _, err := m.Set(t.Context(), "b", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Nanosecond)
		f("a", kv.ErrNotFound)
		f("b", nil)
		if keys, err := m.Keys(t.Context(), ">"); err != nil || len(keys) != 1 {
			t.Errorf("got %v, %v, want b alone", keys, err)
		}
		if _, err := m.Put(t.Context(), "a", nil, rev); !errors.Is(err, kv.ErrConflict) {
			t.Errorf("a write to an expired entry: got %v, want ErrConflict", err)
		}
		if _, err := m.Put(t.Context(), "a", nil, 0); err != nil {
			t.Errorf("a new entry: %v", err)
		}
	})
}
