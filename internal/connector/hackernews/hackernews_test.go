package hackernews

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/connectortest"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

func TestContract(t *testing.T) {
	connectortest.Run(t, testenv.Race, func(t *testing.T, clock connectortest.Clock) *connectortest.Fake {
		return newFake(t, clock.Now).network()
	})
}

// A world is a fake and a source that reads it, with a clock that waits move forward.
type world struct {
	t     testing.TB
	fake  *fake
	env   connector.Env
	sink  *sink
	mu    sync.Mutex
	clock time.Time // guarded by mu while requests are running
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func newWorld(t testing.TB, settings connector.Settings) *world {
	w := &world{t: t, clock: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), sink: &sink{posts: map[string]earshot.Post{}}}
	w.fake = newFake(t, w.now)
	all := w.fake.settings()
	for name, value := range settings {
		all[name] = value
	}
	w.env = connector.Env{
		Settings: all, HTTP: w.fake.Client(), Store: kv.NewMemory(), Log: slog.New(slog.DiscardHandler),
		Now: w.now,
		Wait: func(ctx context.Context, d time.Duration) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.clock = w.clock.Add(d)
			return ctx.Err()
		},
	}
	return w
}

// open starts the source with the last delivered cursor.
func (w *world) open() *reader {
	w.t.Helper()
	r, err := (&hackerNews{w.env}).open(w.t.Context(), w.sink.cursor, w.sink)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// run lets the source work for a time.
func (w *world) run(r *reader, d time.Duration) {
	w.t.Helper()
	for end := w.clock.Add(d); w.clock.Before(end); {
		if err := r.step(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// A sink selects posts with the word "earshot".
type sink struct {
	posts   map[string]earshot.Post
	stored  []string // guids in the order of deliveries
	deleted []string
	cursor  string
	mu      sync.Mutex
	count   connector.Counters // guarded by mu, because requests count concurrently
	states  []connector.State
	gaps    []connector.Gap
}

func (s *sink) Select(_ context.Context, posts []earshot.Post) (selected []earshot.Post) {
	for _, p := range posts {
		if strings.Contains(p.Title+p.Contents, "earshot") {
			selected = append(selected, p)
		}
	}
	return selected
}

func (s *sink) Deliver(ctx context.Context, b connector.Batch) error {
	if !b.Selected {
		b.Posts = s.Select(ctx, b.Posts)
	}
	for _, d := range b.Deletions {
		for _, guid := range d.GUIDs {
			s.deleted = append(s.deleted, guid)
			delete(s.posts, guid)
		}
	}
	for _, p := range b.Posts {
		s.stored = append(s.stored, p.GUID)
		s.posts[p.GUID] = p
	}
	s.cursor = b.Cursor
	return nil
}

func (s *sink) Report(state connector.State) { s.states = append(s.states, state) }
func (s *sink) Count(c connector.Counters) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Add(c)
}
func (s *sink) Gap(_ context.Context, g connector.Gap) error { s.gaps = append(s.gaps, g); return nil }

func pointer(n int64) *int64 { return &n }

func TestItems(t *testing.T) {
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f := func(body string, id int64, want earshot.Post) {
		t.Helper()
		it, err := decodeItem([]byte(body), id)
		if err != nil {
			t.Fatal(err)
		}
		got, skip := it.post(now)
		if skip != "" || !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v, skipped %q\nwant %+v", got, skip, want)
		}
	}
	f(`{"by":"dana","descendants":71,"id":8863,"kids":[9224,8917],"score":104,"time":1175714200,"title":"My app: throw away your USB &amp; drive","type":"story","url":"http://www.example.com/screencast.html"}`, 8863,
		earshot.Post{
			Source: earshot.HackerNews, GUID: "8863", URL: "https://news.ycombinator.com/item?id=8863", Site: "news.ycombinator.com",
			Time: time.Date(2007, 4, 4, 19, 16, 40, 0, time.UTC), Title: "My app: throw away your USB & drive", Contents: "My app: throw away your USB & drive",
			Author: "dana", AuthorUsername: "dana", AuthorProfileID: "dana", PageID: "dana", Engagement: earshot.OriginalPost,
			Likes: earshot.Counted(104), Comments: earshot.Counted(71), Links: []string{"http://www.example.com/screencast.html"},
		})
	f(`{"by":"norm","id":2921983,"kids":[2922097,2922429],"parent":2921506,"text":"Aw &quot;shucks&quot;.<p>See <a href=\"https:&#x2F;&#x2F;go.dev&#x2F;blog\" rel=\"nofollow\">https:&#x2F;&#x2F;go.dev&#x2F;blog</a>","time":1314211127,"type":"comment"}`, 2921983,
		earshot.Post{
			Source: earshot.HackerNews, GUID: "2921983", URL: "https://news.ycombinator.com/item?id=2921983", Site: "news.ycombinator.com",
			Time: time.Date(2011, 8, 24, 18, 38, 47, 0, time.UTC), Contents: "Aw \"shucks\".\n\nSee https://go.dev/blog",
			Author: "norm", AuthorUsername: "norm", AuthorProfileID: "norm", PageID: "norm", Engagement: earshot.Comment, ParentGUID: "2921506",
			Replies: earshot.Counted(2), Links: []string{"https://go.dev/blog"},
		})
	f(`{"by":"justin","id":192327,"score":6,"text":"We are hiring.","time":1210981217,"title":"Jobs at Acme","type":"job","url":""}`, 192327,
		earshot.Post{
			Source: earshot.HackerNews, GUID: "192327", URL: "https://news.ycombinator.com/item?id=192327", Site: "news.ycombinator.com",
			Time: time.Date(2008, 5, 16, 23, 40, 17, 0, time.UTC), Title: "Jobs at Acme", Contents: "We are hiring.",
			Author: "justin", AuthorUsername: "justin", AuthorProfileID: "justin", PageID: "justin", Engagement: earshot.OriginalPost, Likes: earshot.Counted(6),
		})
	f(`{"by":"pam","descendants":54,"id":126809,"parts":[126810,126811],"score":46,"text":"","time":99999999999,"title":"Poll: cats or dogs?","type":"poll","url":"javascript:alert(1)"}`, 126809,
		earshot.Post{
			Source: earshot.HackerNews, GUID: "126809", URL: "https://news.ycombinator.com/item?id=126809", Site: "news.ycombinator.com",
			Time: now, Title: "Poll: cats or dogs?", Contents: "Poll: cats or dogs?",
			Author: "pam", AuthorUsername: "pam", AuthorProfileID: "pam", PageID: "pam", Engagement: earshot.OriginalPost,
			Likes: earshot.Counted(46), Comments: earshot.Counted(54),
		})
}

func TestSkippedItems(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		it, err := decodeItem([]byte(body), 7)
		if err != nil {
			t.Fatal(err)
		}
		if _, skip := it.post(time.Now()); skip != want {
			t.Errorf("%s: skipped because %q, want %q", body, skip, want)
		}
	}
	f(`{"id":7,"type":"story","time":1314211127,"deleted":true}`, "deleted")
	f(`{"id":7,"type":"story","time":1314211127,"dead":true,"title":"x"}`, "killed by moderators or flags")
	f(`{"id":7,"type":"pollopt","time":1314211127,"text":"x"}`, "of another type")
	f(`{"id":7,"type":"comment","time":1314211127,"text":"<p> <p>"}`, "no text")
	f(`{"id":7,"type":"comment","text":"x"}`, "no usable date")
	if it, err := decodeItem([]byte("null"), 7); it != nil || err != nil {
		t.Errorf("null is %+v, %v, want no item", it, err)
	}
	if _, err := decodeItem([]byte(`{"id":8,"type":"comment"}`), 7); !errors.Is(err, errWrongItem) {
		t.Errorf("got %v for another item, want an error", err)
	}
}

func TestWalk(t *testing.T) {
	w := newWorld(t, nil)
	var want []string
	publish := func(n int) {
		for i := range n {
			it := w.fake.publish(item{Type: "comment", Text: "about earshot", Time: w.clock.Unix()})
			if i%2 == 0 {
				want = append(want, guid(it.ID))
			} else {
				w.fake.edit(it.ID, func(it *item) { it.Text = "nothing" })
			}
			w.clock = w.clock.Add(3 * time.Second)
		}
	}
	publish(300)
	want = want[100:] // a new source starts 100 items before the newest
	w.run(w.open(), time.Second)
	if !slices.Equal(w.sink.stored, want) {
		t.Fatalf("stored %v, want %v", w.sink.stored, want)
	}
	publish(500) // while the source is down
	w.run(w.open(), time.Second)
	if !slices.Equal(w.sink.stored, want) {
		t.Errorf("stored %v, want %v", w.sink.stored, want)
	}
	var lags []time.Duration
	for _, s := range w.sink.states {
		if s.Phase == connector.CatchingUp && s.Lag > 0 {
			lags = append(lags, s.Lag.Round(time.Minute))
		}
	}
	if len(lags) < 5 || lags[len(lags)-6] < 20*time.Minute || !slices.IsSortedFunc(lags[len(lags)-6:], func(a, b time.Duration) int { return int(b - a) }) {
		t.Errorf("reported the lags %v, want them to shrink from more than 20 minutes", lags)
	}
	if last := w.sink.states[len(w.sink.states)-1]; last.Phase != connector.Live {
		t.Errorf("the last state is %+v, want live", last)
	}
	if w.sink.count.Events < 600 || w.sink.count.Bytes == 0 {
		t.Errorf("counted %+v, want 600 events", w.sink.count)
	}
}

func TestChanges(t *testing.T) {
	w := newWorld(t, nil)
	r := w.open()
	w.run(r, time.Second)
	story := w.fake.publish(item{Title: "earshot", Score: pointer(1), Descendants: pointer(0)})
	other := w.fake.publish(item{Title: "something else"})
	w.run(r, 10*time.Second)
	id := guid(story.ID)
	version := func() string {
		p := w.sink.posts[id]
		return fmt.Sprintf("%s, %d points, stored %d times", p.Title, p.Likes.Int(), len(w.sink.stored))
	}
	f := func(what string, d time.Duration, want string) {
		t.Helper()
		w.run(r, d)
		if got := version(); got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	f("first version", 0, "earshot, 1 points, stored 1 times")
	for range 20 {
		w.fake.edit(story.ID, func(it *item) { it.Score = pointer(*it.Score + 1) })
		w.run(r, 5*time.Second)
	}
	f("points after a while", 0, "earshot, 2 points, stored 2 times") // at once, then not for ten minutes
	f("points later", 10*time.Minute, "earshot, 21 points, stored 3 times")
	w.fake.edit(story.ID, func(it *item) { it.Title = "renamed" })
	f("text that no monitor selects", 6*time.Second, "renamed, 21 points, stored 4 times")
	w.fake.edit(other.ID, func(it *item) { it.Title = "also earshot" })
	w.run(r, 6*time.Second)
	if got := w.sink.posts[guid(other.ID)].Title; got != "also earshot" {
		t.Errorf("an item that a monitor selects after a change has the title %q", got)
	}
	w.fake.edit(story.ID, func(it *item) { it.Dead = true })
	w.run(r, 6*time.Second)
	if !slices.Contains(w.sink.deleted, id) {
		t.Error("a killed item was not deleted")
	}
	w.fake.edit(story.ID, func(it *item) { it.Dead, it.Title = false, "earshot again" })
	w.run(r, 11*time.Minute)
	if got := w.sink.posts[id].Title; got != "earshot again" {
		t.Errorf("an item that came back has the title %q", got)
	}
}

// TestPause checks that changes are found that updates.json no longer lists.
func TestPause(t *testing.T) {
	w := newWorld(t, nil)
	w.run(w.open(), time.Second)
	var items []*item
	for range 10 {
		items = append(items, w.fake.publish(item{Type: "comment", Text: "earshot"}))
	}
	r := w.open()
	w.run(r, 2*time.Minute)
	w.fake.edit(items[3].ID, func(it *item) { it.Text = "changed" })
	w.fake.edit(items[4].ID, func(it *item) { it.Deleted = true })
	stored := len(w.sink.stored)
	w.clock = w.clock.Add(7 * 24 * time.Hour)
	w.run(w.open(), 6*time.Second)
	if got := w.sink.posts[guid(items[3].ID)].Contents; got != "changed" {
		t.Errorf("the changed item has the text %q", got)
	}
	if _, ok := w.sink.posts[guid(items[4].ID)]; ok {
		t.Error("the deleted item is still stored")
	}
	if n := len(w.sink.stored) - stored; n != 1 {
		t.Errorf("%d items were stored again, want only the changed one", n)
	}
}

func TestMissing(t *testing.T) {
	w := newWorld(t, nil)
	r := w.open()
	w.run(r, time.Second)
	late, never := w.fake.raw(nil), w.fake.raw(nil)
	w.run(r, time.Minute)
	w.fake.mu.Lock()
	w.fake.items[late] = &item{ID: late, Type: "comment", Text: "earshot", Time: w.clock.Unix(), By: "ann"}
	w.fake.mu.Unlock()
	r = w.open() // the cursor remembers what is missing
	w.run(r, 30*time.Second)
	if _, ok := w.sink.posts[guid(late)]; !ok {
		t.Error("an item that became visible after a minute is not stored")
	}
	w.run(r, 15*time.Minute)
	w.fake.publish(item{Text: "earshot"})
	w.run(r, 10*time.Second)
	if n := w.sink.count.Skipped["never became visible"]; n != 101 { // and those before the first item
		t.Errorf("gave up %d items, want 101", n)
	}
	if n := w.fake.readsOf(never); n < 5 || n > 40 {
		t.Errorf("read an item that is not visible %d times, want 5 to 40", n)
	}
}

func TestBackfill(t *testing.T) {
	w := newWorld(t, connector.Settings{"backfill_query": "earshot", "backfill_since": "2026-06-01"})
	since := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	var want []string
	add := func(n int, at func(i int) time.Time) {
		for i := range n {
			it := w.fake.publish(item{Type: "comment", Text: "earshot", Time: at(i).Unix()})
			want = append(want, guid(it.ID))
		}
	}
	add(1500, func(i int) time.Time { return since.Add(time.Duration(i) * 2 * time.Hour) })                        // even
	add(2600, func(i int) time.Time { return since.Add(31*24*time.Hour + time.Duration(i)*500*time.Millisecond) }) // a burst
	w.fake.publish(item{Type: "comment", Text: "earshot", Time: since.Unix() - 1})
	for range headStart {
		w.fake.publish(item{Text: "nothing"})
	}
	for i := 0; ; i++ {
		r := w.open()
		for range 5 { // then it is killed
			if err := r.step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if r.backfill.done {
			break
		}
		if i == 1000 {
			t.Fatal("the backfill does not end")
		}
	}
	slices.Sort(want)
	got := slices.Sorted(func(yield func(string) bool) {
		for guid := range w.sink.posts {
			if !yield(guid) {
				return
			}
		}
	})
	if !slices.Equal(got, want) {
		t.Errorf("stored %d items, want %d", len(got), len(want))
	}
	if n := len(w.sink.stored); n > len(want)+len(want)/2 {
		t.Errorf("stored %d items %d times", len(want), n)
	}
	if len(w.sink.gaps) > 0 {
		t.Errorf("got the gaps %+v, want none", w.sink.gaps)
	}
	searches := w.fake.searches
	w.run(w.open(), time.Minute)
	if w.fake.searches != searches {
		t.Error("a finished backfill searches again")
	}
}

// TestBackfillBurst checks that more hits than the search API can return are a gap.
func TestBackfillBurst(t *testing.T) {
	w := newWorld(t, connector.Settings{"backfill_query": "earshot", "backfill_since": "2026-11-01"})
	for range 1200 {
		w.fake.publish(item{Type: "comment", Text: "earshot", Time: w.clock.Add(-24 * time.Hour).Unix()})
	}
	for range headStart {
		w.fake.publish(item{Text: "nothing"})
	}
	w.run(w.open(), 3*time.Minute)
	if len(w.sink.posts) != 1000 || len(w.sink.gaps) != 1 || w.sink.gaps[0].To.Sub(w.sink.gaps[0].From) != time.Second {
		t.Errorf("stored %d items with the gaps %+v, want 1,000 and a gap of a second", len(w.sink.posts), w.sink.gaps)
	}
}

func TestBackfillErrors(t *testing.T) {
	w := newWorld(t, connector.Settings{"backfill_query": "earshot", "backfill_since": "2026-11-01"})
	var searches atomic.Int64
	w.env.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, "search") {
			searches.Add(1)
			return &http.Response{StatusCode: 500, Status: "500 Internal Server Error", Body: http.NoBody, Request: r}, nil
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	it := w.fake.publish(item{Text: "earshot"})
	w.run(w.open(), 30*time.Minute)
	if _, ok := w.sink.posts[guid(it.ID)]; !ok {
		t.Error("errors of the search API stop the source")
	}
	if n := searches.Load(); n < 5 || n > 12 {
		t.Errorf("searched %d times in half an hour of errors, want 5 to 12 times", n)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestParallelism(t *testing.T) {
	w := newWorld(t, nil)
	for range 200 {
		w.fake.publish(item{Text: "earshot"})
	}
	var now, most atomic.Int64
	w.env.HTTP.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		return http.DefaultTransport.RoundTrip(r)
	})
	w.run(w.open(), time.Second)
	if n := most.Load(); n < 2 || n > parallelism {
		t.Errorf("sent %d requests at once, want 2 to %d", n, parallelism)
	}
}

// TestKnown checks the bound on remembered items.
func TestKnown(t *testing.T) {
	store := kv.NewMemory()
	k, err := openKnown(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	const n = (maxChunks + 5) * chunkItems
	for id := int64(1); id <= n; id += 250 {
		var ids []int64
		for i := range int64(250) {
			ids = append(ids, id+i)
		}
		if err := k.add(t.Context(), ids, now); err != nil {
			t.Fatal(err)
		}
	}
	k.stored(n, version{1, 2})
	k.remove(n - 1)
	if err := k.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := openKnown(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []*known{k, again} {
		if ids := k.since(now.Add(-time.Hour)); len(ids) != maxChunks*chunkItems-1 || ids[0] != 5*chunkItems+1 {
			t.Errorf("knows %d items from %d on", len(ids), ids[0])
		}
		if v, ok := k.find(n); !ok || v != (version{1, 2}) {
			t.Errorf("the last item has the version %v, %v", v, ok)
		}
		if _, ok := k.find(n - 1); ok {
			t.Error("a removed item is known")
		}
	}
}

func TestSettings(t *testing.T) {
	f := func(name, value, want string) {
		t.Helper()
		err := Kind().Check(connector.Settings{name: value}, "")
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%s %q: got %q, want %q", name, value, got, want)
		}
	}
	f("interval", "5", "<nil>")
	f("interval", "0", "interval must be")
	f("interval", "abc", "interval must be")
	f("url", "ftp://a", "url must be")
	f("search_url", "x", "search_url must be")
	f("url", "https://user:secret@a.example", "must not contain")
	f("backfill_query", "x", "must be set together")
	f("backfill_since", "yesterday", "backfill_since must be a date")
	if err := Kind().Check(connector.Settings{"backfill_query": "x", "backfill_since": "2026-01-31"}, ""); err != nil {
		t.Error(err)
	}
}

func FuzzItem(f *testing.F) {
	f.Add([]byte(`{"by":"dana","descendants":71,"id":7,"kids":[9224,8917],"score":104,"time":1175714200,"title":"My app","type":"story","url":"http://example.com/"}`))
	f.Add([]byte(`{"by":"norm","id":7,"parent":2921506,"text":"Aw &quot;shucks&quot;.<p>x","time":1314211127,"type":"comment"}`))
	f.Add([]byte(`null`))
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, b []byte) {
		it, err := decodeItem(b, 7)
		if it == nil || err != nil {
			return
		}
		it.version()
		if p, skip := it.post(now); skip == "" {
			checkPost(t, &p)
		}
	})
}

func FuzzSearch(f *testing.F) {
	f.Add([]byte(`{"hits":[{"objectID":"121016","author":"ann","created_at_i":1203648003,"comment_text":"<p>x","parent_id":121003,"_tags":["comment"]}],"nbHits":1}`))
	f.Add([]byte(`{"items":[1,2],"profiles":["ann"]}`))
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = decodeUpdates(b)
		page, err := decodeSearch(b)
		if err != nil {
			return
		}
		posts, _ := page.posts(now)
		for _, p := range posts {
			checkPost(t, &p)
		}
	})
}

