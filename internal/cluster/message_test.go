package cluster

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/limit"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A wire connects nodes in one process.
type wire struct {
	mu       sync.Mutex
	handlers map[string][]func(context.Context, []byte) ([]byte, error) // guarded by mu; by subject
}

func (w *wire) Subject(parts ...string) string { return strings.Join(parts, ".") }
func (w *wire) MaxPayload() int64              { return 1000 }

func (w *wire) Serve(subject string, handle func(context.Context, []byte) ([]byte, error)) (func(), error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handlers[subject] = append(w.handlers[subject], handle)
	return func() {}, nil
}

func (w *wire) Listen(subject string, handle func([]byte)) (func(), error) {
	return w.Serve(subject, func(_ context.Context, data []byte) ([]byte, error) { handle(data); return nil, nil })
}

func (w *wire) Tell(subject string, data []byte) error {
	return w.RequestAll(context.Background(), subject, data, 0, nil)
}

func (w *wire) Request(context.Context, string, []byte) ([]byte, error) { return nil, errNoAnswer }

func (w *wire) RequestAll(ctx context.Context, subject string, data []byte, count int, use func([]byte) bool) error {
	w.mu.Lock()
	handlers := slices.Clone(w.handlers[subject])
	w.mu.Unlock()
	more := true
	for _, handle := range handlers {
		response, err := handle(ctx, data)
		if err == nil && more && count > 0 {
			more = use(response)
			count--
		}
	}
	return nil
}

// A freeze notes calls, and fails with err.
type freeze struct {
	calls []string
	err   error
}

func (f *freeze) Hold(context.Context) error { f.calls = append(f.calls, "hold"); return f.err }
func (f *freeze) Thaw()                      { f.calls = append(f.calls, "thaw") }
func (f *freeze) KeepJournal(time.Time)      { f.calls = append(f.calls, "keep") }

// TestMessages lets node a ask node b, and itself.
func TestMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		records, w := kv.NewMemory(), &wire{handlers: map[string][]func(context.Context, []byte) ([]byte, error){}}
		c, err := catalog.Open(t.Context(), kv.NewMemory(), log)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		frozen := &freeze{}
		var saved []string
		receive := map[string]func() (connector.Response, error){
			"a": func() (connector.Response, error) { return connector.Response{}, connector.ErrNotRunning },
		}
		open := func(name string, freeze Freeze, model int64) *Membership {
			m := NewMembership(MembershipOptions{
				Records: records, Identity: Identity{ID: "id-" + name, Name: name}, Catalog: c, Journal: fixedJournal{}, Messenger: w, Log: log, Now: time.Now,
				Ready: func() bool { return true }, Stored: func() Progress { return Progress{Opened: true} }, Roles: func() []string { return nil },
			})
			running.Go(func() { m.Run(ctx) })
			running.Go(func() {
				m.Serve(ctx, Handlers{
					Limits:   limit.NewExchange([]byte("secret")),
					Model:    func(earshot.MonitorID) int64 { return model },
					Pictures: func(context.Context, []byte) ([]byte, error) { return nil, errors.New("not in the cache") },
					Freeze:   freeze,
					Save:     func(context.Context) { saved = append(saved, name) },
					Receive: func(context.Context, earshot.LiveSourceID, connector.Request) (connector.Response, error) {
						return receive[name]()
					},
				})
			})
			synctest.Wait()
			return m
		}
		a := open("a", nil, 3)
		open("b", frozen, 4)

		if got := a.ModelsInUse(t.Context(), 1); !slices.Equal(got, []int64{4}) {
			t.Errorf("got models %d, want that of the other node", got)
		}
		if _, err := a.AskForPicture(t.Context(), []byte("x")); err == nil {
			t.Error("got a picture that no node has")
		}

		forward := func(body string) (connector.Response, error) {
			return a.Forward(t.Context(), 1, connector.Request{Body: []byte(body)})
		}
		receive["b"] = func() (connector.Response, error) { return connector.Response{}, connector.ErrNotRunning }
		if _, err := forward("x"); !errors.Is(err, connector.ErrNotRunning) {
			t.Errorf("no node runs the source: got %v", err)
		}
		receive["b"] = func() (connector.Response, error) {
			return connector.Response{}, earshot.Errorf(earshot.Unauthenticated, "wrong token")
		}
		if _, err := forward("x"); !earshot.IsKind(err, earshot.Unauthenticated) || err.Error() != "wrong token" {
			t.Errorf("the source refuses the request: got %v", err)
		}
		receive["b"] = func() (connector.Response, error) { return connector.Response{}, nil }
		if _, err := forward("x"); err != nil {
			t.Errorf("the source accepts the request: got %v", err)
		}
		if _, err := forward(strings.Repeat("x", 1000)); !earshot.IsKind(err, earshot.TooLarge) {
			t.Errorf("a large request: got %v", err)
		}

		others := Others{a}
		if err := others.Freeze(t.Context()); err != nil {
			t.Errorf("freezing: %v", err)
		}
		others.KeepJournal()
		others.Thaw()
		frozen.err = errors.New("busy")
		const want = "Node b did not stop writing for the backup, or makes one itself. Please try again"
		if err := others.Freeze(t.Context()); err == nil || err.Error() != want {
			t.Errorf("freezing a node that refuses: got %v, want %s", err, want)
		}
		if want := []string{"hold", "keep", "thaw", "hold"}; !slices.Equal(frozen.calls, want) || !slices.Equal(saved, []string{"b"}) {
			t.Errorf("the other node was asked to %q, and %q saved, want %q and b", frozen.calls, saved, want)
		}
	})
}
