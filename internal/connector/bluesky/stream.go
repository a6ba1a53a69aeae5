package bluesky

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/zstd"

	"earshot/internal/connector"
	"earshot/internal/connector/bluesky/zdict"
	"earshot/internal/fetch"
)

const (
	maxMessage  = 4 << 20   // bytes of a message; longer ones are skipped
	maxDiscard  = 256 << 20 // bytes of a message that is skipped; a longer one ends the connection
	wantedBytes = 1 << 20   // larger messages are not requested; posts have a few kilobytes

	dialTimeout = 20 * time.Second
	deadAfter   = 90 * time.Second // without a message or ping; servers ping every 30 s
	steady      = 10 * time.Second // a connection that lasted this long was a success
	maxSilence  = 2 * time.Minute  // between the cursor and the next event; longer means that events are missing
)

// A stream reads the events of the network from one of several servers. It reconnects, to the next
// server if possible, and continues where it stopped.
type stream struct {
	env     *connector.Env
	hosts   []*url.URL
	second  bool // use the second protocol
	out     chan<- item
	count   func(connector.Counters)
	decoder *zstd.Decoder // for dictionary

	dictionary uint32 // ID; 0: none, messages are not compressed
	current    int    // index of the server in use
	cursor     cursor // of the last event that was passed on
	worked     bool   // a connection to one of the servers was made, now or in an earlier run

	// clamped has the servers that no longer had the events after the cursor, and the time of the
	// first event that each of them had.
	clamped map[string]int64

	waits map[string]time.Time // until when servers must not be contacted
}

// An item is what a stream passes on: an event, a gap, or that a connection was made or lost.
type item struct {
	decoded
	cursor    cursor // of the event; zero if the item is not an event
	bytes     int
	gap       *connector.Gap
	connected bool
	lost      bool
}

func newStream(e *connector.Env, out chan<- item, count func(connector.Counters)) (*stream, error) {
	s := &stream{env: e, out: out, count: count, second: e.Settings["protocol"] == "v2", clamped: map[string]int64{}, waits: map[string]time.Time{}}
	var err error
	if s.hosts, err = hostsOf(e.Settings); err != nil {
		return nil, fmt.Errorf("%w: %w", connector.ErrAttention, err)
	}
	return s, s.useDictionary(zdict.Dictionary)
}

// hostsOf returns the servers that settings name.
func hostsOf(settings connector.Settings) ([]*url.URL, error) {
	list, path := firstHosts, firstPath
	if settings["protocol"] == "v2" {
		list, path = secondHosts, secondPath
	}
	if settings["url"] != "" {
		list = settings["url"]
	}
	return parseHosts(list, path)
}

// useDictionary makes the stream decompress messages with a dictionary.
func (s *stream) useDictionary(dictionary []byte) error {
	id, ok := zdict.IDOf(dictionary)
	if !ok {
		return errors.New("the server sent a file that is not a zstd dictionary")
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMessage))
	if err != nil {
		return fmt.Errorf("read zstd dictionary: %w", err)
	}
	if s.decoder != nil {
		s.decoder.Close()
	}
	s.decoder, s.dictionary = d, id
	return nil
}

// run reads events until ctx is done or no server can be used.
func (s *stream) run(ctx context.Context) error {
	defer func() { s.decoder.Close() }()
	var failures []error // of the servers tried since the last success
	adjusted := 0        // number of attempts in a row that were repeated at once
	for {
		began, before := s.env.Now(), s.cursor
		err := s.connect(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errAdjusted) && adjusted < 2+2*len(s.hosts) {
			adjusted++
			continue
		}
		s.env.Log.Info("connection to Bluesky lost", "host", s.host(), "reason", err)
		adjusted = 0
		if len(s.clamped) > 0 && s.clamped[s.host()] == 0 {
			s.clamped[s.host()] = math.MaxInt64 // it has no events at all
		}
		lasted := s.env.Now().Sub(began)
		if s.cursor != before || lasted >= steady {
			failures = nil
		} else if failures = append(failures, err); len(failures) == len(s.hosts) {
			return refusal(failures)
		}
		if err := s.send(ctx, new(watchdog), item{lost: true}); err != nil {
			return err
		}
		s.current = (s.current + 1) % len(s.hosts)
		s.count(connector.Counters{Reconnects: 1})
		if len(failures) == 0 && lasted < steady { // it works, but not for long
			if err := s.env.Wait(ctx, time.Second/2+rand.N(time.Second)); err != nil {
				return err
			}
		}
	}
}

// refusal returns the error if all servers fail. The source needs attention only if every server
// denies access, and waits only if every server says to wait or denies access.
func refusal(failures []error) error {
	var wait *connector.RetryError
	for _, err := range failures {
		var retry *connector.RetryError
		switch {
		case errors.As(err, &retry):
			if wait == nil || retry.After < wait.After {
				wait = retry
			}
		case !errors.Is(err, connector.ErrAttention):
			return err
		}
	}
	if wait != nil {
		return wait
	}
	return failures[0]
}

// errAdjusted means that connect should be called again, because it will request other options.
var errAdjusted = errors.New("the server did not accept the requested options")

