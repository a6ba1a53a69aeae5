package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/memory"
	"earshot/internal/state/kv"
)

// A fixture is a service with a team, whose member is ann, and monitors 11, 12 and 13. Monitor 13
// belongs to another team.
type fixture struct {
	*Service
	t    *testing.T
	ann  *earshot.Caller
	last earshot.Position // of the journal
	feed *memory.Feed
}

func (f *fixture) Last(context.Context) (earshot.Position, error) { return f.last, nil }

func newFixture(t *testing.T) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(t.Context(), kv.NewMemory(), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	f := &fixture{t: t, feed: memory.New(), ann: earshot.NewCaller(&earshot.User{ID: 5, Username: "ann", Teams: []earshot.TeamID{1}})}
	f.Service = &Service{Catalog: c, Feed: f.feed, Journal: f, Now: time.Now, Log: log}
	for _, team := range []earshot.TeamID{1, 2} {
		f.must(c.Teams.Add(t.Context(), team, &earshot.Team{ID: team, Name: fmt.Sprintf("team %d", team)}))
	}
	for id, team := range map[earshot.MonitorID]earshot.TeamID{11: 1, 12: 1, 13: 2} {
		m := &earshot.Monitor{ID: id, Team: team, Type: earshot.Buzz, Enabled: true, Filters: []earshot.Filter{{ID: id + 100}}}
		f.must(c.Monitors.Add(t.Context(), id, m))
	}
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// add creates a stream with monitors.
func (f *fixture) add(name string, monitors ...earshot.MonitorID) earshot.StreamID {
	f.t.Helper()
	st, err := f.Add(f.t.Context(), f.ann, 1, name)
	f.must(err)
	for _, m := range monitors {
		_, err := f.AddMonitor(f.t.Context(), f.ann, st.ID, m)
		f.must(err)
	}
	return st.ID
}

// offer offers the posts of the next journal entry. Each has the format "guid monitor monitor".
func (f *fixture) offer(posts ...string) {
	f.t.Helper()
	f.last++
	f.must(f.Offer(f.t.Context(), f.last, matched(posts...)))
}

func matched(posts ...string) (list []poststore.MatchedPost) {
	for _, p := range posts {
		var m poststore.MatchedPost
		words := strings.Fields(p)
		m.Post = earshot.Post{Source: "Twitter", GUID: words[0], Contents: "about " + words[0], Time: time.Unix(1e9, 0).UTC()}
		for _, word := range words[1:] {
			var id earshot.MonitorID
			if err := id.UnmarshalText([]byte(word)); err != nil {
				panic(err)
			}
			m.Sets = append(m.Sets, poststore.MonitorSet(id))
		}
		list = append(list, m)
	}
	return list
}

// taken takes all pending posts of a stream and returns them as "guid/monitor".
func (f *fixture) taken(id earshot.StreamID) string {
	f.t.Helper()
	page, err := f.Take(f.t.Context(), id, MaxPosts)
	f.must(err)
	return spell(page)
}

func spell(page Page) string {
	var list []string
	for _, p := range page.Posts {
		list = append(list, fmt.Sprintf("%s/%d", p.GUID, p.Monitor.ID))
	}
	return strings.Join(list, " ")
}

func (f *fixture) want(got, want string) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("got %s, want %s", got, want)
	}
}

func TestAPostAppearsOnceForEachMonitor(t *testing.T) {
	f := newFixture(t)
	both, one, none := f.add("both", 11, 12), f.add("one", 12), f.add("none")
	f.offer("a 11 12", "b 13", "c 12", "d")
	f.flush(t.Context(), false)
	f.want(f.taken(both), "a/11 a/12 c/12")
	f.want(f.taken(one), "a/12 c/12")
	f.want(f.taken(none), "")
	f.want(f.taken(both), "")
}

func TestAMonitorReceivesOnlyNewPosts(t *testing.T) {
	f := newFixture(t)
	id := f.add("stream")
	f.last = 7
	_, err := f.AddMonitor(t.Context(), f.ann, id, 11)
	f.must(err)
	f.must(f.Offer(t.Context(), 6, matched("a 11")))
	f.must(f.Offer(t.Context(), 7, matched("b 11"))) // already in the journal when the monitor was added
	f.must(f.Offer(t.Context(), 8, matched("c 11")))
	f.flush(t.Context(), false)
	f.want(f.taken(id), "c/11")

	_, err = f.RemoveMonitor(t.Context(), f.ann, id, 11)
	f.must(err)
	f.last = 8
	f.offer("d 11")
	f.last = 20
	_, err = f.AddMonitor(t.Context(), f.ann, id, 11)
	f.must(err)
	f.last = 14
	f.offer("e 11")
	f.flush(t.Context(), false)
	f.want(f.taken(id), "")
}

