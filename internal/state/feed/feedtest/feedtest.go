// Package feedtest contains the contract test for feeds.
package feedtest

import (
	"errors"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
)

// Run tests an implementation. open returns an empty feed each time.
func Run(t *testing.T, open func(t *testing.T) feed.Feed) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

var cases = []struct {
	name string
	run  func(t *testing.T, f feed.Feed)
}{
	{"items are returned in append order", order},
	{"an unknown stream is empty", unknown},
	{"a page has the number of pending items", waiting},
	{"items can be read again from their cursor", readAgain},
	{"a cursor in the middle of a message continues there", middle},
	{"a cursor after the items of a message continues with the next one", behindMessage},
	{"the end is after all items", end},
	{"a cursor beyond the end is an error", beyond},
	{"taking moves the stored cursor", take},
	{"taking zero items does not move the cursor", takeNothing},
	{"concurrent takers get each item exactly once", takeTogether},
	{"dropping skips items", drop},
	{"dropping works across many messages", dropFar},
	{"a repeated Append adds nothing", repeat},
	{"a repeated Append adds only new items", partialRepeat},
	{"a long run is complete and in order", longRun},
	{"an entry may consist of several runs", parts},
	{"large items round-trip", largeItems},
	{"items with arbitrary bytes round-trip", anyText},
	{"the position is that of the last Append", position},
	{"positions start over with a shorter journal", reconcile},
	{"positions of another journal stay reset", reconcileTwice},
	{"the same journal continues", reconcileSame},
	{"a removed queue is empty and starts over", remove},
	{"statistics count messages", stats},
	{"a follower sees existing and new items", follow},
	{"a follower starts at a cursor", followFrom},
	{"a follower has the cursor of each item", followCursors},
	{"a follower at the end sees only new items", followEnd},
	{"each follower sees everything", followTogether},
	{"a follower that stops leaves no goroutines", followStops},
}

func order(t *testing.T, f feed.Feed) {
	add(t, f, 2, run(7, 1, "a", "b"), run(8, 1, "x"), run(7, 2, "c"))
	add(t, f, 3, run(7, 3, "d"))
	wantPage(t, read(t, f, 7, feed.Cursor{}, 10), 4, "a", "b", "c", "d")
	wantPage(t, read(t, f, 8, feed.Cursor{}, 10), 1, "x")
}

func beyond(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(7, 1, "a"))
	add(t, f, 2, run(8, 2, "b"))
	last := read(t, f, 8, feed.End, 1).Next
	wantPage(t, read(t, f, 7, last, 1), 0) // the cursor is from another stream, but not beyond the end
	for _, stream := range []earshot.StreamID{7, 8, 9} {
		for _, from := range []feed.Cursor{{Message: last.Message + 1}, {Message: 1<<63 - 1, Index: 3}} {
			if _, err := f.Read(t.Context(), stream, from, 1); !errors.Is(err, feed.ErrBeyondEnd) {
				t.Errorf("stream %d from %v: got %v, want ErrBeyondEnd", stream, from, err)
			}
		}
	}
}

// parts appends an entry in three runs and repeats it, also as after a crash between the runs: an
// incomplete entry is appended again.
func parts(t *testing.T, f feed.Feed) {
	part := func(post string, more bool) feed.Run {
		r := run(7, 5, post)
		r.More = more
		return r
	}
	add(t, f, 4, part("a", true))
	add(t, f, 4, part("b", true))
	wantPosition(t, f, 4)
	add(t, f, 5, part("c", false))
	add(t, f, 5, part("a", true), part("b", true), part("c", false))
	wantPage(t, takeSome(t, f, 7, 10), 3, "a", "b", "c")
	again := run(7, 6, "d")
	again.More = true
	add(t, f, 5, again)
	add(t, f, 6, again, run(7, 6, "e"))
	wantPage(t, takeSome(t, f, 7, 10), 3, "d", "d", "e")
}

