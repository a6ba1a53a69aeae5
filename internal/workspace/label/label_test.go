package label

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"reflect"
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

// A world has a BUZZ monitor 1 with filter 2, and an opinion monitor 3, with 10 posts a day from March 1
// to 20.
type world struct {
	*Service
	*testing.T
	ann, ben, zoe *earshot.Caller // zoe is in another team
	now           time.Time
}

const team = earshot.TeamID(9)

func newWorld(t *testing.T) *world {
	t.Helper()
	records, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(records.Close)
	store := memory.New()
	w := &world{T: t, now: time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC)}
	w.Service = &Service{Catalog: records, Posts: store, Now: func() time.Time { return w.now }}
	caller := func(id earshot.UserID, name string, of earshot.TeamID) *earshot.Caller {
		return earshot.NewCaller(&earshot.User{ID: id, Username: name, Teams: []earshot.TeamID{of}})
	}
	w.ann, w.ben, w.zoe = caller(5, "ann", team), caller(6, "ben", team), caller(7, "zoe", team+1)
	start := earshot.Date{Year: 2026, Month: time.March, Day: 1}
	var basic []earshot.Category
	for i, name := range earshot.BasicCategories {
		basic = append(basic, earshot.Category{ID: earshot.CategoryID(101 + i), Name: name})
	}
	for _, m := range []*earshot.Monitor{
		{ID: 1, Team: team, Type: earshot.Buzz, Start: start, Enabled: true, Timezone: "UTC", Filters: []earshot.Filter{{ID: 2, Name: "f"}}, Categories: basic},
		{ID: 3, Team: team, Type: earshot.Opinion, Start: start, Enabled: true, Timezone: "UTC", Categories: []earshot.Category{{ID: 100, Name: "Taste"}}},
	} {
		if err := records.Monitors.Add(t.Context(), m.ID, m); err != nil {
			t.Fatal(err)
		}
	}
	var posts []poststore.MatchedPost
	for n := range 200 {
		p := earshot.Post{Source: earshot.News, GUID: fmt.Sprint(n), Time: start.AddDays(n / 10).Start(time.UTC).Add(time.Hour), Sentiment: earshot.Sentiment{90, 5, 5}}
		if n%4 == 0 {
			p.Sentiment = earshot.Sentiment{5, 5, 90}
		}
		posts = append(posts, poststore.MatchedPost{Post: p, Sets: []poststore.SetID{1, 2, 3}})
	}
	if err := store.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) draw(posts int, days earshot.Days) *earshot.LabelSample {
	w.Helper()
	sample, err := w.Draw(w.Context(), w.ann, 1, Draw{posts, days})
	if err != nil {
		w.Fatal(err)
	}
	return sample
}

// set labels a post and returns the error.
func (w *world) set(c *earshot.Caller, post earshot.PostKey, sentiment int) error {
	return w.Set(w.Context(), c, 1, post, earshot.PostLabel{Sentiment: sentiment})
}

func (w *world) wantError(err error, kind earshot.Kind, text string) {
	w.Helper()
	if !earshot.IsKind(err, kind) || !strings.Contains(err.Error(), text) {
		w.Errorf("got %v, want %v with %q", err, kind, text)
	}
}

