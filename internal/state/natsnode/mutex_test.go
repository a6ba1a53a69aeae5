package natsnode_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"earshot/internal/sleep"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

func openLock(t testing.TB, b *natsnode.Bucket) *natsnode.Mutex {
	t.Helper()
	l, err := natsnode.OpenMutex(t.Context(), b, "exclusive")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Each holder increments a counter with a read and an unconditional write, so an increment is lost if
// two of them hold the lock.
func TestALockExcludesOtherNodes(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	const each = 25
	var wg sync.WaitGroup
	for range 3 {
		b := openFenced(t, cluster.Open(t)).bucket
		l := openLock(t, b)
		wg.Go(func() {
			for range each {
				held, _, release, err := l.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				e, err := b.Get(held, "counter")
				if err != nil && !errors.Is(err, kv.ErrNotFound) {
					t.Error(err)
				}
				n, _ := strconv.Atoi(string(e.Value))
				if _, err := b.Set(held, "counter", []byte(strconv.Itoa(n+1))); err != nil {
					t.Error(err)
				}
				release()
			}
		})
	}
	wg.Wait()
	b := openFenced(t, cluster.Open(t)).bucket
	if e, err := b.Get(t.Context(), "counter"); err != nil || string(e.Value) != fmt.Sprint(3*each) {
		t.Errorf("the counter is %s, %v, want %d", e.Value, err, 3*each)
	}
}

// A process that died with the lock does not release it, and can no longer write if it was only paused.
func TestALockIsTakenOver(t *testing.T) {
	t.Parallel() // it waits for six seconds
	f := openFenced(t, embedded(t))
	dead := openLock(t, f.bucket)
	paused, release := dead.AcquireWithoutRenewal(t, t.Context())
	began := time.Now()
	held, _, unlock, err := openLock(t, f.bucket).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 6*time.Second {
		t.Errorf("the lock was taken over after %v, want at least 6 s", took)
	}
	if _, err := f.bucket.Set(paused, "a", nil); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("a write of the earlier process: got %v, want ErrFenced", err)
	}
	release()
	if _, err := f.bucket.Set(held, "a", nil); err != nil {
		t.Errorf("a write with the lock, after the earlier process released its own: %v", err)
	}
	unlock()
	began = time.Now()
	if _, _, unlock, err = openLock(t, f.bucket).Acquire(t.Context()); err != nil || time.Since(began) > 3*time.Second {
		t.Errorf("a released lock: got %v after %v, want it at once", err, time.Since(began))
	}
	unlock()
}

func TestALockThatIsHeldForLongIsRenewed(t *testing.T) {
	t.Parallel() // it waits for eight seconds
	f := openFenced(t, embedded(t))
	held, _, release, err := openLock(t, f.bucket).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, _, unlock, err := openLock(t, f.bucket).Acquire(t.Context())
		if err == nil {
			unlock()
		}
		got <- err
	}()
	sleep.For(t.Context(), 8*time.Second) // longer than the timeout
	if _, err := f.bucket.Put(held, "a", nil, 0); err != nil {
		t.Errorf("a write after the time in which an abandoned lock is taken over: %v", err)
	}
	release()
	if err := <-got; err != nil {
		t.Errorf("the other process: %v", err)
	}
}

func BenchmarkFence(b *testing.B) {
	for _, server := range []string{"embedded", "cluster"} {
		node := embedded(b)
		if server == "cluster" {
			node = natstest.Start(b, 3).Open(b)
		}
		f := openFenced(b, node)
		fenced, _ := f.raise(b.Context(), "role")
		for name, ctx := range map[string]context.Context{"unfenced": b.Context(), "fenced": fenced} {
			b.Run(server+" Put "+name, func(b *testing.B) {
				key := fmt.Sprint(server, name, time.Now().UnixNano())
				var revision uint64
				for b.Loop() {
					var err error
					if revision, err = f.bucket.Put(ctx, key, []byte("value"), revision); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(server+" Set "+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := f.bucket.Set(ctx, "set", []byte("value")); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		l := openLock(b, f.bucket)
		b.Run(server+" lock and unlock", func(b *testing.B) {
			for b.Loop() {
				_, _, release, err := l.Acquire(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				release()
			}
		})
	}
}
