package journaltest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/state/journal"
)

func after(t *testing.T, j journal.Journal) {
	var positions []earshot.Position
	for i := range 12 {
		positions = append(positions, appendPost(t, j, fmt.Sprint(i)))
	}
	for _, start := range []int{0, 3, 10, 5} {
		next, stop := pull(t, j, positions[start])
		for i := start + 1; i < 12; i++ {
			wantGUID(t, next(), fmt.Sprint(i))
		}
		stop()
	}
	next := readerAfter(t, j, positions[11])
	appendPost(t, j, "new")
	wantGUID(t, next(), "new")
}

func independent(t *testing.T, j journal.Journal) {
	a, b := reader(t, j), reader(t, j)
	for i := range 6 {
		appendPost(t, j, fmt.Sprint(i))
		wantGUID(t, a(), fmt.Sprint(i))
		if i%2 == 1 { // b is behind
			wantGUID(t, b(), fmt.Sprint(i/2))
		}
	}
	for i := 3; i < 6; i++ {
		wantGUID(t, b(), fmt.Sprint(i))
	}
}

func pending(t *testing.T, j journal.Journal) {
	wantPending(t, j, 0, 0)
	for i := range 3 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for after, want := range []int64{3, 2, 1, 0, 0} {
		wantPending(t, j, earshot.Position(after), want)
	}
	j.Processed(2) // concerns disk space only
	wantPending(t, j, 0, 3)
}

func cancelWaiting(t *testing.T, j journal.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	appendPost(t, j, "0")
	for _, err := range j.Batches(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	for _, err := range j.Batches(ctx, 0) {
		t.Errorf("a loop whose context has ended got an entry or %v", err)
	}
}

func cancelBusy(t *testing.T, j journal.Journal) {
	for i := range 5 {
		appendPost(t, j, fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range j.Batches(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			cancel()
		}
	}
	if n != 2 {
		t.Errorf("got %d entries, want 2", n)
	}
}

// trimAhead trims entries that a slow loop has not read.
func trimAhead(t *testing.T, j journal.Journal) {
	for i := range 40 {
		appendPost(t, j, fmt.Sprint(i))
	}
	var last earshot.Position
	for b, err := range j.Batches(t.Context(), 0) {
		switch {
		case errors.Is(err, journal.ErrTrimmed):
			if last < 1 || last >= 30 {
				t.Errorf("the loop ended after %d, want 1 to 29", last)
			}
			return
		case err != nil:
			t.Fatal(err)
		case b.Position != last+1:
			t.Fatalf("got entry %d after %d, want ErrTrimmed", b.Position, last)
		}
		if last = b.Position; last == 1 {
			trim(t, j, 30, later())
		}
	}
}
