package journaltest

import (
	"fmt"
	"strings"
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
	wantPending(t, j, "a", 2)
	next := reader(t, j, "a")
	for i := 4; i < 6; i++ {
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		if want := earshot.Position(i + 1); b.Position != want {
			t.Errorf("post %d: got position %d, want %d", i, b.Position, want)
		}
		wantPending(t, j, "a", int64(6-i))
		ack(t, b)
	}
	wantPending(t, j, "a", 0)
}

func trimTime(t *testing.T, j journal.Journal) {
	var times []time.Time
	next := reader(t, j, "a")
	for i := range 9 {
		appendPost(t, j, fmt.Sprint(i))
		b := next()
		times = append(times, b.Time)
		ack(t, b)
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
	next, stop := pull(t, j, "a")
	for range 3 {
		ack(t, next())
	}
	stop()
	trim(t, j, 1000, later())
	wantLast(t, j, 4)
	for _, consumer := range []string{"a", "b"} { // b has read nothing
		wantPending(t, j, consumer, 0)
	}
	if err := j.Rewind(t.Context(), "a", 4); err != nil {
		t.Errorf("Rewind to the end: %v", err)
	}
	wantPending(t, j, "a", 0)
	if at := appendPost(t, j, "new"); at != 5 {
		t.Errorf("the next entry: got position %d, want 5", at)
	}
	for _, consumer := range []string{"a", "b"} {
		wantPending(t, j, consumer, 1)
		b := reader(t, j, consumer)()
		wantGUID(t, b, "new")
		ack(t, b)
		wantPending(t, j, consumer, 0)
	}
}

func trimWhileReading(t *testing.T, j journal.Journal) {
	for i := range 40 {
		appendPost(t, j, fmt.Sprint(i))
	}
	next := reader(t, j, "a")
	for i := range 40 {
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		ack(t, b)
		trim(t, j, b.Position, later())
	}
	wantPending(t, j, "a", 0)
}

func trimRewind(t *testing.T, j journal.Journal) {
	for i := range 4 {
		appendPost(t, j, fmt.Sprint(i))
	}
	trim(t, j, 2, later())
	for _, after := range []earshot.Position{0, 1} {
		want := fmt.Sprintf("entries %d to 2 are no longer in the journal", after+1)
		if err := j.Rewind(t.Context(), "a", after); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Rewind to %d: got %v, want %s", after, err, want)
		}
	}
	if err := j.Rewind(t.Context(), "a", 2); err != nil {
		t.Errorf("Rewind to 2: %v", err)
	}
	wantGUID(t, reader(t, j, "a")(), "2")
}

func trimLetters(t *testing.T, j journal.Journal) {
	at := appendPost(t, j, "bad")
	if err := reader(t, j, "a")().Reject(t.Context(), "bad"); err != nil {
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

// wantFirst checks which entry a new consumer reads first.
func wantFirst(t *testing.T, j journal.Journal, post int) {
	t.Helper()
	name := fmt.Sprintf("from-%d", post)
	next, stop := pull(t, j, name)
	defer stop()
	wantGUID(t, next(), fmt.Sprint(post))
}
