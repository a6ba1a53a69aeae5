package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/jetstream"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
)

// Under a fence, batches have additional messages, which readers do not see. The writer that had the
// role before can append nothing.
func TestAppendUnderAFence(t *testing.T) {
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir(), Log: logTo(t), Fences: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	raise := func() context.Context {
		t.Helper()
		fence, err := node.RaiseFence(t.Context(), "streams", jetstream.StreamNames()...)
		if err != nil {
			t.Fatal(err)
		}
		return natsnode.WithFence(t.Context(), fence)
	}
	runs := func(p earshot.Position) (list []feed.Run) {
		for id := earshot.StreamID(1); id <= 3; id++ {
			list = append(list, feed.Run{Stream: id, Position: p, Items: []feed.Item{{Post: fmt.Sprint(p)}}})
		}
		return list
	}
	a, b := openOn(t, node), openOn(t, node)
	old := raise()
	for p := earshot.Position(1); p <= 3; p++ {
		if err := a.Append(old, p, runs(p)); err != nil {
			t.Fatal(err)
		}
	}
	current := raise()
	if err := a.Append(old, 4, runs(4)); !errors.Is(err, kv.ErrFenced) {
		t.Errorf("the writer that had the role before: got %v, want ErrFenced", err)
	}
	for p := earshot.Position(4); p <= 5; p++ {
		if err := b.Append(current, p, runs(p)); err != nil {
			t.Fatal(err)
		}
	}
	if stats, err := b.Stats(t.Context()); err != nil || stats.Messages != 15 {
		t.Errorf("got %+v, %v, want 15 messages", stats, err)
	}
	for id := earshot.StreamID(1); id <= 3; id++ {
		page, err := b.Take(t.Context(), id, 100)
		var got []string
		for _, item := range page.Items {
			got = append(got, item.Post)
		}
		if err != nil || fmt.Sprint(got) != "[1 2 3 4 5]" {
			t.Errorf("stream %d has %v, %v, want 1 to 5", id, got, err)
		}
	}
	state, err := b.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range b.Messages(t.Context(), state.Last) {
		if n++; err != nil {
			t.Error(err)
		}
	}
	if n != 15 {
		t.Errorf("the archive has %d messages, want 15", n)
	}
}