func TestDraw(t *testing.T) {
	w := newWorld(t)
	march := func(from, to int) earshot.Days {
		first := earshot.Date{Year: 2026, Month: time.March, Day: 1}
		return earshot.Days{Start: first.AddDays(from - 1), End: first.AddDays(to - 1)}
	}
	seen := map[earshot.PostKey]bool{}
	count := func(sample *earshot.LabelSample) (negative int) {
		for _, p := range sample.Posts {
			if seen[p.Post] {
				t.Errorf("post %s is drawn twice", p.Post.GUID)
			}
			seen[p.Post] = true
			var n int
			if fmt.Sscan(p.Post.GUID, &n); n%4 == 0 {
				negative++
			}
			if want := march(1, 2).Start.AddDays(n / 10).Start(time.UTC).Add(time.Hour); !p.Posted.Equal(want) {
				t.Errorf("post %d: got the time %v, want %v", n, p.Posted, want)
			}
		}
		return negative
	}
	all := w.draw(40, earshot.Days{})
	if negative := count(all); len(all.Posts) != 40 || all.Of != 200 || negative < 9 || negative > 11 {
		t.Errorf("got %d of %d posts, %d negative; want 40 of 200, 10 negative", len(all.Posts), all.Of, negative)
	}
	some := w.draw(200, march(5, 7))
	if count(some); some.Of != 20 || len(some.Posts)+len(all.Posts) > 60 || len(some.Posts) < 10 {
		t.Errorf("got %d of %d posts, want those of 20 that were not drawn before", len(some.Posts), some.Of)
	}
	f := func(c *earshot.Caller, id earshot.MonitorID, d Draw, kind earshot.Kind, text string) {
		t.Helper()
		_, err := w.Draw(t.Context(), c, id, d)
		w.wantError(err, kind, text)
	}
	f(w.ann, 1, Draw{5, march(5, 7)}, earshot.Invalid, "no posts from 2026-03-05 to 2026-03-06 that are not in a sample yet")
	f(w.ann, 1, Draw{5, march(7, 7)}, earshot.Invalid, "end must be after start")
	f(w.ann, 1, Draw{0, earshot.Days{}}, earshot.Invalid, "posts must be from 1 to 200")
	f(w.ann, 1, Draw{201, earshot.Days{}}, earshot.Invalid, "posts must be from 1 to 200")
	f(w.zoe, 1, Draw{5, earshot.Days{}}, earshot.NotFound, "Monitor 1")
	f(w.ann, 8, Draw{5, earshot.Days{}}, earshot.NotFound, "Monitor 8")
	for range earshot.MaxSamples - 2 {
		w.draw(1, earshot.Days{})
	}
	f(w.ann, 2, Draw{5, earshot.Days{}}, earshot.Invalid, "has 20 samples, which is the maximum")
	w.wantError(w.RemoveSample(t.Context(), w.zoe, some.ID), earshot.NotFound, "does not exist")
	if err := w.RemoveSample(t.Context(), w.ann, some.ID); err != nil {
		t.Fatal(err)
	}
	w.draw(5, march(5, 7))
}

// TestEveryPostIsEquallyLikely draws often, and counts how often each post is drawn.
func TestEveryPostIsEquallyLikely(t *testing.T) {
	const posts, rounds = 50, 2000
	random := rand.New(rand.NewPCG(1, 1))
	for _, drawn := range []int{1, 7, 25, 43, 50, 60} {
		counts := make([]int, posts)
		for range rounds {
			pool := make([]candidate, posts)
			for i := range pool {
				pool[i] = candidate{key: earshot.PostKey{GUID: fmt.Sprint(i)}, cell: earshot.ScoreCell(i % 2), time: time.Unix(int64(i*i%17), 0)}
			}
			list, odd := spread(pool, drawn, random), 0
			for _, x := range list {
				var i int
				fmt.Sscan(x.key.GUID, &i)
				counts[i]++
				odd += i % 2
			}
			if len(list) != min(drawn, posts) || odd < len(list)/2-1 || odd > len(list)/2+1 {
				t.Fatalf("drew %d posts, %d of them with the scores of every other post; want %d, half of them", len(list), odd, drawn)
			}
		}
		p := float64(min(drawn, posts)) / posts
		want, sd := rounds*p, math.Sqrt(rounds*p*(1-p))
		for i, n := range counts {
			if math.Abs(float64(n)-want) > 5*sd {
				t.Errorf("%d of %d posts: post %d was drawn %d times, want about %.0f", drawn, posts, i, n, want)
			}
		}
	}
}

