package rematch_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/model/enrich"
	"earshot/internal/monitor"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
)

// TestMonitorsEndUpWithTheirPosts changes monitors in every way while posts are ingested, matching
// is slow, the store fails, and the pipeline crashes. In the end each monitor must have the posts
// that it would have had if it had always been in its final state.
func TestMonitorsEndUpWithTheirPosts(t *testing.T) {
	own := 0
	for seed := range uint64(12) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSeam(t, seed)
				s.run()
				own += s.own
			})
		})
	}
	if own == 0 {
		t.Error("no account has own posts, so they were not tested")
	}
}

const (
	rounds    = 4 // each ends with a crash
	batches   = 30
	changers  = 3
	changes   = 8 // per changer and round
	firstTeam = 1
)

// A seam makes changes to monitors and runs batches of posts at the same time.
type seam struct {
	*testing.T
	*world
	service *monitor.Service
	store   *unhurried
	caller  *earshot.Caller

	mu     sync.Mutex
	random *rand.Rand
	posts  int
	own    int
}

func newSeam(t *testing.T, seed uint64) *seam {
	s := newSeamOn(t, seed, kv.NewMemory(), journalmemory.New())
	if err := s.Catalog.Teams.Add(t.Context(), firstTeam, &earshot.Team{ID: firstTeam, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// newSeamOn is newSeam with a catalog and a journal that several nodes may share.
func newSeamOn(t *testing.T, seed uint64, records kv.Store, entries journal.Journal) *seam {
	s := &seam{T: t, random: rand.New(rand.NewPCG(seed, 1))}
	s.store = &unhurried{Store: memory.New(), pick: s.pick}
	s.world = newNode(t, s.store, records, entries)
	s.caller = earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{firstTeam}})
	s.service = &monitor.Service{Catalog: s.Catalog, Rematcher: s.Service, Journal: s.Journal,
		Now: func() time.Time { return noon.Add(24 * time.Hour) }}
	return s
}

// pick returns a random number below n.
func (s *seam) pick(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

func (s *seam) run() {
	for range rounds {
		var busy sync.WaitGroup
		busy.Go(s.feed)
		for range changers {
			busy.Go(func() {
				for range changes {
					s.change()
				}
			})
		}
		busy.Wait()
		s.restart(s.T, s.store) // interrupts jobs that are queued or running
		s.service.Rematcher = s.Service
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	s.compare()
}

// feed appends batches of new posts and of newer versions of old ones.
func (s *seam) feed() {
	for range batches {
		var posts []earshot.Post
		for range 1 + s.pick(4) {
			p := post(fmt.Sprint("p", s.pick(200)), words[s.pick(len(words))]+" "+words[s.pick(len(words))])
			p.Time = noon.AddDate(0, 0, -s.pick(10))
			if s.pick(2) == 0 {
				p.Source, p.AuthorUsername = earshot.Twitter, "acme"
			}
			posts = append(posts, p)
		}
		s.append(s.T, journal.Entry{Posts: posts})
		time.Sleep(time.Duration(s.pick(900)) * time.Millisecond)
	}
}

var words = []string{"coffee", "tea", "milk", "sugar"}

// change changes a random monitor or adds one.
func (s *seam) change() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(1+s.pick(4000))*time.Millisecond)
	defer cancel() // some callers give up
	list := s.service.List(s.caller, 0)
	team, name, keywords := earshot.TeamID(firstTeam), "m", words[s.pick(len(words))]
	criteria := monitor.CriteriaChanges{Keywords: &keywords}
	start := earshot.DateOf(noon).AddDays(-s.pick(12))
	if len(list) < 3 {
		ch := monitor.Changes{Name: &name, Team: &team, Start: &start, Criteria: criteria}
		if s.pick(2) == 0 {
			social := earshot.Social
			ch.Type, ch.Account = &social, &earshot.Account{Network: earshot.Twitter, Handle: "acme"}
		}
		_, err := s.service.Add(ctx, s.caller, ch)
		s.check(err)
		return
	}
	m := list[s.pick(len(list))]
	var err error
	switch s.pick(10) {
	case 0, 1, 2:
		_, err = s.service.Edit(ctx, s.caller, m.ID, monitor.Changes{Criteria: criteria})
	case 3:
		_, err = s.service.Edit(ctx, s.caller, m.ID, monitor.Changes{Start: &start})
	case 4:
		_, err = s.service.Reset(ctx, s.caller, m.ID, earshot.DateOf(noon).AddDays(-s.pick(8)))
	case 5:
		_, err = s.service.Disable(ctx, s.caller, m.ID)
	case 6:
		_, err = s.service.Enable(ctx, s.caller, m.ID)
	case 7:
		_, err = s.service.AddFilter(ctx, s.caller, m.ID, monitor.FilterChanges{Name: &name, Criteria: criteria})
	case 8:
		if len(m.Filters) > 0 {
			err = s.service.RemoveFilter(ctx, s.caller, m.Filters[0].ID)
		}
	case 9:
		err = s.service.Remove(ctx, s.caller, m.ID)
	}
	s.check(err)
}

// check ignores the error of changing a monitor that has been removed in the meantime.
func (s *seam) check(err error) {
	if err != nil && !earshot.IsKind(err, earshot.NotFound) {
		s.Error(err)
	}
}

// compare recomputes everything from the journal and the catalog, and compares the results.
func (s *seam) compare() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := memory.New()
	fresh := &pipeline.Pipeline{Journal: s.Journal, Enrich: enrich.New(), Catalog: s.Catalog, Store: store, Log: slog.New(slog.DiscardHandler)}
	s.crash()
	if err := fresh.Prepare(ctx); err != nil {
		s.Fatal(err)
	}
	s.done.Go(func() { fresh.Run(ctx) })
	synctest.Wait()
	for _, m := range s.Catalog.Monitors.List() {
		ids := []poststore.SetID{poststore.MonitorSet(m.ID), poststore.OwnSet(m.ID)}
		for _, f := range m.Filters {
			ids = append(ids, poststore.MonitorSet(f.ID), poststore.OwnSet(f.ID))
		}
		for _, id := range ids {
			got, want := s.postsOf(s.store, id, m), s.postsOf(store, id, m)
			if !slices.Equal(got, want) {
				s.Errorf("set %d of monitor %+v:\ngot posts %v\nwant %v", id, m, got, want)
			}
			if s.posts += len(want); id < 0 {
				s.own += len(want)
			}
		}
	}
	if s.posts == 0 {
		s.Error("no monitor has posts, so nothing was tested")
	}
}

