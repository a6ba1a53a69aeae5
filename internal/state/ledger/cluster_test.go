package ledger

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

// each is the number of attempts per record.
const each = 30

func TestCluster(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	node := cluster.Open(t)
	testLedger(t, func(t *testing.T) *Ledger { return empty(t, node) })
	t.Run("claims survive the loss of the leading server", func(t *testing.T) {
		survive(t, empty(t, node), func() { cluster.KillLeader(t, "KV_ledger") })
	})
}

// survive claims attempts and adds and removes pending IDs on several goroutines, kills a server in
// the middle, and expects exactly the acknowledged state.
func survive(t *testing.T, l *Ledger, kill func()) {
	const writers = 4
	var wg sync.WaitGroup
	var want []earshot.ResultID
	half := make(chan bool, writers)
	for w := range earshot.ResultID(writers) {
		wg.Go(func() {
			for i := range each {
				if i == each/2 {
					half <- true
				}
				attempt(t, l, w, i)
			}
		})
		want = append(want, w*each+each-1)
	}
	<-half
	kill()
	wg.Wait()
	for w := range earshot.ResultID(writers) {
		if r, _, err := l.Find(t.Context(), w); err != nil || r.Attempt != each {
			t.Errorf("record %d: got %+v, %v, want %d attempts", w, r, err, each)
		}
	}
	if got, err := l.ListPending(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// attempt counts an attempt of record w, adds a pending ID and removes the previous one.
func attempt(t *testing.T, l *Ledger, w earshot.ResultID, i int) {
	r, revision, err := l.Find(t.Context(), w)
	if errors.Is(err, ErrNotFound) {
		r, err = &Analysis{ID: w}, nil
	}
	if err != nil {
		t.Error(err)
		return
	}
	r.Attempt++
	if _, err := l.Put(t.Context(), r, revision); err != nil {
		t.Errorf("record %d, attempt %d: %v", w, i, err)
	}
	id := w*each + earshot.ResultID(i)
	if err := l.AddPending(t.Context(), id); err != nil {
		t.Error(err)
	}
	if i > 0 {
		if err := l.RemovePending(t.Context(), id-1); err != nil {
			t.Error(err)
		}
	}
}

// empty removes the data of earlier tests and opens the ledger.
func empty(t *testing.T, node *natsnode.Node) *Ledger {
	t.Helper()
	if err := node.JetStream().DeleteStream(t.Context(), "KV_ledger"); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Fatal(err)
	}
	b, err := natsnode.OpenBucket(t.Context(), node, natsnode.BucketOptions{Name: BucketName, MaxAge: Retention})
	if err != nil {
		t.Fatal(err)
	}
	return New(b)
}
