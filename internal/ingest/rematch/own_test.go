package rematch_test

import (
	"testing"
	"testing/synctest"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/journal"
)

// tweet returns a Twitter post.
func tweet(guid, author, contents string) earshot.Post {
	p := post(guid, contents)
	p.Source, p.AuthorUsername = earshot.Twitter, author
	return p
}

// createSocial adds a monitor of the account acme with a filter for milk.
func (w *world) createSocial(t *testing.T, id, filter earshot.MonitorID) {
	t.Helper()
	w.monitor(t, id, "")
	w.change(t, id, func(m *earshot.Monitor) {
		m.Type, m.Account = earshot.Social, earshot.Account{Network: earshot.Twitter, Handle: "acme"}
		m.Filters = []earshot.Filter{{ID: filter, Criteria: earshot.Criteria{Keywords: "milk"}}}
		m.Start = march(1)
		m.RequestRematch(earshot.Date{})
	})
}

// wantOwn checks the number of posts in monitor 1 and its filter 11, and the number of own posts in
// each.
func (w *world) wantOwn(t *testing.T, when string, all, own, milk, ownMilk int64) {
	t.Helper()
	for _, want := range []struct {
		id    poststore.SetID
		posts int64
	}{{1, all}, {-1, own}, {11, milk}, {-11, ownMilk}} {
		if got := w.count(t, want.id); got != want.posts {
			t.Errorf("%s: %d has %d posts, want %d", when, want.id, got, want.posts)
		}
	}
}

var tweets = []earshot.Post{
	tweet("a", "acme", "coffee"), tweet("b", "Acme", "coffee with milk"),
	tweet("c", "joe", "@acme tea"), tweet("d", "joe", "@acme tea with milk"), tweet("e", "joe", "milk"),
}

func TestOwnPostsAreCountedSeparately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: tweets})
		synctest.Wait()
		w.createSocial(t, 1, 11)
		<-w.Rematch(1)
		w.wantOwn(t, "stored posts", 4, 2, 2, 1)

		w.append(t, journal.Entry{Posts: []earshot.Post{tweet("f", "acme", "milk"), tweet("g", "joe", "@acme milk"), tweet("a", "joe", "@acme")}})
		synctest.Wait()
		w.wantOwn(t, "new posts", 6, 2, 4, 2)

		w.restart(t, store)
		synctest.Wait()
		w.wantOwn(t, "after a restart", 6, 2, 4, 2)

		w.change(t, 1, func(m *earshot.Monitor) { m.Account.Handle = "joe"; m.RequestRematch(earshot.Date{}) })
		<-w.Rematch(1)
		w.wantOwn(t, "another account", 5, 5, 3, 3)

		w.change(t, 1, func(m *earshot.Monitor) { m.Filters = nil })
		<-w.Rematch(11)
		w.wantOwn(t, "without the filter", 5, 5, 0, 0)

		w.change(t, 1, func(m *earshot.Monitor) { m.Removed = true })
		<-w.Rematch(1)
		w.wantOwn(t, "removed", 0, 0, 0, 0)
		if generations, err := store.Generations(t.Context()); err != nil || len(generations) != 0 {
			t.Errorf("got generations %v %v, want none", generations, err)
		}
	})
}

// TestOwnPostsOfOlderStore starts with a store from a version without own posts, which lacks their
// generation.
func TestOwnPostsOfOlderStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New()}
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: tweets})
		synctest.Wait()
		w.createSocial(t, 1, 11)
		w.change(t, 1, func(m *earshot.Monitor) { m.RequestRematch(march(2)) })
		<-w.Rematch(1)
		w.crash()
		if err := store.Store.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{-1: {}, -11: {}}}); err != nil {
			t.Fatal(err)
		}
		w.wantOwn(t, "before", 4, 0, 2, 0)
		store.want(t, "-11:2 -1:2 11:2 1:2 from 2026-03-01")
		w.restart(t, store)
		synctest.Wait()
		w.wantOwn(t, "after", 4, 2, 2, 1)
		store.want(t, "-11:2 -1:2 11:2 1:2 from 2026-03-01")
		w.restart(t, store)
		synctest.Wait()
		store.want(t) // no work is left
	})
}

// TestStraysLoseOwnPosts starts without the record of a monitor that has posts in the store.
func TestStraysLoseOwnPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hooked{Store: memory.New()}
		w := newWorld(t, store)
		w.append(t, journal.Entry{Posts: tweets})
		synctest.Wait()
		w.createSocial(t, 1, 11)
		<-w.Rematch(1)
		w.crash()
		if err := w.Catalog.Monitors.Remove(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		w.restart(t, store)
		synctest.Wait()
		w.wantOwn(t, "removed", 0, 0, 0, 0)
		store.want(t, "-11:1 -1:1 11:1 1:1 from 2026-03-01", "-1:0 1:0", "-11:0 11:0")
	})
}