func TestManyOffersBecomeOneAppend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		id := f.add("stream", 11)
		counting := &countingFeed{Feed: f.feed}
		f.Service.Feed = counting
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { f.Run(ctx); close(ended) }()
		f.offer("a 11")
		synctest.Wait()
		f.want(f.taken(id), "a/11") // immediately
		for range 10 {
			f.offer("b 11")
			time.Sleep(flushInterval / 20)
		}
		if f.taken(id) != "" || f.Lag() != 10 {
			t.Error("want the others to wait for the flush interval")
		}
		time.Sleep(flushInterval)
		synctest.Wait()
		f.want(f.taken(id), strings.TrimSpace(strings.Repeat("b/11 ", 10)))
		if counting.appends != 2 || f.Lag() != 0 {
			t.Errorf("%d appends, lag %d; want 2 and none", counting.appends, f.Lag())
		}
		f.offer("c 11")
		cancel()
		<-ended
		f.want(f.taken(id), "c/11") // the final flush appends it
	})
}

// countingFeed counts appends, and fails on request.
type countingFeed struct {
	feed.Feed
	mu      sync.Mutex
	appends int
	fail    error
}

func (c *countingFeed) failWith(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = err
}

func (c *countingFeed) Append(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.appends++
	if c.fail != nil {
		return c.fail
	}
	return c.Feed.Append(ctx, upTo, runs)
}

func TestNoPostIsLostWhenTheFeedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		id := f.add("stream", 11)
		broken := &countingFeed{Feed: f.feed, fail: errors.New("no room")}
		f.Service.Feed = broken
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { f.Run(ctx); close(ended) }()
		f.offer("a 11")
		time.Sleep(time.Minute)
		f.offer("b 11")
		broken.failWith(nil)
		time.Sleep(maxRetryPause)
		synctest.Wait()
		f.want(f.taken(id), "a/11 b/11")

		broken.failWith(errors.New("no room again"))
		f.offer("c 11")
		time.Sleep(time.Second)
		f.offer("d 11")
		cancel()
		<-ended
		if at, _, _ := f.feed.Position(t.Context()); at != 2 {
			t.Errorf("position %d, want 2: neither c nor d is appended", at)
		}
	})
}

func TestOffersWaitForSpace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.add("stream", 11)
		large := matched("a 11")
		large[0].Post.Contents = strings.Repeat("x", maxOutboxBytes*2/3)
		f.must(f.Offer(t.Context(), 1, large))
		offered := make(chan error)
		go func() { offered <- f.Offer(t.Context(), 2, large) }()
		synctest.Wait()
		select {
		case <-offered:
			t.Fatal("the second offer did not wait")
		default:
		}
		f.flush(t.Context(), false)
		f.must(<-offered)

		ctx, cancel := context.WithCancel(t.Context())
		go func() { offered <- f.Offer(ctx, 3, large) }()
		cancel()
		if err := <-offered; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestFollowReturnsACursorForEachPost(t *testing.T) {
	f := newFixture(t)
	id := f.add("stream", 11)
	f.offer("a 11", "b 11", "c 11")
	f.flush(t.Context(), false)
	var second feed.Cursor
	for page, err := range f.Follow(t.Context(), id, feed.Cursor{}) {
		f.must(err)
		f.want(spell(page), "a/11 b/11 c/11")
		second = page.Posts[1].Cursor
		break
	}
	page, err := f.Read(t.Context(), id, second, 10)
	f.must(err)
	f.want(spell(page), "c/11")
}

// some is a store that contains only the posts with these guids.
type some []string

func (s some) Find(_ context.Context, keys []earshot.PostKey) (list []earshot.Post, err error) {
	for _, key := range keys {
		if slices.Contains(s, key.GUID) {
			list = append(list, earshot.Post{Source: key.Source, ContentSource: key.ContentSource, GUID: key.GUID})
		}
	}
	return list, nil
}

func TestDeletedPostsAreSkipped(t *testing.T) {
	t.Run("custom content", func(t *testing.T) { testDeleted(t, earshot.Post{Source: "Survey", ContentSource: 5, Team: 1}) })
	t.Run("network", func(t *testing.T) { testDeleted(t, earshot.Post{Source: earshot.Bluesky}) })
}

func testDeleted(t *testing.T, like earshot.Post) {
	f := newFixture(t)
	id := f.add("stream", 11)
	for _, guids := range []string{"a b c", "d e", "f g"} {
		var list []poststore.MatchedPost
		for _, guid := range strings.Fields(guids) {
			p := like
			p.GUID = guid
			list = append(list, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{11}})
		}
		f.last++
		f.must(f.Offer(t.Context(), f.last, list))
		f.flush(t.Context(), false)
	}
	f.Posts = some{"a", "c", "g"}
	page, err := f.Read(t.Context(), id, feed.Cursor{}, 3)
	f.must(err)
	f.want(fmt.Sprint(spell(page), " of ", page.Pending), "a/11 c/11 of 6")
	f.must(func() error { _, err := f.Drop(t.Context(), id, 3); return err }())
	page, err = f.Take(t.Context(), id, 2) // both are deleted, so Take continues with the next page
	f.must(err)
	f.want(spell(page), "g/11")
	seen := ""
	for page, err := range f.Follow(t.Context(), id, feed.Cursor{}) {
		f.must(err)
		if seen += spell(page) + " "; strings.Contains(seen, "g") {
			break
		}
	}
	f.want(seen, "a/11 c/11 g/11 ")
}

