package position

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"

	"earshot/internal/state/kv"
)

func TestParse(t *testing.T) {
	f := func(s string, want Position) {
		t.Helper()
		got, err := Parse(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	f("812.93", Position{812, 93})
	f("0.0", Position{})
	f("18446744073709551615.18446744073709551615", Position{math.MaxUint64, math.MaxUint64})
	for _, s := range []string{"", ".", "1", "1.", ".1", "1.2.3", "-1.2", "+1.2", "01.2", "1.02", " 1.2", "1.2 ", "1,2", "a.b", "18446744073709551616.0", "1e3.0", "0x1.0"} {
		if got, err := Parse(s); err == nil {
			t.Errorf("%q: got %v, want an error", s, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"812.93", "0.0", "1.", "-1.2", "18446744073709551615.0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := Parse(s); err == nil && p.String() != s {
			t.Errorf("%q is parsed as %v", s, p)
		}
	})
}

func TestRecorder(t *testing.T) {
	ctx, r := WithRecorder(t.Context())
	var notes sync.WaitGroup
	for i := range uint64(100) {
		notes.Go(func() { Note(context.WithoutCancel(ctx), Position{Catalog: i}) })
	}
	notes.Wait()
	Note(ctx, Position{Journal: 7})
	Note(ctx, Position{Journal: 5})
	Note(t.Context(), Position{Journal: 1000}) // no recorder
	if got, want := r.Written(), (Position{7, 99}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := (Position{1, 20}).Max(Position{10, 2}), (Position{10, 20}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := kv.NewMemory()
		s := Store(inner, true)
		go s.Watch(t.Context(), func(kv.Entry) {}, func(uint64) {})
		synctest.Wait()
		f := func(what string, want uint64, write func(ctx context.Context) error) {
			t.Helper()
			ctx, r := WithRecorder(t.Context())
			if err := write(ctx); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if got := r.Written(); got != (Position{Catalog: want}) {
				t.Errorf("%s: got %v, want revision %d", what, got, want)
			}
		}
		put := func(ctx context.Context) error { _, err := s.Put(ctx, "a", nil, 0); return err }
		f("Put", 1, put)
		f("Set", 2, func(ctx context.Context) error { _, err := s.Set(ctx, "b", nil); return err })
		f("Delete", 3, func(ctx context.Context) error { return s.Delete(ctx, "a", 1) })
		f("a failed Put", 0, func(ctx context.Context) error {
			if _, err := s.Put(ctx, "b", nil, 77); err != kv.ErrConflict {
				t.Errorf("got %v, want a conflict", err)
			}
			return nil
		})
		f("a failed Delete", 0, func(ctx context.Context) error {
			if err := s.Delete(ctx, "b", 77); err != kv.ErrConflict {
				t.Errorf("got %v, want a conflict", err)
			}
			return nil
		})
		f("Delete without a watch", 0, func(ctx context.Context) error { return Store(inner, true).Delete(ctx, "b", 2) })
		if n := len(s.(*notingStore).deleted); n > 0 {
			t.Errorf("%d deletions are still awaited", n)
		}
	})
}
