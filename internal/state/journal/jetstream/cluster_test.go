package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/journal/journaltest"
	"earshot/internal/state/journal/memory"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
)

func TestCluster(t *testing.T) {
	cluster := natstest.Start(t, 3)
	node := cluster.Open(t)
	journaltest.Run(t, func(t *testing.T) journal.Journal { return empty(t, node) })
	t.Run("entries survive the loss of the leading server", func(t *testing.T) {
		survive(t, empty(t, node), func() { cluster.KillLeader(t, "JOURNAL") })
	})
	t.Run("a journal of another implementation can be copied", func(t *testing.T) { carryOver(t, empty(t, node)) })
}

// carryOver fills a journal from one in memory that does not start at 1.
func carryOver(t *testing.T, to *jetstream.Journal) {
	from := memory.New()
	for i := range 5 {
		if _, err := from.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{GUID: fmt.Sprint(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := from.Trim(t.Context(), 2, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	span := journal.Span{First: 3, Last: 5}
	if err := to.Load(t.Context(), span, from.Entries(t.Context(), 5)); err != nil {
		t.Fatal(err)
	}
	if got, err := to.Span(t.Context()); err != nil || got != span {
		t.Errorf("got %+v, %v, want %+v", got, err, span)
	}
	next, stop := pull(t, to, 2)
	defer stop()
	for i := 2; i < 5; i++ {
		if got := next().Posts[0].GUID; got != fmt.Sprint(i) {
			t.Errorf("got post %s, want %d", got, i)
		}
	}
}

// survive appends and reads concurrently, kills a server in the middle, and expects every
// acknowledged entry once, in order.
func survive(t *testing.T, j *jetstream.Journal, kill func()) {
	const writers, each = 3, 60
	var (
		mu    sync.Mutex
		acked = map[earshot.Position]string{}
		wg    sync.WaitGroup
		half  = make(chan bool, writers)
	)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				guid := fmt.Sprintf("%d-%d", w, i)
				p := appendPost(t, j, guid)
				mu.Lock()
				acked[p] = guid
				mu.Unlock()
				if i == each/2 {
					half <- true
				}
			}
		})
	}
	wg.Go(func() { <-half; kill() })

	read := map[earshot.Position]string{}
	next, stop := pull(t, j, 0)
	defer stop()
	var last earshot.Position
	for range writers * each {
		b := next()
		if b.Position <= last {
			t.Errorf("position %d follows %d", b.Position, last)
		}
		last = b.Position
		read[b.Position] = b.Posts[0].GUID
	}
	wg.Wait()
	if end, err := j.Last(t.Context()); err != nil || end != last {
		t.Errorf("Last: got %d, %v, want %d: an entry was stored twice", end, err, last)
	}
	if len(acked) != writers*each || !maps.Equal(read, acked) {
		t.Errorf("read %d entries, %d were acknowledged, want the same %d", len(read), len(acked), writers*each)
	}
}

// empty removes the data of earlier tests and opens the journal.
func empty(t *testing.T, node *natsnode.Node) *jetstream.Journal {
	t.Helper()
	for _, stream := range []string{"JOURNAL", "DEADLETTERS"} {
		// An earlier test may have killed a server.
		err := node.Retry(t.Context(), func(ctx context.Context) error { return node.JetStream().DeleteStream(ctx, stream) })
		if err != nil && !errors.Is(err, natsjs.ErrStreamNotFound) {
			t.Fatal(err)
		}
	}
	j, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	return j
}
