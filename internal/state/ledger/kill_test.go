package ledger

import (
	"errors"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/test/testenv"
)

// TestAcknowledgedWritesSurviveAKill opens a copy of the files of a running ledger, which is what a
// killed process leaves.
func TestAcknowledgedWritesSurviveAKill(t *testing.T) {
	dir := t.TempDir()
	_, b := openBucket(t, dir)
	l := New(b)
	for id := range earshot.ResultID(20) {
		_, err := l.Put(t.Context(), &Analysis{ID: id}, 0)
		if err := errors.Join(err, l.AddPending(t.Context(), id)); err != nil {
			t.Fatal(err)
		}
	}
	for id := range earshot.ResultID(17) {
		if err := l.RemovePending(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}

	_, b = openBucket(t, testenv.CopyRunning(t, dir))
	l = New(b)
	for id := range earshot.ResultID(20) {
		if _, _, err := l.Find(t.Context(), id); err != nil {
			t.Errorf("record %d: %v", id, err)
		}
	}
	if got, err := l.ListPending(t.Context()); err != nil || !slices.Equal(got, []earshot.ResultID{17, 18, 19}) {
		t.Errorf("got %v, %v, want 17 to 19", got, err)
	}
}
