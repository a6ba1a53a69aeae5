package natsnode_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/kv"
	"earshot/internal/state/kv/kvtest"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

func TestBucketInACluster(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	node := cluster.Open(t)
	kvtest.Run(t, func(t *testing.T) kv.Store { return empty(t, node) })
	t.Run("writes survive the loss of the leading server", func(t *testing.T) {
		survive(t, empty(t, node), func() { cluster.KillLeader(t, "KV_b") })
	})
}

// TestWatchOfAServerThatLags checks that a watch sees all entries before it is ready, even if its server
// has just started and lacks most of them.
func TestWatchOfAServerThatLags(t *testing.T) {
	testenv.SkipUnderRace(t) // as above
	const entries, watches = 2000, 30
	cluster := natstest.Start(t, 3)
	b := empty(t, cluster.Open(t))
	restart := cluster.StopFollower(t, "KV_b")
	var wg sync.WaitGroup
	for w := range 20 {
		wg.Go(func() {
			for i := w; i < entries; i += 20 {
				if _, err := b.Set(t.Context(), fmt.Sprintf("entry.%d", i), make([]byte, 1000)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	restart()
	for i := range watches {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		seen := 0
		err := b.Watch(ctx, func(kv.Entry) { seen++ }, func(uint64) { cancel() })
		cancel()
		if !errors.Is(err, context.Canceled) || seen != entries {
			t.Fatalf("watch %d: saw %d of %d entries, %v", i, seen, entries, err)
		}
	}
}

// survive increments several entries concurrently, kills a server in the middle, and expects each
// entry to contain exactly the number of acknowledged increments.
func survive(t *testing.T, b *natsnode.Bucket, kill func()) {
	const writers, each = 4, 60
	finished := watchFor(t, b, writers, strconv.Itoa(each))
	var wg sync.WaitGroup
	half := make(chan bool, writers)
	for w := range writers {
		wg.Go(func() {
			var revision uint64
			for i := range each {
				rev, err := b.Put(t.Context(), fmt.Sprintf("entry.%d", w), []byte(strconv.Itoa(i+1)), revision)
				if err != nil {
					t.Errorf("writer %d, write %d: %v", w, i, err)
					return
				}
				revision = rev
				if i == each/2 {
					half <- true
				}
			}
		})
	}
	<-half
	kill()
	wg.Wait()
	for w := range writers {
		e, err := b.Get(t.Context(), fmt.Sprintf("entry.%d", w))
		if err != nil || string(e.Value) != strconv.Itoa(each) {
			t.Errorf("entry %d: got %s, %v, want %d", w, e.Value, err, each)
		}
	}
	<-finished
}

// watchFor returns a channel that is closed when a watch has seen n entries reach the value last.
func watchFor(t *testing.T, b *natsnode.Bucket, n int, last string) <-chan struct{} {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		change := func(e kv.Entry) {
			if string(e.Value) == last {
				n--
			}
			if n == 0 {
				cancel()
			}
		}
		if err := b.Watch(ctx, change, func(uint64) {}); !errors.Is(err, context.Canceled) || n != 0 {
			t.Errorf("watcher: %v, %d entries short of their last value", err, n)
		}
	}()
	return finished
}

// empty removes the data of earlier tests and opens the bucket.
func empty(t *testing.T, node *natsnode.Node) *natsnode.Bucket {
	t.Helper()
	if err := node.JetStream().DeleteStream(t.Context(), "KV_b"); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Fatal(err)
	}
	b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
