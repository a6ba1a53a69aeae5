package stream

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/feed"
)

// TestPostsThatAreNotStoredYet reads posts that another node has stored and appended to the stream.
// They are not missing, but late.
func TestPostsThatAreNotStoredYet(t *testing.T) {
	f := newFixture(t)
	id := f.add("stream", 11)
	for _, guid := range []string{"a", "b", "c"} {
		f.last++
		f.must(f.Offer(t.Context(), f.last, []poststore.MatchedPost{{Post: earshot.Post{Source: earshot.Bluesky, GUID: guid}, Sets: []poststore.SetID{11}}}))
		f.flush(t.Context(), false)
	}
	stored := some{"a"} // b is deleted
	f.Await = func(_ context.Context, at earshot.Position) error {
		if at != f.last {
			t.Errorf("waits for position %d, want %d", at, f.last)
		}
		stored = some{"a", "c"}
		return nil
	}
	reads := map[string]func() (Page, error){
		"Read": func() (Page, error) { return f.Read(t.Context(), id, feed.Cursor{}, 3) },
		"Take": func() (Page, error) { return f.Take(t.Context(), id, 3) },
	}
	for name, read := range reads {
		stored = some{"a"}
		f.Posts = findFunc(func(keys []earshot.PostKey) ([]earshot.Post, error) { return stored.Find(t.Context(), keys) })
		page, err := read()
		f.must(err)
		f.want(name+" "+spell(page), name+" a/11 c/11")
	}

	f.must(func() error { _, err := f.Drop(t.Context(), id, -1); return err }())
	f.last++
	f.must(f.Offer(t.Context(), f.last, []poststore.MatchedPost{{Post: earshot.Post{Source: earshot.Bluesky, GUID: "d"}, Sets: []poststore.SetID{11}}}))
	f.flush(t.Context(), false)
	f.Await = func(context.Context, earshot.Position) error { return errors.New("too slow") }
	const behind = "This node has not stored all posts of the stream yet. Please try again"
	if _, err := reads["Read"](); err == nil || err.Error() != behind {
		t.Errorf("Read on a node that is behind: %v, want %s", err, behind)
	}
	for _, err := range f.Follow(t.Context(), id, feed.Cursor{}) {
		if err != nil {
			f.want(err.Error(), behind)
			break
		}
	}
	page, err := f.Take(t.Context(), id, 3) // was taken, so it is not lost
	f.must(err)
	f.want(spell(page), "d/11")
}

type findFunc func(keys []earshot.PostKey) ([]earshot.Post, error)

func (f findFunc) Find(_ context.Context, keys []earshot.PostKey) ([]earshot.Post, error) {
	return f(keys)
}

// TestLogOfFailedChecks logs a failure of the store, but not that a client has ended its request.
func TestLogOfFailedChecks(t *testing.T) {
	var log strings.Builder
	s := &Service{Log: slog.New(slog.NewTextHandler(&log, nil))}
	s.Posts = findFunc(func([]earshot.PostKey) ([]earshot.Post, error) { return nil, errors.New("broken") })
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	posts := []Post{{Post: earshot.Post{Source: earshot.Bluesky, GUID: "a"}}}
	if deleted := s.deleted(canceled, posts); len(deleted) > 0 || log.Len() > 0 {
		t.Errorf("after the end of a request: deleted %v, logged %q", deleted, log.String())
	}
	if deleted := s.deleted(t.Context(), posts); len(deleted) > 0 || !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("after a failure: deleted %v, logged %q", deleted, log.String())
	}
}