func unknown(t *testing.T, f feed.Feed) {
	for _, from := range []feed.Cursor{{}, feed.End} {
		p := read(t, f, 99, from, 10)
		wantPage(t, p, 0)
		wantCursor(t, "Next", p.Next, feed.Cursor{})
	}
	wantPage(t, takeSome(t, f, 99, 10), 0)
	wantDropped(t, f, 99, -1, 0)
	wantQueue(t, f, 99, feed.Cursor{})
	if err := f.Remove(t.Context(), 99); err != nil {
		t.Errorf("Remove: %v", err)
	}
}

func waiting(t *testing.T, f feed.Feed) {
	for p := range earshot.Position(5) {
		add(t, f, p+1, run(1, p+1, "a", "b", "c"))
	}
	p := read(t, f, 1, feed.Cursor{}, 4)
	wantPage(t, p, 15, "a", "b", "c", "a")
	p = read(t, f, 1, p.Next, 1)
	wantPage(t, p, 11, "b")
	wantPage(t, read(t, f, 1, p.Next, 0), 10)
	p = read(t, f, 1, p.Next, 100)
	wantPage(t, p, 10, "c", "a", "b", "c", "a", "b", "c", "a", "b", "c")
	wantPage(t, read(t, f, 1, p.Next, 100), 0)
}

func readAgain(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"))
	add(t, f, 2, run(1, 2, "c", "d"))
	first := takeSome(t, f, 1, 3)
	wantPage(t, first, 4, "a", "b", "c")
	wantPage(t, read(t, f, 1, feed.Cursor{}, 3), 4, "a", "b", "c")
	wantPage(t, read(t, f, 1, first.Next, 3), 1, "d")
	wantQueue(t, f, 1, first.Next)
}

func middle(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b", "c"))
	add(t, f, 1, run(2, 1, "other"))
	at := read(t, f, 1, feed.Cursor{}, 1).Next
	wantPage(t, read(t, f, 1, at, 1), 2, "b")
	add(t, f, 2, run(1, 2, "d"))
	wantPage(t, read(t, f, 1, at, 5), 3, "b", "c", "d")
}

func behindMessage(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"))
	add(t, f, 2, run(1, 2, "c"))
	at := read(t, f, 1, feed.Cursor{}, 1).Next
	at.Index = 1000
	wantPage(t, read(t, f, 1, at, 5), 1, "c")
}

func end(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"))
	last := read(t, f, 1, feed.Cursor{}, 2).Next
	p := read(t, f, 1, feed.End, 10)
	wantPage(t, p, 0)
	wantCursor(t, "Next", p.Next, last)
	empty := read(t, f, 1, last, 10)
	wantPage(t, empty, 0)
	wantCursor(t, "Next of an empty page", empty.Next, last)
	add(t, f, 2, run(1, 2, "c"))
	wantPage(t, read(t, f, 1, p.Next, 10), 1, "c")
}

func position(t *testing.T, f feed.Feed) {
	if p, known, err := f.Position(t.Context()); p != 0 || known || err != nil {
		t.Errorf("at first: got %d, %v, %v, want none", p, known, err)
	}
	add(t, f, 5)
	wantPosition(t, f, 5)
	add(t, f, 9, run(1, 7, "a"))
	wantPosition(t, f, 9)
	add(t, f, 9)
	wantPosition(t, f, 9)
}

func remove(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b", "c"), run(2, 1, "x"))
	takeSome(t, f, 1, 2)
	removeQueue(t, f, 1)
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 0)
	wantQueue(t, f, 1, feed.Cursor{})
	wantPage(t, read(t, f, 2, feed.Cursor{}, 10), 1, "x")
	add(t, f, 2, run(1, 2, "d"), run(2, 2, "y"))
	wantPage(t, takeSome(t, f, 1, 10), 1, "d")
	wantPage(t, read(t, f, 2, feed.Cursor{}, 10), 2, "x", "y")
}

func stats(t *testing.T, f feed.Feed) {
	if s, err := f.Stats(t.Context()); err != nil || s != (feed.Stats{}) {
		t.Errorf("at first: got %+v, %v, want zero", s, err)
	}
	add(t, f, 1, run(1, 1, "a", "b"), run(2, 1, "x"))
	if s, err := f.Stats(t.Context()); err != nil || s.Messages != 2 || s.Bytes < 3 {
		t.Errorf("got %+v, %v, want 2 messages with 3 bytes or more", s, err)
	}
}
