package rematch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/rematch"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
)

func march(day int) earshot.Date { return earshot.Date{Year: 2026, Month: 3, Day: day} }

// TestCrashBeforeJobIsDone changes a monitor and crashes before or while its job runs.
func TestCrashBeforeJobIsDone(t *testing.T) {
	f := func(name string, change func(m *earshot.Monitor), monitor, filter int64, want string) {
		for when, before := range map[string]func(*world){
			"before it began": func(w *world) { w.crash() },
			"while it ran":    func(w *world) { w.store.(*hooked).before = untilCanceled },
		} {
			t.Run(name+" "+when, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					store := memory.New()
					w := newWorld(t, &hooked{Store: store})
					w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "coffee with milk"), post("c", "tea with milk")}})
					synctest.Wait()
					w.create(t, 1, "coffee")
					w.change(t, 1, func(m *earshot.Monitor) {
						m.Filters = []earshot.Filter{{ID: 11, Criteria: earshot.Criteria{Keywords: "milk"}}}
						m.RequestRematch(earshot.Date{})
					})
					<-w.Rematch(1)
					before(w)
					w.change(t, 1, change)
					for _, id := range []earshot.MonitorID{1, 11} {
						w.Rematch(id)
					}
					synctest.Wait()
					if coffee, milk := w.count(t, 1), w.count(t, 11); coffee != 2 || milk != 1 {
						t.Fatalf("before the crash: got %d and %d posts, want 2 and 1", coffee, milk)
					}
					again := &hooked{Store: store}
					w.restart(t, again)
					synctest.Wait()
					if coffee, milk := w.count(t, 1), w.count(t, 11); coffee != monitor || milk != filter {
						t.Errorf("got %d posts in the monitor and %d in the filter, want %d and %d", coffee, milk, monitor, filter)
					}
					again.want(t, want)

					w.restart(t, again)
					synctest.Wait()
					again.want(t) // no work is left
				})
			})
		}
	}
	f("edited", func(m *earshot.Monitor) { m.Criteria.Keywords = "tea"; m.RequestRematch(earshot.Date{}) }, 1, 1, "11:3 1:3 from 2026-03-01")
	f("disabled", func(m *earshot.Monitor) { m.Enabled = false; m.RequestRematch(earshot.Date{}) }, 0, 0, "11:3 1:3 from 2026-03-01")
	f("reset from a day", func(m *earshot.Monitor) { m.RequestRematch(march(2)) }, 2, 1, "11:3 1:3 from 2026-03-02")
	f("reset from before its start", func(m *earshot.Monitor) { m.RequestRematch(earshot.Date{Year: 2025, Month: 12, Day: 24}) }, 2, 1, "11:3 1:3 from 2026-03-01")
	f("edited and reset from a day", func(m *earshot.Monitor) {
		m.Criteria.Keywords = "tea"
		m.RequestRematch(earshot.Date{})
		m.RequestRematch(march(2))
	}, 1, 1, "11:4 1:4 from 2026-03-01")
	f("removed", func(m *earshot.Monitor) { m.Removed, m.Enabled = true, false }, 0, 0, "11:0 1:0")
	f("its filter removed", func(m *earshot.Monitor) { m.Filters = nil }, 2, 0, "-11:0 11:0")
}

// TestEmptyStoreNeedsNoRematch starts with an empty store and monitors in every state. Their
// generations must be recorded as if the store had always been up to date.
func TestEmptyStoreNeedsNoRematch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		for id := range earshot.MonitorID(4) {
			w.create(t, id+1, "coffee")
		}
		w.monitor(t, 5, "coffee") // from a version without generations
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		synctest.Wait()
		w.change(t, 2, func(m *earshot.Monitor) { m.Enabled, m.DisabledAt = false, 1; m.RequestRematch(earshot.Date{}) })
		w.change(t, 3, func(m *earshot.Monitor) { m.Removed = true })
		w.change(t, 4, func(m *earshot.Monitor) { m.RequestRematch(march(3)) })
		w.crash()

		store := &hooked{Store: memory.New()}
		w.restart(t, store)
		synctest.Wait()
		for id, want := range map[earshot.MonitorID]int64{1: 2, 2: 1, 3: 0, 4: 2, 5: 2} {
			if got := w.count(t, poststore.MonitorSet(id)); got != want {
				t.Errorf("monitor %d has %d posts, want %d", id, got, want)
			}
			w.wantProgress(t, id, rematch.Progress{State: rematch.Idle})
		}
		store.want(t, "1:1 2:2 4:2")

		w.change(t, 5, func(m *earshot.Monitor) { m.Start = march(1); m.RequestRematch(march(2)) })
		<-w.Rematch(5)
		w.change(t, 4, func(m *earshot.Monitor) { m.RequestRematch(march(2)) })
		<-w.Rematch(4)
		store.want(t, "5:1 from 2026-03-02", "4:3 from 2026-03-02")
	})
}

// TestNewerGenerationsAreRematched restores a catalog from a backup that is older than the store.
func TestNewerGenerationsAreRematched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New()}
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		w.change(t, 1, func(m *earshot.Monitor) { m.RequestRematch(earshot.Date{}) })
		<-w.Rematch(1)
		w.change(t, 1, func(m *earshot.Monitor) { m.Generation, m.Criteria.Keywords = 1, "tea" })
		w.restart(t, store)
		synctest.Wait()
		if got := w.count(t, 1); got != 0 {
			t.Errorf("got %d posts, want none", got)
		}
		store.want(t, "1:2 from 2026-03-01", "1:1 from 2026-03-01")
	})
}

// TestUnreadableRecordRemovesNothing starts with a monitor whose record the catalog cannot read.
func TestUnreadableRecordRemovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		<-w.Rematch(1)

		records := kv.NewMemory()
		if _, err := records.Put(t.Context(), "monitor.1", []byte("{"), 0); err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Open(t.Context(), records, w.Log)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		w.crash()
		complete := w.Catalog
		w.Catalog = c
		w.restart(t, store)
		time.Sleep(time.Hour)
		if got := w.count(t, 1); got != 1 {
			t.Errorf("got %d posts, want 1: the monitor must keep its posts", got)
		}
		w.crash()
		w.Catalog = complete
		if err := complete.Monitors.Remove(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		w.restart(t, store)
		synctest.Wait()
		if got := w.count(t, 1); got != 0 {
			t.Errorf("got %d posts after the monitor was removed, want none", got)
		}
		if generations, err := w.store.Generations(t.Context()); err != nil || len(generations) != 0 {
			t.Errorf("got generations %v %v, want none", generations, err)
		}
	})
}
