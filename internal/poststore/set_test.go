package poststore

import (
	"testing"

	"earshot"
)

// TestSetIDs pins the values because every store on disk contains them.
func TestSetIDs(t *testing.T) {
	f := func(name string, got, want SetID) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	f("monitor", MonitorSet(7), 7)
	f("own posts", OwnSet(7), -7)
	f("category", CategorySet(9, 0), 9+1<<53)
	f("category, other buffer", CategorySet(9, 1), 9+17<<53)
	f("score bit", ScoreBitSet(9, 1, 3), 9+21<<53)
	f("categorized", CategorizedSet(7), 7+33<<53)
}

func TestOwner(t *testing.T) {
	f := func(id SetID, owner earshot.MonitorID, isOwned, isMonitor bool) {
		t.Helper()
		if got, ok := id.Owner(); ok != isOwned || ok && got != owner {
			t.Errorf("owner of %d: got %d, %t, want %d, %t", id, got, ok, owner, isOwned)
		}
		if got, ok := id.Monitor(); ok != isMonitor || ok && got != owner {
			t.Errorf("monitor of %d: got %d, %t, want %d, %t", id, got, ok, owner, isMonitor)
		}
	}
	f(MonitorSet(7), 7, true, true)
	f(OwnSet(7), 7, true, false)
	f(CategorizedSet(7), 7, true, false)
	f(CategorySet(7, 0), 0, false, false)
	f(ScoreBitSet(7, 1, 14), 0, false, false)
}
