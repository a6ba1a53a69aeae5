package correction

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A world has a BUZZ monitor 1 with filter 2, an opinion monitor 3 of the same team, and posts in all
// of them.
type world struct {
	*Service
	*testing.T
	store  *memory.Store
	caller *earshot.Caller
	now    time.Time
}

const team = earshot.TeamID(9)

func newWorld(t *testing.T) *world {
	t.Helper()
	records, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(records.Close)
	w := &world{T: t, store: memory.New(), now: time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC), caller: earshot.NewCaller(&earshot.User{ID: 5, Username: "ann", Teams: []earshot.TeamID{team}})}
	w.Service = &Service{Catalog: records, Posts: w.store, Now: func() time.Time { return w.now }}
	categories := func(names ...string) (list []earshot.Category) {
		for i, name := range names {
			list = append(list, earshot.Category{ID: earshot.CategoryID(100 + i), Name: name})
		}
		return list
	}
	for _, m := range []*earshot.Monitor{
		{ID: 1, Team: team, Type: earshot.Buzz, Categories: categories(earshot.BasicCategories...), Filters: []earshot.Filter{{ID: 2, Name: "f"}}},
		{ID: 3, Team: team, Type: earshot.Opinion, Categories: categories("Taste", "Price")},
	} {
		if err := records.Monitors.Add(t.Context(), m.ID, m); err != nil {
			t.Fatal(err)
		}
	}
	var posts []poststore.MatchedPost
	for n := range 4 {
		posts = append(posts, poststore.MatchedPost{Post: w.post(n), Sets: []poststore.SetID{1, 2, 3}})
	}
	if err := w.store.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) post(n int) earshot.Post {
	return earshot.Post{Source: earshot.News, GUID: fmt.Sprint(n), Time: time.Date(2026, time.March, 10+n, 12, 0, 0, 0, time.UTC), Sentiment: earshot.Sentiment{100, 0, 0}}
}

// set corrects a post and returns the error.
func (w *world) set(id earshot.MonitorID, n int, v Values) error {
	p := w.post(n)
	_, err := w.Set(w.Context(), w.caller, &earshot.Monitor{ID: id}, &p, v)
	return err
}

func (w *world) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func TestCorrectionsOfFiltersBelongToTheirMonitor(t *testing.T) {
	w := newWorld(t)
	if w.For(1) != nil || w.For(2) != nil {
		t.Error("there are corrections in the beginning")
	}
	w.check(w.set(2, 0, Values{Sentiment: 3}))
	key := earshot.PostKey{Source: earshot.News, GUID: "0"}
	if c := w.For(1).Of(key); c.Sentiment != 3 || w.For(1) != w.For(2) || w.For(3) != nil {
		t.Errorf("got %+v in the monitor, %p in its filter, %v in another monitor", c, w.For(2), w.For(3))
	}
	w.check(w.set(1, 0, Values{Emotion: 1})) // replaces it
	if c := w.For(2).Of(key); c != (poststore.Correction{Emotion: 1}) || len(w.List(&earshot.Monitor{ID: 2})) != 1 {
		t.Errorf("got %+v of %d corrections", c, len(w.List(&earshot.Monitor{ID: 2})))
	}
	w.check(w.Remove(t.Context(), w.caller, &earshot.Monitor{ID: 1}, key))
	if err := w.Remove(t.Context(), w.caller, &earshot.Monitor{ID: 1}, key); !earshot.IsKind(err, earshot.NotFound) || w.For(1) != nil {
		t.Errorf("removed twice: %v", err)
	}
}

