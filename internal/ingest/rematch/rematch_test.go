package rematch_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/ingest/rematch"
	"earshot/internal/model/enrich"
	"earshot/internal/model/training"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
)

// TestMain uses the journal's codec once. The codec shares a compressor that creates channels on
// first use, which must not happen inside a synctest bubble.
func TestMain(m *testing.M) {
	data, err := journal.Encode(journal.Entry{Posts: []earshot.Post{post("a", "b")}})
	if err == nil {
		_, err = journal.Decode(data)
	}
	if err != nil {
		panic(err)
	}
	m.Run()
}

// A world is a running pipeline and rematch service with in-memory dependencies.
type world struct {
	*pipeline.Pipeline
	*rematch.Service
	store   poststore.Store
	options func(*rematch.Options) // changes the options of open; may be nil
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// newWorld starts both. Within a synctest bubble, synctest.Wait returns when everything is
// processed.
func newWorld(t *testing.T, store poststore.Store) *world {
	return newNode(t, store, kv.NewMemory(), journalmemory.New())
}

// newNode is newWorld with a catalog and a journal that several nodes may share.
func newNode(t *testing.T, store poststore.Store, records kv.Store, entries journal.Journal) *world {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(t.Context(), records, log)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Pipeline: &pipeline.Pipeline{Journal: entries, Enrich: enrich.New(), Catalog: c, Log: log}}
	w.open(t, store, nil)
	t.Cleanup(func() {
		w.crash()
		c.Close()
	})
	return w
}

// open starts a new pipeline and service, possibly with a different store.
func (w *world) open(t *testing.T, store poststore.Store, trainer rematch.Trainer) {
	t.Helper()
	w.store = store
	w.Pipeline = &pipeline.Pipeline{Journal: w.Journal, Enrich: w.Enrich, Catalog: w.Catalog, Store: store, Log: w.Log}
	o := rematch.Options{Catalog: w.Catalog, Store: store, Enrich: w.Enrich, Trainer: trainer, Log: w.Log, Barrier: w.Pipeline.Barrier}
	if w.options != nil {
		w.options(&o)
	}
	w.Service = rematch.New(o)
	w.Pipeline.Categorizers = w.Service.Categorizers
	if t, ok := trainer.(*training.Service); ok {
		t.Rematcher = w.Service
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	if err := w.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	if err := w.Load(ctx); err != nil {
		t.Fatal(err)
	}
	w.done.Go(func() { w.Pipeline.Run(ctx) })
	w.done.Go(func() { w.Service.Run(ctx) })
}

// crash stops both wherever they are.
func (w *world) crash() {
	w.stop()
	w.done.Wait()
}

// restart crashes and opens them again.
func (w *world) restart(t *testing.T, store poststore.Store) {
	t.Helper()
	w.crash()
	w.open(t, store, nil)
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func post(guid, contents string) earshot.Post {
	return earshot.Post{Source: earshot.News, GUID: guid, Time: noon, Contents: contents}
}

func (w *world) append(t *testing.T, e journal.Entry) {
	t.Helper()
	if _, err := w.Journal.Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

func (w *world) monitor(t *testing.T, id earshot.MonitorID, keywords string) *earshot.Monitor {
	t.Helper()
	m := &earshot.Monitor{ID: id, Type: earshot.Buzz, Enabled: true, Timezone: "UTC", Criteria: earshot.Criteria{Keywords: keywords}}
	if err := w.Catalog.Monitors.Add(t.Context(), id, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// create adds a monitor and requests that stored posts be rematched, as the monitor service does.
func (w *world) create(t *testing.T, id earshot.MonitorID, keywords string) {
	t.Helper()
	w.monitor(t, id, keywords)
	w.change(t, id, func(m *earshot.Monitor) {
		m.Start = earshot.Date{Year: 2026, Month: 3, Day: 1}
		m.RequestRematch(earshot.Date{})
	})
}

func (w *world) count(t *testing.T, set poststore.SetID) int64 {
	t.Helper()
	rows, err := poststore.TallyOne(t.Context(), w.store, poststore.Selection{Set: set}, poststore.Tally{})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0].Posts
}

func (w *world) change(t *testing.T, id earshot.MonitorID, change func(m *earshot.Monitor)) {
	t.Helper()
	_, err := w.Catalog.Monitors.Update(t.Context(), id, func(m *earshot.Monitor) error { change(m); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewMonitorMatchesStoredAndLaterPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.create(t, 1, "coffee")
		<-w.Rematch(1)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		synctest.Wait()
		if got := w.count(t, 1); got != 2 {
			t.Errorf("got %d posts, want 2", got)
		}
		w.change(t, 1, func(m *earshot.Monitor) { m.Removed = true })
		<-w.Rematch(1)
		if got := w.count(t, 1); got != 0 {
			t.Errorf("after the monitor was removed: got %d posts, want 0", got)
		}
	})
}

// TestNoPostIsMissedWhileMonitorsAreAdded adds monitors while posts are ingested. Each monitor must
// end up with all posts, whether they were matched on ingest or rematched.
func TestNoPostIsMissedWhileMonitorsAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		const batches, monitors = 200, 20
		var feeding sync.WaitGroup
		feeding.Go(func() {
			for i := range batches {
				w.append(t, journal.Entry{Posts: []earshot.Post{post(fmt.Sprint("p", i), "coffee")}})
			}
		})
		for id := range earshot.MonitorID(monitors) {
			w.create(t, id+1, "coffee")
			<-w.Rematch(id + 1)
		}
		feeding.Wait()
		synctest.Wait()
		for id := range earshot.MonitorID(monitors) {
			if got := w.count(t, poststore.MonitorSet(id+1)); got != batches {
				t.Errorf("monitor %d has %d posts, want %d", id+1, got, batches)
			}
		}
	})
}

// TestLaterChangeWins changes a monitor twice and requests a rematch for both changes.
func TestLaterChangeWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "coffee"), post("c", "tea")}})
		synctest.Wait()
		w.create(t, 1, "tea")
		w.change(t, 1, func(m *earshot.Monitor) { m.Criteria.Keywords = "coffee"; m.RequestRematch(earshot.Date{}) })
		for range 2 { // the second is a late request for the first change
			<-w.Rematch(1)
		}
		if got := w.count(t, 1); got != 2 {
			t.Errorf("got %d posts, want the 2 that match the newest query", got)
		}
	})
}
