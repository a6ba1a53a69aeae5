package insight_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/opinion"
	"earshot/internal/poststore"
)

// walked returns the guids that EachPost yields, and the error that ended the sequence.
func (w *accountWorld) walked(by insight.Categorization, narrow poststore.Selection) (guids []string, err error) {
	for p, err := range w.EachPost(w.Context(), w.monitor, by, earshot.Days{Start: date(1), End: date(30)}, narrow) {
		if err != nil {
			return guids, err
		}
		guids = append(guids, p.GUID)
		*p = earshot.Post{} // the post belongs to the caller
	}
	return guids, nil
}

func TestEachPostYieldsPostsOnceInOrder(t *testing.T) {
	f := func(name string, maxPosts int, narrow poststore.Selection, fill func(w *accountWorld)) {
		t.Helper()
		w := newAccountWorld(t)
		fill(w)
		all, total, err := w.Posts(t.Context(), w.monitor, earshot.Days{Start: date(1), End: date(30)}, narrow, 1e6)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]string, total)
		for i := range all {
			want[i] = all[i].GUID
		}
		list := &listing{Store: w.store}
		w.Store = list
		if got, err := w.walked(insight.Categorization{}, narrow); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %d posts, error %v, want %d in the order of Posts", name, len(got), err, len(want))
		}
		if list.maxPosts > maxPosts {
			t.Errorf("%s: got %d posts at once, want at most %d", name, list.maxPosts, maxPosts)
		}
	}
	var all poststore.Selection
	start := instant("2026-03-02T00:00:00+01:00")
	f("none", 0, all, func(w *accountWorld) {})
	f("before the start", 0, all, func(w *accountWorld) { w.addMany("a", 10, start.Add(-time.Hour), time.Second) })
	f("on all days", 1000, all, func(w *accountWorld) { w.addMany("a", 7000, start, 5*time.Minute) })
	f("in one hour", 1000, all, func(w *accountWorld) { w.addMany("a", 5500, start, 500*time.Millisecond) })
	f("almost a thousand at the same time", 1000, all, func(w *accountWorld) {
		for i := range 4 {
			w.addMany(fmt.Sprint("a", i), 999, start.Add(time.Duration(i)*time.Second), 0)
		}
	})
	f("all at the same time", 1000, all, func(w *accountWorld) { w.addMany("a", 5000, start, 0) })
	f("at the ends of hours", 1000, all, func(w *accountWorld) {
		w.addMany("a", 600, start.Add(time.Hour-time.Nanosecond), 0)
		w.addMany("b", 600, start.Add(time.Hour), 0)
	})
	f("refined", 1000, poststore.Selection{Authors: []string{"odd"}}, func(w *accountWorld) {
		w.addMany("a", 3000, start, time.Minute)
		w.add(false, earshot.Post{GUID: "x", Author: "odd", Time: start.Add(9 * time.Hour)})
		w.add(false, earshot.Post{GUID: "y", Author: "odd", Time: start.Add(time.Hour)})
	})
}

func TestEachPostEndsAtFirstError(t *testing.T) {
	w := newAccountWorld(t)
	w.addMany("a", 3000, instant("2026-03-02T00:00:00+01:00"), time.Minute)
	w.Store = &listing{Store: w.store, fails: 2}
	got, err := w.walked(insight.Categorization{}, poststore.Selection{})
	if err == nil || err.Error() != "broken" || len(got) == 0 || len(got) > 2000 {
		t.Errorf("got %d posts, error %v", len(got), err)
	}
	for range w.EachPost(t.Context(), w.monitor, insight.Categorization{}, earshot.Days{Start: date(1), End: date(30)}, poststore.Selection{}) {
		break // stopping early must not yield again
	}
}

// A stubTrainer returns another model after a number of calls.
type stubTrainer struct {
	model *opinion.Model
	left  int
}

func (l *stubTrainer) InUse(context.Context, earshot.MonitorID) (earshot.Model, *opinion.Model, error) {
	if l.left--; l.left < 0 {
		return earshot.Model{Record: 2}, l.model, nil
	}
	return earshot.Model{Record: 1}, l.model, nil
}

