package local

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/storetest"
	"earshot/internal/test/testenv"
)

// openAt opens a store for a test.
func openAt(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestContract(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Run(t, func(t *testing.T) poststore.Store { return openAt(t, t.TempDir()) })
}

// TestContractWhenRestless runs the contract on a store that continually flushes, compacts and
// restarts.
func TestContractWhenRestless(t *testing.T) {
	testenv.SkipUnderRace(t)
	storetest.Run(t, func(t *testing.T) poststore.Store { return newRestless(t, 1) })
}

func TestLikeMemory(t *testing.T) {
	testenv.SkipUnderRace(t)
	reference := func(*testing.T) poststore.Store { return memory.New() }
	storetest.Compare(t, func(t *testing.T) poststore.Store { return openAt(t, t.TempDir()) }, reference, 3, 50)
}

func TestLikeMemoryWhenRestless(t *testing.T) {
	storetest.Compare(t, func(t *testing.T) poststore.Store { return newRestless(t, roundSeed(t)) },
		func(*testing.T) poststore.Store { return memory.New() }, 5, 100)
}

// roundSeed returns a seed that depends only on the name of the test, so that a single round can be run alone.
func roundSeed(t *testing.T) uint64 {
	seed := fnv.New64a()
	seed.Write([]byte(t.Name()))
	return seed.Sum64()
}

// A restless store randomly flushes, compacts, restarts and crashes between calls. After a crash it
// applies lost changes again, like the pipeline, which replays the journal.
type restless struct {
	*Store
	*rand.Rand
	t       *testing.T
	dir     string
	journal []change
	mu      sync.RWMutex // held for reading by queries

	revising   bool // Reinfer is running, so the store cannot stop
	rematching bool // Rematch is running, so the store cannot compact either
}

// A change is a journal entry.
type change struct {
	at    earshot.Position
	apply func(s *Store) error
}

func newRestless(t *testing.T, seed uint64) *restless {
	r := &restless{Rand: rand.New(rand.NewPCG(seed, 4)), t: t, dir: t.TempDir()}
	r.open()
	return r
}

// open opens the store with a small batch size for Reinfer, so that segments are assembled from
// many pieces.
func (r *restless) open() {
	r.t.Helper()
	r.Store = openAt(r.t, r.dir)
	r.reinferRows = 1 + r.IntN(9)
}

// stir performs a random operation that must not affect results.
func (r *restless) stir() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	do := r.IntN(12)
	if r.revising {
		do %= 4
	}
	if r.rematching {
		do %= 2
	}
	switch do {
	case 0, 1:
		err = r.Flush(r.t.Context())
	case 2:
		err = r.Compact(r.t.Context())
	case 3:
		err = r.compactAny()
	case 4:
		err = r.Close()
		r.open()
		r.replay()
	case 5:
		r.crash()
		r.open()
		r.replay()
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// crash stops the store without writing anything to disk.
func (s *Store) crash() {
	s.closed.Store(true)
	s.stop()
	s.running.Wait()
	for _, p := range s.current.Load().segments {
		p.data.Close()
	}
	s.db.Close()
}

// replay applies the changes that are not on disk.
func (r *restless) replay() {
	r.t.Helper()
	for _, c := range r.journal {
		if c.at > r.Durable() {
			if err := c.apply(r.Store); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// compactAny compacts some segments regardless of their size.
func (r *restless) compactAny() error {
	r.maintainMu.Lock()
	defer r.maintainMu.Unlock()
	var parts []*segmentState
	for _, p := range r.current.Load().segments {
		if !p.inMemory && p.id != r.reserved && r.IntN(2) == 0 {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return r.compact(r.t.Context(), parts, nil)
}

func (r *restless) write(at earshot.Position, apply func(s *Store) error) error {
	if at > r.current.Load().position {
		r.journal = append(r.journal, change{at, apply})
	}
	err := apply(r.Store)
	r.stir()
	return err
}

func (r *restless) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	if ctx.Err() != nil {
		return r.Store.Append(ctx, at, posts)
	}
	if r.IntN(2) == 0 {
		return r.write(at, func(s *Store) error { return s.Append(ctx, at, posts) })
	}
	before, err := r.Store.Find(ctx, keysOfPosts(posts))
	if err != nil {
		return err
	}
	return r.write(at, func(s *Store) error { return revise(ctx, s, at, posts, before) })
}

// revise appends posts like the pipeline when it has looked at pictures. Such an entry of the journal
// does not contain the posts: the new version of a post that was stored before is made from the stored
// one, which must still be there when the entry is applied again.
func revise(ctx context.Context, s *Store, at earshot.Position, posts []poststore.MatchedPost, before []earshot.Post) error {
	now, err := s.Find(ctx, keysOfPosts(posts))
	if err != nil {
		return err
	}
	return s.Append(ctx, at, slices.DeleteFunc(slices.Clone(posts), func(m poststore.MatchedPost) bool {
		same := func(p earshot.Post) bool { return p.Key() == m.Post.Key() }
		return slices.ContainsFunc(before, same) && !slices.ContainsFunc(now, same)
	}))
}

func keysOfPosts(posts []poststore.MatchedPost) (keys []earshot.PostKey) {
	for i := range posts {
		keys = append(keys, posts[i].Post.Key())
	}
	return keys
}

func (r *restless) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	if ctx.Err() != nil {
		return r.Store.Delete(ctx, at, d)
	}
	return r.write(at, func(s *Store) error { return s.Delete(ctx, at, d) })
}

func (r *restless) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, figures []earshot.Snapshot) error {
	if ctx.Err() != nil {
		return r.Store.AddSnapshots(ctx, at, m, figures)
	}
	return r.write(at, func(s *Store) error { return s.AddSnapshots(ctx, at, m, figures) })
}

func (r *restless) Rematch(ctx context.Context, m poststore.Rematch) error {
	r.rematching = true
	defer func() { r.rematching = false }() // even if it panics
	err := r.Store.Rematch(ctx, m)
	r.rematching = false
	r.stir()
	return err
}

func (r *restless) Reinfer(ctx context.Context, v poststore.Reinfer) error {
	r.revising = true
	err := r.Store.Reinfer(ctx, v)
	r.revising = false
	r.stir()
	return err
}

func (r *restless) Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Posts(ctx, of, limit)
}

func (r *restless) Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Find(ctx, keys)
}

func (r *restless) Words(ctx context.Context, of poststore.Selection, sample int, visit func([]poststore.Word)) (int64, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Words(ctx, of, sample, visit)
}

func (r *restless) Changed(ctx context.Context, m poststore.SetID, starts []time.Time) ([]time.Time, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Changed(ctx, m, starts)
}

func (r *restless) CounterChanges(ctx context.Context, m poststore.SetID, from, to time.Time, visit func(poststore.CounterChange)) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.CounterChanges(ctx, m, from, to, visit)
}

func (r *restless) Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Tallies(ctx, of, ts)
}

func (r *restless) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Days(ctx, of, starts, ts)
}

func (r *restless) Fingerprint(ctx context.Context, m poststore.SetID, from, to time.Time) (poststore.Fingerprint, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.Store.Fingerprint(ctx, m, from, to)
}
