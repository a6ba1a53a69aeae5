package jetstream_test

import (
	"errors"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/feedtest"
	"earshot/internal/state/feed/jetstream"
	"earshot/internal/state/feed/memory"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
	"earshot/internal/test/testenv"
)

func TestDurableFeed(t *testing.T) {
	feedtest.RunDurable(t, func(t *testing.T) (feed.Feed, func() feed.Feed) {
		dir := t.TempDir()
		node, f := open(t, dir)
		return f, func() (again feed.Feed) {
			node.Close()
			node, again = open(t, dir)
			return again
		}
	})
}

// TestCrash opens a copy of the files of a running feed, which is what a crash would leave.
func TestCrash(t *testing.T) {
	feedtest.RunDurable(t, func(t *testing.T) (feed.Feed, func() feed.Feed) {
		dir := t.TempDir()
		_, f := open(t, dir)
		return f, func() feed.Feed {
			dir = testenv.CopyRunning(t, dir)
			_, again := open(t, dir)
			return again
		}
	})
}

func TestMemoryFeedIsEquivalent(t *testing.T) {
	for seed := range uint64(3) {
		_, f := open(t, t.TempDir())
		feedtest.Compare(t, f, memory.New(), 150, seed)
	}
}

func TestCluster(t *testing.T) {
	testenv.SkipUnderRace(t) // nats-server checks a map of clustered streams without holding its lock
	cluster := natstest.Start(t, 3)
	node := cluster.Open(t)
	feedtest.Run(t, func(t *testing.T) feed.Feed { return empty(t, node) })
	t.Run("items survive the loss of the leading server", func(t *testing.T) {
		survive(t, empty(t, node), func() { cluster.KillLeader(t, "REALTIME") })
	})
	t.Run("a feed of another implementation can be copied", func(t *testing.T) { carryOver(t, node, empty(t, node)) })
}

// carryOver fills a feed from one in memory whose messages are a day old.
func carryOver(t *testing.T, node *natsnode.Node, to *jetstream.Feed) {
	from := memory.New()
	from.Now = func() time.Time { return time.Now().Add(-24 * time.Hour) }
	for p := earshot.Position(1); p <= 3; p++ {
		r := feed.Run{Stream: earshot.StreamID(p % 2), Position: p, Items: []feed.Item{{Post: "a"}, {Post: "b"}}}
		if err := from.Append(t.Context(), p, []feed.Run{r}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := from.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Load(t.Context(), r, from.Messages(t.Context(), r.Last)); err != nil {
		t.Fatal(err)
	}
	wantItems(t, to, 4)
	m, err := stream(t, node).GetMsg(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if left, err := time.ParseDuration(m.Header.Get("Nats-TTL")); err != nil || left > 3*24*time.Hour || left < 3*24*time.Hour-time.Minute {
		t.Errorf("a message one day old expires in %v, %v, want three days", left, err)
	}
}

// survive appends, takes and follows, kills a server in the middle, and expects every item once, in
// order.
func survive(t *testing.T, f *jetstream.Feed, kill func()) {
	const appends = 60
	follower := make(chan []feed.Item)
	go func() {
		var seen []feed.Item
		for p, err := range f.Follow(t.Context(), 1, feed.Cursor{}) {
			if err != nil {
				t.Errorf("Follow: %v", err)
			}
			if seen = append(seen, p.Items...); err != nil || len(seen) >= 2*appends {
				break
			}
		}
		follower <- seen
	}()
	var taken []feed.Item
	for i := range appends {
		if i == appends/2 {
			kill()
		}
		p := earshot.Position(i + 1)
		runs := []feed.Run{
			{Stream: 1, Position: p, Items: []feed.Item{{Monitor: earshot.MonitorID(2 * i)}, {Monitor: earshot.MonitorID(2*i + 1)}}},
			{Stream: 2, Position: p, Items: []feed.Item{{Post: "other"}}},
		}
		if err := f.Append(t.Context(), p, runs); err != nil {
			t.Errorf("Append %d: %v", i, err)
		}
		page, err := f.Take(t.Context(), 1, 3)
		if err != nil {
			t.Errorf("Take %d: %v", i, err)
		}
		taken = append(taken, page.Items...)
	}
	for name, items := range map[string][]feed.Item{"taken": taken, "followed": <-follower} {
		if len(items) != 2*appends {
			t.Errorf("%d items were %s, want %d", len(items), name, 2*appends)
		}
		for i, item := range items {
			if item.Monitor != earshot.MonitorID(i) {
				t.Fatalf("item %d %s is number %d", i, name, item.Monitor)
			}
		}
	}
}

// empty removes the data of earlier tests and opens a feed.
func empty(t *testing.T, node *natsnode.Node) *jetstream.Feed {
	t.Helper()
	for _, stream := range []string{"REALTIME", "KV_streams"} {
		if err := node.JetStream().DeleteStream(t.Context(), stream); err != nil && !errors.Is(err, natsjs.ErrStreamNotFound) {
			t.Fatal(err)
		}
	}
	return openOn(t, node)
}