func TestEachPostOfCategoryUsesOneModel(t *testing.T) {
	w := newAccountWorld(t)
	w.monitor.Type = earshot.Opinion
	w.addMany("a", 3000, instant("2026-03-02T00:00:00+01:00"), time.Minute)
	by := insight.Categorization{ModelID: 1, Model: &opinion.Model{}}
	w.Opinions = &stubTrainer{by.Model, 1}
	if got, err := w.walked(by, poststore.Selection{}); err != nil || len(got) != 3000 {
		t.Errorf("all categories: got %d posts, error %v", len(got), err)
	}
	narrow := poststore.Selection{Categories: poststore.CategoryFilter{Sets: []poststore.SetID{7}}}
	got, err := w.walked(by, narrow)
	if want := "Monitor 7 was retrained in the meantime; try again"; err == nil || err.Error() != want || len(got) == 0 || len(got) == 3000 {
		t.Errorf("got %d posts, error %v, want %s", len(got), err, want)
	}
}

func TestPostIsFoundByKey(t *testing.T) {
	w := newAccountWorld(t)
	at := instant("2026-03-10T12:00:00Z")
	w.addMany("a", 2500, at, 0)
	w.addMany("old", 1, instant("2026-02-10T12:00:00Z"), 0)
	w.at++
	others := []poststore.MatchedPost{{Post: earshot.Post{Source: earshot.Facebook, GUID: "other", Time: at}, Sets: []poststore.SetID{9}}}
	if err := w.store.Append(t.Context(), w.at, others); err != nil {
		t.Fatal(err)
	}
	for _, guid := range []string{"a00000", "a01234", "a02499"} {
		p, err := w.Post(t.Context(), w.monitor, earshot.PostKey{Source: earshot.Facebook, GUID: guid})
		if err != nil || p.Contents != guid {
			t.Errorf("%s: got %v, error %v", guid, p, err)
		}
	}
	for _, guid := range []string{"other", "old00000", "a02500", "nothing"} {
		key := earshot.PostKey{Source: earshot.Facebook, GUID: guid}
		p, err := w.Post(t.Context(), w.monitor, key)
		if want := "Post " + key.Text() + " does not exist"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, error %v, want %s", guid, p, err, want)
		}
	}
}

func TestSampleCoversManyHours(t *testing.T) {
	w := newAccountWorld(t)
	sample := func(n int, seed uint64) (guids []string) {
		posts, err := w.Sample(t.Context(), w.monitor, n, seed)
		if err != nil {
			t.Fatal(err)
		}
		for i := range posts {
			guids = append(guids, posts[i].GUID)
		}
		return guids
	}
	if got := sample(10, 1); len(got) != 0 {
		t.Errorf("without posts: got %v", got)
	}
	w.addMany("a", 100, instant("2026-03-02T00:00:00Z"), time.Hour)
	w.addMany("b", 1000, instant("2026-03-20T00:00:00Z"), time.Second)
	one := sample(200, 1)
	if again := sample(200, 1); !slices.Equal(one, again) {
		t.Errorf("got %v, then %v", one, again)
	}
	if other := sample(200, 2); slices.Equal(one, other) {
		t.Errorf("another seed returns the same %v", other)
	}
	if few := sample(10, 1); len(few) != 10 {
		t.Errorf("got %d posts, want 10", len(few))
	}
	slices.Sort(one)
	if all := slices.Compact(one); len(all) != len(one) || len(all) < 59 || len(all) > 200 {
		t.Errorf("got %d posts, %d of them distinct", len(one), len(all))
	}
}

// TestSampleHasNoDuplicates uses a time zone with a half-hour offset, where days start in the
// middle of an hour of UTC.
func TestSampleHasNoDuplicates(t *testing.T) {
	w := newAccountWorld(t)
	w.monitor.Timezone = "Asia/Kolkata"
	start := instant("2026-03-02T00:00:00+05:30")
	w.addMany("a", 100, start.Add(-time.Hour), 2*time.Minute)
	posts, err := w.Sample(t.Context(), w.monitor, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := range posts {
		if seen[posts[i].GUID] || posts[i].Time.Before(start) {
			t.Errorf("%s is a duplicate or before the start", posts[i].GUID)
		}
		seen[posts[i].GUID] = true
	}
	if len(seen) != 70 {
		t.Errorf("got %d posts, want 70", len(seen))
	}
}
