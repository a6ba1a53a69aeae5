package analysis_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// A world is the state that the services of several nodes share.
type world struct {
	catalog *catalog.Catalog
	records kv.Store // storage of the ledger
	ledger  *ledger.Ledger
	store   *store
	posts   earshot.Position // number of appended entries
}

// A store is the memory store with a hook that runs first and may fail or block.
type store struct {
	*memory.Store
	first   atomic.Value // func(ctx context.Context) error
	running atomic.Int32
	calls   atomic.Int32
}

func (s *store) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	s.calls.Add(1)
	s.running.Add(1)
	defer s.running.Add(-1)
	if first, ok := s.first.Load().(func(context.Context) error); ok {
		if err := first(ctx); err != nil {
			return nil, err
		}
	}
	return s.Store.Tallies(ctx, of, ts)
}

// do sets the hook.
func (s *store) do(first func(ctx context.Context) error) { s.first.Store(first) }

// works is a hook for a working store.
func works(context.Context) error { return nil }

var errStore = errors.New("the store is broken")

// fails is a hook for a failing store.
func fails(context.Context) error { return errStore }

// hangs is a hook for a store that does not respond in time.
func hangs(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	records := kv.NewMemory()
	records.MaxAge = ledger.Retention
	return &world{catalog: c, records: records, ledger: ledger.New(records), store: &store{Store: memory.New()}}
}

// service returns a service without a worker.
func (w *world) service() *analysis.Service {
	return analysis.New(analysis.Options{
		Ledger: w.ledger, Store: w.store, Catalog: w.catalog,
		Baseline: func() interest.Baseline {
			return interest.Baseline{Posts: 1000, Interests: map[earshot.InterestID]float64{1: 10, 41: 100}}
		},
	})
}

// patientService returns a service for tests that run in real time.
func (w *world) patientService() *analysis.Service {
	s := w.service()
	s.Wait = time.Hour
	return s
}

// run starts the worker of a service and returns a function that stops it and waits for it.
func run(t *testing.T, s *analysis.Service) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		s.Run(ctx)
		close(ended)
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// add stores posts.
func (w *world) add(t *testing.T, posts ...earshot.Post) {
	t.Helper()
	var matched []poststore.MatchedPost
	for _, p := range posts {
		matched = append(matched, poststore.MatchedPost{Post: p})
	}
	w.posts++
	if err := w.store.Append(t.Context(), w.posts, matched); err != nil {
		t.Fatal(err)
	}
}

// post returns a post about coffee on March 1, 2026.
func post(source earshot.Source, guid string) earshot.Post {
	return earshot.Post{Source: source, GUID: guid, Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Contents: "coffee"}
}

// coffee returns a form that requests the posts of post.
func coffee() analysis.Form {
	return analysis.Form{
		Analysis: []string{"volume"}, Keywords: "coffee", Sources: []string{"TWITTER"},
		StartDate: "2026-03-01T00:00:00", EndDate: "2026-03-02T00:00:00", Timezone: "UTC",
		Echo: []byte(`{}`),
	}
}

func user(id earshot.UserID, teams ...earshot.TeamID) *earshot.Caller {
	return earshot.NewCaller(&earshot.User{ID: id, Teams: teams})
}

func admin() *earshot.Caller {
	return earshot.NewCaller(&earshot.User{ID: 99, Permissions: []earshot.Permission{earshot.AdminPermission}})
}

func submit(t *testing.T, s *analysis.Service, f analysis.Form) *analysis.Result {
	t.Helper()
	r, err := s.Submit(t.Context(), user(1), f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(t *testing.T, s *analysis.Service, id earshot.ResultID) *analysis.Result {
	t.Helper()
	r, err := s.Find(t.Context(), user(1), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expect compares the state of a request and the number of attempts started.
func expect(t *testing.T, when string, r *analysis.Result, state ledger.State, attempt int) {
	t.Helper()
	if r.State != state || r.Attempt != attempt {
		t.Errorf("%s: got %s after %d attempts, want %s after %d", when, r.State, r.Attempt, state, attempt)
	}
}

// used checks the number of counted queries and of requests that need attention.
func (w *world) used(t *testing.T, queries int64, open int) {
	t.Helper()
	u, err := w.service().Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opened, err := w.ledger.ListPending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if u.Used != queries || len(opened) != open {
		t.Errorf("got %d queries used and %d requests pending, want %d and %d", u.Used, len(opened), queries, open)
	}
}