func TestCorrectionsMustFitTheMonitor(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		id   earshot.MonitorID
		v    Values
		want string
	}{
		{1, Values{}, "there must be"},
		{1, Values{Category: 100}, "only posts of an opinion monitor"},
		{3, Values{Sentiment: 1}, "category instead of a sentiment"},
		{3, Values{Category: 102}, "Category 102 does not exist"},
		{1, Values{Sentiment: 4}, "no such sentiment"},
		{1, Values{Emotion: -1}, "no such sentiment or emotion"},
		{7, Values{Sentiment: 1}, "Monitor 7 does not exist"},
	} {
		if err := w.set(c.id, 0, c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.v, err, c.want)
		}
	}
	w.caller = earshot.NewCaller(&earshot.User{ID: 6, Username: "eve", Teams: []earshot.TeamID{1}})
	if err := w.set(1, 0, Values{Sentiment: 1}); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("of another team: %v", err)
	}
}

func TestEditAllCorrectsAllPostsOrNone(t *testing.T) {
	w := newWorld(t)
	w.check(w.set(1, 1, Values{Emotion: 1}))
	var posts []*earshot.Post
	for n := range 3 {
		p := w.post(n)
		posts = append(posts, &p)
	}
	edit := func(v Values) error {
		return w.EditAll(w.Context(), w.caller, &earshot.Monitor{ID: 1}, posts, func(to *Values) { to.Sentiment, to.Category = v.Sentiment, v.Category })
	}
	if err := edit(Values{Category: 100}); err == nil || len(w.List(&earshot.Monitor{ID: 1})) != 1 {
		t.Errorf("got %v and %d corrections, want the old one", err, len(w.List(&earshot.Monitor{ID: 1})))
	}
	w.check(edit(Values{Sentiment: 3}))
	for n, want := range []poststore.Correction{{Sentiment: 3}, {Sentiment: 3, Emotion: 1}, {Sentiment: 3}} {
		if got := w.For(1).Of(earshot.PostKey{Source: earshot.News, GUID: fmt.Sprint(n)}); got != want {
			t.Errorf("post %d: got %+v, want %+v", n, got, want)
		}
	}
}

