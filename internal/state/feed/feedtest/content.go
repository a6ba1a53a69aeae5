package feedtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
)

// largeItems appends an item that needs a message of its own, and one of the maximum size.
func largeItems(t *testing.T, f feed.Feed) {
	r := rand.New(rand.NewPCG(1, 2))
	var items []string
	for _, size := range []int{10, 700 << 10, 700 << 10, 10, 6 << 20, 0, 10} {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		items = append(items, string(text))
	}
	add(t, f, 1, run(1, 1, items...))
	p, err := f.Take(t.Context(), 1, 100)
	if err != nil || p.Pending != int64(len(items)) || !slices.Equal(posts(p.Items), items) {
		t.Errorf("got %d of %d items, %v, want the %d that were appended", len(p.Items), p.Pending, err, len(items))
	}
	var got []string
	for at := (feed.Cursor{}); ; { // a page may be short, but is never empty
		p := read(t, f, 1, at, 100)
		if len(p.Items) == 0 {
			break
		}
		got = append(got, posts(p.Items)...)
		at = p.Next
	}
	if !slices.Equal(got, items) {
		t.Errorf("read %d items, want the %d that were appended", len(got), len(items))
	}
}

func anyText(t *testing.T, f feed.Feed) {
	items := []feed.Item{
		{Monitor: 1, Post: "tag:例え.jp,2024:höß🦉"},
		{Monitor: 1 << 53, Post: ""},
		{Monitor: -5, Post: "\x00\xff\r\n"},
		{Monitor: 0, Post: " "},
	}
	const stream = earshot.StreamID(1<<62 + 1)
	if err := f.Append(t.Context(), 1, []feed.Run{{Stream: stream, Position: 1, Items: items}}); err != nil {
		t.Fatal(err)
	}
	if p := read(t, f, stream, feed.Cursor{}, 10); !slices.Equal(p.Items, items) {
		t.Errorf("got %v, want %v", p.Items, items)
	}
}

func reconcile(t *testing.T, f feed.Feed) {
	add(t, f, 9, run(1, 8, "old"))
	if err := f.Reconcile(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	if p, known, err := f.Position(t.Context()); known || err != nil {
		t.Errorf("got position %d, %v, want none", p, err)
	}
	add(t, f, 6, run(1, 6, "new"))
	add(t, f, 6, run(1, 6, "new"))
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 2, "old", "new")
	wantPosition(t, f, 6)
}

// reconcileTwice has a queue that receives nothing from the new journal until that is longer than
// the old one was.
func reconcileTwice(t *testing.T, f feed.Feed) {
	add(t, f, 50, run(1, 40, "old"))
	for _, end := range []earshot.Position{10, 60} {
		if err := f.Reconcile(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		add(t, f, end+1, run(2, end+1, "x"))
	}
	if err := f.Reconcile(t.Context(), 70); err != nil {
		t.Fatal(err)
	}
	add(t, f, 70, run(1, 30, "new"))
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 2, "old", "new")
}

func reconcileSame(t *testing.T, f feed.Feed) {
	add(t, f, 9, run(1, 8, "a"))
	for _, last := range []earshot.Position{9, 20} {
		if err := f.Reconcile(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		wantPosition(t, f, 9)
	}
	add(t, f, 10, run(1, 8, "a"), run(1, 10, "b"))
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 2, "a", "b")
}
