package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

func TestExclusiveRunsOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openOn(t, kv.NewMemory())
		defer c.Close()
		running, most := 0, 0
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				got, err := catalog.Exclusively(t.Context(), c, func(context.Context) (int, error) {
					running++
					most = max(most, running)
					time.Sleep(time.Second)
					running--
					return i, errors.New("mine")
				})
				if got != i || err == nil || err.Error() != "mine" {
					t.Errorf("got %d, %v, want %d, mine", got, err, i)
				}
			})
		}
		wg.Wait()
		if most != 1 {
			t.Errorf("%d functions ran at the same time, want 1", most)
		}
	})
}

// A function sees what earlier ones in other processes wrote, because Exclusive waits until the catalog
// has read the revision of the lock.
func TestExclusiveWaitsForTheCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		c := openOn(t, store)
		defer c.Close()
		type key struct{}
		unlocked := false
		c.Lock = func(ctx context.Context) (context.Context, uint64, func(), error) {
			return context.WithValue(ctx, key{}, "fence"), 2, func() { unlocked = true }, nil
		}
		began := time.Now()
		go func() {
			for i := range 3 {
				time.Sleep(time.Second / 2)
				if _, err := store.Set(t.Context(), fmt.Sprint("team.", i+1), []byte(`{"Name":"x"}`)); err != nil {
					t.Error(err)
				}
			}
		}()
		err := c.Exclusive(t.Context(), func(ctx context.Context) error {
			if _, ok := c.Teams.Find(2); !ok || time.Since(began) != time.Second || ctx.Value(key{}) != "fence" {
				t.Errorf("after %v, team 2 is there: %v, and the context has %v", time.Since(began), ok, ctx.Value(key{}))
			}
			return fmt.Errorf("write: %w", kv.ErrFenced)
		})
		if !earshot.IsKind(err, earshot.Unavailable) || !unlocked {
			t.Errorf("got %v, unlocked %v, want an Unavailable error and an unlocked lock", err, unlocked)
		}
		c.Lock = func(ctx context.Context) (context.Context, uint64, func(), error) {
			return ctx, 1000, func() {}, nil
		}
		if err := c.Exclusive(t.Context(), func(context.Context) error { panic("it runs with an old catalog") }); err == nil {
			t.Error("Exclusive hides that the catalog is old")
		}
		c.Lock = func(ctx context.Context) (context.Context, uint64, func(), error) {
			return nil, 0, nil, errors.New("no leader")
		}
		if err := c.Exclusive(t.Context(), func(context.Context) error { panic("it runs without the lock") }); err == nil {
			t.Error("Exclusive hides that it has no lock")
		}
		time.Sleep(time.Hour)
	})
}

// Several nodes create monitors of a team at the same time, each after it has counted them.
func TestNodesTogetherRespectALimit(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	const limit, attempts = 12, 10
	var nodes []*catalog.Catalog
	for range 3 {
		b, err := natsnode.OpenBucket(t.Context(), cluster.Open(t), natsnode.BucketOptions{Name: catalog.BucketName})
		if err != nil {
			t.Fatal(err)
		}
		c := openOn(t, b)
		t.Cleanup(c.Close)
		mutex, err := natsnode.OpenMutex(t.Context(), b, "exclusive")
		if err != nil {
			t.Fatal(err)
		}
		c.Lock = mutex.Acquire
		nodes = append(nodes, c)
	}
	errLimit := errors.New("limit reached")
	var mu sync.Mutex
	var added, rejected int
	var wg sync.WaitGroup
	for _, c := range nodes {
		wg.Go(func() {
			for range attempts {
				err := c.Exclusive(t.Context(), func(ctx context.Context) error {
					if len(c.Monitors.List()) >= limit {
						return errLimit
					}
					id, err := c.NextIDs(ctx, 1)
					if err != nil {
						return err
					}
					return c.Monitors.Add(ctx, earshot.MonitorID(id), &earshot.Monitor{ID: earshot.MonitorID(id), Team: 1})
				})
				mu.Lock()
				switch {
				case err == nil:
					added++
				case errors.Is(err, errLimit):
					rejected++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if added != limit || rejected != 3*attempts-limit {
		t.Errorf("%d monitors were added and %d rejected, want %d and %d", added, rejected, limit, 3*attempts-limit)
	}
}

func openOn(t testing.TB, s kv.Store) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