// postsOf returns the posts of a monitor since its start. A removed monitor must have no posts at
// all.
func (s *seam) postsOf(store poststore.Store, id poststore.SetID, m *earshot.Monitor) (guids []string) {
	of := poststore.Selection{Set: id, From: m.Start.Start(time.UTC)}
	if m.Removed {
		of.From = time.Time{}
	}
	posts, _, err := store.Posts(s.Context(), of, 1000)
	if err != nil {
		s.Fatal(err)
	}
	for _, p := range posts {
		guids = append(guids, p.GUID+" "+p.Contents)
	}
	return guids
}

// An unhurried store is slow, so that batches arrive during a rematch, and fails occasionally.
type unhurried struct {
	poststore.Store
	pick func(n int) int
}

func (u *unhurried) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	for range u.pick(100) { // no Sleep: the barrier waits for a lock held here, which would block virtual time
		runtime.Gosched()
	}
	if u.pick(20) == 0 {
		return fmt.Errorf("disk is busy")
	}
	return u.Store.Append(ctx, at, posts)
}

func (u *unhurried) Rematch(ctx context.Context, r poststore.Rematch) error {
	report := r.Progress
	r.Progress = func(done, total int64) { // the memory store calls it after each day
		time.Sleep(time.Duration(u.pick(200)) * time.Millisecond)
		if report != nil {
			report(done, total)
		}
	}
	if u.pick(8) == 0 {
		return fmt.Errorf("disk is busy")
	}
	return u.Store.Rematch(ctx, r)
}
