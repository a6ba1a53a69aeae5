package rematch_test

import (
	"log/slog"
	"runtime"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
	"earshot/internal/state/journal"
)

// TestReopenedStoreIsBroughtUpToDate changes the catalog while the store is closed.
func TestReopenedStoreIsBroughtUpToDate(t *testing.T) {
	dir := t.TempDir()
	open := func() *local.Store {
		t.Helper()
		store, err := local.Open(t.Context(), local.Options{Dir: dir, Log: slog.New(slog.DiscardHandler), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	store := open()
	w := newWorld(t, store)
	for id := range earshot.MonitorID(4) {
		w.create(t, id+1, "coffee")
		<-w.Rematch(id + 1)
	}
	w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "tea")}})
	w.append(t, journal.Entry{Posts: []earshot.Post{post("c", "tea")}})
	w.processed(t)
	w.crash()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	w.change(t, 1, func(m *earshot.Monitor) { m.Criteria.Keywords = "tea"; m.RequestRematch(earshot.Date{}) })
	w.change(t, 2, func(m *earshot.Monitor) { m.Removed = true })
	w.change(t, 3, func(m *earshot.Monitor) {
		m.Filters = []earshot.Filter{{ID: 13, Criteria: earshot.Criteria{Keywords: "coffee"}}}
		m.RequestRematch(earshot.Date{})
	})
	w.append(t, journal.Entry{Posts: []earshot.Post{post("d", "coffee and tea")}})
	for start := range 3 { // later starts find everything up to date
		store = open()
		w.restart(t, store)
		w.processed(t)
		for id := range earshot.MonitorID(4) {
			<-w.Rematch(id + 1)
		}
		for id, want := range map[poststore.SetID]int64{1: 3, 2: 0, 3: 2, 13: 2, 4: 2} {
			if got := w.count(t, id); got != want {
				t.Errorf("start %d: monitor %d has %d posts, want %d", start, id, got, want)
			}
		}
		w.crash()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// processed waits until the store has all journal entries.
func (w *world) processed(t *testing.T) {
	t.Helper()
	for {
		_, at := w.Processed()
		pending, err := w.Journal.Pending(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if pending == 0 {
			return
		}
		runtime.Gosched()
	}
}
