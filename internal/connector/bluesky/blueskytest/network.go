// Package blueskytest is a fake of Bluesky for tests and demonstrations. One local server plays the
// Jetstream servers, in both protocols, and the AppView:
//
//	n := blueskytest.Start(blueskytest.Options{})
//	defer n.Close()
//	guid := n.Publish("Good morning") // a source with n.Settings() delivers it
//
// It keeps everything in memory. Tests can make it misbehave: see the methods in fault.go.
package blueskytest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/klauspost/compress/zstd"

	"earshot/internal/connector/bluesky/zdict"
)

// Options configure a Network. The zero value is fine.
type Options struct {
	Now        func() time.Time // default time.Now
	Dictionary []byte           // of the second protocol; default: that of the first
	PingEvery  time.Duration    // default 30 s
	Plain      bool             // never compress, whatever a client asks for
}

// A Network is a fake of Bluesky.
type Network struct {
	opts    Options
	server  http.Server
	address string
	stop    context.CancelFunc
	first   *zstd.Encoder // of the first protocol; EncodeAll is safe for concurrent use
	second  *zstd.Encoder

	mu          sync.Mutex
	changed     chan struct{} // closed and replaced when something changes; guarded by mu
	events      []event       // guarded by mu
	seq         int64         // of the last event; guarded by mu
	micros      int64         // of the last event; guarded by mu
	ahead       time.Duration // of the clock of events; guarded by mu
	accounts    []*account    // guarded by mu
	posts       map[string]*post
	generation  int // of connections; guarded by mu
	connections int // guarded by mu
	fault       fault
	huge        []byte      // see Huge; guarded by mu
	requests    []time.Time // to the AppView, in the last five minutes; guarded by mu
	asked       map[string]int
	violation   string // guarded by mu
}

// An event is a message of the first protocol.
type event struct {
	seq, micros int64
	collection  string // "" if a filter of collections does not apply
	text        []byte // JSON, unless a test sent something else
	zipped      []byte // compressed for the first protocol; nil: not yet
}

type account struct {
	did, handle string
	gone        bool
}

// A post is a published post or repost.
type post struct {
	guid, rkey              string
	author                  *account
	collection              string
	record                  map[string]any
	likes, reposts, answers int64
	deleted                 bool
}

// Start starts a network.
func Start(o Options) *Network {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Dictionary == nil {
		o.Dictionary = zdict.Dictionary
	}
	if o.PingEvery == 0 {
		o.PingEvery = 30 * time.Second
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // a machine without a loopback interface
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &Network{
		opts: o, address: listener.Addr().String(), stop: stop, changed: make(chan struct{}),
		first: encoder(zdict.Dictionary), second: encoder(o.Dictionary),
		posts: map[string]*post{}, asked: map[string]int{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/subscribe", n.subscribe)
	mux.HandleFunc("/xrpc/network.bsky.jetstream.subscribeEvents", n.subscribeEvents)
	mux.HandleFunc("/xrpc/network.bsky.jetstream.getZstdDictionary", n.getDictionary)
	mux.HandleFunc("/xrpc/app.bsky.actor.getProfiles", n.getProfiles)
	mux.HandleFunc("/xrpc/app.bsky.feed.getPosts", n.getPosts)
	n.server.Handler = mux
	n.server.BaseContext = func(net.Listener) context.Context { return ctx }
	go func() { _ = n.server.Serve(listener) }() // until Close
	return n
}

func encoder(dictionary []byte) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary), zstd.WithWindowSize(1<<17), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return e
}

// Close ends the network and its connections.
func (n *Network) Close() {
	n.stop()
	_ = n.server.Close()
}

// URL returns the address of the Jetstream server.
func (n *Network) URL() string { return "ws://" + n.address }

// Settings returns the settings of a source that reads the network.
func (n *Network) Settings() map[string]string {
	return map[string]string{"url": n.URL(), "api_url": "http://" + n.address}
}

// notify wakes all connections. The caller holds n.mu.
func (n *Network) notify() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// clock returns the time of a new event. The caller holds n.mu.
func (n *Network) clock() time.Time {
	n.micros = max(n.opts.Now().Add(n.ahead).UnixMicro(), n.micros+1)
	return time.UnixMicro(n.micros).UTC()
}

// append adds an event. The caller holds n.mu and has set n.micros.
func (n *Network) append(collection string, text []byte) {
	n.seq++
	n.events = append(n.events, event{seq: n.seq, micros: n.micros, collection: collection, text: text})
	n.notify()
}

// subscribe serves the first protocol.
func (n *Network) subscribe(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var cursor int64
	_, _ = fmt.Sscan(q.Get("cursor"), &cursor)
	n.serve(w, r, connection{
		collections: q["wantedCollections"], compress: q.Get("compress") == "true", encoder: n.first,
		start: func() int { return n.after(cursor) },
		frame: func(e event) []byte { return e.text },
	})
}

// subscribeEvents serves the second protocol.
func (n *Network) subscribeEvents(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var cursor int64
	_, _ = fmt.Sscan(q.Get("cursor"), &cursor)
	n.mu.Lock()
	oldest := n.seq + 1
	if len(n.events) > 0 {
		oldest = n.events[0].seq
	}
	n.mu.Unlock()
	id, _ := zdict.IDOf(n.opts.Dictionary)
	switch asked := q.Get("zstdDictionary"); {
	case cursor > 0 && cursor < 1e15 && cursor < oldest:
		reject(w, "CursorTooOld", fmt.Sprintf("the floor seq is %d", oldest))
		return
	case asked != "" && asked != fmt.Sprint(id):
		reject(w, "UnknownZstdDictionary", fmt.Sprintf("the current dictionary is %d", id))
		return
	}
	n.serve(w, r, connection{
		collections: q["collections"], compress: q.Get("zstdDictionary") != "", encoder: n.second, protocol: "xrpc.v1.json",
		start: func() int {
			if cursor >= 1e15 || cursor == 0 {
				return n.after(cursor)
			}
			i := 0
			for i < len(n.events) && n.events[i].seq < cursor {
				i++
			}
			return i
		},
		frame: secondFrame,
	})
}

func reject(w http.ResponseWriter, code, message string) {
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "message": message})
}

