package source_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/content"
	"earshot/internal/poststore/memory"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
)

const (
	team  earshot.TeamID = 7
	other earshot.TeamID = 8

	password = "correct-horse-battery-staple"
)

var (
	admin  = caller("admin", earshot.AdminPermission, team)
	editor = caller("editor", earshot.ContentPermission, team)
	reader = caller("reader", "", team)
	alien  = caller("alien", earshot.ContentPermission, other)
)

func caller(name string, p earshot.Permission, teams ...earshot.TeamID) *earshot.Caller {
	u := &earshot.User{Username: name, Teams: teams}
	if p != "" {
		u.Permissions = []earshot.Permission{p}
	}
	return earshot.NewCaller(u)
}

// TestMain creates the encoders of the journal, which all tests share, outside of their bubbles.
func TestMain(m *testing.M) {
	data, err := journal.Encode(journal.Entry{Deletion: &earshot.Deletion{}, Origin: &journal.Origin{}})
	if err == nil {
		_, err = journal.Decode(data)
	}
	if err == nil {
		_, err = journal.DecodeOrigin(data)
	}
	if err != nil {
		panic(err)
	}
	m.Run()
}

// A network is a scripted network. Its events are numbered posts; a cursor is the number of events
// read. Run reads what there is, and then waits for a signal.
type network struct {
	mu       sync.Mutex
	events   []connector.Batch // one post or deletion each
	runs     []string          // the cursors that Run was called with
	settings []connector.Settings
	secrets  []string
	active   int // calls of Run
	most     int // at the same time
	run      func(ctx context.Context, cursor string, sink connector.Sink) error
	sink     connector.Sink
	more     chan struct{}
}

func newNetwork() *network { return &network{more: make(chan struct{}, 100)} }

func (n *network) publish(guids ...string) {
	n.mu.Lock()
	for _, guid := range guids {
		p := earshot.Post{Source: earshot.Bluesky, GUID: guid, Time: time.Now(), Contents: "about coffee " + guid}
		n.events = append(n.events, connector.Batch{Posts: []earshot.Post{p}})
	}
	n.mu.Unlock()
	n.more <- struct{}{}
}

func (n *network) remove(guid string) {
	n.mu.Lock()
	n.events = append(n.events, connector.Batch{Deletions: []earshot.Deletion{{Source: earshot.Bluesky, GUIDs: []string{guid}}}})
	n.mu.Unlock()
	n.more <- struct{}{}
}

func (n *network) kind() connector.Kind {
	return connector.Kind{
		Name: "fake", Title: "Fake", Secret: "token", Keep: earshot.KeepAll,
		Settings: []connector.Setting{{Name: "url"}, {Name: "mode", Options: []string{"slow", "fast"}, Default: "slow"}, {Name: "list", Long: true}},
		Check: func(s connector.Settings, secret string) error {
			if s["url"] == "bad" {
				return errors.New("url must not be bad")
			}
			return nil
		},
		Sources: func(connector.Settings) []earshot.Source { return []earshot.Source{earshot.Bluesky} },
		New:     func(e connector.Env) connector.Connector { return &fake{n, e} },
	}
}

// inboundKind is a kind that receives requests and delivers custom content.
func (n *network) inboundKind() connector.Kind {
	k := n.kind()
	k.Name, k.Title, k.Secret, k.Receives = "inbound", "Inbound", "", true
	k.Settings = []connector.Setting{{Name: "network", Admin: true}, {Name: "server", Default: "https://network.example", Admin: true}}
	k.Sources = func(s connector.Settings) []earshot.Source {
		if s["network"] != "" {
			return []earshot.Source{earshot.Source(s["network"])}
		}
		return nil
	}
	k.New = func(e connector.Env) connector.Connector { return &inbound{fake{n, e}} }
	return k
}

type fake struct {
	network *network
	env     connector.Env
}

func (f *fake) Run(ctx context.Context, cursor string, sink connector.Sink) error {
	n := f.network
	n.mu.Lock()
	n.runs, n.settings, n.secrets = append(n.runs, cursor), append(n.settings, f.env.Settings), append(n.secrets, f.env.Secret)
	n.active++
	n.most = max(n.most, n.active)
	n.sink = sink
	run := n.run
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.active--
		n.mu.Unlock()
	}()
	if run != nil {
		return run(ctx, cursor, sink)
	}
	return n.read(ctx, cursor, sink)
}

// read delivers all events after a cursor, and then waits for more.
func (n *network) read(ctx context.Context, cursor string, sink connector.Sink) error {
	at, _ := strconv.Atoi(cursor)
	sink.Report(connector.State{Phase: connector.Live})
	for {
		n.mu.Lock()
		events := n.events[at:]
		n.mu.Unlock()
		for _, b := range events {
			at++
			b.Cursor = strconv.Itoa(at)
			sink.Count(connector.Counters{Events: 1})
			if err := sink.Deliver(ctx, b); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.more:
		}
	}
}

func (f *fake) Sample(ctx context.Context, limit int) ([]earshot.Post, error) {
	if f.env.Settings["url"] == "down" {
		return nil, fmt.Errorf("get https://example.com/?token=%s: connection refused", f.env.Secret)
	}
	if _, err := f.env.Store.Put(ctx, "sample", []byte("x"), 0); err != nil {
		return nil, err
	}
	return make([]earshot.Post, limit+1), nil
}

type inbound struct{ fake }

func (f *inbound) Receive(ctx context.Context, r connector.Request) (connector.Response, error) {
	f.network.mu.Lock()
	sink := f.network.sink
	f.network.mu.Unlock()
	err := sink.Deliver(ctx, connector.Batch{Posts: []earshot.Post{{GUID: string(r.Body), Time: time.Now(), Contents: "coffee", Custom: map[string]string{"score": "1"}}}})
	return connector.Response{Status: 202}, err
}

