package singlewriter

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) poststore.Store {
		store := memory.New()
		s := New(store)
		begin(t, s, store)
		return s
	})
}

// begin makes s write until the test or the returned function ends.
func begin(t *testing.T, s *Store, writer poststore.Store) (end func()) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Write(ctx, writer, func() {})
	}()
	for !s.Writes() {
		runtime.Gosched()
	}
	end = func() {
		stop()
		<-ended
	}
	t.Cleanup(end)
	return end
}

var post = []poststore.MatchedPost{{Post: earshot.Post{Source: earshot.News, GUID: "1", Contents: "coffee", Time: time.Unix(1_700_000_000, 0)}}}

func TestOthersWaitForTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		a, b := New(store), New(store)
		done := make(chan error, 1)
		go func() { done <- b.Append(t.Context(), 1, post) }()
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		go a.Write(ctx, store, func() {})
		synctest.Wait()
		if err := a.Append(t.Context(), 1, post); err != nil {
			t.Fatal(err)
		}
		if a.Durable() != 1 {
			t.Errorf("the writer has position %d, want 1", a.Durable())
		}
		if err := <-done; err != nil || b.Durable() != 1 {
			t.Errorf("the other node: got %v and position %d, want 1", err, b.Durable())
		}
		if err := b.Delete(t.Context(), 1, earshot.Deletion{}); err != nil {
			t.Errorf("an entry that the store has: %v", err)
		}
		stop()
	})
}

func TestPostsOfAWaitingNodeAreMatchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		s := New(store)
		done := make(chan error, 1)
		go func() { done <- s.Append(t.Context(), 1, post) }()
		time.Sleep(time.Minute)
		ctx, stop := context.WithCancel(t.Context())
		go s.Write(ctx, store, func() {})
		if err := <-done; !errors.Is(err, ErrMatchAgain) {
			t.Errorf("got %v, want %v", err, ErrMatchAgain)
		}
		if err := s.Append(t.Context(), 1, post); err != nil || s.Durable() != 1 {
			t.Errorf("again: got %v and position %d, want 1", err, s.Durable())
		}
		stop()
	})
}

func TestEntriesAreRefusedUntilEarlierOnesHaveSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		s := New(store)
		settled := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go s.Write(ctx, store, func() { <-settled })
		synctest.Wait()
		if err := s.Append(t.Context(), 1, post); !errors.Is(err, ErrMatchAgain) {
			t.Errorf("before: got %v, want %v", err, ErrMatchAgain)
		}
		if err := s.Reinfer(t.Context(), poststore.Reinfer{}); !errors.Is(err, poststore.ErrElsewhere) || s.Writes() {
			t.Errorf("before: got %v, want %v", err, poststore.ErrElsewhere)
		}
		close(settled)
		synctest.Wait()
		if err := s.AppendGroup(t.Context(), []poststore.Batch{{At: 1, Posts: post}, {At: 3, Posts: post}}); err != nil || s.Durable() != 3 {
			t.Errorf("afterward: got %v and position %d, want 3", err, s.Durable())
		}
		stop()
	})
}

func TestATurnEndsWhenItsCallsHaveReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{Store: memory.New(), started: make(chan struct{})}
		s := New(store)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan time.Time, 1)
		go func() {
			s.Write(ctx, store, func() {})
			ended <- time.Now()
		}()
		synctest.Wait()
		appended := make(chan error, 1)
		appendCtx, cancel := context.WithCancel(t.Context())
		go func() { appended <- s.Append(appendCtx, 1, post) }()
		<-store.started
		began := time.Now()
		stop()
		if after := (<-ended).Sub(began); after != cleanUp {
			t.Errorf("the turn ended after %v, want %v", after, cleanUp)
		}
		synctest.Wait()
		select {
		case err := <-appended:
			t.Errorf("Append returns %v, want it to wait for another node", err)
		default:
		}
		cancel()
		if err := <-appended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	})
}

// cleanUp is how long a slowStore takes to end a canceled call.
const cleanUp = 5 * time.Second

// A slowStore appends until its context ends.
type slowStore struct {
	poststore.Store
	started chan struct{}
}

func (s *slowStore) Append(ctx context.Context, _ earshot.Position, _ []poststore.MatchedPost) error {
	close(s.started)
	<-ctx.Done()
	time.Sleep(cleanUp)
	return ctx.Err()
}

func TestChangesOfStoredPosts(t *testing.T) {
	store := memory.New()
	a, b := New(store), New(store)
	end := begin(t, a, store)
	set := poststore.MonitorSet(7)
	applied := poststore.Rematch{Rules: poststore.Rules{set: {Generation: 3}}}
	f := func(name string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	f("rules that no node has applied", b.Rematch(t.Context(), applied), poststore.ErrElsewhere)
	f("on the writer", a.Rematch(t.Context(), applied), nil)
	f("rules that the writer has applied", b.Rematch(t.Context(), applied), nil)
	f("a removed set", b.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{set: {}}}), poststore.ErrElsewhere)
	f("a set that never was", b.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{set + 1: {}}}), nil)
	f("reinference", b.Reinfer(t.Context(), poststore.Reinfer{Models: 1}), poststore.ErrElsewhere)
	f("reinference on the writer", a.Reinfer(t.Context(), poststore.Reinfer{Models: 1}), nil)
	if g, err := b.Generations(t.Context()); err != nil || g[set] != 3 {
		t.Errorf("got generations %v, %v", g, err)
	}
	end()
	f("after the turn", a.Reinfer(t.Context(), poststore.Reinfer{Models: 1}), poststore.ErrElsewhere)
}

func TestAFailingStoreIsReported(t *testing.T) {
	broken := errors.New("broken")
	s := New(brokenStore{memory.New(), broken})
	if err := s.Append(t.Context(), 1, post); !errors.Is(err, broken) {
		t.Errorf("Append: got %v, want %v", err, broken)
	}
	if err := s.Rematch(t.Context(), poststore.Rematch{}); !errors.Is(err, broken) {
		t.Errorf("Rematch: got %v, want %v", err, broken)
	}
}

// A brokenStore cannot be read.
type brokenStore struct {
	poststore.Store
	err error
}

func (s brokenStore) Position(context.Context) (earshot.Position, error) { return 0, s.err }

func (s brokenStore) Generations(context.Context) (map[poststore.SetID]int64, error) {
	return nil, s.err
}
