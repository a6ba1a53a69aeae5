package limit

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"earshot"
)

// ExchangeInterval is how often a node tells others what it has counted. With the time that a message
// takes, counts of other nodes are at most half a second old.
const ExchangeInterval = 250 * time.Millisecond

// An Exchange makes several nodes count together: each tells the others how many requests of a user
// it has seen in the running minute, and which attempts at a secret have failed. A node that is cut
// off counts alone. Add everything before Run. Receive may be called at any time.
//
// Requests without a user are counted by each node on its own: there can be too many addresses.
type Exchange struct {
	secret   []byte // makes the keys of failures the same on all nodes
	node     string
	rates    map[string]*Rate
	failures map[string]*Failures
	mu       sync.Mutex // held by Message
}

// NewExchange returns an Exchange without limits. The secret is the same on all nodes.
func NewExchange(secret []byte) *Exchange {
	return &Exchange{secret: secret, node: rand.Text(), rates: map[string]*Rate{}, failures: map[string]*Failures{}}
}

// AddRate shares the counts of r under a name.
func (x *Exchange) AddRate(name string, r *Rate) {
	r.share()
	x.rates[name] = r
}

// AddFailures shares the failures of f under a name. No failure may have been counted yet.
func (x *Exchange) AddFailures(name string, f *Failures) {
	f.share(append(append([]byte(name), 0), x.secret...))
	x.failures[name] = f
}

// maxShared bounds the entries of a message. What exceeds it is in the next one.
const maxShared = 5000

// An exchangeMessage is what a node tells the others.
type exchangeMessage struct {
	Node     string
	Rates    map[string]rateCounts      `json:",omitempty"`
	Failures map[string][]failureChange `json:",omitempty"`
}

// rateCounts are the requests of users in a minute.
type rateCounts struct {
	Window   int64 // start, in Unix seconds
	Users    []earshot.UserID
	Sessions []bool
	Counts   []int
}

// A failureChange is what happened to a key.
type failureChange struct {
	Key      uint64
	Failures int  `json:",omitempty"` // since the last message
	Reset    bool `json:",omitempty"` // before these failures
}

// Message returns what has changed since the last call, or nil if nothing has.
func (x *Exchange) Message() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	m := exchangeMessage{Node: x.node, Rates: map[string]rateCounts{}, Failures: map[string][]failureChange{}}
	for name, r := range x.rates {
		if counts := r.changes(maxShared); len(counts.Users) > 0 {
			m.Rates[name] = counts
		}
	}
	for name, f := range x.failures {
		if changes := f.changes(maxShared); len(changes) > 0 {
			m.Failures[name] = changes
		}
	}
	if len(m.Rates) == 0 && len(m.Failures) == 0 {
		return nil
	}
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // all fields can be encoded
	}
	return data
}

// Receive adds what another node has counted. It ignores messages of its own and invalid ones.
func (x *Exchange) Receive(data []byte, now time.Time) {
	var m exchangeMessage
	if json.Unmarshal(data, &m) != nil || m.Node == x.node || m.Node == "" {
		return
	}
	for name, counts := range m.Rates {
		if r := x.rates[name]; r != nil && len(counts.Sessions) == len(counts.Users) && len(counts.Counts) == len(counts.Users) {
			r.receive(m.Node, counts, now)
		}
	}
	for name, changes := range m.Failures {
		if f := x.failures[name]; f != nil {
			f.receive(changes, now)
		}
	}
}

// Run sends messages until ctx ends. A message that cannot be sent is lost: the next one has the
// counts of users who send further requests.
func (x *Exchange) Run(ctx context.Context, send func(data []byte) error) {
	tick := time.NewTicker(ExchangeInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if data := x.Message(); data != nil {
			_ = send(data)
		}
	}
}

// sharedCounts is what a Rate knows about other nodes, and what it has to tell them. All of it is
// about the current window.
type sharedCounts struct {
	changed map[Client]bool
	others  map[Client]map[string]int // by node
}

func newSharedCounts() *sharedCounts {
	return &sharedCounts{changed: map[Client]bool{}, others: map[Client]map[string]int{}}
}

// of returns the requests of a client that other nodes have counted.
func (s *sharedCounts) of(c Client) (sum int) {
	for _, count := range s.others[c] {
		sum += count
	}
	return sum
}

// share makes r count together with other nodes.
func (r *Rate) share() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shared = newSharedCounts()
}

// changes returns the counts of at most limit users that changed since the last call.
func (r *Rate) changes(limit int) (counts rateCounts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts.Window = r.window.Unix()
	for c := range r.shared.changed {
		if len(counts.Users) == limit {
			break
		}
		counts.Users, counts.Sessions, counts.Counts = append(counts.Users, c.User), append(counts.Sessions, c.Session), append(counts.Counts, r.users[c])
		delete(r.shared.changed, c)
	}
	return counts
}

// receive sets the counts of another node. It ignores counts of an earlier minute, and of a node whose
// clock is more than a minute fast.
func (r *Rate) receive(node string, counts rateCounts, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	window := time.Unix(counts.Window, 0).UTC()
	if window.Before(r.window) || window.After(now.Truncate(time.Minute).Add(time.Minute)) {
		return
	}
	if window.After(r.window) {
		r.begin(window)
	}
	for i, user := range counts.Users {
		c := Client{User: user, Session: counts.Sessions[i]}
		if r.shared.others[c] == nil {
			r.shared.others[c] = map[string]int{}
		}
		r.shared.others[c][node] = max(counts.Counts[i], 0)
	}
}

// share makes t count together with other nodes that have the same seed.
func (t *Failures) share(seed []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seed, t.shared = seed, map[uint64]failureChange{}
}

// note remembers a change for other nodes. The caller must hold mu.
func (t *Failures) note(key uint64, change func(*failureChange)) {
	if t.shared == nil {
		return
	}
	c := t.shared[key]
	c.Key = key
	change(&c)
	t.shared[key] = c
}

// changes returns at most limit changes since the last call.
func (t *Failures) changes(limit int) []failureChange {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.Collect(maps.Values(t.shared))
	list = list[:min(len(list), limit)]
	for _, c := range list {
		delete(t.shared, c.Key)
	}
	return list
}

// receive applies changes of another node.
func (t *Failures) receive(changes []failureChange, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range changes {
		if e := t.keys[c.Key]; c.Reset && e != nil {
			t.remove(e)
		}
		if c.Failures > 0 {
			t.count(c.Key, c.Failures, now)
		}
	}
}
