package feedtest

import (
	"slices"
	"testing"

	"earshot/internal/state/feed"
)

// RunDurable tests that a feed survives its process. open returns an empty feed, and a function
// that closes it and opens it again.
func RunDurable(t *testing.T, open func(t *testing.T) (feed.Feed, func() feed.Feed)) {
	for _, c := range durableCases {
		t.Run(c.name, func(t *testing.T) {
			f, reopen := open(t)
			c.run(t, f, reopen)
		})
	}
}

var durableCases = []struct {
	name string
	run  func(t *testing.T, f feed.Feed, reopen func() feed.Feed)
}{
	{"cursors and items survive a restart", cursorsSurvive},
	{"a repeat after a restart adds nothing", repeatAfterRestart},
	{"positions start over with another journal after a restart", reconcileAfterRestart},
	{"a removed queue stays removed", removedStays},
}

func cursorsSurvive(t *testing.T, f feed.Feed, reopen func() feed.Feed) {
	items := numbered(0, 250)
	add(t, f, 3, run(1, 1, items...), run(2, 2, "x", "y"))
	p := takeSome(t, f, 1, 120)
	wantDropped(t, f, 2, 1, 1)
	f = reopen()
	wantPosition(t, f, 3)
	wantQueue(t, f, 1, p.Next)
	wantPage(t, takeSome(t, f, 1, 500), 130, items[120:]...)
	wantPage(t, takeSome(t, f, 2, 500), 1, "y")
	f = reopen()
	wantPage(t, takeSome(t, f, 1, 500), 0)
	wantPage(t, read(t, f, 1, p.Next, 500), 130, items[120:]...)
	wantItems(t, follower(t, f, 1, p.Next), items[120:]...)
}

func repeatAfterRestart(t *testing.T, f feed.Feed, reopen func() feed.Feed) {
	items := numbered(0, 250)
	add(t, f, 3, run(1, 1, "a"), run(1, 2, items...))
	f = reopen()
	if err := f.Reconcile(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	add(t, f, 4, run(1, 1, "a"), run(1, 2, items...), run(2, 3, "x"), run(1, 4, "b"))
	wantPage(t, read(t, f, 1, feed.Cursor{}, 500), 252, slices.Concat([]string{"a"}, items, []string{"b"})...)
	wantPage(t, read(t, f, 2, feed.Cursor{}, 500), 1, "x")
}

func reconcileAfterRestart(t *testing.T, f feed.Feed, reopen func() feed.Feed) {
	add(t, f, 50, run(1, 40, "old"))
	f = reopen()
	if err := f.Reconcile(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	add(t, f, 11, run(2, 11, "x"))
	f = reopen()
	if err := f.Reconcile(t.Context(), 60); err != nil {
		t.Fatal(err)
	}
	wantPosition(t, f, 11)
	add(t, f, 30, run(1, 30, "new"), run(2, 11, "x"))
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 2, "old", "new")
	wantPage(t, read(t, f, 2, feed.Cursor{}, 10), 1, "x")
}

func removedStays(t *testing.T, f feed.Feed, reopen func() feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"), run(2, 1, "x"))
	takeSome(t, f, 1, 1)
	removeQueue(t, f, 1)
	f = reopen()
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 0)
	wantQueue(t, f, 1, feed.Cursor{})
	wantPage(t, read(t, f, 2, feed.Cursor{}, 10), 1, "x")
}
