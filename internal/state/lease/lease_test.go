package lease

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		var working, most, turns atomic.Int32
		ctx, stop := context.WithCancel(t.Context())
		for range 3 {
			m := &Manager{Store: store}
			go m.Run(ctx, "k", func(ctx context.Context) {
				most.Store(max(most.Load(), working.Add(1)))
				turns.Add(1)
				sleep.For(ctx, 20*time.Second)
				working.Add(-1)
			})
		}
		time.Sleep(5 * time.Minute)
		stop()
		synctest.Wait()
		if most.Load() != 1 || turns.Load() < 5 {
			t.Errorf("at most %d worked at a time, in %d turns; want 1 and at least 5", most.Load(), turns.Load())
		}
	})
}

func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a, b := &Manager{Store: store, NodeName: "a"}, &Manager{Store: store, NodeName: "b"}
		a.acquire(t.Context(), "k", func(string) {})
		began := time.Now() // a crashes: it renews nothing
		var waitedFor string
		if !b.Do(t.Context(), "k", func(node string) { waitedFor = node }, func(context.Context) {
			if took := time.Since(began); took < timeout || took > timeout+2*poll {
				t.Errorf("taken over after %v, want about %v", took, timeout)
			}
		}) {
			t.Error("Do reports that the context has ended")
		}
		if waitedFor != "a" {
			t.Errorf("waited for %q, want a", waitedFor)
		}
	})
}

// The last renewal of an owner that has crashed may become visible only when the store has elected a
// leader, or a moment later. Others do not wait as long as for a renewal that they see at once.
func TestTakeOverAfterAnElection(t *testing.T) {
	for _, late := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			records := kv.NewMemory()
			store := &unreachable{Store: records}
			crashed := (&Manager{Store: records}).acquire(t.Context(), "k", func(string) {})
			taken := make(chan time.Time)
			go (&Manager{Store: store}).Do(t.Context(), "k", func(string) {}, func(context.Context) { taken <- time.Now() })
			time.Sleep(poll)
			store.down.Store(true)
			time.Sleep(stopAfter + poll)
			back := time.Now()
			if late > 0 {
				store.down.Store(false)
				time.Sleep(late)
			}
			if err := crashed.renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			store.down.Store(false)
			if took := (<-taken).Sub(back); took < late+regain || took > late+regain+2*poll {
				t.Errorf("a renewal after %v: taken over %v after the store is back, want about %v", late, took, late+regain)
			}
		})
	}
}

// An owner that only other processes could not see keeps its lease.
func TestNoTakeOverAfterBeingCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := kv.NewMemory()
		store := &unreachable{Store: records}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		owner, other := &Manager{Store: records}, &Manager{Store: store}
		go owner.Run(ctx, "k", func(ctx context.Context) { <-ctx.Done() })
		time.Sleep(time.Second)
		go other.Run(ctx, "k", func(ctx context.Context) { <-ctx.Done() })
		for range 5 {
			time.Sleep(10 * time.Second)
			store.down.Store(true)
			time.Sleep(2 * timeout)
			store.down.Store(false)
		}
		time.Sleep(time.Minute)
		if len(owner.Held()) != 1 || len(other.Held()) != 0 {
			t.Errorf("the owner has the roles %v, the other %v; want that the owner keeps its role", owner.Held(), other.Held())
		}
		stop()
		synctest.Wait()
	})
}

func TestLostWhenCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unreachable{Store: kv.NewMemory()}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan time.Time, 1)
		m := &Manager{Store: store}
		go m.Run(ctx, "k", func(ctx context.Context) {
			<-ctx.Done()
			if errors.Is(context.Cause(ctx), ErrLost) {
				ended <- time.Now()
			}
		})
		time.Sleep(time.Minute)
		for _, hang := range []bool{false, true} {
			began := time.Now()
			store.hang.Store(hang)
			store.down.Store(true)
			if after := (<-ended).Sub(began); after > stopAfter {
				t.Errorf("hanging %v: stopped %v after the store became unreachable, want at most %v", hang, after, stopAfter)
			}
			store.down.Store(false)
			time.Sleep(time.Minute)
			if got := m.Held(); !slices.Equal(got, []string{"k"}) {
				t.Errorf("a minute after the store is back, the roles are %v, want k", got)
			}
		}
		stop()
	})
}

func TestReleaseOnStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		ctx, stop := context.WithCancel(t.Context())
		m := &Manager{Store: store}
		go m.Run(ctx, "k", func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(2 * timeout) // saves its state
			if decode(get(t, store, "k").Value).Owner != m.owner() {
				t.Error("the lease was not kept until the work ended")
			}
		})
		time.Sleep(time.Minute)
		stop()
		time.Sleep(time.Minute)
		if _, err := store.Get(t.Context(), "k"); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("got %v for the lease, want none", err)
		}
	})
}

func TestHolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		ctx, stop := context.WithCancel(t.Context())
		var managers []*Manager
		for _, name := range []string{"a", "b"} {
			m := &Manager{Store: store, NodeName: name}
			managers = append(managers, m)
			for _, role := range []string{name + "-only", "shared"} {
				go m.Run(ctx, role, func(ctx context.Context) { <-ctx.Done() })
			}
			time.Sleep(10 * time.Second)
		}
		for i, want := range [][]string{{"a-only", "shared"}, {"b-only"}} {
			if got := managers[i].Held(); !slices.Equal(got, want) {
				t.Errorf("%s has the roles %v, want %v", managers[i].NodeName, got, want)
			}
			if got, ok := managers[i].Holder("shared"); got != "a" || !ok {
				t.Errorf("%s sees %q, %v as the holder of shared, want a", managers[i].NodeName, got, ok)
			}
		}
		if got, ok := managers[0].Holder("other"); ok {
			t.Errorf("%q is the holder of an unknown role", got)
		}
		var r record
		if r = decode(get(t, store, "shared").Value); r.Node != "a" || r.Owner == "" || r.Since.IsZero() {
			t.Errorf("the record is %+v, want an owner, the node a and a time", r)
		}
		stop()
	})
}

// A process that is paused while it raises the fence must not work: the one that took over raised the
// fence before it, and would be locked out.
func TestNoWorkIfTheLeaseIsLostWhileTheFenceIsRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		ctx, stop := context.WithCancel(t.Context())
		var events []string
		paused := &Manager{Store: store, Fence: func(ctx context.Context, role string) (context.Context, error) {
			time.Sleep(time.Minute)
			return ctx, nil
		}}
		go paused.Do(ctx, "k", func(string) {}, func(context.Context) { events = append(events, "paused works") })
		time.Sleep(time.Second)
		other := &Manager{Store: store, Fence: func(ctx context.Context, role string) (context.Context, error) {
			events = append(events, "other raises "+role)
			return context.WithValue(ctx, key{}, 7), nil
		}}
		go other.Run(ctx, "k", func(ctx context.Context) {
			events = append(events, fmt.Sprint("other works with ", ctx.Value(key{})))
			<-ctx.Done()
		})
		time.Sleep(2 * time.Minute)
		stop()
		synctest.Wait()
		if want := []string{"other raises k", "other works with 7"}; !slices.Equal(events, want) {
			t.Errorf("got %q, want %q", events, want)
		}
	})
}

func TestAFenceThatCannotBeRaisedIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		m := &Manager{Store: kv.NewMemory(), Fence: func(ctx context.Context, role string) (context.Context, error) {
			if attempts++; attempts < 3 {
				return nil, errors.New("no leader")
			}
			return ctx, nil
		}}
		ctx, stop := context.WithCancel(t.Context())
		m.Run(ctx, "k", func(context.Context) { stop() })
		if attempts != 3 {
			t.Errorf("work started after %d attempts, want 3", attempts)
		}
	})
}

type key struct{}

func get(t *testing.T, s kv.Store, key string) kv.Entry {
	t.Helper()
	e, err := s.Get(context.WithoutCancel(t.Context()), key)
	if err != nil {
		t.Error(err)
	}
	return e
}

// unreachable is a store that can fail.
type unreachable struct {
	kv.Store
	down atomic.Bool
	hang atomic.Bool // instead of failing
}

func (u *unreachable) Get(ctx context.Context, key string) (kv.Entry, error) {
	if u.down.Load() {
		return kv.Entry{}, errors.New("unreachable")
	}
	return u.Store.Get(ctx, key)
}

func (u *unreachable) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if u.down.Load() {
		if u.hang.Load() {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return 0, errors.New("unreachable")
	}
	return u.Store.Put(ctx, key, value, revision)
}

func TestVerify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		a, b := &Manager{Store: store}, &Manager{Store: store}
		want := func(m *Manager, want error) {
			t.Helper()
			if err := m.Verify(t.Context(), "k"); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		want(a, ErrLost)
		a.acquire(t.Context(), "k", func(string) {})
		want(a, nil)
		want(b, ErrLost)
		time.Sleep(time.Minute) // a is paused and does not renew the lease
		want(a, nil)            // no other process has it
		b.acquire(t.Context(), "k", func(string) {})
		want(a, ErrLost)
		want(b, nil)
	})
}
