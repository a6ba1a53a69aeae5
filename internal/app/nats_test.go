package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/config"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// startGuard starts a guard and returns what it says, and a function that stops it.
func startGuard(ctx context.Context, store kv.Store, name string) (held, displaced chan error, stop func()) {
	held, displaced = make(chan error, 1), make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		newGuard(store, name, slog.New(slog.DiscardHandler)).run(ctx, held, displaced)
	}()
	return held, displaced, func() { cancel(); <-ended }
}

func TestASecondProcessIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		held, displaced, stopFirst := startGuard(t.Context(), store, "a at 127.0.0.1:8080, since 2026-03-15 12:00:00 UTC")
		if err := <-held; err != nil {
			t.Fatal(err)
		}
		second, _, stopSecond := startGuard(t.Context(), store, "b")
		const want = "another process uses the same NATS server: a at 127.0.0.1:8080, since 2026-03-15 12:00:00 UTC. " +
			"Several processes form one installation only with cluster.name (docs/cluster.md)"
		if err := <-second; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		stopSecond()
		stopFirst()
		third, _, stopThird := startGuard(t.Context(), store, "c")
		began := time.Now()
		if err := <-third; err != nil || time.Since(began) > time.Second {
			t.Errorf("after the first has ended: got %v after %s", err, time.Since(began))
		}
		stopThird()
		if len(displaced) > 0 {
			t.Errorf("the first process was displaced: %v", <-displaced)
		}
	})
}

func TestTheLeaseOfACrashedProcessIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &cuttable{Store: kv.NewMemory()}
		held, displaced, stopFirst := startGuard(t.Context(), store, "a")
		if err := <-held; err != nil {
			t.Fatal(err)
		}
		store.cut.Store(true)
		second, _, stopSecond := startGuard(t.Context(), store.Store, "b")
		if err := <-second; err != nil {
			t.Fatalf("the lease of a process that does not renew it: got %v", err)
		}
		store.cut.Store(false)
		if err := <-displaced; err == nil || !strings.Contains(err.Error(), "another process uses the same NATS server: b.") {
			t.Errorf("the first process comes back: got %v", err)
		}
		stopSecond()
		stopFirst()
	})
}

// A cuttable store can be cut off.
type cuttable struct {
	kv.Store
	cut atomic.Bool
}

func (c *cuttable) Get(ctx context.Context, key string) (kv.Entry, error) {
	if c.cut.Load() {
		return kv.Entry{}, context.DeadlineExceeded
	}
	return c.Store.Get(ctx, key)
}

func (c *cuttable) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if c.cut.Load() {
		return 0, context.DeadlineExceeded
	}
	return c.Store.Put(ctx, key, value, revision)
}

func TestNodesNeedTheSameSecret(t *testing.T) {
	store := kv.NewMemory()
	start := func(dir, secret string, accept bool) error {
		cfg := config.New()
		cfg.Data, cfg.ClusterName, cfg.NATSURL = dir, "c", "nats://n"
		if secret != "" {
			if err := os.WriteFile(cfg.SecretPath(), []byte(secret), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return (&App{config: cfg, catalog: c, options: Options{AcceptSecret: accept}}).agreeOnSecret(t.Context())
	}
	expect := func(err error, want string) {
		t.Helper()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	first, second := strings.Repeat("1", 32), strings.Repeat("2", 32)
	expect(start(t.TempDir(), "", false), `does not exist, but all nodes of a cluster need the same secret. Create it once with "earshot cluster secret > secret.key"`)
	expect(start(t.TempDir(), first, false), "")
	expect(start(t.TempDir(), first, false), "")
	other := t.TempDir()
	expect(start(other, second, false), "the token secret in "+filepath.Join(other, "secret.key")+" is not the one of the other nodes")
	expect(start(t.TempDir(), second, true), "")
	expect(start(other, second, false), "")
}
