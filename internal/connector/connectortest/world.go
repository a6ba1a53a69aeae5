package connectortest

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/fetch"
	"earshot/internal/state/kv"
	"earshot/internal/test/testenv"
)

// A world is a fake network and a connector that reads it.
type world struct {
	t     *testing.T
	clock Clock
	fake  *Fake
	store kv.Store
	sink  *Sink

	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{} // closed when Run has returned
	err    error         // of the last Run
}

func newWorld(t *testing.T, open func(*testing.T, Clock) *Fake) *world {
	scale := new(float64)
	w := &world{t: t, clock: Clock{time.Now(), scale}, store: kv.NewMemory(), sink: newSink()}
	w.fake = open(t, w.clock)
	*scale = w.fake.Scale
	w.fake.Source.ID, w.fake.Source.Kind, w.fake.Source.Settings = 77, w.fake.Kind.Name, w.fake.Settings
	t.Cleanup(func() {
		w.stop()
		if w.fake.Violation != nil {
			if v := w.fake.Violation(); v != "" {
				t.Errorf("the connector exceeded a limit of the network: %s", v)
			}
		}
	})
	return w
}

func (w *world) require(ok bool) {
	if !ok {
		testenv.SkipMissing(w.t, "the network has no such thing")
	}
}

// Env returns the environment of a connector of a fake, with records in store.
func Env(f *Fake, clock Clock, store kv.Store) connector.Env {
	settings := connector.Settings{}
	for _, s := range f.Kind.Settings {
		if s.Default != "" {
			settings[s.Name] = s.Default
		}
	}
	for name, value := range f.Settings {
		settings[name] = value
	}
	return connector.Env{
		Source: &f.Source, Settings: settings, Secret: f.Secret, Store: store,
		HTTP: fetch.HTTP(fetch.Options{UserAgent: "Earshot/test", Allow: func(to netip.AddrPort) bool { return to.Addr().IsLoopback() }}),
		Log:  slog.New(slog.DiscardHandler), Now: clock.Now, Wait: clock.Wait,
	}
}

func (w *world) connector() connector.Connector {
	return w.fake.Kind.New(Env(w.fake, w.clock, w.store))
}

// start runs the connector with the cursor of the journal. As the supervisor does, it starts a
// connector again that ends with an error.
func (w *world) start() {
	w.stop()
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	w.mu.Lock()
	w.cancel, w.done, w.err = cancel, done, nil
	w.mu.Unlock()
	w.sink.revive(cancel)
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			err := w.connector().Run(ctx, w.sink.cursorNow(), w.sink)
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
			if errors.Is(err, connector.ErrAttention) {
				return
			}
			wait := time.Second
			var retry *connector.RetryError
			if errors.As(err, &retry) {
				wait = retry.After
			}
			_ = w.clock.Wait(ctx, wait)
		}
	}()
}

// stop ends the connector and waits for it.
func (w *world) stop() {
	w.mu.Lock()
	cancel, done := w.cancel, w.done
	w.cancel = nil
	w.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	w.finish(done)
}

func (w *world) finish(done chan struct{}) {
	select {
	case <-done:
	case <-time.After(patience):
		w.t.Fatal("Run did not return after its context was canceled")
	}
}

// awaitKill waits until the sink has killed the connector, and kills it if the sink does not because
// there is nothing to deliver.
func (w *world) awaitKill() {
	w.mu.Lock()
	done := w.done
	w.mu.Unlock()
	select {
	case <-done:
	case <-time.After(100 * time.Millisecond):
		w.stop()
	}
}

func (w *world) attention() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, connector.ErrAttention) {
		return w.err
	}
	return nil
}

// live waits until the connector reports that it is live.
func (w *world) live() {
	w.await("the state live", func() bool { return w.sink.phase() == connector.Live })
}

// await waits until a condition holds.
func (w *world) await(what string, ok func() bool) {
	w.t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.t.Fatalf("waited %v for %s; the state is %+v, the last error %v", patience, what, w.sink.stateNow(), w.err)
		}
		time.Sleep(time.Millisecond)
	}
}

// A Sink keeps what a connector delivers in memory, as a journal and a post store would.
type Sink struct {
	mu        sync.Mutex
	posts     map[earshot.PostKey]earshot.Post
	cursor    string // in the journal
	delivered int
	count     connector.Counters
	state     connector.State
	gaps      []connector.Gap

	kill    func()
	after   int  // deliveries until a kill; 0: none
	written bool // the journal has the delivery that is killed
	dead    bool
}

