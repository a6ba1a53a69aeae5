package catalog

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

// A lagging store is a store of two processes. Its watch does not report a key.
type laggingStore struct {
	kv.Store
	hidden string
	last   uint64 // as the server has it
}

func (s *laggingStore) Watch(ctx context.Context, change func(kv.Entry), ready func(uint64)) error {
	return s.Store.Watch(ctx, func(e kv.Entry) {
		if e.Key != s.hidden {
			change(e)
		}
	}, ready)
}

func (s *laggingStore) Unseen(_ context.Context, after uint64) (uint64, bool, error) {
	return max(after, s.last), false, nil
}

func TestWaitRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := kv.NewMemory()
		here := openCatalog(t, shared)
		there := openCatalog(t, shared)
		done := make(chan error, 1)
		go func() { done <- here.WaitRevision(t.Context(), 3) }()
		for i := range earshot.MonitorID(3) {
			synctest.Wait()
			select {
			case <-done:
				t.Fatalf("returned at revision %d", i)
			default:
			}
			if err := there.Monitors.Add(t.Context(), i+1, &earshot.Monitor{ID: i + 1}); err != nil {
				t.Fatal(err)
			}
			if there.Known() != uint64(i+1) {
				t.Errorf("the writer knows revision %d, want %d", there.Known(), i+1)
			}
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, ok := here.Monitors.Find(3); !ok {
			t.Error("the record of the revision is not visible")
		}
		if err := here.WaitRevision(t.Context(), 2); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := here.WaitRevision(ctx, 4); err != context.DeadlineExceeded {
			t.Errorf("got %v, want the error of the context", err)
		}
	})
}

// TestWaitRevisionOfAPurgedRecord waits for a record that the watch never reports.
func TestWaitRevisionOfAPurgedRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &laggingStore{Store: kv.NewMemory(), hidden: "purged"}
		c := openCatalog(t, store)
		revision, err := store.Set(t.Context(), "purged", nil)
		if err != nil {
			t.Fatal(err)
		}
		store.last = revision
		began := time.Now()
		if err := c.WaitRevision(t.Context(), revision); err != nil || c.Revision() != revision {
			t.Errorf("got %v at revision %d, want %d", err, c.Revision(), revision)
		}
		if took := time.Since(began); took > 2*minUnseenWait {
			t.Errorf("waited for %v", took)
		}
	})
}

// TestWaitRevisionThatDoesNotExist waits for revisions of another installation.
func TestWaitRevisionThatDoesNotExist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openCatalog(t, &laggingStore{Store: kv.NewMemory(), last: 7})
		for _, want := range []time.Duration{minUnseenWait + (maxDenials-1)*maxUnseenWait, 0} { // the second time, it is known
			began := time.Now()
			if err := c.WaitRevision(t.Context(), 1000); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != want {
				t.Errorf("waited for %v, want %v", took, want)
			}
		}
		if c.Revision() >= 1000 {
			t.Errorf("got revision %d", c.Revision())
		}
	})
}

func openCatalog(t *testing.T, store kv.Store) *Catalog {
	t.Helper()
	c, err := Open(t.Context(), store, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