func TestPermissions(t *testing.T) {
	f := newFixture(t)
	id := f.add("stream", 11)
	eve := earshot.NewCaller(&earshot.User{ID: 6, Username: "eve", Teams: []earshot.TeamID{2}})
	ctx := t.Context()
	no := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	hidden := "Stream cannot be accessed. Reason is 'Stream does not exist'"
	_, err := f.Find(eve, id)
	no(err, hidden)
	_, err = f.Rename(ctx, eve, id, "mine")
	no(err, hidden)
	no(f.Remove(ctx, eve, id), hidden)
	_, err = f.AddMonitor(ctx, eve, id, 13)
	no(err, hidden)
	_, err = f.Add(ctx, eve, 1, "mine")
	no(err, "Team 1 does not exist")
	_, err = f.Add(ctx, f.ann, 9, "mine")
	no(err, "Team 9 does not exist")
	_, err = f.Add(ctx, f.ann, 1, " ")
	no(err, "Invalid request body: name must have 1 to 200 characters")
	_, err = f.AddMonitor(ctx, f.ann, id, 13)
	no(err, "Monitor 13 does not exist")
	_, err = f.AddMonitor(ctx, f.ann, id, 111)
	no(err, "111 is a filter. A stream can only contain monitors")
	admin := earshot.NewCaller(&earshot.User{Permissions: []earshot.Permission{earshot.AdminPermission}})
	_, err = f.AddMonitor(ctx, admin, id, 13)
	no(err, fmt.Sprintf("Monitor 13 belongs to another team than stream %d", id))
	_, err = f.RemoveMonitor(ctx, f.ann, id, 12)
	no(err, fmt.Sprintf("Stream %d does not have monitor 12", id))
	if len(f.List(eve, 0)) != 0 || len(f.List(f.ann, 2)) != 0 || len(f.List(f.ann, 0)) != 1 {
		t.Error("lists contain wrong streams")
	}
}

func TestRemovedMonitorsDoNotCount(t *testing.T) {
	f := newFixture(t)
	id := f.add("stream", 12)
	f.must(f.Catalog.Monitors.Add(t.Context(), 14, &earshot.Monitor{ID: 14, Team: 1, Removed: true}))
	_, err := f.Catalog.Streams.Update(t.Context(), id, func(st *earshot.Stream) error {
		for len(st.Monitors) < MaxMonitors {
			st.Monitors = append(st.Monitors, earshot.StreamMonitor{ID: 14})
		}
		return nil
	})
	f.must(err)
	st, err := f.AddMonitor(t.Context(), f.ann, id, 11)
	f.must(err)
	if want := []earshot.StreamMonitor{{ID: 12}, {ID: 11}}; !slices.Equal(st.Monitors, want) {
		t.Errorf("got %v, want %v", st.Monitors, want)
	}
	f.offer("a 11", "b 12")
	f.flush(t.Context(), false)
	f.want(f.taken(id), "a/11 b/12")
}

func TestARemovedStreamHasNoPosts(t *testing.T) {
	f := newFixture(t)
	id, other := f.add("stream", 11), f.add("other", 11)
	f.offer("a 11")
	f.flush(t.Context(), false)
	f.must(f.Remove(t.Context(), f.ann, id))
	if err := f.Remove(t.Context(), f.ann, id); err != earshot.ErrNoStream {
		t.Errorf("got %v", err)
	}
	f.offer("b 11")
	f.flush(t.Context(), false)
	page, err := f.Read(t.Context(), id, feed.Cursor{}, 10)
	f.must(err)
	f.want(spell(page), "")
	f.want(f.taken(other), "a/11 b/11")
}

func TestRoutesFollowTheCatalog(t *testing.T) {
	f := newFixture(t)
	a, b := f.add("a", 11, 12), f.add("b", 11)
	f.routes.update(f.Catalog.Streams)
	f.must(f.Remove(t.Context(), f.ann, a))
	_, err := f.RemoveMonitor(t.Context(), f.ann, b, 11)
	f.must(err)
	c := f.add("c", 12)
	f.routes.update(f.Catalog.Streams)
	if len(f.routes.byMonitor) != 1 || !slices.Equal(f.routes.byMonitor[12], []route{{stream: c}}) {
		t.Errorf("got %v", f.routes.byMonitor)
	}
}