func newSink() *Sink { return &Sink{posts: map[earshot.PostKey]earshot.Post{}} }

var errKilled = errors.New("killed")

// revive lets a new connector use the sink. A cursor that was only in memory is lost.
func (s *Sink) revive(kill func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill, s.dead, s.after = kill, false, 0
	s.state = connector.State{}
}

// killAfter kills the connector in the nth delivery from now.
func (s *Sink) killAfter(n int, written bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after, s.written = n, written
}

// Select implements [connector.Sink].
func (s *Sink) Select(_ context.Context, posts []earshot.Post) []earshot.Post {
	var selected []earshot.Post
	for _, p := range posts {
		if matches(&p) {
			selected = append(selected, p)
		}
	}
	return selected
}

func matches(p *earshot.Post) bool {
	return strings.Contains(p.Contents, Word) || strings.Contains(p.Title, Word)
}

// Deliver implements [connector.Sink].
func (s *Sink) Deliver(ctx context.Context, b connector.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return errKilled
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.after > 0 {
		if s.after--; s.after == 0 {
			s.dead = true
			s.kill()
			if s.written {
				s.write(b)
			}
			return errKilled
		}
	}
	s.write(b)
	return nil
}

// write applies a batch. A batch without a change only moves the cursor in memory.
func (s *Sink) write(b connector.Batch) {
	s.delivered++
	for _, d := range b.Deletions {
		s.remove(d)
	}
	changed := len(b.Deletions) > 0
	for _, p := range b.Posts {
		if b.Selected || matches(&p) {
			s.posts[p.Key()] = p
			changed = true
		}
	}
	if changed && b.Cursor != "" {
		s.cursor = b.Cursor
	}
}

func (s *Sink) remove(d earshot.Deletion) {
	if !d.Valid() {
		panic("connectortest: a connector delivered a deletion that is not valid")
	}
	for key, p := range s.posts {
		if (d.Source == "" || d.Source == key.Source) && (d.ContentSource == 0 || d.ContentSource == key.ContentSource) &&
			(d.Batch == "" || d.Batch == p.Batch) &&
			(len(d.GUIDs)+len(d.Pages)+len(d.URLs) == 0 || slices.Contains(d.GUIDs, p.GUID) || slices.Contains(d.URLs, p.URL) || p.PageID != "" && slices.Contains(d.Pages, p.PageID)) {
			delete(s.posts, key)
		}
	}
}

// Report implements [connector.Sink].
func (s *Sink) Report(state connector.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

// Count implements [connector.Sink].
func (s *Sink) Count(c connector.Counters) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Add(c)
}

// Gap implements [connector.Sink].
func (s *Sink) Gap(_ context.Context, g connector.Gap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaps = append(s.gaps, g)
	return nil
}

func (s *Sink) cursorNow() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

func (s *Sink) has(guids ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(guids, func(guid string) bool { return s.find(guid) == nil })
}

func (s *Sink) hasAny(guids ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(guids, func(guid string) bool { return s.find(guid) != nil })
}

func (s *Sink) contains(guid, word string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.find(guid)
	return p != nil && (strings.Contains(p.Contents, word) || strings.Contains(p.Title, word))
}

// find returns the post with the guid, of any source. The caller holds s.mu.
func (s *Sink) find(guid string) *earshot.Post {
	for key, p := range s.posts {
		if key.GUID == guid {
			return &p
		}
	}
	return nil
}

func (s *Sink) keys(guid string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.posts {
		if key.GUID == guid {
			n++
		}
	}
	return n
}

// stored returns the guids that are stored with the given words, sorted.
func (s *Sink) stored(want map[string]string) (guids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.posts {
		if word, ok := want[key.GUID]; ok && strings.Contains(p.Contents+p.Title, word) {
			guids = append(guids, key.GUID)
		}
	}
	slices.Sort(guids)
	return guids
}

func (s *Sink) all() (posts []earshot.Post) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		posts = append(posts, p)
	}
	return posts
}

func (s *Sink) counters() connector.Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *Sink) phase() connector.Phase { return s.stateNow().Phase }

func (s *Sink) stateNow() connector.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *Sink) gapList() []connector.Gap {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.gaps)
}

func (s *Sink) deliveries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.delivered
}
