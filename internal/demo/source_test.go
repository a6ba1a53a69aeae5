package demo

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// A stage runs an actor on a clock that Wait advances, so that minutes pass at once.
type stage struct {
	now      time.Time
	end      time.Time
	posts    []earshot.Post
	gone     []string
	states   []connector.State
	gaps     []connector.Gap
	counters connector.Counters
	cursor   string
}

func (s *stage) Select(_ context.Context, posts []earshot.Post) []earshot.Post {
	return slices.Clone(posts)
}

func (s *stage) Deliver(ctx context.Context, b connector.Batch) error {
	for _, d := range b.Deletions {
		s.gone = append(s.gone, d.GUIDs...)
	}
	s.posts = append(s.posts, b.Posts...)
	s.cursor = b.Cursor
	return ctx.Err()
}

func (s *stage) Report(state connector.State) { s.states = append(s.states, state) }
func (s *stage) Count(c connector.Counters)   { s.counters.Add(c) }
func (s *stage) Gap(_ context.Context, g connector.Gap) error {
	s.gaps = append(s.gaps, g)
	return nil
}

// perform runs a source in a role for a time, from a cursor on. The error is that of Run, without
// the end of the time.
func perform(t *testing.T, network earshot.Source, role, cursor string, d time.Duration) (*stage, error) {
	t.Helper()
	kinds := Kinds([]connector.Kind{{Name: "test", Sources: func(connector.Settings) []earshot.Source { return []earshot.Source{network} }}})
	s := &stage{now: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)}
	s.end = s.now.Add(d)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := kinds[0].New(connector.Env{
		Source:   &earshot.LiveSource{ID: 7},
		Settings: kinds[0].WithDefaults(map[string]string{roleSetting: role}),
		Now:      func() time.Time { return s.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			if s.now = s.now.Add(d); s.now.After(s.end) {
				cancel()
			}
			return ctx.Err()
		},
	})
	err := c.Run(ctx, cursor, s)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return s, err
}

// storyWords are the words that the monitors of the story search for.
var storyWords = regexp.MustCompile(`(?i)morvessa|kelvarro|ostrinde|coffee`)

// liveWords are the words of liveMonitor.
var liveWords = regexp.MustCompile(`(?i)\b(bread|ramen|cooking|restaurant|phone|laptop|programming|internet|cat|dog)\b`)

func TestLiveSourceWritesPosts(t *testing.T) {
	for _, network := range []earshot.Source{earshot.Bluesky, earshot.Mastodon, earshot.News, earshot.HackerNews} {
		s, err := perform(t, network, roleLive, "", 10*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.posts); n < 60 || n > 700 {
			t.Errorf("%s: %d posts in ten minutes", network, n)
		}
		seen, matching := map[string]bool{}, 0
		for _, p := range s.posts {
			if p.Source != network || p.GUID == "" || seen[p.GUID] || p.Contents == "" || p.PageID == "" || p.Time.After(s.now) || s.now.Sub(p.Time) > 11*time.Minute {
				t.Errorf("invalid post %+v", p)
			}
			if storyWords.MatchString(p.Title + " " + p.Contents) {
				t.Errorf("a monitor of the story would match %q", p.Contents)
			}
			if liveWords.MatchString(p.Title + " " + p.Contents) {
				matching++
			}
			seen[p.GUID] = true
		}
		if matching < 20 {
			t.Errorf("%s: the live monitor matches %d of %d posts, want some per minute", network, matching, len(s.posts))
		}
		if len(s.gone) < 2 {
			t.Errorf("%s: %d deletions", network, len(s.gone))
		}
		for _, guid := range s.gone {
			if !seen[guid] {
				t.Errorf("%s: deleted %s, which it has not delivered", network, guid)
			}
		}
		if s.counters.Events != int64(len(s.posts)+len(s.gone)) || s.counters.Bytes == 0 {
			t.Errorf("%s: got counters %+v", network, s.counters)
		}
		if last := s.states[len(s.states)-1]; last.Phase != connector.Live {
			t.Errorf("%s: got %+v at the end", network, last)
		}
	}
}

func TestSourceWithAGap(t *testing.T) {
	s, err := perform(t, earshot.Bluesky, roleGap, "", time.Minute)
	if err != nil || len(s.gaps) != 1 || !s.gaps[0].To.Before(s.now.Add(-24*time.Hour)) || s.gaps[0].Reason == "" {
		t.Errorf("got gaps %+v, %v", s.gaps, err)
	}
	if s, err := perform(t, earshot.Bluesky, roleGap, s.cursor, time.Minute); err != nil || len(s.gaps) != 0 {
		t.Errorf("started again: got gaps %+v, %v, want none", s.gaps, err)
	}
}

func TestSourceThatCatchesUp(t *testing.T) {
	s, err := perform(t, earshot.HackerNews, roleBehind, "", catchUpTime+time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	lag := catchUpLag + 1
	for _, state := range s.states[1:] {
		if state.Lag > lag || (state.Phase == connector.CatchingUp) != (state.Lag > 0) {
			t.Fatalf("got %+v after a lag of %v", state, lag)
		}
		lag = state.Lag
	}
	if lag != 0 {
		t.Errorf("still %v behind at the end", lag)
	}
}

func TestSourceWhoseTokenWasRevoked(t *testing.T) {
	s, err := perform(t, earshot.Mastodon, roleRevoked, "", time.Minute)
	if !errors.Is(err, connector.ErrAttention) || len(s.posts) == 0 {
		t.Errorf("got %d posts and %v, want some and an error for people", len(s.posts), err)
	}
	if s, err = perform(t, earshot.Mastodon, roleRevoked, s.cursor, time.Minute); !errors.Is(err, connector.ErrAttention) || len(s.posts) != 0 {
		t.Errorf("started again: got %d posts and %v", len(s.posts), err)
	}
}

// TestKindsWithoutANetworkStay checks that webhooks and folders keep their connectors.
func TestKindsWithoutANetworkStay(t *testing.T) {
	kinds := Kinds([]connector.Kind{{Name: "webhook", Receives: true}, {Name: "folder", Sources: func(connector.Settings) []earshot.Source { return nil }}})
	for _, k := range kinds {
		if k.New != nil || len(k.Settings) != 0 {
			t.Errorf("%s was replaced", k.Name)
		}
	}
}
