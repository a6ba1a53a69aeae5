package pipeline_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

func tweet(guid, author, contents string) earshot.Post {
	p := post(guid, contents)
	p.Source, p.AuthorUsername = earshot.Twitter, author
	return p
}

var tweets = []earshot.Post{
	tweet("a", "acme", "coffee"), tweet("b", "Acme", "coffee with milk"),
	tweet("c", "joe", "@acme tea"), tweet("d", "joe", "@acme tea with milk"), tweet("e", "joe", "milk"),
}

// social adds a monitor of the account acme with a filter for milk.
func (w *world) social(t *testing.T, id, filter earshot.MonitorID) {
	t.Helper()
	w.monitor(t, id, "")
	w.change(t, id, func(m *earshot.Monitor) {
		m.Type, m.Account = earshot.Social, earshot.Account{Network: earshot.Twitter, Handle: "acme"}
		m.Filters = []earshot.Filter{{ID: filter, Criteria: earshot.Criteria{Keywords: "milk"}}}
	})
}

// A trackingStore records which sets track each post.
type trackingStore struct {
	poststore.Store
	tracked map[string][]poststore.SetID // keyed by guid
}

func (s *trackingStore) Append(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	for _, m := range posts {
		s.tracked[m.Post.GUID] = m.Tracked
	}
	return s.Store.Append(ctx, at, posts)
}

func TestAccountsTrackCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &trackingStore{Store: memory.New(), tracked: map[string][]poststore.SetID{}}
		w := newWorld(t, store)
		w.monitor(t, 2, "coffee")
		w.social(t, 1, 11)
		w.append(t, journal.Entry{Posts: tweets})
		synctest.Wait()
		for guid, want := range map[string][]poststore.SetID{"a": {1, -1}, "b": {1, 11, -1, -11}, "c": {1}, "d": {1, 11}, "e": nil} {
			if got := store.tracked[guid]; !slices.Equal(got, want) {
				t.Errorf("%s is tracked by %v, want %v", guid, got, want)
			}
		}
	})
}

// Counter changes have the time at which the journal received them, even if the store is rebuilt.
func TestCounterChangesHaveTimeOfJournalEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, memory.New())
		w.social(t, 1, 11)
		p := tweets[0]
		var want []poststore.CounterChange
		for likes := range int64(3) {
			p.Likes = earshot.Counted(likes * likes)
			w.append(t, journal.Entry{Posts: []earshot.Post{p}})
			if likes > 0 {
				c := poststore.CounterChange{Time: time.Now().UTC().Truncate(poststore.CounterStep), Posted: p.Time, Likes: 2*likes - 1}
				want = append(want, c)
			}
			time.Sleep(24 * time.Hour)
		}
		for _, when := range []string{"at first", "rebuilt"} {
			synctest.Wait()
			var got []poststore.CounterChange
			err := w.store.CounterChanges(t.Context(), 1, p.Time, p.Time.Add(1), func(c poststore.CounterChange) { got = append(got, c) })
			slices.SortFunc(got, func(a, b poststore.CounterChange) int { return a.Time.Compare(b.Time) })
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %+v, %v, want %+v", when, got, err, want)
			}
			time.Sleep(72 * time.Hour)
			w.restart(t, memory.New())
		}
	})
}
