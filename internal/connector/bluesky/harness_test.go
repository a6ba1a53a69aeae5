package bluesky

import (
	"context"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/bluesky/blueskytest"
	"earshot/internal/fetch"
	"earshot/internal/state/kv"
)

// A clock runs as fast as time, and can be advanced.
type clock struct {
	mu      sync.Mutex
	ahead   time.Duration
	changed chan struct{}
}

func newClock() *clock { return &clock{changed: make(chan struct{})} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *clock) Wait(ctx context.Context, d time.Duration) error {
	for end := c.Now().Add(d); ; {
		c.mu.Lock()
		left, changed := end.Sub(time.Now().Add(c.ahead)), c.changed
		c.mu.Unlock()
		if left <= 0 {
			return ctx.Err()
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// A world runs a source against fakes.
type world struct {
	t        *testing.T
	clock    *clock
	settings connector.Settings
	source   earshot.LiveSource
	store    kv.Store
	sink     *sink

	stopping context.CancelFunc
	done     chan struct{}
	err      error // of Run, after done
}

// newWorld returns a world with a source that reads the given networks in this order.
func newWorld(t *testing.T, c *clock, networks ...*blueskytest.Network) *world {
	w := &world{t: t, clock: c, settings: connector.Settings{"api_url": networks[0].Settings()["api_url"]}, store: kv.NewMemory(), sink: newTestSink()}
	var addresses []string
	for _, n := range networks {
		addresses = append(addresses, n.URL())
	}
	w.settings["url"] = strings.Join(addresses, ", ")
	t.Cleanup(func() {
		w.stop()
		for _, n := range networks {
			if v := n.Violation(); v != "" {
				t.Errorf("the source exceeded a limit: %s", v)
			}
		}
	})
	return w
}

func startNetwork(t *testing.T, c *clock, o blueskytest.Options) *blueskytest.Network {
	o.Now = c.Now
	n := blueskytest.Start(o)
	t.Cleanup(n.Close)
	return n
}

func (w *world) connector() connector.Connector {
	settings := connector.Settings{}
	for _, s := range Kind().Settings {
		settings[s.Name] = s.Default
	}
	maps.Copy(settings, w.settings)
	return Kind().New(connector.Env{
		Source: &w.source, Settings: settings, Store: w.store, Log: slog.New(slog.DiscardHandler), Now: w.clock.Now, Wait: w.clock.Wait,
		HTTP: fetch.HTTP(fetch.Options{UserAgent: "Earshot/test", Allow: func(to netip.AddrPort) bool { return to.Addr().IsLoopback() }}),
	})
}

// start runs the source with the cursor of its last delivery. It ends with its first error.
func (w *world) start() {
	ctx, cancel := context.WithCancel(w.t.Context())
	w.stopping, w.done = cancel, make(chan struct{})
	go func() {
		defer close(w.done)
		w.err = w.connector().Run(ctx, w.sink.at(), w.sink)
	}()
	w.await("the state live", func() bool { return w.sink.phase() == connector.Live })
}

func (w *world) stop() {
	if w.stopping != nil {
		w.stopping()
		<-w.done
		w.stopping = nil
		w.sink.Report(connector.State{})
	}
}

// await waits until something happens.
func (w *world) await(what string, ok func() bool) {
	w.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		select {
		case <-w.done:
			if !ok() {
				w.t.Fatalf("waited for %s, but Run returned %v", what, w.err)
			}
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("waited too long for %s", what)
		}
	}
}

// awaitPost waits for a post that meets a condition, and returns it.
func (w *world) awaitPost(guid string, ok func(p *earshot.Post) bool) (p earshot.Post) {
	w.t.Helper()
	w.await("post "+guid, func() bool {
		var found bool
		p, found = w.sink.find(guid)
		return found && (ok == nil || ok(&p))
	})
	return p
}

// A sink keeps what is delivered. It selects posts with the word coffee.
type sink struct {
	mu      sync.Mutex
	posts   map[string]earshot.Post
	cursor  string
	state   connector.State
	states  []connector.State
	count   connector.Counters
	gaps    []connector.Gap
	blocked chan struct{} // Deliver waits until it is closed; nil: it does not wait
}

func newTestSink() *sink { return &sink{posts: map[string]earshot.Post{}} }

func (s *sink) Select(_ context.Context, posts []earshot.Post) (selected []earshot.Post) {
	for _, p := range posts {
		if strings.Contains(p.Contents, "coffee") {
			selected = append(selected, p)
		}
	}
	return selected
}

func (s *sink) Deliver(ctx context.Context, b connector.Batch) error {
	s.mu.Lock()
	blocked := s.blocked
	s.mu.Unlock()
	if blocked != nil {
		select {
		case <-blocked:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range b.Deletions {
		if !d.Valid() || d.Source != earshot.Bluesky {
			panic("invalid deletion")
		}
		maps.DeleteFunc(s.posts, func(guid string, p earshot.Post) bool {
			return slices.Contains(d.GUIDs, guid) || slices.Contains(d.Pages, p.PageID)
		})
	}
	for _, p := range b.Posts {
		s.posts[p.GUID] = p
	}
	if b.Cursor != "" {
		s.cursor = b.Cursor
	}
	return ctx.Err()
}

func (s *sink) Report(state connector.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
	s.states = append(s.states, state)
}

func (s *sink) Count(c connector.Counters) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Add(c)
}

func (s *sink) Gap(_ context.Context, g connector.Gap) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaps = append(s.gaps, g)
	return nil
}

func (s *sink) at() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

func (s *sink) phase() connector.Phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Phase
}

func (s *sink) find(guid string) (earshot.Post, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.posts[guid]
	return p, ok
}

func (s *sink) counters() connector.Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.count
	c.Skipped = maps.Clone(c.Skipped)
	return c
}

func (s *sink) gapList() []connector.Gap {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.gaps)
}