// A world is a journal and a catalog, and services that run sources with them.
type world struct {
	t       *testing.T
	network *network
	store   *kv.Memory
	records *kv.Memory
	leases  kv.Store
	change  func(*source.Service) // changes a service before it starts; may be nil
	journal *journalmemory.Journal
	secret  []byte
	log     *logBuffer
	old     []earshot.Post // in the store
}

// run runs a test with a virtual clock.
func run(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{
			t: t, network: newNetwork(), store: kv.NewMemory(), records: kv.NewMemory(), leases: kv.NewMemory(),
			journal: journalmemory.New(), secret: []byte("0123456789abcdef0123456789abcdef"), log: &logBuffer{},
		}
		c := w.catalog()
		for _, id := range []earshot.TeamID{team, other} {
			w.ok(c.Teams.Add(t.Context(), id, &earshot.Team{ID: id, Name: fmt.Sprint("Team ", id)}))
		}
		test(w)
	})
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) catalog() *catalog.Catalog {
	w.t.Helper()
	c, err := catalog.Open(w.t.Context(), w.store, slog.New(slog.DiscardHandler))
	w.ok(err)
	w.t.Cleanup(c.Close)
	return c
}

// A process is a service as in one process. kill ends it without a clean stop.
type process struct {
	*source.Service
	w    *world
	stop func()
}

// service returns a service that does not run the sources.
func (w *world) service() *source.Service {
	c := w.catalog()
	return &source.Service{
		Kinds:   []connector.Kind{w.network.kind(), w.network.inboundKind(), folderKind()},
		Catalog: c, Journal: w.journal, Records: w.records, Roles: &lease.Manager{Store: w.leases}, Secret: w.secret,
		Content: &content.Service{Catalog: c, Journal: w.journal, Store: memory.New(), Now: time.Now},
		Matches: func(_ context.Context, posts []earshot.Post) []bool {
			matches := make([]bool, len(posts))
			for i, p := range posts {
				matches[i] = strings.Contains(p.Contents, "coffee")
			}
			return matches
		},
		Stored: func(context.Context, []earshot.PostKey) ([]earshot.Post, error) { return w.old, nil },
		Log:    slog.New(slog.NewTextHandler(w.log, nil)),
	}
}

func folderKind() connector.Kind {
	return connector.Kind{Name: "folder", Title: "Folder", Keep: earshot.KeepAll,
		Sources: func(connector.Settings) []earshot.Source { return nil },
		New:     func(connector.Env) connector.Connector { return &fake{network: newNetwork()} }}
}

// start starts a process. It stops at the end of the test.
func (w *world) start() *process {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{Service: w.service(), w: w}
	if w.change != nil {
		w.change(p.Service)
	}
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	p.stop = func() { cancel(); <-done }
	w.t.Cleanup(p.stop)
	synctest.Wait()
	return p
}

// add adds a source that keeps everything.
func (p *process) add(name string) source.Info {
	p.w.t.Helper()
	info, err := p.Add(p.w.t.Context(), editor, earshot.LiveSource{Team: team, Name: name, Kind: "fake"}, password)
	p.w.ok(err)
	synctest.Wait()
	return info
}

func (p *process) info(id earshot.LiveSourceID) source.Info {
	p.w.t.Helper()
	synctest.Wait()
	info, err := p.Find(reader, id)
	p.w.ok(err)
	return info
}

func (p *process) wantPhase(id earshot.LiveSourceID, want connector.Phase) source.Info {
	p.w.t.Helper()
	info := p.info(id)
	if info.State.Phase != want {
		p.w.t.Fatalf("got state %+v, want %s", info.State, want)
	}
	return info
}

func (p *process) edit(id earshot.LiveSourceID, c source.Change) {
	p.w.t.Helper()
	_, err := p.Edit(p.w.t.Context(), editor, id, c)
	p.w.ok(err)
	synctest.Wait()
}

// stored applies the journal, and returns how often each post was written since it was last
// deleted.
func (w *world) stored() map[string]int {
	w.t.Helper()
	posts := map[string]int{}
	for _, e := range w.entries() {
		for _, p := range e.Posts {
			posts[p.GUID]++
		}
		if d := e.Deletion; d != nil && len(d.GUIDs) == 0 {
			clear(posts)
		} else if d != nil {
			for _, guid := range d.GUIDs {
				delete(posts, guid)
			}
		}
	}
	return posts
}

func (w *world) entries() (list []journal.Entry) {
	w.t.Helper()
	synctest.Wait()
	for stored, err := range w.journal.Entries(w.t.Context(), 1<<40) {
		w.ok(err)
		e, err := journal.Decode(stored.Data)
		w.ok(err)
		list = append(list, e)
	}
	return list
}

// wantStored checks that each post is stored once.
func (w *world) wantStored(guids ...string) {
	w.t.Helper()
	got := w.stored()
	for _, guid := range guids {
		if got[guid] != 1 {
			w.t.Errorf("post %s is stored %d times, want once", guid, got[guid])
		}
		delete(got, guid)
	}
	for guid, n := range got {
		w.t.Errorf("post %s is stored %d times, want not at all", guid, n)
	}
}

// runs returns the cursors that the connector was started with.
func (w *world) runs() []string {
	synctest.Wait()
	w.network.mu.Lock()
	defer w.network.mu.Unlock()
	return append([]string(nil), w.network.runs...)
}

func (w *world) setRun(run func(ctx context.Context, cursor string, sink connector.Sink) error) {
	w.network.mu.Lock()
	defer w.network.mu.Unlock()
	w.network.run = run
}

type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
