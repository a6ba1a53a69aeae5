package journaltest

import (
	"context"
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/state/journal"
)

func unacknowledged(t *testing.T, j journal.Journal) {
	for i := range 12 {
		appendPost(t, j, fmt.Sprint(i))
	}
	first, stop := pull(t, j, "a")
	for i := range 3 {
		b := first()
		wantGUID(t, b, fmt.Sprint(i))
		if i == 0 {
			ack(t, b)
		}
	}
	stop()
	next := reader(t, j, "a")
	for i := 1; i < 12; i++ {
		wantGUID(t, next(), fmt.Sprint(i))
	}
}

func acknowledged(t *testing.T, j journal.Journal) {
	for i := range 4 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for i := range 4 { // one loop per entry
		next, stop := pull(t, j, "a")
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		ack(t, b)
		stop()
		if err := b.Ack(); err != nil {
			t.Errorf("a second Ack: %v", err)
		}
	}
	appendPost(t, j, "new")
	wantGUID(t, reader(t, j, "a")(), "new")
}

func once(t *testing.T, j journal.Journal) {
	next := reader(t, j, "a")
	for i := range 6 {
		appendPost(t, j, fmt.Sprint(i))
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		b.InProgress()
	}
}

func independent(t *testing.T, j journal.Journal) {
	for i := range 3 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for _, consumer := range []string{"a", "b"} {
		next := reader(t, j, consumer)
		for i := range 3 {
			b := next()
			wantGUID(t, b, fmt.Sprint(i))
			ack(t, b)
		}
	}
}

func pending(t *testing.T, j journal.Journal) {
	wantPending(t, j, "a", 0)
	for i := range 3 {
		appendPost(t, j, fmt.Sprint(i))
	}
	wantPending(t, j, "a", 3)
	next, stop := pull(t, j, "a")
	first, second := next(), next()
	wantPending(t, j, "a", 3)
	ack(t, first)
	wantPending(t, j, "a", 2)
	ack(t, second)
	ack(t, next())
	wantPending(t, j, "a", 0)
	wantPending(t, j, "b", 3)
	stop()
	if err := j.Rewind(t.Context(), "a", first.Position); err != nil {
		t.Fatal(err)
	}
	wantPending(t, j, "a", 2)
}

func rewind(t *testing.T, j journal.Journal) {
	var positions []earshot.Position
	for i := range 6 {
		positions = append(positions, appendPost(t, j, fmt.Sprint(i)))
	}
	next, stop := pull(t, j, "a")
	for range 5 {
		ack(t, next())
	}
	stop()
	for _, after := range []int{1, 3, 0} {
		if err := j.Rewind(t.Context(), "a", positions[after]); err != nil {
			t.Fatal(err)
		}
		next, stop := pull(t, j, "a")
		for i := after + 1; i < 6; i++ {
			b := next()
			wantGUID(t, b, fmt.Sprint(i))
			ack(t, b)
		}
		stop()
	}
	if err := j.Rewind(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	wantGUID(t, reader(t, j, "a")(), "0")
}

func rewindFirst(t *testing.T, j journal.Journal) {
	at := appendPost(t, j, "0")
	appendPost(t, j, "1")
	if err := j.Rewind(t.Context(), "a", at); err != nil {
		t.Fatal(err)
	}
	wantGUID(t, reader(t, j, "a")(), "1")
}

func cancelWaiting(t *testing.T, j journal.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	appendPost(t, j, "0")
	for b := range j.Batches(ctx, "a") {
		ack(t, b)
		cancel()
	}
	for range j.Batches(ctx, "a") {
		t.Error("a loop whose context has ended got an entry")
	}
}

func cancelBusy(t *testing.T, j journal.Journal) {
	for i := range 5 {
		appendPost(t, j, fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range j.Batches(ctx, "a") {
		if n++; n == 2 {
			cancel()
		}
	}
	if n != 2 {
		t.Errorf("got %d entries, want 2", n)
	}
}
