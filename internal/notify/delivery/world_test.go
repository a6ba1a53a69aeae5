package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A world has team 1, whose member is ann, and team 2, whose member is bob, and services that share a
// store and a fake sender for all kinds of channels.
type world struct {
	*testing.T
	*Service
	store    kv.Store
	ann, bob *earshot.Caller
	sender   *fakeSender
	log      *syncBuffer
}

// inWorld runs a test in virtual time.
func inWorld(t *testing.T, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, store: kv.NewMemory(), sender: &fakeSender{}, log: &syncBuffer{}}
		w.ann = earshot.NewCaller(&earshot.User{ID: 5, Username: "ann", Teams: []earshot.TeamID{1}})
		w.bob = earshot.NewCaller(&earshot.User{ID: 6, Username: "bob", Teams: []earshot.TeamID{2}})
		w.Service = w.service()
		for id := range earshot.TeamID(2) {
			w.must(w.Catalog.Teams.Add(t.Context(), id+1, &earshot.Team{ID: id + 1, Name: fmt.Sprint("Team ", id+1)}))
		}
		f(w)
	})
}

// service returns another process.
func (w *world) service() *Service { return w.serviceOn(w.store) }

func (w *world) serviceOn(store kv.Store) *Service {
	w.Helper()
	c, err := catalog.Open(w.Context(), store, slog.New(slog.DiscardHandler))
	w.must(err)
	w.Cleanup(c.Close)
	senders := map[earshot.ChannelKind]channel.Sender{}
	for _, kind := range earshot.ChannelKinds {
		senders[kind] = w.sender
	}
	return &Service{
		Catalog: c, Secret: []byte("an installation key of 32 bytes."), Senders: senders, PublicURL: "https://earshot.example",
		Log: slog.New(slog.NewTextHandler(w.log, nil)),
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }

// add adds a channel of team 1.
func (w *world) add(kind earshot.ChannelKind, change ...func(*Settings)) *earshot.Channel {
	w.Helper()
	with := Settings{Name: ptr("Alerts"), URL: ptr("https://hooks.example/services/T000/secretpath1")}
	if kind == earshot.EmailChannel {
		with = Settings{Name: ptr("Alerts"), Recipients: &[]string{"ann@example.com"}}
	}
	for _, f := range change {
		f(&with)
	}
	ch, _, err := w.Add(w.Context(), w.ann, 1, kind, with)
	w.must(err)
	record, err := w.find(w.ann, ch.ID)
	w.must(err)
	return record
}

// enqueue enqueues a notification for channels of team 1.
func (w *world) enqueue(s *Service, key string, channels ...*earshot.Channel) {
	w.Helper()
	n := earshot.Notification{Key: key, Team: 1, Message: earshot.Message{Event: "signal.fired", Severity: earshot.Warning, Title: "Title of " + key, Text: "Text", Path: "/signals/7", Thread: "signal.7"}}
	for _, ch := range channels {
		n.Channels = append(n.Channels, ch.ID)
	}
	w.must(s.Enqueue(w.Context(), n))
}

// run runs a service until the returned function is called.
func (w *world) run(s *Service) (stop func()) {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// sleep lets time pass.
func (w *world) sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// states returns the states of the deliveries of a channel, oldest first.
func (w *world) states(ch *earshot.Channel) string {
	var list []string
	for _, d := range w.deliveriesOf(ch.ID) {
		list = append(list, string(d.State))
	}
	return strings.Join(list, " ")
}

func (w *world) wantStates(ch *earshot.Channel, want string) {
	w.Helper()
	synctest.Wait()
	if got := w.states(ch); got != want {
		w.Errorf("got deliveries %q, want %q", got, want)
	}
}

// A fakeSender records what it sends. It is safe for concurrent use.
type fakeSender struct {
	mu      sync.Mutex
	sent    []sentMessage
	results []channel.Result // of the next attempts; then everything is sent
	always  *channel.Result  // of all attempts
	decide  func(channel.Outgoing) channel.Result
	during  func(m channel.Outgoing)
	takes   time.Duration
	hang    bool
}

type sentMessage struct {
	at time.Time
	to channel.Address
	channel.Outgoing
}

func (f *fakeSender) Send(ctx context.Context, to channel.Address, m channel.Outgoing) channel.Result {
	f.mu.Lock()
	f.sent = append(f.sent, sentMessage{time.Now(), to, m})
	result := channel.Result{Outcome: channel.Sent}
	if f.decide != nil {
		result = f.decide(m)
	} else if f.always != nil {
		result = *f.always
	} else if len(f.results) > 0 {
		result, f.results = f.results[0], f.results[1:]
	}
	during, takes, hang := f.during, f.takes, f.hang
	f.mu.Unlock()
	if during != nil {
		during(m)
	}
	if hang {
		<-ctx.Done()
		return channel.Result{Outcome: channel.Unknown, Error: ctx.Err().Error()}
	}
	time.Sleep(takes)
	return result
}

func (f *fakeSender) set(change func(*fakeSender)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// messages returns what was sent.
func (f *fakeSender) messages() []sentMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]sentMessage{}, f.sent...)
}

// titles returns the titles of what was sent.
func (f *fakeSender) titles() string {
	var list []string
	for _, m := range f.messages() {
		list = append(list, strings.TrimPrefix(m.Title, "Title of "))
	}
	return strings.Join(list, " ")
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A failingStore fails writes of deliveries in a state, as if the process had ended right before.
type failingStore struct {
	kv.Store
	mu    sync.Mutex
	state earshot.DeliveryState
}

var errKilled = errors.New("killed")

func (s *failingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	s.mu.Lock()
	state := s.state
	s.mu.Unlock()
	var d earshot.Delivery
	if strings.HasPrefix(key, "delivery.") && json.Unmarshal(value, &d) == nil && d.State == state {
		return 0, errKilled
	}
	return s.Store.Put(ctx, key, value, revision)
}