// TestPeriodicPosts draws 50 of 1,000 posts of which every 20th is different, such as one by a program each
// hour. Every 20th post would be all of these posts, or none.
func TestPeriodicPosts(t *testing.T) {
	const posts, drawn, period, rounds = 1000, 50, 20, 500
	random := rand.New(rand.NewPCG(2, 1))
	counts := map[int]int{}
	sum := 0
	for range rounds {
		pool := make([]candidate, posts)
		for i := range pool {
			pool[i] = candidate{key: earshot.PostKey{GUID: fmt.Sprint(i)}, cell: 9, time: time.Unix(int64(i), 0)}
		}
		n := 0
		for _, x := range spread(pool, drawn, random) {
			if x.time.Unix()%period == 0 {
				n++
			}
		}
		counts[n]++
		sum += n
	}
	mean, variance := float64(sum)/rounds, 0.0
	for n, rounded := range counts {
		variance += float64(rounded) * (float64(n) - mean) * (float64(n) - mean) / rounds
	}
	// With 50 independent posts, 2.5 would be drawn, with a variance of 2.4.
	if math.Abs(mean-drawn/float64(period)) > 0.4 || variance > 3 {
		t.Errorf("got a mean of %.2f and a variance of %.2f, counts %v; want 2.5 and at most 3", mean, variance, counts)
	}
}

// TestDrawsRepeat draws twice at the same time.
func TestDrawsRepeat(t *testing.T) {
	draw := func() (list []earshot.SampledPost) { return newWorld(t).draw(30, earshot.Days{}).Posts }
	if a, b := draw(), draw(); !reflect.DeepEqual(a, b) {
		t.Errorf("got %v, then %v", a, b)
	}
}

// TestRemovedPosts draws posts that are removed from the store before anyone labels them.
func TestRemovedPosts(t *testing.T) {
	w := newWorld(t)
	sample := w.draw(20, earshot.Days{})
	gone := earshot.Deletion{Source: earshot.News, GUIDs: []string{sample.Posts[0].Post.GUID, sample.Posts[7].Post.GUID}}
	if err := w.Posts.(*memory.Store).Delete(t.Context(), 2, gone); err != nil {
		t.Fatal(err)
	}
	if err := w.set(w.ann, sample.Posts[1].Post, 1); err != nil {
		t.Fatal(err)
	}
	if state, err := w.State(t.Context(), w.ann, 1); err != nil || state.Remaining != 17 || state.Posts != 20 || state.Labeled != 1 {
		t.Errorf("got %+v, %v; want 17 posts that remain", state, err)
	}
}