func TestRemovedCategoriesAndMonitorsAreNotCorrected(t *testing.T) {
	w := newWorld(t)
	w.check(w.set(3, 0, Values{Category: 101}))
	w.check(w.set(3, 1, Values{Category: 101, Emotion: 2}))
	w.check(w.set(3, 2, Values{Category: 100}))
	w.check(w.set(1, 3, Values{Sentiment: 1}))
	_, err := w.Catalog.Monitors.Update(t.Context(), 3, func(m *earshot.Monitor) error {
		m.Categories = m.Categories[:1]
		return nil
	})
	w.check(err)
	if c := w.For(3); c.Keys().Len() != 2 || c.Of(earshot.PostKey{Source: earshot.News, GUID: "1"}) != (poststore.Correction{Emotion: 2}) {
		t.Errorf("got %d corrections", c.Keys().Len())
	}
	w.check(w.Clean(t.Context()))
	if n := len(w.Catalog.Corrections.List()); n != 3 {
		t.Errorf("got %d records without those of the removed category, want 3", n)
	}
	_, err = w.Catalog.Monitors.Update(t.Context(), 3, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	w.check(err)
	if w.For(3) != nil {
		t.Error("a removed monitor has corrections")
	}
	w.check(w.Clean(t.Context()))
	if n := len(w.Catalog.Corrections.List()); n != 1 {
		t.Errorf("got %d records without those of the removed monitor, want 1", n)
	}
}

func TestCorrectionsOfDeletedPostsAreRemoved(t *testing.T) {
	w := newWorld(t)
	w.check(w.set(1, 0, Values{Sentiment: 1}))
	w.check(w.set(1, 1, Values{Sentiment: 1}))
	w.check(w.set(3, 1, Values{Category: 100}))
	w.check(w.store.Delete(t.Context(), 2, earshot.Deletion{Source: earshot.News, GUIDs: []string{"0"}}))
	w.check(w.Clean(t.Context()))
	if n := len(w.Catalog.Corrections.List()); n != 3 {
		t.Errorf("got %d records at once, want 3: the store may be catching up", n)
	}
	w.now = w.now.Add(cleanAge + time.Hour)
	w.check(w.Clean(t.Context()))
	if n := len(w.Catalog.Corrections.List()); n != 2 {
		t.Errorf("got %d records a day later, want 2", n)
	}
	n, err := w.RemovePosts(t.Context(), []earshot.PostKey{{Source: earshot.News, GUID: "1"}})
	if err != nil || n != 2 || w.For(1) != nil || w.For(3) != nil {
		t.Errorf("got %d removed, %v", n, err)
	}
}

func TestReader(t *testing.T) {
	w := newWorld(t)
	r := &Reader{Store: w.store, Corrections: w.Service}
	negative := func(set poststore.SetID, sets ...poststore.SetID) int64 {
		t.Helper()
		_, n, err := r.Posts(t.Context(), poststore.Selection{Set: set, Categories: poststore.CategoryFilter{Sets: sets}, Having: []poststore.Having{{By: poststore.BySentiment, Keys: []string{"Basic Negative"}}}}, 0)
		w.check(err)
		return n
	}
	starts := []time.Time{time.Date(2026, time.March, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, time.March, 11, 0, 0, 0, 0, time.UTC), time.Date(2026, time.March, 12, 0, 0, 0, 0, time.UTC)}
	state := func() (poststore.Fingerprint, []time.Time) {
		t.Helper()
		f, err := r.Fingerprint(t.Context(), 1, starts[0], starts[2])
		w.check(err)
		changed, err := r.Changed(t.Context(), 1, starts)
		w.check(err)
		return f, changed
	}
	before, first := state()
	w.now = time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	w.check(w.set(1, 1, Values{Sentiment: 3}))
	corrected, changed := state()
	if corrected == before || !changed[0].Equal(first[0]) || !changed[1].Equal(w.now) {
		t.Errorf("got changes %v after %v, want only the second day to change at %v", changed, first, w.now)
	}
	for _, c := range []struct {
		set  poststore.SetID
		sets []poststore.SetID
		want int64
	}{
		{1, nil, 1}, {2, nil, 1}, {3, nil, 0}, {0, nil, 0},
		{0, []poststore.SetID{1}, 1}, {0, []poststore.SetID{1, 2}, 1}, {0, []poststore.SetID{1, 3}, 0}, // several monitors
	} {
		if got := negative(c.set, c.sets...); got != c.want {
			t.Errorf("set %d and %v: got %d negative posts, want %d", c.set, c.sets, got, c.want)
		}
	}
	w.now = w.now.Add(time.Hour)
	w.check(w.Remove(t.Context(), w.caller, &earshot.Monitor{ID: 1}, earshot.PostKey{Source: earshot.News, GUID: "1"}))
	if after, changed := state(); after != before || !changed[1].Equal(w.now) || negative(1) != 0 {
		t.Errorf("taken back: got changes %v", changed)
	}
	w.now = w.now.Add(emptyAge + time.Hour)
	w.check(w.Clean(t.Context()))
	if n := len(w.Catalog.Corrections.List()); n != 0 {
		t.Errorf("got %d records long after, want 0", n)
	}
}

func TestStoredPostsAreAsInferred(t *testing.T) {
	w := newWorld(t)
	w.check(w.set(1, 0, Values{Sentiment: 3}))
	w.check(w.set(1, 1, Values{Sentiment: 3}))
	w.check(w.store.Delete(t.Context(), 2, earshot.Deletion{Source: earshot.News, GUIDs: []string{"0"}}))
	list := w.List(&earshot.Monitor{ID: 1})
	if !slices.IsSortedFunc(list, func(a, b *earshot.Correction) int { return int(a.ID - b.ID) }) || len(list) != 2 {
		t.Fatalf("got %d corrections", len(list))
	}
	found, err := w.Stored(t.Context(), &earshot.Monitor{ID: 1}, list)
	w.check(err)
	if p := found[list[1].Post]; len(found) != 1 || p == nil || p.Sentiment.Assigned() != earshot.Positive {
		t.Errorf("got %v", found)
	}
}
