package mastodon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

// A world is a fake and a source that reads it, with a clock that waits move forward.
type world struct {
	t    testing.TB
	fake *fake
	env  connector.Env
	sink *sink
	log  *bytes.Buffer

	mu    sync.Mutex
	clock time.Time
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, clock: noon, sink: newSink(), log: &bytes.Buffer{}}
	w.fake = newFake(t, w.now)
	w.env = connector.Env{
		Source:   &earshot.LiveSource{Team: 7},
		Settings: w.fake.settings(), Secret: w.fake.token, HTTP: w.fake.Client(), Store: kv.NewMemory(), Log: slog.New(slog.NewTextHandler(w.log, nil)), Now: w.now,
		Wait: func(ctx context.Context, d time.Duration) error {
			w.advance(d)
			return ctx.Err()
		},
	}
	return w
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(max(d, 0))
}

// open starts the source with the last delivered cursor, and reads what it has missed.
func (w *world) open() *reader {
	w.t.Helper()
	r, err := (&mastodon{w.env}).open(w.t.Context(), w.sink.cursor, w.sink)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range r.streams {
		if err := r.start(w.t.Context(), s); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, s := range r.streams { // as if the streams were open
		if err := r.opened(w.t.Context(), s); err != nil {
			w.t.Fatal(err)
		}
	}
	for r.rechecking() {
		if _, err := r.work(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		w.advance(time.Second)
	}
	w.advance(moveCursorEvery)
	if _, err := r.work(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return r
}

// work does what is due, except to read the timelines.
func (w *world) work(r *reader) {
	w.t.Helper()
	for wait := time.Duration(0); wait == 0; {
		var err error
		if wait, err = r.work(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// events passes messages to the source.
func (w *world) events(r *reader, messages ...message) {
	w.t.Helper()
	var changes []change
	for _, m := range messages {
		changes = append(changes, r.change(event{stream: r.streams[0], message: m}))
	}
	if err := r.store(w.t.Context(), changes); err != nil {
		w.t.Fatal(err)
	}
}

func (p *fakePost) uri() string { return p.json["uri"].(string) }

func (p *fakePost) message(name string) message {
	if name == "delete" {
		return message{name: name, data: strconv.AppendUint(nil, p.id, 10)}
	}
	return message{name: name, data: mustJSON(p.json)}
}

// A sink selects posts with the word "earshot". It is safe for concurrent use.
type sink struct {
	mu      sync.Mutex
	posts   map[string]earshot.Post
	stored  []string // guids in the order of deliveries
	deleted []string
	cursor  string
	count   connector.Counters
	states  []connector.State
	gaps    []connector.Gap

	reconnects chan struct{} // has a token for each reconnect
}

func newSink() *sink {
	return &sink{posts: map[string]earshot.Post{}, reconnects: make(chan struct{}, 100)}
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
	s.mu.Lock()
	defer s.mu.Unlock()
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
	return ctx.Err()
}

func (s *sink) Report(state connector.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.states = append(s.states, state)
}

// state returns the last reported state.
func (s *sink) state() connector.State { return s.states[len(s.states)-1] }

func (s *sink) Count(c connector.Counters) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Add(c)
	for range c.Reconnects {
		s.reconnects <- struct{}{}
	}
}

func (s *sink) Gap(_ context.Context, g connector.Gap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaps = append(s.gaps, g)
	return nil
}

func TestCatchUp(t *testing.T) {
	w := newWorld(t)
	var want []string
	publish := func(n int) {
		for range n {
			want = append(want, w.fake.publish("about earshot").uri())
			w.fake.publish("nothing")
			w.advance(2 * time.Second)
		}
	}
	publish(200)
	want = want[200-firstPages*pageSize/2:]
	w.open()
	if !slices.Equal(w.sink.stored, want) {
		t.Fatalf("a new source stored %d posts, want %d", len(w.sink.stored), len(want))
	}
	publish(5000)
	w.advance(time.Hour)
	w.open()
	if !slices.Equal(w.sink.stored, want) {
		t.Errorf("stored %d posts, want %d, each once", len(w.sink.stored), len(want))
	}
	if i := slices.IndexFunc(w.sink.states, func(s connector.State) bool { return s.Phase == connector.CatchingUp && s.Lag > time.Hour }); i < 0 {
		t.Error("did not report a lag of more than an hour")
	}
	if w.fake.violation != "" || len(w.sink.gaps) > 0 {
		t.Errorf("the fake noticed %q; the gaps are %+v", w.fake.violation, w.sink.gaps)
	}
}

// TestCatchUpLimit checks that a backlog that is too large is a gap.
func TestCatchUpLimit(t *testing.T) {
	testenv.SkipUnderRace(t)
	w := newWorld(t)
	w.fake.publish("first")
	w.open()
	for range maxPages*pageSize + 500 {
		w.fake.publish("x")
		w.advance(10 * time.Millisecond)
	}
	last := w.fake.publish("earshot")
	w.open()
	if len(w.sink.gaps) != 1 || w.sink.gaps[0].To.Sub(w.sink.gaps[0].From) < 5*time.Second {
		t.Errorf("got the gaps %+v, want one", w.sink.gaps)
	}
	if _, ok := w.sink.posts[last.uri()]; !ok {
		t.Error("the newest post is missing")
	}
	if w.fake.violation != "" {
		t.Error(w.fake.violation)
	}
}

// TestLatePost checks that a post of another server is found although its id is before the cursor.
func TestLatePost(t *testing.T) {
	w := newWorld(t)
	w.fake.publish("earshot 1")
	w.advance(time.Minute)
	w.fake.publish("earshot 2")
	w.open()
	w.fake.mu.Lock()
	id := w.fake.posts[1].id - 30_000<<16
	late := &fakePost{id: id, json: statusJSON(id, "https://other.example", "earshot, federated late", w.now().Add(-30*time.Second))}
	w.fake.posts = slices.Insert(w.fake.posts, 1, late)
	w.fake.mu.Unlock()
	w.open()
	if _, ok := w.sink.posts[late.uri()]; !ok || len(w.sink.stored) != 3 {
		t.Errorf("stored %v", w.sink.stored)
	}
}

func TestRecheck(t *testing.T) {
	for _, single := range []bool{false, true} {
		w := newWorld(t)
		w.fake.noBatch = single
		var posts []*fakePost
		for range 30 {
			posts = append(posts, w.fake.publish("earshot"))
		}
		w.open()
		stored := len(w.sink.stored)
		w.fake.edit(posts[3].uri(), func(post map[string]any) { post["content"] = "<p>changed</p>" })
		w.fake.edit(posts[4].uri(), func(post map[string]any) { post["favourites_count"] = 5 })
		w.fake.delete(posts[5].uri())
		w.fake.edit(posts[6].uri(), func(post map[string]any) {
			account := maps.Clone(post["account"].(map[string]any))
			account["note"] = "<p>#nobot</p>"
			post["account"] = account
		})
		w.advance(7 * 24 * time.Hour)
		w.open()
		if p := w.sink.posts[posts[3].uri()]; p.Contents != "changed" {
			t.Errorf("the changed post has the text %q", p.Contents)
		}
		if p := w.sink.posts[posts[4].uri()]; p.Likes.Int() != 5 {
			t.Errorf("the liked post has %d likes", p.Likes.Int())
		}
		if want := []string{posts[5].uri(), posts[6].uri()}; !slices.Equal(slices.Sorted(slices.Values(w.sink.deleted)), want) {
			t.Errorf("deleted %v, want %v", w.sink.deleted, want)
		}
		if n := len(w.sink.stored) - stored; n != 2 {
			t.Errorf("%d posts were stored again, want two", n)
		}
	}
}

// TestSeen checks that the cursor does not claim changes that were not looked for yet.
func TestSeen(t *testing.T) {
	w := newWorld(t)
	for range 50 {
		w.fake.publish("earshot")
	}
	r := w.open()
	before := r.cursor.Seen
	r.lost(event{stream: r.streams[0], kind: closed, err: errDead})
	w.advance(time.Hour)
	seen := func(what string, want bool) {
		t.Helper()
		if err := r.deliver(t.Context(), connector.Batch{}); err != nil {
			t.Fatal(err)
		}
		if got := r.cursor.Seen > before; got != want {
			t.Errorf("%s: the time in the cursor moved: %v, want %v", what, got, want)
		}
	}
	seen("while the stream is closed", false)
	if err := r.opened(t.Context(), r.streams[0]); err != nil {
		t.Fatal(err)
	}
	seen("before posts are read again", false)
	for r.rechecking() {
		if err := r.recheckSome(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	seen("afterwards", true)
}

// TestRecheckEmpty checks that an answer without posts does not delete them.
func TestRecheckEmpty(t *testing.T) {
	w := newWorld(t)
	w.fake.emptyList = true
	for range 30 {
		w.fake.publish("earshot")
	}
	w.open()
	gone := w.fake.posts[7].uri()
	w.fake.delete(gone)
	w.advance(time.Hour)
	w.open()
	if !slices.Equal(w.sink.deleted, []string{gone}) {
		t.Errorf("deleted %d posts, want one", len(w.sink.deleted))
	}
}

// TestRecheckControl checks that a server that does not return stored posts, for whatever reason,
// deletes none of them until it returns a post again, and that the source's state says so.
func TestRecheckControl(t *testing.T) {
	const page = "<html>We will be back soon</html>"
	f := func(what string, fail func(f *fake), want string) {
		t.Helper()
		for _, secret := range []string{"secret-token", ""} {
			w := newWorld(t)
			w.env.Secret = secret
			for range 30 {
				w.fake.publish("earshot")
			}
			gone := w.fake.posts[7].uri()
			w.open()
			w.fake.delete(gone)
			fail(w.fake)
			w.advance(time.Hour)
			requests := w.fake.total()
			r := w.open()
			want := strings.ReplaceAll(want, "SERVER", w.fake.domain)
			if len(w.sink.deleted) > 0 || w.sink.state().Phase != connector.Live || w.sink.state().Reason != want {
				t.Fatalf("%s: deleted %d posts in the state %+v, want none and %q", what, len(w.sink.deleted), w.sink.state(), want)
			}
			if n := w.fake.total() - requests; n > 40 {
				t.Errorf("%s: sent %d requests, want a few", what, n)
			}
			seen := r.cursor.Seen
			for range 30 { // it retries, in vain
				w.advance(moveCursorEvery)
				w.work(r)
			}
			if len(w.sink.deleted) > 0 || r.cursor.Seen != seen || w.sink.state().Reason != want {
				t.Errorf("%s: later deleted %d posts in the state %+v; the time in the cursor moved by %d s", what, len(w.sink.deleted), w.sink.state(), r.cursor.Seen-seen)
			}

			w.fake.page, w.fake.lost = "", false
			for range 12 {
				w.advance(moveCursorEvery)
				w.work(r)
			}
			if !slices.Equal(w.sink.deleted, []string{gone}) || w.sink.state() != (connector.State{Phase: connector.Live}) || r.cursor.Seen == seen {
				t.Errorf("%s: after the server recovered, deleted %d posts in the state %+v, want one", what, len(w.sink.deleted), w.sink.state())
			}
		}
	}
	const suspended = "Stored posts are not checked for deletions for now: SERVER "
	f("a maintenance page", func(f *fake) { f.page, f.pageStatus = page, 404 }, suspended+"returned neither a stored post nor Mastodon's error for it")
	f("a maintenance page with 410", func(f *fake) { f.page, f.pageStatus, f.noBatch = page, 410, true }, suspended+"returned neither a stored post nor Mastodon's error for it")
	f("a page with 200", func(f *fake) { f.page, f.pageStatus, f.noBatch = page, 200, true }, suspended+"returned neither a stored post nor Mastodon's error for it")
	f("a server that finds no post", func(f *fake) { f.lost = true }, suspended+"found none of its posts")
	f("one that returns posts one by one, and finds none", func(f *fake) { f.lost, f.noBatch = true, true }, suspended+"found none of its posts")
	f("one that lists only some posts, and no others", func(f *fake) { f.lists, f.lost = 5, true }, suspended+"found none of its posts")
}

// TestRecheckLast checks that the only stored post can be deleted if the timeline has others.
func TestRecheckLast(t *testing.T) {
	w := newWorld(t)
	only := w.fake.publish("earshot")
	w.fake.publish("nothing")
	w.open()
	w.fake.delete(only.uri())
	w.advance(time.Hour)
	w.open()
	if !slices.Equal(w.sink.deleted, []string{only.uri()}) || w.sink.state().Reason != "" {
		t.Errorf("deleted %v in the state %+v, want %s", w.sink.deleted, w.sink.state(), only.uri())
	}
}

// TestRecheckMany checks that many deletions cost few requests more than there are deletions.
func TestRecheckMany(t *testing.T) {
	w := newWorld(t)
	for range 100 {
		w.fake.publish("earshot")
	}
	w.open()
	for _, p := range slices.Clone(w.fake.posts[:90]) {
		w.fake.delete(p.uri())
	}
	w.advance(time.Hour)
	requests := w.fake.total()
	w.open()
	if n := w.fake.total() - requests; len(w.sink.deleted) != 90 || n > 120 {
		t.Errorf("deleted %d posts with %d requests, want 90 with at most 120", len(w.sink.deleted), n)
	}
}

func TestEvents(t *testing.T) {
	w := newWorld(t)
	r := w.open()
	f := func(what string, want string, messages ...message) {
		t.Helper()
		w.sink.stored, w.sink.deleted = nil, nil
		w.events(r, messages...)
		var got []string
		for _, guid := range w.sink.deleted {
			got = append(got, "deleted "+guid[strings.LastIndexByte(guid, '/')+1:])
		}
		for _, guid := range w.sink.stored {
			got = append(got, "stored "+w.sink.posts[guid].Contents)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: got %q, want %q", what, text, want)
		}
	}
	post := func(id uint64, content string) *fakePost {
		return &fakePost{id: id, json: statusJSON(id, "https://b.example", content, noon)}
	}
	const tag = "\n\n#test"
	f("a new post", "stored earshot"+tag, post(100, "earshot").message("update"))
	f("the same post again", "", post(100, "earshot").message("update"))
	f("an old version of it", "", post(100, "earshot old").message("update"))
	f("an edit", "stored earshot v2"+tag, post(100, "earshot v2").message("status.update"))
	f("an edit that no monitor selects", "stored v3"+tag, post(100, "v3").message("status.update"))
	f("the same edit again", "", post(100, "v3").message("status.update"))
	f("a post that no monitor selects", "", post(101, "nothing").message("update"))
	f("its deletion", "", post(101, "nothing").message("delete"))
	f("an edit of it that a monitor selects", "stored earshot 101"+tag, post(101, "earshot 101").message("status.update"))
	f("a deletion", "deleted 100", post(100, "").message("delete"))
	f("the same deletion again", "", post(100, "").message("delete"))
	f("a post that is deleted at once", "deleted 102", post(102, "earshot").message("update"), post(102, "").message("delete"))
	f("a post that is edited at once", "stored earshot b"+tag, post(103, "earshot a").message("update"), post(103, "earshot b").message("status.update"))
	f("a post that comes back", "stored earshot back"+tag, post(103, "").message("delete"), post(103, "earshot back").message("update"))
	f("many", "stored earshot 1"+tag+", stored earshot 2"+tag, post(105, "earshot 1").message("update"), post(104, "nothing").message("update"), post(106, "earshot 2").message("update"))
	hidden := post(106, "earshot 2")
	hidden.json["account"].(map[string]any)["indexable"] = false
	f("an author who opts out", "deleted 106", hidden.message("status.update"))
	f("junk", "", message{name: "update", data: []byte("{")}, message{name: "delete", data: []byte("a b")}, message{name: "announcement"}, message{large: true})
	if r.cursor.IDs["hashtag:test"] != "106" {
		t.Errorf("the cursor is at %q, want the highest id of new posts", r.cursor.IDs["hashtag:test"])
	}
	for reason, n := range map[string]int64{noIndexing: 1, cannotDecode: 2, unknownEvents: 1, tooLarge: 1} {
		if got := w.sink.count.Skipped[reason]; got != n {
			t.Errorf("skipped %d because %s, want %d", got, reason, n)
		}
	}
}

func TestReplies(t *testing.T) {
	w := newWorld(t)
	parent := w.fake.publish("earshot")
	for range 2 * chunkPosts { // the parent's record is not the newest
		w.fake.publish("earshot")
	}
	r := w.open()
	w.events(r, parent.message("update"))
	for range 2 * chunkPosts {
		w.events(r, w.fake.publish("earshot").message("update"))
	}
	reply := w.fake.publish("earshot too", func(post map[string]any) { post["in_reply_to_id"] = strconv.FormatUint(parent.id, 10) })
	other := w.fake.publish("earshot three", func(post map[string]any) { post["in_reply_to_id"] = "5" })
	w.events(r, reply.message("update"), other.message("update"))
	if p := w.sink.posts[reply.uri()]; p.ParentGUID != parent.uri() || p.Engagement != earshot.Reply {
		t.Errorf("the reply has the parent %q", p.ParentGUID)
	}
	if p := w.sink.posts[other.uri()]; p.ParentGUID != "" || p.Engagement != earshot.Reply {
		t.Errorf("the other reply has the parent %q", p.ParentGUID)
	}
}

// TestTwoServers checks that a post that two servers have counts once.
func TestTwoServers(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	b.sink = a.sink
	same := func(post map[string]any) { post["uri"] = "https://c.example/users/ann/statuses/1" }
	a.fake.publish("earshot", same)
	b.fake.publish("other", func(map[string]any) {})
	b.fake.publish("earshot", same)
	a.open()
	a.sink.cursor = ""
	b.open()
	if len(a.sink.stored) != 2 || len(a.sink.posts) != 1 {
		t.Errorf("stored %v", a.sink.stored)
	}
}

func TestSeveralHashtags(t *testing.T) {
	w := newWorld(t)
	w.env.Settings["hashtags"] = "test,other"
	r := w.open()
	post := w.fake.publish("earshot").message("update")
	for _, s := range r.streams {
		if err := r.store(t.Context(), []change{r.change(event{stream: s, message: post})}); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.sink.stored) != 1 || r.cursor.IDs["hashtag:test"] != r.cursor.IDs["hashtag:other"] || r.cursor.IDs["hashtag:test"] == noPosts {
		t.Errorf("stored %v with the cursor %v", w.sink.stored, r.cursor.IDs)
	}
}

// TestPolling checks that a source without an access token finds posts, edits and deletions within
// the limit of the server, and notices when the rules change.
func TestPolling(t *testing.T) {
	w := newWorld(t)
	w.env.Secret = ""
	began := w.now()
	var first, second *fakePost
	step := 0
	wait := w.env.Wait
	w.env.Wait = func(ctx context.Context, d time.Duration) error {
		if err := wait(ctx, d); err != nil {
			return err
		}
		switch passed := w.now().Sub(began); {
		case step == 0:
			first, second = w.fake.publish("earshot 1"), w.fake.publish("earshot 2")
			step++
		case step == 1 && passed > time.Minute:
			w.fake.edit(first.uri(), func(post map[string]any) { post["content"] = "edited" })
			w.fake.delete(second.uri())
			step++
		case step == 2 && passed > 12*time.Minute:
			w.fake.mu.Lock()
			w.fake.info = maps.Clone(w.fake.info)
			w.fake.info["rules"] = []any{map[string]any{"text": "No listening"}}
			w.fake.mu.Unlock()
			step++
		}
		return nil
	}
	err := (&mastodon{w.env}).Run(t.Context(), "", w.sink)
	if !errors.Is(err, connector.ErrAttention) || !strings.Contains(err.Error(), "the rules of "+w.fake.domain+" changed; read and accept them again") {
		t.Errorf("got %v, want that the rules changed", err)
	}
	if passed := w.now().Sub(began); passed < 50*time.Minute || passed > 70*time.Minute {
		t.Errorf("the change of the rules was noticed after %v, want an hour", passed)
	}
	if p := w.sink.posts[first.uri()]; p.Contents != "edited" {
		t.Errorf("the edited post is %q", p.Contents)
	}
	if !slices.Equal(w.sink.deleted, []string{second.uri()}) {
		t.Errorf("deleted %v, want %s", w.sink.deleted, second.uri())
	}
	if w.fake.violation != "" {
		t.Error(w.fake.violation)
	}
	if n := w.fake.requestsTo("/api/v1/timelines/tag/test"); n < 200 || n > 300 {
		t.Errorf("sent %d requests in an hour, want one each 15 seconds", n)
	}
}

// TestSecrets checks that the access token appears in no error and in no log, although the server
// repeats it.
func TestSecrets(t *testing.T) {
	w := newWorld(t)
	w.fake.revoked = true
	err := (&mastodon{w.env}).Run(t.Context(), "", w.sink)
	if !errors.Is(err, connector.ErrAttention) || !strings.Contains(err.Error(), "rejected the access token (The access token was revoked: …); create a new one") {
		t.Errorf("got %v", err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", err, err, w.sink.states, w.log); strings.Contains(text, w.fake.token) {
		t.Errorf("the token is in %s", text)
	}
}

func TestDenied(t *testing.T) {
	f := func(settings connector.Settings, want string) {
		t.Helper()
		w := newWorld(t)
		maps.Copy(w.env.Settings, settings)
		w.fake.info["configuration"].(map[string]any)["timelines_access"].(map[string]any)["live_feeds"] = map[string]any{"local": "disabled", "remote": "disabled"}
		for _, err := range []error{
			(&mastodon{w.env}).Run(t.Context(), "", w.sink),
			func() error { _, err := (&mastodon{w.env}).Sample(t.Context(), 5); return err }(),
		} {
			if !errors.Is(err, connector.ErrAttention) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		}
		if n := w.fake.requestsTo("/api/v1/timelines/public") + w.fake.requestsTo("/api/v1/timelines/tag/test"); n > 0 {
			t.Errorf("read the timeline %d times", n)
		}
	}
	f(connector.Settings{"accepted_rules": ""}, "have not been accepted")
	f(connector.Settings{"accepted_rules": "old"}, "changed; read and accept them again")
	f(connector.Settings{"timeline": "public", "hashtags": ""}, "does not show its public timeline")
}

func TestKindRules(t *testing.T) {
	w := newWorld(t)
	delete(w.env.Settings, "accepted_rules")
	rules, err := Kind().Rules(t.Context(), w.env)
	if err != nil || !slices.Equal(rules.Items, []string{"Be kind\nAlways."}) || rules.URL != w.fake.URL+"/about" {
		t.Errorf("got %+v, %v", rules, err)
	}
}

// TestDeadStream checks that a silent connection is replaced.
func TestDeadStream(t *testing.T) {
	w := newWorld(t)
	const scale = 500 // a minute takes 120 ms
	began := time.Now()
	w.env.Now = func() time.Time { return noon.Add(scale * time.Since(began)) }
	w.fake.now = w.env.Now
	w.env.Wait = func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d / scale):
			return nil
		}
	}
	w.fake.silent = true
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- (&mastodon{w.env}).Run(ctx, "", w.sink) }()
	for range 2 {
		select {
		case <-w.sink.reconnects:
		case err := <-done:
			t.Fatalf("ended with %v", err)
		case <-time.After(30 * time.Second):
			t.Fatal("a silent stream was not replaced")
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(w.log.String(), errDead.Error()) {
		t.Errorf("logged %s", w.log)
	}
}

func TestLimit(t *testing.T) {
	w := newWorld(t)
	var l limit
	header := map[string][]string{}
	for range windowLimit { // a server that does not say
		if err := l.wait(t.Context(), &w.env); err != nil {
			t.Fatal(err)
		}
		l.update(header, w.now())
	}
	if passed := w.now().Sub(noon); passed < window || passed > 2*window {
		t.Errorf("%d requests took %v, want a period", windowLimit, passed)
	}
	now := w.now()
	l.update(map[string][]string{"X-Ratelimit-Limit": {"300"}, "X-Ratelimit-Remaining": {"100"}, "X-Ratelimit-Reset": {now.Add(time.Minute).Format(time.RFC3339Nano)}}, now)
	if l.remaining != 100 || l.spare(now) != time.Minute || l.spare(now.Add(time.Hour)) != 0 {
		t.Errorf("got %+v, want 100 for a minute", l)
	}
	l.update(map[string][]string{"X-Ratelimit-Limit": {"300"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"2126-01-01T00:00:00Z"}}, now)
	if err := l.wait(t.Context(), &w.env); err != nil || w.now().Sub(now) > 2*window+time.Second {
		t.Errorf("waited %v for a server with a wrong clock", w.now().Sub(now))
	}
}

// BenchmarkStream reads a stream and stores every tenth post.
func BenchmarkStream(b *testing.B) {
	var stream bytes.Buffer
	const n = 5000
	id := uint64(noon.UnixMilli()) << 16
	for i := range uint64(n) {
		text := "nothing much, but a post of the usual length, which is one or two sentences, and has a link."
		if i%10 == 0 {
			text += " earshot"
		}
		fmt.Fprintf(&stream, "event: update\ndata: %s\n\n", mustJSON(statusJSON(id+i, "https://b.example", text, noon)))
	}
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	w := newWorld(b)
	for b.Loop() {
		w.env.Store, w.sink = kv.NewMemory(), newSink()
		r := w.open()
		s := newScanner(bytes.NewReader(stream.Bytes()), func() {})
		var changes []change
		for {
			m, err := s.next()
			if err == nil {
				changes = append(changes, r.change(event{stream: r.streams[0], message: m}))
			}
			if err != nil || len(changes) == maxBatch {
				if err := r.store(b.Context(), changes); err != nil {
					b.Fatal(err)
				}
				changes = changes[:0]
			}
			if err != nil {
				break
			}
		}
		if len(w.sink.posts) != n/10 {
			b.Fatalf("stored %d posts", len(w.sink.posts))
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "events/s")
}

// TestGuidsNameTheTeam checks that a server that no administrator trusts cannot change or delete what
// another team has stored.
func TestGuidsNameTheTeam(t *testing.T) {
	w := newWorld(t)
	delete(w.env.Settings, "trusted")
	post := w.fake.publish("earshot")
	boost := w.fake.publish("", func(p map[string]any) { p["reblog"] = post.json })

	read := func(team earshot.TeamID, store kv.Store, messages ...message) {
		t.Helper()
		w.env.Source, w.env.Store, w.sink.cursor, w.sink.stored, w.sink.deleted = &earshot.LiveSource{Team: team}, store, "", nil, nil
		w.events(w.open(), messages...)
	}
	want := func(stored, deleted []string) {
		t.Helper()
		if !slices.Equal(w.sink.stored, stored) || !slices.Equal(w.sink.deleted, deleted) {
			t.Errorf("stored %q, deleted %q, want %q and %q", w.sink.stored, w.sink.deleted, stored, deleted)
		}
	}
	both := func(prefix string) []string { return []string{prefix + post.uri(), prefix + boost.uri()} }

	seven, eight, nine := kv.NewMemory(), kv.NewMemory(), kv.NewMemory()
	read(7, seven)
	want(both("team 7 "), nil)
	if got, want := w.sink.posts["team 7 "+boost.uri()].ParentGUID, "team 7 "+post.uri(); got != want {
		t.Errorf("the parent of the boost is %q, want %q", got, want)
	}
	read(7, kv.NewMemory()) // another server that the team reads
	want(both("team 7 "), nil)
	read(8, eight)
	want(both("team 8 "), nil)
	read(8, eight, post.message("delete"))
	want(nil, []string{"team 8 " + post.uri()})

	// A trusted server is believed. Posts keep the guids under which they are stored.
	w.env.Settings["trusted"] = "true"
	read(9, nine)
	want(both(""), nil)
	w.fake.edit(post.uri(), func(p map[string]any) { p["content"] = "<p>earshot, edited</p>" })
	read(7, seven)
	want([]string{"team 7 " + post.uri()}, nil)
	delete(w.env.Settings, "trusted")
	read(9, nine)
	want([]string{post.uri()}, nil)
	read(9, nine, post.message("delete"))
	want(nil, []string{post.uri()})
}
