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
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
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
