package feedtest

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
)

// RunArchive tests copying between feeds of an implementation. open returns an empty feed each
// time.
func RunArchive(t *testing.T, open func(t *testing.T) feed.Archive) {
	for _, c := range archiveCases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), open(t)) })
	}
}

var archiveCases = []struct {
	name string
	run  func(t *testing.T, from, to feed.Archive)
}{
	{"a copy has the same items at the same cursors", carry},
	{"a feed without messages can be copied", carryEmpty},
	{"a feed whose messages are gone continues its numbering", carryNothing},
	{"removed queues leave their numbers unused", carryGaps},
	{"numbers of lost messages are not reused", carryLost},
	{"messages after the state are not copied", carryPart},
	{"expired messages are skipped", carryOld},
	{"a feed with messages cannot be loaded", loadTwice},
	{"messages out of order are rejected", loadWrong},
	{"messages after the last one are rejected", loadBeyond},
	{"an error ends loading", loadFails},
}

func carry(t *testing.T, from, to feed.Archive) {
	items := numbered(0, 350)
	add(t, from, 3, run(1, 1, items...), run(2, 2, "x", "y"))
	add(t, from, 5, run(2, 4, "z"))
	at := takeSome(t, from, 1, 120).Next
	if err := from.Reconcile(t.Context(), 4); err != nil { // starts an epoch
		t.Fatal(err)
	}
	add(t, from, 4, run(1, 4, "last"))
	load(t, from, to)
	wantSame(t, from, to)
	wantPosition(t, to, 4)
	wantQueue(t, to, 1, at)
	add(t, to, 5, run(1, 4, "last"), run(1, 5, "new"), run(2, 5, "new"))
	wantPage(t, read(t, to, 1, at, 500), 232, slices.Concat(items[120:], []string{"last", "new"})...)
	wantPage(t, takeSome(t, to, 1, 500), 232, slices.Concat(items[120:], []string{"last", "new"})...)
	wantPage(t, takeSome(t, to, 2, 500), 4, "x", "y", "z", "new")
}

func carryEmpty(t *testing.T, from, to feed.Archive) {
	load(t, from, to)
	wantSame(t, from, to)
	if p, known, err := to.Position(t.Context()); known || err != nil {
		t.Errorf("got position %d, %v, want none", p, err)
	}
	add(t, to, 1, run(1, 1, "a"))
	wantPage(t, read(t, to, 1, feed.Cursor{}, 10), 1, "a")
}

func carryNothing(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"), run(2, 1, "b"))
	removeQueue(t, from, 1)
	removeQueue(t, from, 2)
	load(t, from, to)
	wantSame(t, from, to)
	add(t, to, 2, run(1, 2, "c"))
	wantBefore(t, feed.Cursor{Message: 3, Index: 1}, read(t, to, 1, feed.End, 1).Next)
}

func carryGaps(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(9, 1, "gone"))
	add(t, from, 2, run(1, 2, "a"))
	add(t, from, 3, run(9, 3, numbered(0, 300)...))
	add(t, from, 4, run(1, 4, "b"))
	add(t, from, 5, run(9, 5, "gone"))
	takeSome(t, from, 9, 10)
	removeQueue(t, from, 9)
	load(t, from, to)
	wantSame(t, from, to)
	add(t, to, 6, run(1, 6, "c"))
	wantPage(t, read(t, to, 1, feed.Cursor{Message: 2, Index: 1}, 10), 2, "b", "c")
	wantBefore(t, feed.Cursor{Message: 8, Index: 1}, read(t, to, 1, feed.End, 1).Next)
	wantPage(t, read(t, to, 9, feed.Cursor{}, 10), 0)
}