// after returns the index of the first event at or after a time, or of the next event if the time is
// 0. The caller holds n.mu.
func (n *Network) after(micros int64) int {
	if micros == 0 {
		return len(n.events)
	}
	i := 0
	for i < len(n.events) && n.events[i].micros < micros {
		i++
	}
	return i
}

// secondFrame returns an event as a message of the second protocol.
func secondFrame(e event) []byte {
	var in struct {
		DID      string          `json:"did"`
		TimeUS   int64           `json:"time_us"`
		Kind     string          `json:"kind"`
		Commit   map[string]any  `json:"commit"`
		Identity json.RawMessage `json:"identity,omitempty"`
		Account  json.RawMessage `json:"account,omitempty"`
	}
	if json.Unmarshal(e.text, &in) != nil || in.Kind == "" {
		return e.text
	}
	payload := map[string]any{}
	for name, value := range in.Commit {
		payload[name] = value
	}
	if in.Identity != nil {
		payload["identity"] = in.Identity
	}
	if in.Account != nil {
		payload["account"] = in.Account
	}
	payload["$type"] = "network.bsky.jetstream.subscribeEvents#" + in.Kind
	payload["seq"], payload["did"] = e.seq, in.DID
	payload["time"] = time.UnixMicro(in.TimeUS).UTC().Format("2006-01-02T15:04:05.000000Z")
	frame, err := json.Marshal(map[string]any{"$type": "message", "payload": payload})
	if err != nil {
		panic(err)
	}
	return frame
}

// getDictionary serves the dictionary of the second protocol.
func (n *Network) getDictionary(w http.ResponseWriter, r *http.Request) {
	if n.refuse(w, "dictionary") {
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(n.opts.Dictionary)
}

// maxConnections is the limit of connections at the same time. A source needs one, but the server may
// notice late that it has closed another.
const maxConnections = 8

// A connection is how a client wants to read events.
type connection struct {
	collections []string
	compress    bool
	encoder     *zstd.Encoder
	protocol    string
	start       func() int // index of the first event; the caller holds n.mu
	frame       func(event) []byte
}

// serve sends events to a client until it or the network ends the connection.
func (n *Network) serve(w http.ResponseWriter, r *http.Request, c connection) {
	if n.refuse(w, "stream") {
		return
	}
	c.compress = c.compress && !n.opts.Plain
	options := &websocket.AcceptOptions{}
	if c.protocol != "" {
		options.Subprotocols = []string{c.protocol}
	}
	conn, err := websocket.Accept(w, r, options)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx := conn.CloseRead(r.Context())

	n.mu.Lock()
	generation := n.generation
	next := n.start(c)
	if n.connections++; n.connections > maxConnections {
		n.violation = fmt.Sprintf("%d connections at the same time", n.connections)
	}
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.connections--
		n.mu.Unlock()
	}()
	go n.ping(ctx, conn)

	for {
		n.mu.Lock()
		ended, silent, changed := n.generation != generation, n.fault.silent, n.changed
		var e *event
		if next < n.seq+1 && !silent {
			e = n.find(next)
		}
		n.mu.Unlock()
		switch {
		case ended:
			half(ctx, conn)
			return
		case e == nil:
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			continue
		}
		next = e.seq + 1
		if !wanted(c.collections, e.collection) {
			continue
		}
		if err := send(ctx, conn, c, e); err != nil {
			return
		}
	}
}

// start returns the number of the first event for a connection. The caller holds n.mu.
func (n *Network) start(c connection) int64 {
	if i := c.start(); i < len(n.events) {
		return n.events[i].seq
	}
	return n.seq + 1
}

// find returns the first event with at least the given number, or nil. The caller holds n.mu.
func (n *Network) find(seq int64) *event {
	if len(n.events) == 0 {
		return nil
	}
	i := max(0, seq-n.events[0].seq)
	if i >= int64(len(n.events)) {
		return nil
	}
	return &n.events[i]
}

func wanted(collections []string, collection string) bool {
	if collection == "" || len(collections) == 0 {
		return true
	}
	for _, c := range collections {
		prefix, isPattern := strings.CutSuffix(c, "*")
		if c == collection || isPattern && strings.HasPrefix(collection, prefix) {
			return true
		}
	}
	return false
}

func send(ctx context.Context, conn *websocket.Conn, c connection, e *event) error {
	switch {
	case c.compress && c.protocol == "" && e.zipped != nil:
		return conn.Write(ctx, websocket.MessageBinary, e.zipped)
	case c.compress:
		return conn.Write(ctx, websocket.MessageBinary, c.encoder.EncodeAll(c.frame(*e), nil))
	}
	return conn.Write(ctx, websocket.MessageText, c.frame(*e))
}

// half starts a message and drops the connection.
func half(ctx context.Context, conn *websocket.Conn) {
	if w, err := conn.Writer(ctx, websocket.MessageBinary); err == nil {
		_, _ = w.Write(make([]byte, 64<<10))
	}
	_ = conn.CloseNow()
}

// ping keeps a connection alive, unless the network is silent.
func (n *Network) ping(ctx context.Context, conn *websocket.Conn) {
	ticker := time.NewTicker(n.opts.PingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			n.mu.Lock()
			silent := n.fault.silent
			n.mu.Unlock()
			if !silent {
				_ = conn.Ping(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}
