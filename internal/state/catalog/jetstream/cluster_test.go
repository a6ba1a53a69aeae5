package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"earshot/internal/state/catalog"
	"earshot/internal/state/catalog/catalogtest"
	"earshot/internal/state/catalog/jetstream"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
)

func TestCluster(t *testing.T) {
	cluster := natstest.Start(t, 3)
	node := cluster.Open(t)
	catalogtest.Run(t, func(t *testing.T) catalog.Store { return empty(t, node) })
	t.Run("writes survive the loss of the leading server", func(t *testing.T) {
		survive(t, empty(t, node), func() { cluster.KillLeader(t, "KV_catalog") })
	})
}

// survive counts up several records at once, kills a server in the middle, and
// expects each record to have counted exactly what was acknowledged.
func survive(t *testing.T, s *jetstream.Store, kill func()) {
	const writers, each = 4, 60
	finished := watchFor(t, s, writers, strconv.Itoa(each))
	var wg sync.WaitGroup
	half := make(chan bool, writers)
	for w := range writers {
		wg.Go(func() {
			var revision uint64
			for i := range each {
				rev, err := s.Put(t.Context(), fmt.Sprintf("record.%d", w), []byte(strconv.Itoa(i+1)), revision)
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
		r, err := s.Get(t.Context(), fmt.Sprintf("record.%d", w))
		if err != nil || string(r.Value) != strconv.Itoa(each) {
			t.Errorf("record %d: got %s, %v, want %d", w, r.Value, err, each)
		}
	}
	<-finished
}

// watchFor returns a channel that is closed when a watcher has seen n records
// reach their last value.
func watchFor(t *testing.T, s *jetstream.Store, n int, last string) <-chan struct{} {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		change := func(r catalog.Record) {
			if string(r.Value) == last {
				n--
			}
			if n == 0 {
				cancel()
			}
		}
		if err := s.Watch(ctx, change, func() {}); !errors.Is(err, context.Canceled) || n != 0 {
			t.Errorf("watcher: %v, %d records short of their last value", err, n)
		}
	}()
	return finished
}

// empty opens the store after removing what an earlier test left.
func empty(t *testing.T, node *natsnode.Node) *jetstream.Store {
	t.Helper()
	if err := node.JetStream().DeleteKeyValue(t.Context(), "catalog"); err != nil && !errors.Is(err, errNoBucket) {
		t.Fatal(err)
	}
	s, err := jetstream.Open(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
