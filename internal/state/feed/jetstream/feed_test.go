package jetstream_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/feedtest"
	"earshot/internal/state/feed/jetstream"
	"earshot/internal/state/natsnode"
	"earshot/internal/test/testenv"
)

func TestFeed(t *testing.T) {
	feedtest.Run(t, func(t *testing.T) feed.Feed {
		_, f := open(t, t.TempDir())
		return f
	})
}

func TestArchive(t *testing.T) {
	feedtest.RunArchive(t, func(t *testing.T) feed.Archive {
		_, f := open(t, t.TempDir())
		return f
	})
}

// open opens a feed and closes it at the end of the test.
func open(t testing.TB, dir string) (*natsnode.Node, *jetstream.Feed) {
	t.Helper()
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: dir, Log: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	return node, openOn(t, node)
}

func openOn(t testing.TB, node *natsnode.Node) *jetstream.Feed {
	t.Helper()
	f, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func logTo(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

func TestTwoProcessesTakeFromTheSameQueue(t *testing.T) {
	node, f := open(t, t.TempDir())
	feedtest.TakeTogether(t, f, openOn(t, node))
}

// TestALargeAppendIsComplete appends more messages than a batch may have, and more bytes of one
// queue.
func TestALargeAppendIsComplete(t *testing.T) {
	testenv.SkipUnderRace(t)
	_, f := open(t, t.TempDir())
	r := rand.New(rand.NewPCG(1, 2))
	large := feed.Run{Stream: 1, Position: 1}
	for range 20 {
		text := make([]byte, 900_000)
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		large.Items = append(large.Items, feed.Item{Post: string(text)})
	}
	runs := []feed.Run{large}
	for id := earshot.StreamID(2); id <= 1200; id++ {
		runs = append(runs, feed.Run{Stream: id, Position: 1, Items: []feed.Item{{Post: fmt.Sprint(id)}}})
	}
	for range 2 {
		if err := f.Append(t.Context(), 1, runs); err != nil {
			t.Fatal(err)
		}
	}
	for _, run := range runs {
		p, err := f.Take(t.Context(), run.Stream, 100)
		if err != nil || p.Pending != int64(len(run.Items)) || !slices.Equal(p.Items, run.Items) {
			t.Fatalf("stream %d: got %d of %d items, %v, want %d", run.Stream, len(p.Items), p.Pending, err, len(run.Items))
		}
	}
}

func TestASecondWriterAddsNoDuplicates(t *testing.T) {
	node, a := open(t, t.TempDir())
	b := openOn(t, node)
	for p := earshot.Position(1); p <= 3; p++ { // from the second append on, each writer has a stale tail
		for _, f := range []*jetstream.Feed{a, b} {
			add(t, f, p, 1, "x")
		}
	}
	wantItems(t, a, 3)
	add(t, a, 4, 1, "x")
	if err := b.Remove(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	add(t, a, 5, 1, "x")
	wantItems(t, a, 1)
}

// TestARetryAppendsOnlyMissingItems appends a run of which another writer has stored a part, as if
// the response to an earlier attempt had been lost.
func TestARetryAppendsOnlyMissingItems(t *testing.T) {
	node, a := open(t, t.TempDir())
	b := openOn(t, node)
	add(t, a, 1, 1, "x") // a now caches the tail of the queue
	items := make([]feed.Item, 250)
	for i := range items {
		items[i].Post = fmt.Sprint(i)
	}
	if err := b.Append(t.Context(), 2, []feed.Run{{Stream: 1, Position: 2, Items: items[:150], More: true}}); err != nil {
		t.Fatal(err)
	}
	if err := a.Append(t.Context(), 2, []feed.Run{{Stream: 1, Position: 2, Items: items}}); err != nil {
		t.Fatal(err)
	}
	p, err := a.Take(t.Context(), 1, 500)
	if err != nil || len(p.Items) != 251 || !slices.Equal(p.Items[1:], items) {
		t.Errorf("got %d items, %v, want the first one and the %d of the run in order", len(p.Items), err, len(items))
	}
}

// Messages expire from the front of the stream. The test purges them instead.
func TestExpiredMessagesAreSkipped(t *testing.T) {
	node, f := open(t, t.TempDir())
	for p := earshot.Position(1); p <= 4; p++ {
		add(t, f, p, 1, "a", "b")
	}
	first, err := f.Take(t.Context(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	purge(t, node, 3)
	for name, get := range map[string]func() (feed.Page, error){
		"Read": func() (feed.Page, error) { return f.Read(t.Context(), 1, first.Next, 3) },
		"Take": func() (feed.Page, error) { return f.Take(t.Context(), 1, 3) },
	} {
		if p, err := get(); err != nil || len(p.Items) != 3 || p.Pending != 4 || p.Next != (feed.Cursor{Message: 4, Index: 1}) {
			t.Errorf("%s: got %+v, %v, want 3 of 4 items up to 4-1", name, p, err)
		}
	}
	for p, err := range f.Follow(t.Context(), 1, first.Next) {
		if err != nil || p.Next != (feed.Cursor{Message: 3, Index: 2}) {
			t.Errorf("Follow: got %+v, %v, want message 3", p, err)
		}
		break
	}
	purge(t, node, 5)
	add(t, f, 5, 1, "c")
	if p, err := f.Take(t.Context(), 1, 3); err != nil || len(p.Items) != 1 || p.Pending != 1 {
		t.Errorf("after all have expired: got %+v, %v, want 1 item", p, err)
	}
}

func TestAFollowerResumesAfterAnInterruption(t *testing.T) {
	node, f := open(t, t.TempDir())
	add(t, f, 1, 1, "a")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := 0
	for p, err := range f.Follow(ctx, 1, feed.Cursor{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen += len(p.Items); seen == 3 {
			break
		}
		removeConsumers(t, node)
		add(t, f, earshot.Position(1+seen), 1, "b")
	}
	if seen != 3 {
		t.Errorf("%d items were seen, want 3", seen)
	}
}

func TestAFollowerEndsWithTheConnection(t *testing.T) {
	node, f := open(t, t.TempDir())
	add(t, f, 1, 1, "a")
	var last error
	for p, err := range f.Follow(t.Context(), 1, feed.Cursor{}) {
		if last = err; len(p.Items) > 0 {
			go node.Close()
		}
	}
	if !earshot.IsKind(last, earshot.Unavailable) {
		t.Errorf("got %v, want an Unavailable error", last)
	}
}

func add(t testing.TB, f *jetstream.Feed, p earshot.Position, stream earshot.StreamID, posts ...string) {
	t.Helper()
	r := feed.Run{Stream: stream, Position: p}
	for _, post := range posts {
		r.Items = append(r.Items, feed.Item{Post: post})
	}
	if err := f.Append(t.Context(), p, []feed.Run{r}); err != nil {
		t.Fatalf("Append: %v", err)
	}
}

func wantItems(t testing.TB, f *jetstream.Feed, n int) {
	t.Helper()
	if p, err := f.Read(t.Context(), 1, feed.Cursor{}, 100); err != nil || len(p.Items) != n || p.Pending != int64(n) {
		t.Errorf("got %d of %d items, %v, want %d", len(p.Items), p.Pending, err, n)
	}
}

func stream(t testing.TB, node *natsnode.Node) natsjs.Stream {
	t.Helper()
	s, err := node.JetStream().Stream(t.Context(), "REALTIME")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// purge removes the messages before a sequence.
func purge(t testing.TB, node *natsnode.Node, seq uint64) {
	t.Helper()
	if err := stream(t, node).Purge(t.Context(), natsjs.WithPurgeSequence(seq)); err != nil {
		t.Fatal(err)
	}
}

func removeConsumers(t testing.TB, node *natsnode.Node) {
	t.Helper()
	s := stream(t, node)
	for name := range s.ConsumerNames(t.Context()).Name() {
		if err := s.DeleteConsumer(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
}