// connect reads events from the current server until the connection ends.
func (s *stream) connect(ctx context.Context) error {
	if wait := s.waits[s.host()].Sub(s.env.Now()); wait > 0 {
		return &connector.RetryError{After: wait, Err: fmt.Errorf("%s is limiting requests", s.host())}
	}
	if s.second && (s.dictionary == 0 || s.dictionary == zdict.ID) {
		if err := s.fetchDictionary(ctx); err != nil {
			s.env.Log.Info("reading Bluesky without compression", "reason", err)
			s.dictionary = 0
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := watchdog{bite: cancel}
	conn, err := s.dial(ctx, &w)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	s.worked = true
	conn.SetReadLimit(-1) // read limits itself, because it skips long messages
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.watch(ctx, s.env.Wait)
	}()
	defer func() { cancel(); <-done }()

	if err := s.send(ctx, &w, item{connected: true}); err != nil {
		return err
	}
	r := reader{stream: s, conn: conn, watchdog: &w, host: s.host(), asked: s.cursor}
	err = r.run(ctx)
	if w.dead.Load() {
		return fmt.Errorf("%s was silent for %v", s.host(), deadAfter)
	}
	return err
}

func (s *stream) host() string { return s.hosts[s.current].Host }

// send passes an item on. It waits while the receiver is busy.
func (s *stream) send(ctx context.Context, w *watchdog, i item) error {
	select {
	case s.out <- i:
		return nil
	default:
	}
	w.pause(true) // the server is not to blame
	defer w.pause(false)
	select {
	case s.out <- i:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dial connects to the current server. If the server refuses the cursor or the dictionary, the error
// is errAdjusted, and the next attempt requests other options.
func (s *stream) dial(ctx context.Context, w *watchdog) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	address := *s.hosts[s.current]
	address.RawQuery = s.query().Encode()
	options := &websocket.DialOptions{
		HTTPClient:     s.env.HTTP,
		OnPingReceived: func(context.Context, []byte) bool { w.beat(); return true },
	}
	if s.second {
		options.Subprotocols = []string{"xrpc.v1.json"}
	}
	conn, resp, err := websocket.Dial(ctx, address.String(), options)
	if err == nil {
		return conn, nil
	}
	var name *fetch.NameError
	switch {
	case errors.As(err, &name) || errors.Is(err, fetch.ErrRefused):
		return nil, s.denied("%s does not have a public address; to allow private addresses, set sources.allow_private_addresses", s.host())
	case resp == nil:
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the long URL
		}
		return nil, fmt.Errorf("connect to %s: %w", s.host(), err)
	}
	return nil, s.dialError(resp, err)
}

// dialError returns the error for a response that is not a WebSocket.
func (s *stream) dialError(resp *http.Response, err error) error {
	var answer struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	if resp.Body != nil {
		body, _ := io.ReadAll(resp.Body) // a kilobyte at most
		_ = json.Unmarshal(body, &answer)
	}
	switch answer.Error {
	case "CursorTooOld":
		// A time is accepted however old it is. The first event shows how long the gap is.
		s.cursor.seq = 0
		return errAdjusted
	case "UnknownZstdDictionary":
		s.dictionary = 0
		return errAdjusted
	}
	failure := connector.ResponseError(resp, s.env.Now())
	var retry *connector.RetryError
	switch {
	case failure == nil:
		return s.denied("%s is not a Jetstream server: %w", s.host(), err)
	case errors.As(failure, &retry):
		s.waits[s.host()] = s.env.Now().Add(retry.After)
		return failure
	case resp.StatusCode < 500 && resp.StatusCode != http.StatusRequestTimeout:
		return s.denied("%s returned %s; check the address of the Jetstream server", s.host(), resp.Status)
	}
	return failure
}

// denied returns the error for a server that cannot be used as configured. Only a source that has
// never worked needs attention: otherwise the server, or something in between, may recover.
func (s *stream) denied(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if s.worked {
		return err
	}
	return fmt.Errorf("%w: %w", connector.ErrAttention, err)
}

// query returns the parameters of a connection.
func (s *stream) query() url.Values {
	q := url.Values{"maxMessageSizeBytes": {strconv.Itoa(wantedBytes)}}
	collections := []string{postCollection, repostCollection, profileCollection}
	if s.second {
		q["collections"] = collections
		q["kinds"] = []string{"commit", "identity", "account"}
		if s.dictionary != 0 {
			q.Set("zstdDictionary", strconv.FormatUint(uint64(s.dictionary), 10))
		}
	} else {
		q["wantedCollections"] = collections
		q.Set("compress", "true")
	}
	if at := s.cursor.at(s.host(), s.second); at > 0 {
		q.Set("cursor", strconv.FormatInt(at, 10))
	}
	return q
}

// fetchDictionary gets the dictionary of the second protocol from the current server.
func (s *stream) fetchDictionary(ctx context.Context) error {
	const most = 1 << 20
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	address := *s.hosts[s.current]
	address.Path, address.RawQuery = dictionaryPath, ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	resp, err := s.env.HTTP.Do(req)
	if err != nil {
		return err
	}
	body, err := fetch.ReadAll(resp, most)
	if err == nil {
		err = connector.ResponseError(resp, s.env.Now())
	}
	if err != nil {
		return err
	}
	return s.useDictionary(body)
}

// A watchdog ends a connection whose server is silent.
type watchdog struct {
	bite   func()
	beats  atomic.Int64
	paused atomic.Bool
	dead   atomic.Bool
}

// beat records that the server is alive.
func (w *watchdog) beat() { w.beats.Add(1) }

// pause stops the watchdog while nothing is read.
func (w *watchdog) pause(on bool) {
	w.beat()
	w.paused.Store(on)
}

func (w *watchdog) watch(ctx context.Context, wait func(context.Context, time.Duration) error) {
	for last := int64(-1); wait(ctx, deadAfter/2) == nil; {
		beats := w.beats.Load()
		if beats == last && !w.paused.Load() {
			w.dead.Store(true)
			w.bite()
			return
		}
		last = beats
	}
}