// carryLost appends to both feeds after the copy. A cursor from the first feed must not skip items
// of the second.
func carryLost(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"))
	r := records(t, from)
	stored := messages(t, from)
	for at := range earshot.Position(5) {
		add(t, from, at+2, run(1, at+2, "lost"))
	}
	known := read(t, from, 1, feed.Cursor{}, 10).Next
	if err := to.Load(t.Context(), r, values(stored...)); err != nil {
		t.Fatal(err)
	}
	for at := range earshot.Position(8) {
		add(t, to, at+2, run(1, at+2, fmt.Sprint(at)))
	}
	wantPage(t, read(t, to, 1, known, 100), 8, "0", "1", "2", "3", "4", "5", "6", "7")
	fourth := read(t, to, 1, known, 4).Next
	wantPage(t, read(t, to, 1, fourth, 100), 4, "4", "5", "6", "7")
	for page, err := range to.Follow(t.Context(), 1, fourth) {
		if err != nil {
			t.Fatal(err)
		}
		wantPage(t, page, 0, "4")
		wantPage(t, read(t, to, 1, page.Next, 1), 3, "5")
		break
	}
	wantPage(t, takeSome(t, to, 1, 3), 9, "a", "0", "1")
	wantPage(t, takeSome(t, to, 1, 1), 6, "2")
	queue, err := to.Cursor(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	wantPage(t, read(t, to, 1, queue, 1), 5, "3")
}

func wantBefore(t *testing.T, first, second feed.Cursor) {
	t.Helper()
	if !first.Before(second) {
		t.Errorf("got cursor %v, want one after %v", second, first)
	}
}

func carryPart(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"))
	r := records(t, from)
	add(t, from, 2, run(1, 2, "b"))
	takeSome(t, from, 1, 2)
	if err := to.Load(t.Context(), r, from.Messages(t.Context(), r.Last)); err != nil {
		t.Fatal(err)
	}
	wantPosition(t, to, 1)
	wantPage(t, takeSome(t, to, 1, 10), 1, "a")
}

func carryOld(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "old"))
	add(t, from, 2, run(1, 2, "young"))
	all := messages(t, from)
	all[0].Time = all[0].Time.Add(-feed.Retention)
	if err := to.Load(t.Context(), records(t, from), values(all...)); err != nil {
		t.Fatal(err)
	}
	wantPage(t, takeSome(t, to, 1, 10), 1, "young")
	wantCursor(t, "its cursor", read(t, to, 1, feed.End, 1).Next, feed.Cursor{Message: 2, Index: 1})
}

func loadTwice(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"))
	load(t, from, to)
	wantLoadError(t, to, records(t, from), from.Messages(t.Context(), 1), "they already have messages")
	add(t, to, 2)
	wantLoadError(t, to, records(t, from), from.Messages(t.Context(), 1), "they already have messages")
}

func loadWrong(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"), run(2, 1, "b"))
	all := messages(t, from)
	slices.Reverse(all)
	wantLoadError(t, to, records(t, from), values(all...), "got message 1, want message 3 or a later one")
}

func loadBeyond(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"), run(2, 1, "b"))
	wantLoadError(t, to, feed.State{Last: 1}, values(messages(t, from)...), "message 2 is after the last one, 1")
}

func loadFails(t *testing.T, from, to feed.Archive) {
	add(t, from, 1, run(1, 1, "a"))
	broken := func(yield func(feed.StoredMessage, error) bool) {
		yield(feed.StoredMessage{}, errors.New("the tape is torn"))
	}
	wantLoadError(t, to, records(t, from), broken, "the tape is torn")
}

func values(all ...feed.StoredMessage) iter.Seq2[feed.StoredMessage, error] {
	return func(yield func(feed.StoredMessage, error) bool) {
		for _, m := range all {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func wantLoadError(t *testing.T, to feed.Archive, r feed.State, messages iter.Seq2[feed.StoredMessage, error], want string) {
	t.Helper()
	if err := to.Load(t.Context(), r, messages); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Load: got %v, want %s", err, want)
	}
}

func removeQueue(t *testing.T, f feed.Feed, id earshot.StreamID) {
	t.Helper()
	if err := f.Remove(t.Context(), id); err != nil {
		t.Fatalf("Remove: %v", err)
	}
}

func load(t *testing.T, from, to feed.Archive) {
	t.Helper()
	r := records(t, from)
	if err := to.Load(t.Context(), r, from.Messages(t.Context(), r.Last)); err != nil {
		t.Fatalf("Load: %v", err)
	}
}

func records(t *testing.T, f feed.Archive) feed.State {
	t.Helper()
	r, err := f.State(t.Context())
	if err != nil {
		t.Fatalf("Records: %v", err)
	}
	return r
}

func messages(t *testing.T, f feed.Archive) []feed.StoredMessage {
	t.Helper()
	var all []feed.StoredMessage
	for m, err := range f.Messages(t.Context(), math.MaxUint64) {
		if err != nil {
			t.Fatalf("Messages: %v", err)
		}
		m.Time = m.Time.Round(0).UTC() // strips the monotonic clock reading
		all = append(all, m)
	}
	return all
}

// wantSame compares the states and the messages of two feeds, including append times. It ignores
// the numbers of future messages.
func wantSame(t *testing.T, a, b feed.Archive) {
	t.Helper()
	got, want := records(t, b), records(t, a)
	got.Last, got.Jumps, want.Last, want.Jumps = 0, nil, 0, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got the records %+v, want %+v", got, want)
	}
	if got, want := messages(t, b), messages(t, a); !reflect.DeepEqual(got, want) {
		t.Errorf("got %d messages, want the same %d as before:\n%.300v\n%.300v", len(got), len(want), got, want)
	}
}