func TestLabels(t *testing.T) {
	w := newWorld(t)
	sample := w.draw(4, earshot.Days{})
	keys := make([]earshot.PostKey, 4)
	for i, p := range sample.Posts {
		keys[i] = p.Post
	}
	next := func(c *earshot.Caller, limit int) (found []earshot.PostKey, remaining int) {
		t.Helper()
		posts, remaining, err := w.Next(t.Context(), c, 2, limit)
		if err != nil {
			t.Fatal(err)
		}
		for i := range posts {
			found = append(found, posts[i].Key())
		}
		return found, remaining
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, n := next(w.ann, 3); !slices.Equal(got, keys[:3]) || n != 4 {
		t.Errorf("got %v of %d", got, n)
	}
	check(w.set(w.ann, keys[0], 1))
	check(w.set(w.ann, keys[1], 2))
	check(w.set(w.ann, keys[1], 3)) // replaces it
	check(w.set(w.ben, keys[0], 1))
	check(w.set(w.ben, keys[1], 1))
	check(w.set(w.ben, keys[2], 0)) // cannot tell
	if got, n := next(w.ben, 10); !slices.Equal(got, keys[3:]) || n != 1 {
		t.Errorf("ben: got %v of %d", got, n)
	}
	if got, n := next(w.ann, 10); !slices.Equal(got, []earshot.PostKey{keys[3], keys[2]}) || n != 2 {
		t.Errorf("ann: got %v of %d, want first what nobody has labeled", got, n)
	}
	state, err := w.State(t.Context(), w.ann, 1)
	check(err)
	if state.Posts != 4 || state.Labeled != 3 || state.Remaining != 2 || state.Compared != 2 || state.Agreed != 1 || len(state.Samples) != 1 || state.Samples[0].Labeled != 3 {
		t.Errorf("got %+v", state)
	}
	if got, want := fmt.Sprint(state.People), "[{ann 2 0} {ben 2 1}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(state.Disagreements), "[{"+keys[1].Text()+" [{ann negative  0} {ben positive  0}]}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := w.Samples(2)[0].Posts[1].Votes(3, func(l *earshot.PostLabel) int { return l.Sentiment - 1 }); !slices.Equal(got, []float64{0.5, 0, 0.5}) {
		t.Errorf("got votes %v", got)
	}
	check(w.Remove(t.Context(), w.ann, 1, keys[1]))
	w.wantError(w.Remove(t.Context(), w.ann, 1, keys[1]), earshot.NotFound, "You have not labeled the post")
	if _, n := next(w.ann, 10); n != 3 {
		t.Errorf("%d posts remain after a label was taken back, want 3", n)
	}

	w.wantError(w.set(w.ann, earshot.PostKey{Source: earshot.News, GUID: "x"}, 1), earshot.NotFound, "is not in a sample")
	w.wantError(w.set(w.zoe, keys[0], 1), earshot.NotFound, "Monitor 1")
	w.wantError(w.set(w.ann, keys[0], 4), earshot.Invalid, "no such sentiment")
	w.wantError(w.Set(t.Context(), w.ann, 1, keys[0], earshot.PostLabel{Category: 100}), earshot.Invalid, "only posts of an opinion monitor")
	w.wantError(w.Set(t.Context(), w.ann, 3, keys[0], earshot.PostLabel{Sentiment: 1}), earshot.Invalid, "category instead of a sentiment")
	w.wantError(w.Set(t.Context(), w.ann, 3, keys[0], earshot.PostLabel{Category: 101}), earshot.NotFound, "Category 101")

	if n, err := w.RemovePosts(t.Context(), []earshot.PostKey{keys[0], {GUID: "x"}}); n != 1 || err != nil || len(w.Samples(1)[0].Posts) != 3 {
		t.Errorf("removed %d posts, %v", n, err)
	}
	check(w.Clean(t.Context()))
	if len(w.Samples(1)) != 1 {
		t.Error("the sample of a monitor that exists is gone")
	}
	_, err = w.Catalog.Monitors.Update(t.Context(), 1, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	check(err)
	check(w.Clean(t.Context()))
	if list := w.Catalog.Samples.List(); len(list) != 0 {
		t.Errorf("got %d samples after the monitor was removed", len(list))
	}
}

func TestAdvice(t *testing.T) {
	now := time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC)
	f := func(s State, drift bool, want ...string) {
		t.Helper()
		got := s.Advice(drift, now)
		if len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		for i := range got {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("got %q, want %q", got[i], want[i])
			}
		}
	}
	samples := func(s Sample) []Sample { return []Sample{{Outdated: true}, s} }
	f(State{}, true, "not calibrated")
	f(State{Samples: samples(Sample{Time: now}), Labeled: 29}, false, "Label at least 30")
	f(State{Samples: samples(Sample{Time: now}), Labeled: 50, Compared: 10, Agreed: 7}, false)
	f(State{Samples: samples(Sample{Time: now}), Labeled: 50}, true, "differently than older ones")
	f(State{Samples: samples(Sample{Time: now, Outdated: true}), Labeled: 50}, true, "criteria of the monitor changed")
	f(State{Samples: samples(Sample{Time: now.AddDate(0, 0, -91)}), Labeled: 50, Compared: 10, Agreed: 6}, false, "more than 90 days old", "only 6 of the 10")
}