// checkPost checks what a stored post needs.
func checkPost(t *testing.T, p *earshot.Post) {
	t.Helper()
	if _, err := strconv.ParseInt(p.GUID, 10, 64); err != nil || p.Time.IsZero() || p.Source != earshot.HackerNews || strings.TrimSpace(p.Contents) == "" {
		t.Errorf("got a post without guid, time, source or contents: %+v", p)
	}
	if again := *p; connector.Clean(&again) != "" || !reflect.DeepEqual(again, *p) {
		t.Errorf("the post is not clean: %+v", p)
	}
}

func BenchmarkItem(b *testing.B) {
	body := []byte(`{"by":"norm","id":2921983,"kids":[2922097,2922429,2924562],"parent":2921506,"text":"` + strings.Repeat(`Aw shucks, guys ... you make me blush with your compliments.<p>Tell you what, <a href=\"https:&#x2F;&#x2F;go.dev&#x2F;\">see</a>: `, 5) + `","time":1314211127,"type":"comment"}`)
	now := time.Now()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		it, err := decodeItem(body, 2921983)
		if err != nil {
			b.Fatal(err)
		}
		if _, skip := it.post(now); skip != "" {
			b.Fatal(skip)
		}
	}
}

// BenchmarkWalk catches up with 10,000 items on a server on the same machine.
func BenchmarkWalk(b *testing.B) {
	w := newWorld(b, nil)
	w.run(w.open(), time.Second)
	for i := range 10_000 {
		text := "nothing much, but a comment of the usual length, which is a few sentences. "
		if i%10 == 0 {
			text += "earshot"
		}
		w.fake.publish(item{Type: "comment", Text: strings.Repeat(text, 4)})
	}
	start := w.sink.cursor
	w.env.HTTP = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: parallelism}}
	for b.Loop() {
		w.sink.cursor = start
		w.env.Store = kv.NewMemory()
		w.run(w.open(), time.Second)
	}
	b.ReportMetric(float64(b.N)*10_000/b.Elapsed().Seconds(), "items/s")
}
