package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/lease"
)

// streams records the posts it is offered. have is the position up to which it claims to have
// everything durably.
type streams struct {
	mu      sync.Mutex
	offered []string
	begun   []earshot.Position
	have    earshot.Position
	known   bool
}

func (s *streams) Position(_ context.Context, otherwise earshot.Position) (earshot.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		s.have, s.known = otherwise, true
	}
	return s.have, nil
}

func (s *streams) Reconcile(_ context.Context, last earshot.Position) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = append(s.begun, last)
	return nil
}

func (s *streams) Offer(_ context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprint(at)
	for _, p := range posts {
		text += fmt.Sprintf(" %s%v", p.Post.GUID, p.Sets)
	}
	s.offered = append(s.offered, text)
	return nil
}

func (s *streams) Update(_ context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprint(at, " updates")
	for _, p := range posts {
		text += fmt.Sprintf(" %s%v", p.Post.GUID, p.Sets)
	}
	s.offered = append(s.offered, text)
	return nil
}

func (s *streams) Run(ctx context.Context) { <-ctx.Done() }

// saw returns the posts offered since the last call.
func (s *streams) saw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := strings.Join(s.offered, ", ")
	s.offered = nil
	return text
}

func TestStreamsAreOfferedStoredPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		s := &streams{}
		w.crash()
		w.Streams = s
		w.start(t)
		want := func(text string) {
			t.Helper()
			synctest.Wait()
			if got := s.saw(); got != text {
				t.Errorf("got %s, want %s", got, text)
			}
		}
		w.monitor(t, 1, "coffee")
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee"), post("b", "tea")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("c", "coffee")}})
		w.append(t, journal.Entry{Deletion: &earshot.Deletion{ContentSource: 9}})
		want("1 a[1] b[], 2 c[1], 3")

		// After a crash, entries that the streams do not have durably are offered again, although
		// the store has them.
		for _, have := range []earshot.Position{1, 3, 0} {
			w.crash()
			s.have = have
			w.start(t)
			want(strings.Join([]string{"1 a[1] b[]", "2 c[1]", "3"}[have:], ", "))
			if n := w.count(t, 1); n != 2 {
				t.Errorf("%d posts, want 2", n)
			}
		}
		if got := fmt.Sprint(s.begun); got != "[0 3 3 3]" {
			t.Errorf("begun with %s", got)
		}
	})
}

func TestStreamsMissEntriesTrimmedFromJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		synctest.Wait()
		if err := w.Journal.Trim(t.Context(), 2, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		w.crash()
		s := &streams{known: true}
		w.Streams = s
		w.start(t)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("c", "coffee")}})
		synctest.Wait()
		if got, want := s.saw(), "3 c[]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestTheStreamsRoleMovesBetweenPipelines lets two nodes take turns in feeding the streams.
func TestTheStreamsRoleMovesBetweenPipelines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		s := &streams{}
		w.crash()
		w.Streams = s
		w.begin(t, false)
		want := func(text string) {
			t.Helper()
			synctest.Wait()
			if got := s.saw(); got != text {
				t.Errorf("got %s, want %s", got, text)
			}
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		want("")

		s.have, s.known = 1, true // another node has fed them until now
		end := w.feed(t)
		want("2 b[]")
		w.append(t, journal.Entry{Posts: []earshot.Post{post("c", "coffee")}})
		want("3 c[]")
		end()
		w.append(t, journal.Entry{Posts: []earshot.Post{post("d", "coffee")}})
		want("")

		s.have = 9 // the other node is ahead
		end = w.feed(t)
		for range 6 {
			w.append(t, journal.Entry{Posts: []earshot.Post{post("e", "coffee")}})
		}
		want("10 e[]")
		end()
		if posts, at := w.Processed(); posts != 10 || at != 10 || w.Reached() != 10 {
			t.Errorf("processed %d posts up to %d, reached %d, want 10 posts up to 10", posts, at, w.Reached())
		}
	})
}

// feed gives the pipeline the role. The result ends it.
func (w *world) feed(t *testing.T) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.FeedStreams(ctx, nil) }()
	synctest.Wait()
	return func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestAPostIsMatchedAgainstWhatItsSenderKnows appends a post on a node that has read more of the
// catalog than the node that processes it.
func TestAPostIsMatchedAgainstWhatItsSenderKnows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.Journal.(*journalmemory.Journal).CatalogRevision = func() uint64 { return 1 }
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "coffee")}})
		synctest.Wait()
		if _, at := w.Processed(); at != 0 {
			t.Fatalf("processed up to %d without the catalog", at)
		}
		w.monitor(t, 1, "coffee") // arrives here
		synctest.Wait()
		if got := w.count(t, 1); got != 1 {
			t.Errorf("got %d posts, want 1", got)
		}
	})
}

// TestOneNodeSavesTheBaseline lets a node that is behind get the role of saving the baseline.
func TestOneNodeSavesTheBaseline(t *testing.T) {
	tweet := post("1", "what a goal! #worldcup")
	tweet.Source = earshot.Twitter
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		saved := func() earshot.Position {
			b, err := w.Catalog.Baseline(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return b.Position
		}
		w.append(t, journal.Entry{Posts: []earshot.Post{tweet}})
		w.append(t, journal.Entry{Posts: []earshot.Post{tweet}})
		time.Sleep(time.Minute)
		if saved() != 2 {
			t.Fatalf("the baseline is saved up to %d, want 2", saved())
		}

		behind := &pipeline.Pipeline{Journal: w.Journal, Enrich: w.Enrich, Catalog: w.Catalog, Store: memory.New(), Log: w.Log}
		w.crash()
		lost, lose := context.WithCancelCause(t.Context())
		go func() { time.Sleep(time.Minute); lose(lease.ErrLost) }()
		behind.SaveBaseline(lost) // has counted nothing yet
		if saved() != 2 {
			t.Errorf("a node that is behind has saved the baseline up to %d", saved())
		}

		w.begin(t, false)
		w.append(t, journal.Entry{Posts: []earshot.Post{tweet}})
		time.Sleep(time.Minute)
		if b := w.Baseline(); saved() != 3 || b.Posts != 3 {
			t.Errorf("%v posts, saved up to %d, want 3", b.Posts, saved())
		}
	})
}

func TestStreamsPassDeadLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &failing{Store: memory.New()})
		w.crash()
		s := &streams{}
		w.Streams = s
		w.start(t)
		w.append(t, journal.Entry{Posts: []earshot.Post{post("a", "poison")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("b", "coffee")}})
		w.append(t, journal.Entry{Posts: []earshot.Post{post("c", "poison")}})
		synctest.Wait()
		if got, want := s.saw(), "1, 2 b[], 3"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
