package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/model/enrich"
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

// A world is a running pipeline with in-memory dependencies.
type world struct {
	*pipeline.Pipeline
	store poststore.Store
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// newWorld starts a pipeline. Within a synctest bubble, synctest.Wait returns when everything is
// processed.
func newWorld(t *testing.T, store poststore.Store) *world {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(t.Context(), kv.NewMemory(), log)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{store: store, Pipeline: &pipeline.Pipeline{Journal: journalmemory.New(), Enrich: enrich.New(), Catalog: c, Store: store, Log: log}}
	w.start(t)
	t.Cleanup(func() {
		w.crash()
		c.Close()
	})
	return w
}

// start starts the pipeline as a single node does: it feeds the streams, if there are any.
func (w *world) start(t *testing.T) { w.begin(t, w.Streams != nil) }

func (w *world) begin(t *testing.T, feed bool) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	p := w.Pipeline
	if err := p.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	if feed {
		started := make(chan struct{})
		w.done.Go(func() {
			if err := p.FeedStreams(ctx, func() { close(started) }); err != nil {
				t.Error(err)
			}
		})
		<-started
	}
	w.done.Go(func() { p.SaveBaseline(ctx) })
	w.done.Go(func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
}

// crash stops the pipeline wherever it is.
func (w *world) crash() {
	w.stop()
	w.done.Wait()
}

// restart continues with a new pipeline, possibly with a different store.
func (w *world) restart(t *testing.T, store poststore.Store) {
	t.Helper()
	w.crash()
	w.store = store
	w.Pipeline = &pipeline.Pipeline{Journal: w.Journal, Enrich: w.Enrich, Catalog: w.Catalog, Store: store, Log: w.Log}
	w.start(t)
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

func (w *world) count(t *testing.T, set poststore.SetID) int64 {
	t.Helper()
	rows, err := poststore.TallyOne(t.Context(), w.store, poststore.Selection{Set: set}, poststore.Tally{})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0].Posts
}

func TestPostsAreStoredInMonitorSets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		w.monitor(t, 2, "tea")
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "coffee and tea"), post("c", "milk")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "tea now")}})
		synctest.Wait()
		if coffee, tea := w.count(t, 1), w.count(t, 2); coffee != 1 || tea != 2 {
			t.Errorf("got %d coffee, %d tea, want 1 and 2", coffee, tea)
		}
		posts, at := w.Processed()
		if posts != 4 || at != 2 {
			t.Errorf("got %d posts up to %d, want 4 up to 2", posts, at)
		}
	})
}

// A failing store returns an error a few times. It panics on posts with the contents "poison".
type failing struct {
	poststore.Store
	mu   sync.Mutex
	left int
}

func (f *failing) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(posts) > 0 && posts[0].Post.Contents == "poison" {
		panic("cannot digest this")
	}
	if f.left > 0 {
		f.left--
		return errors.New("disk is busy")
	}
	return f.Store.Append(ctx, at, posts)
}

func TestFailedStoreWritesAreRetriedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &failing{Store: memory.New(), left: 5})
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "tea instead")}})
		time.Sleep(time.Minute) // virtual
		synctest.Wait()
		if got := w.count(t, 1); got != 0 {
			t.Errorf("got %d coffee posts, want 0: the later version must win", got)
		}
		if _, at := w.Processed(); at != 2 {
			t.Errorf("processed up to %d, want 2", at)
		}
	})
}

func TestLastingFailuresAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &failing{Store: memory.New(), left: 12})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		time.Sleep(time.Second) // virtual
		if err := w.Err(5 * time.Second); err != nil {
			t.Errorf("after a second: got %v, want none", err)
		}
		time.Sleep(5 * time.Second)
		if err := w.Err(5 * time.Second); err == nil || err.Error() != "disk is busy" {
			t.Errorf("after six seconds: got %v, want the error of the store", err)
		}
		time.Sleep(time.Minute)
		if err := w.Err(0); err != nil {
			t.Errorf("after the store has recovered: got %v", err)
		}
	})
}

func TestPanicMakesEntryADeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &failing{Store: memory.New()})
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "poison")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		synctest.Wait()
		if got := w.count(t, 1); got != 1 {
			t.Errorf("got %d posts, want 1", got)
		}
		letters, err := w.Journal.DeadLetters(t.Context())
		if err != nil || letters.Count != 1 || letters.Recent[0].Position != 1 || !strings.Contains(letters.Recent[0].Reason, "cannot digest this") {
			t.Errorf("got %+v %v, want one letter with the reason", letters, err)
		}
	})
}

func TestDeletionsAndSnapshotsAreAppliedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		p := post("a", "coffee")
		p.Source, p.ContentSource = "Survey", 7
		w.append(t, journal.Entry{Posts: []earshot.Post{p}})
		w.append(t, journal.Entry{Deletion: &earshot.Deletion{ContentSource: 7}})
		p.GUID = "b"
		w.append(t, journal.Entry{Posts: []earshot.Post{p}})
		day := earshot.Date{Year: 2026, Month: 3, Day: 2}
		w.append(t, journal.Entry{Snapshots: &journal.AccountSnapshots{Monitor: 1, Snapshots: []earshot.Snapshot{{Date: day, Followers: earshot.Counted(9)}}}})
		synctest.Wait()
		if got := w.count(t, 1); got != 1 {
			t.Errorf("got %d posts, want the one after the deletion", got)
		}
		got, err := w.store.Snapshots(t.Context(), 1, earshot.Days{Start: day, End: day.AddDays(1)})
		if err != nil || len(got) != 1 || got[0].Followers.Int() != 9 {
			t.Errorf("got snapshots %v, error %v, want 9 followers", got, err)
		}
	})
}

func TestRestartedPipelineContinuesAtStorePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.crash()
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		w.restart(t, memory.New())
		synctest.Wait()
		if got := w.count(t, 1); got != 2 {
			t.Errorf("got %d posts in a new store, want 2: the journal must be read from the beginning", got)
		}
	})
}

func (w *world) change(t *testing.T, id earshot.MonitorID, change func(m *earshot.Monitor)) {
	t.Helper()
	_, err := w.Catalog.Monitors.Update(t.Context(), id, func(m *earshot.Monitor) error { change(m); return nil })
	if err != nil {
		t.Fatal(err)
	}
}

// TestWatchlistFollowsCatalog changes monitors between batches.
func TestWatchlistFollowsCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		feed := func() {
			t.Helper()
			last, err := w.Journal.Last(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w.append(t, journal.Entry{Posts: []earshot.Post{post(fmt.Sprint(last), "coffee")}})
			synctest.Wait()
		}
		for id := range earshot.MonitorID(5) {
			w.monitor(t, id+1, "coffee")
		}
		feed() // entry 1
		w.change(t, 2, func(m *earshot.Monitor) { m.Criteria.Keywords = "tea" })
		w.change(t, 3, func(m *earshot.Monitor) { m.Enabled, m.DisabledAt = false, 2 })
		w.change(t, 4, func(m *earshot.Monitor) { m.Criteria.Keywords = "coffee AND" })
		if err := w.Catalog.Monitors.Remove(t.Context(), 5); err != nil {
			t.Fatal(err)
		}
		w.monitor(t, 6, "coffee")
		feed() // entry 2
		feed() // entry 3, which the third monitor does not watch
		w.change(t, 3, func(m *earshot.Monitor) { m.Enabled, m.DisabledAt = true, 0 })
		w.change(t, 4, func(m *earshot.Monitor) { m.Criteria.Keywords = "coffee" })
		feed() // entry 4
		for id, want := range map[poststore.SetID]int64{1: 4, 2: 1, 3: 3, 4: 2, 5: 1, 6: 3} {
			if got := w.count(t, id); got != want {
				t.Errorf("monitor %d has %d posts, want %d", id, got, want)
			}
		}
	})
}

func TestBaselineCountsMicroblogPostsOnce(t *testing.T) {
	tweet := post("1", "what a goal! #worldcup #soccer @fifa")
	tweet.Source = earshot.Twitter
	plain := post("2", "nothing in particular")
	plain.Source = earshot.Mastodon
	news := post("3", "#soccer")
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: []earshot.Post{tweet, plain, news}})
		synctest.Wait()
		w.restart(t, memory.New()) // replays the journal
		synctest.Wait()
		b := w.Baseline()
		if b.Posts != 2 || b.Position == 0 {
			t.Errorf("got %v posts up to %d, want 2", b.Posts, b.Position)
		}
		posts, _, err := w.store.Posts(t.Context(), poststore.Selection{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range posts {
			if p.GUID != "1" {
				continue
			}
			if len(p.Interests) == 0 {
				t.Fatal("the first post has no interests")
			}
			for _, id := range p.Interests {
				if got := b.Share(id); got != 0.5 {
					t.Errorf("interest %d: got a share of %v, want half of the posts", id, got)
				}
			}
		}
	})
}

func TestFilteredPostsAreNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.crash()
		failures := 2
		w.Filter = func(posts []earshot.Post) ([]earshot.Post, error) {
			if failures > 0 {
				failures--
				return nil, errors.New("the list cannot be read")
			}
			return slices.DeleteFunc(posts, func(p earshot.Post) bool { return p.GUID == "a" }), nil
		}
		w.start(t)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "tea")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		time.Sleep(time.Minute) // in the bubble; the failures are retried
		synctest.Wait()
		if got := w.count(t, 0); got != 1 {
			t.Errorf("%d posts are stored, want 1", got)
		}
		if posts, at := w.Processed(); posts != 1 || at != 2 {
			t.Errorf("processed %d posts up to %d, want 1 up to 2", posts, at)
		}
	})
}

// A staleJournal does not know its last entries at first.
type staleJournal struct {
	journal.Journal
	left int
}

func (j *staleJournal) Last(ctx context.Context) (earshot.Position, error) {
	if j.left--; j.left >= 0 {
		return 0, nil
	}
	return j.Journal.Last(ctx)
}

func TestTheEndOfTheJournalIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		w.crash()
		w.Journal = &staleJournal{w.Journal, 2}
		w.start(t)
		w.crash()
		w.Journal = &staleJournal{w.Journal, 1000}
		if err := w.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "position 1, but the journal ends at 0") {
			t.Errorf("got %v, want an error about the positions", err)
		}
	})
}
