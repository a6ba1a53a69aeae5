package journaltest

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// later returns a time after everything that a test appends.
func later() time.Time { return time.Now().Add(time.Hour) }

func trimPosition(t *testing.T, j journal.Journal) {
	for i := range 6 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for _, upTo := range []earshot.Position{0, 4, 2} { // the last one has nothing to remove
		trim(t, j, upTo, later())
	}
	wantLast(t, j, 6)
	wantPending(t, j, 0, 2)
	next := readerAfter(t, j, 4)
	for i := 4; i < 6; i++ {
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		if want := earshot.Position(i + 1); b.Position != want {
			t.Errorf("post %d: got position %d, want %d", i, b.Position, want)
		}
		wantPending(t, j, b.Position, int64(5-i))
	}
}

func trimTime(t *testing.T, j journal.Journal) {
	var times []time.Time
	next := reader(t, j)
	for i := range 9 {
		appendPost(t, j, fmt.Sprint(i))
		times = append(times, next().Time)
	}
	trim(t, j, 9, times[0]) // no entry is older than the first
	wantFirst(t, j, 0)
	for i := 1; i < 9; i++ {
		if times[i].Equal(times[i-1]) {
			continue // the clock is too coarse
		}
		trim(t, j, 9, times[i])
		wantFirst(t, j, i)
	}
}

func trimAll(t *testing.T, j journal.Journal) {
	trim(t, j, 5, later()) // while the journal is empty
	wantLast(t, j, 0)
	for i := range 4 {
		appendPost(t, j, fmt.Sprint(i))
	}
	trim(t, j, 1000, later())
	wantLast(t, j, 4)
	for after := range earshot.Position(5) {
		wantPending(t, j, after, 0)
	}
	next := readerAfter(t, j, 4)
	if at := appendPost(t, j, "new"); at != 5 {
		t.Errorf("the next entry: got position %d, want 5", at)
	}
	wantPending(t, j, 4, 1)
	wantGUID(t, next(), "new")
	wantPending(t, j, 5, 0)
	wantTrimmed(t, j, 3, 4)
}

func trimWhileReading(t *testing.T, j journal.Journal) {
	for i := range 40 {
		appendPost(t, j, fmt.Sprint(i))
	}
	next := reader(t, j)
	for i := range 40 {
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		trim(t, j, b.Position, later())
	}
}

func trimReader(t *testing.T, j journal.Journal) {
	for i := range 4 {
		appendPost(t, j, fmt.Sprint(i))
	}
	trim(t, j, 2, later())
	for after := range earshot.Position(2) {
		wantTrimmed(t, j, after, 2)
	}
	wantGUID(t, readerAfter(t, j, 2)(), "2")
}

func trimLetters(t *testing.T, j journal.Journal) {
	at := appendPost(t, j, "bad")
	if err := reader(t, j)().Reject(t.Context(), "bad"); err != nil {
		t.Fatal(err)
	}
	trim(t, j, at, later())
	if d := wantLetters(t, j, 1); d.Recent[0].Position != at || d.Recent[0].Reason != "bad" {
		t.Errorf("dead letter: got %+v, want position %d, bad", d.Recent[0], at)
	}
}

func trim(t *testing.T, j journal.Journal, upTo earshot.Position, before time.Time) {
	t.Helper()
	if err := j.Trim(t.Context(), upTo, before); err != nil {
		t.Fatalf("Trim up to %d: %v", upTo, err)
	}
}

func wantLast(t *testing.T, j journal.Journal, want earshot.Position) {
	t.Helper()
	if last, err := j.Last(t.Context()); err != nil || last != want {
		t.Errorf("Last: got %d, %v, want %d", last, err, want)
	}
}

// wantFirst checks which entry is the first.
func wantFirst(t *testing.T, j journal.Journal, post int) {
	t.Helper()
	if got, err := j.Trimmed(t.Context()); err != nil || got != earshot.Position(post) {
		t.Errorf("Trimmed: got %d, %v, want %d", got, err, post)
	}
	if post > 0 {
		wantTrimmed(t, j, 0, earshot.Position(post))
	}
	next, stop := pull(t, j, earshot.Position(post))
	defer stop()
	wantGUID(t, next(), fmt.Sprint(post))
}
