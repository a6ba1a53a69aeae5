package feedtest

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/feed"
)

func follow(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"), run(2, 1, "x"))
	next := follower(t, f, 1, feed.Cursor{})
	wantItems(t, next, "a", "b")
	add(t, f, 2, run(2, 2, "y"), run(1, 2, "c"))
	wantItems(t, next, "c")
	for p := range earshot.Position(20) {
		add(t, f, p+3, run(1, p+3, "d", "e"))
		wantItems(t, next, "d", "e")
	}
	wantPage(t, read(t, f, 1, feed.End, 1), 0)
}

func followFrom(t *testing.T, f feed.Feed) {
	next := follower(t, f, 1, feed.Cursor{}) // the queue does not exist yet
	add(t, f, 1, run(1, 1, "a", "b"))
	wantItems(t, next, "a", "b")
	at := read(t, f, 1, feed.Cursor{}, 1).Next
	add(t, f, 2, run(1, 2, "c"))
	wantItems(t, follower(t, f, 1, at), "b", "c")
	at = read(t, f, 1, at, 1).Next // after the message
	wantItems(t, follower(t, f, 1, at), "c")
	wantQueue(t, f, 1, feed.Cursor{})
}

// followCursors tests Page.CursorAfter.
func followCursors(t *testing.T, f feed.Feed) {
	items := numbered(0, 250)
	add(t, f, 1, run(1, 1, items[:230]...))
	add(t, f, 2, run(1, 2, items[230:]...))
	seen := 0
	for page, err := range f.Follow(t.Context(), 1, read(t, f, 1, feed.Cursor{}, 7).Next) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			if seen++; 7+seen < len(items) {
				wantPage(t, read(t, f, 1, page.CursorAfter(i), 1), int64(len(items)-7-seen), items[7+seen])
			}
		}
		if 7+seen == len(items) {
			return
		}
	}
}

func followEnd(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"))
	at := read(t, f, 1, feed.End, 1).Next
	for _, from := range []feed.Cursor{feed.End, at} {
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		position := earshot.Position(2)
		// An item appended before the loop starts may be missed, so items are appended until one is
		// seen.
		wait := sync.WaitGroup{}
		wait.Go(func() {
			for ctx.Err() == nil {
				if err := f.Append(t.Context(), position, []feed.Run{run(1, position, "new")}); err != nil {
					t.Errorf("Append: %v", err)
				}
				position++
			}
		})
		for p, err := range f.Follow(ctx, 1, from) {
			if err != nil {
				t.Errorf("Follow: %v", err)
			}
			got = posts(p.Items)
			break
		}
		cancel()
		wait.Wait()
		if len(got) == 0 || got[0] != "new" {
			t.Errorf("from %v: got %q, want only new items", from, got)
		}
	}
}

func followTogether(t *testing.T, f feed.Feed) {
	const readers = 3
	var want []string
	for i := range 30 {
		want = append(want, numbered(10*i, 10)...)
	}
	var wg sync.WaitGroup
	for range readers {
		next := follower(t, f, 1, feed.Cursor{})
		wg.Go(func() { wantItems(t, next, want...) })
	}
	for i := range 30 {
		p := earshot.Position(i + 1)
		add(t, f, p, run(1, p, want[10*i:10*i+10]...))
	}
	wg.Wait()
}

func followStops(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a"))
	count := func() int {
		for range 100 { // the last goroutines may still be ending
			runtime.Gosched()
		}
		return runtime.NumGoroutine()
	}
	loop := func() {
		for _, err := range f.Follow(t.Context(), 1, feed.Cursor{}) {
			if err != nil {
				t.Errorf("Follow: %v", err)
			}
			break
		}
	}
	loop()
	before := count()
	for range 10 {
		loop()
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); count() > before+3; <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, count())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range f.Follow(ctx, 1, feed.Cursor{}) {
		t.Errorf("after its end: got a page, %v, want none", err)
	}
}

// follower starts following a queue until the end of the test. It returns a function that waits for
// the next page.
func follower(t *testing.T, f feed.Feed, stream earshot.StreamID, from feed.Cursor) func() (feed.Page, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Second, errors.New("no item arrived"))
	each, stop := iter.Pull2(f.Follow(ctx, stream, from))
	t.Cleanup(func() { cancel(); stop() })
	return func() (feed.Page, error) {
		p, err, ok := each()
		if !ok {
			err = context.Cause(ctx)
		}
		return p, err
	}
}

// wantItems waits for items, however they are divided into pages.
func wantItems(t *testing.T, next func() (feed.Page, error), want ...string) {
	t.Helper()
	for at := (feed.Cursor{}); len(want) > 0; {
		p, err := next()
		if err != nil {
			t.Errorf("Follow: %v", err)
			return
		}
		got := posts(p.Items)
		if len(got) == 0 || len(got) > len(want) || !slices.Equal(got, want[:len(got)]) || !at.Before(p.Next) || p.Pending != 0 {
			t.Errorf("got the items %.80q up to %v, want the first of %.80q", got, p.Next, want)
			return
		}
		at, want = p.Next, want[len(got):]
	}
}
