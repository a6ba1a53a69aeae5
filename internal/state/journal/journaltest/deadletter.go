package journaltest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot/internal/state/journal"
)

func reject(t *testing.T, j journal.Journal) {
	wantLetters(t, j, 0)
	at := appendPost(t, j, "bad")
	appendPost(t, j, "good")
	reason := "enrich:\npanic " + strings.Repeat("x", 10_000)
	for range 2 {
		next := reader(t, j)
		b := next()
		for range 2 {
			if err := b.Reject(t.Context(), reason); err != nil {
				t.Fatal(err)
			}
		}
		wantGUID(t, next(), "good")
	}
	d := wantLetters(t, j, 1)
	if got := d.Recent[0]; got.Position != at || !strings.HasPrefix(got.Reason, "enrich:") || time.Since(got.Time).Abs() > time.Minute {
		t.Errorf("dead letter: got %d at %v because of %.20q, want position %d, about now, enrich:…", got.Position, got.Time, got.Reason, at)
	}
}

func manyLetters(t *testing.T, j journal.Journal) {
	next := reader(t, j)
	for i := range 25 {
		appendPost(t, j, fmt.Sprint(i))
		if err := next().Reject(t.Context(), fmt.Sprintf("reason %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	d := wantLetters(t, j, 25)
	for i, l := range d.Recent {
		if want := fmt.Sprintf("reason %d", 24-i); l.Reason != want {
			t.Errorf("letter %d: got %s, want %s", i, l.Reason, want)
		}
	}
}

func wantLetters(t *testing.T, j journal.Journal, count int64) journal.DeadLetters {
	t.Helper()
	d, err := j.DeadLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Count != count || int64(len(d.Recent)) != min(count, 20) {
		t.Fatalf("dead letters: got %d, %d listed, want %d", d.Count, len(d.Recent), count)
	}
	return d
}
