package feedtest

import (
	"slices"
	"strconv"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
)

// run returns a run of items with these posts; the monitor of each is its index.
func run(stream earshot.StreamID, p earshot.Position, posts ...string) feed.Run {
	r := feed.Run{Stream: stream, Position: p}
	for i, post := range posts {
		r.Items = append(r.Items, feed.Item{Monitor: earshot.MonitorID(i), Post: post})
	}
	return r
}

// numbered returns n items with consecutive numbers, starting at from.
func numbered(from, n int) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = strconv.Itoa(from + i)
	}
	return items
}

func posts(items []feed.Item) []string {
	var all []string
	for _, item := range items {
		all = append(all, item.Post)
	}
	return all
}

func add(t *testing.T, f feed.Feed, upTo earshot.Position, runs ...feed.Run) {
	t.Helper()
	if err := f.Append(t.Context(), upTo, runs); err != nil {
		t.Fatalf("Append: %v", err)
	}
}

func read(t *testing.T, f feed.Feed, stream earshot.StreamID, from feed.Cursor, count int) feed.Page {
	t.Helper()
	p, err := f.Read(t.Context(), stream, from, count)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return p
}

func takeSome(t *testing.T, f feed.Feed, stream earshot.StreamID, count int) feed.Page {
	t.Helper()
	p, err := f.Take(t.Context(), stream, count)
	if err != nil {
		t.Fatalf("Take: %v", err)
	}
	return p
}

func wantPage(t *testing.T, p feed.Page, waiting int64, want ...string) {
	t.Helper()
	if got := posts(p.Items); !slices.Equal(got, want) {
		t.Errorf("got the items %.200q, want %.200q", got, want)
	}
	if p.Pending != waiting {
		t.Errorf("got %d pending, want %d", p.Pending, waiting)
	}
}

func wantCursor(t *testing.T, what string, got, want feed.Cursor) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantQueue(t *testing.T, f feed.Feed, stream earshot.StreamID, want feed.Cursor) {
	t.Helper()
	got, err := f.Cursor(t.Context(), stream)
	if err != nil {
		t.Errorf("Queue: %v", err)
	}
	wantCursor(t, "Queue", got, want)
}

func wantDropped(t *testing.T, f feed.Feed, stream earshot.StreamID, count, want int64) {
	t.Helper()
	if got, err := f.Drop(t.Context(), stream, count); err != nil || got != want {
		t.Errorf("Drop of %d: got %d, %v, want %d", count, got, err, want)
	}
}

func wantPosition(t *testing.T, f feed.Feed, want earshot.Position) {
	t.Helper()
	if p, known, err := f.Position(t.Context()); err != nil || !known || p != want {
		t.Errorf("Position: got %d, %v, %v, want %d", p, known, err, want)
	}
}
