package journaltest

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

func before(t *testing.T, j journal.Journal) {
	wantBefore(t, j, later(), 0)
	next := reader(t, j)
	last := earshot.Position(0)
	var previous time.Time
	for i := range 9 {
		at := appendPost(t, j, fmt.Sprint(i))
		b := next()
		if !b.Time.Equal(previous) { // otherwise the clock is too coarse
			wantBefore(t, j, b.Time, last)
		}
		wantBefore(t, j, later(), at)
		last, previous = at, b.Time
	}
	wantBefore(t, j, previous.Add(-time.Hour), 0)
}

func beforeTrimmed(t *testing.T, j journal.Journal) {
	for i := range 4 {
		appendPost(t, j, fmt.Sprint(i))
	}
	trim(t, j, 2, later())
	wantBefore(t, j, time.Now().Add(-time.Hour), 0)
	wantBefore(t, j, later(), 4)
	trim(t, j, 4, later())
	wantBefore(t, j, later(), 0)
}

func wantBefore(t *testing.T, j journal.Journal, end time.Time, want earshot.Position) {
	t.Helper()
	if got, err := j.LastBefore(t.Context(), end); err != nil || got != want {
		t.Errorf("before %v: got position %d, %v, want %d", end, got, err, want)
	}
}
