package insight_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// listing is a store that records the largest number of posts it returned at once, and can be made
// to fail.
type listing struct {
	insight.Store
	maxPosts  int
	requested int
	fails     int // number of the call that fails; 0 for none
}

func (l *listing) Posts(ctx context.Context, sel poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	if l.requested++; l.requested == l.fails {
		return nil, 0, errors.New("broken")
	}
	posts, total, err := l.Store.Posts(ctx, sel, limit)
	l.maxPosts = max(l.maxPosts, len(posts))
	return posts, total, err
}

// addMany stores n own posts at regular intervals.
func (w *accountWorld) addMany(name string, n int, from time.Time, step time.Duration) {
	w.Helper()
	posts := make([]poststore.MatchedPost, n)
	for i := range posts {
		p := earshot.Post{Source: earshot.Facebook, GUID: fmt.Sprintf("%s%05d", name, i), Time: from.Add(time.Duration(i) * step)}
		p.Contents = p.GUID
		posts[i] = poststore.MatchedPost{Post: p, Sets: []poststore.SetID{7, -7}}
	}
	w.at++
	if err := w.store.Append(w.Context(), w.at, posts); err != nil {
		w.Fatal(err)
	}
}

// TestOwnPostsAreReadInBatches compares posts read in batches with those in the store.
func TestOwnPostsAreReadInBatches(t *testing.T) {
	f := func(name string, maxPosts int, fill func(w *accountWorld)) {
		t.Helper()
		w := newAccountWorld(t)
		fill(w)
		list := &listing{Store: w.store}
		w.Store = list
		days := earshot.Days{Start: date(2), End: date(12)}
		got, err := gathered(w.SentPosts(t.Context(), w.monitor, days))
		if err != nil || len(got) != 10 {
			t.Fatalf("%s: got %d days, error %v, want 10", name, len(got), err)
		}
		var listed []string
		for i, day := range got {
			if want := date(2 + i); day.Day != want {
				t.Errorf("%s: got day %s, want %s", name, day.Day, want)
			}
			for _, p := range slices.Backward(day.Posts) {
				listed = append(listed, p.Contents)
			}
		}
		all, _, err := w.store.Posts(t.Context(), poststore.Selection{Set: -7, To: date(12).Start(w.monitor.Location())}, 1e6)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, p := range slices.Backward(all) {
			want = append(want, p.Contents)
		}
		if !slices.Equal(listed, want) {
			t.Errorf("%s: got %d posts, want %d in the order of the store", name, len(listed), len(want))
		}
		if list.maxPosts > maxPosts {
			t.Errorf("%s: got %d posts at once, want at most %d", name, list.maxPosts, maxPosts)
		}
	}
	at := instant("2026-03-05T00:00:00Z")
	f("no posts", 0, func(*accountWorld) {})
	f("few on each day", 1000, func(w *accountWorld) { w.addMany("a", 2500, at.AddDate(0, 0, -2), 3*time.Minute) })
	f("many on a day", 1000, func(w *accountWorld) {
		w.addMany("a", 7001, at, time.Second)
		w.addMany("b", 5, at.AddDate(0, 0, -1), time.Minute)
		w.addMany("c", 5, at.AddDate(0, 0, 2), time.Minute)
	})
	f("exactly one batch", 1000, func(w *accountWorld) { w.addMany("a", 1000, at, time.Second) })
	f("many at the same time", 1000, func(w *accountWorld) {
		w.addMany("a", 3500, at, 0)
		w.addMany("b", 3000, at.Add(-time.Hour), time.Second)
		w.addMany("c", 2500, at.Add(time.Hour), time.Nanosecond)
	})
}

// TestOwnPostsReturnErrors makes each call to the store fail in turn.
func TestOwnPostsReturnErrors(t *testing.T) {
	for fails := 1; ; fails++ {
		w := newAccountWorld(t)
		w.addMany("a", 2500, instant("2026-03-05T00:00:00Z"), time.Second)
		list := &listing{Store: w.store, fails: fails}
		w.Store = list
		got, err := gathered(w.OwnPosts(t.Context(), w.monitor, earshot.Days{Start: date(2), End: date(12)}))
		if list.requested < fails {
			if err != nil || len(got) != 10 || fails < 5 {
				t.Errorf("got %d days, error %v, want 10 after %d calls", len(got), err, fails-1)
			}
			return
		}
		if err == nil || err.Error() != "broken" || list.requested != fails {
			t.Errorf("got error %v after %d calls, want it after %d", err, list.requested, fails)
		}
	}
}

// TestOwnPostsStopWhenCallerDoes stops after each of the pieces.
func TestOwnPostsStopWhenCallerDoes(t *testing.T) {
	w := newAccountWorld(t)
	w.addMany("a", 2500, instant("2026-03-05T00:00:00Z"), time.Second)
	for pieces := 1; pieces <= 12; pieces++ {
		n := 0
		for _, err := range w.SentPosts(t.Context(), w.monitor, earshot.Days{Start: date(2), End: date(12)}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == pieces {
				break
			}
		}
		if n != pieces {
			t.Errorf("got %d pieces, want %d", n, pieces)
		}
	}
}
