// Package cluster knows the nodes that form one installation. Each node writes a record about itself
// every two seconds and watches the records of the others. Nothing here decides who may write: leases
// and fences do (internal/state/lease). The records serve operators, and three decisions that a wrong
// guess may delay but not break: which node to copy the post store from, how much of the journal is
// still needed, and which formats all nodes can read.
//
//	node a ── record every 2 s ──▶ bucket "nodes" ── watch ──▶ node b: live, by its own clock
//	node c ── open, read, close ──▶ node a: checkpoint of the post store   (snapshot_*.go)
//
// A [Membership] is this process as one of the nodes, or as the only one. It decides whether this node
// copies the post store of another (join.go), exchanges messages with the others (message*.go), and
// knows how far each node is behind the journal (lag.go).
//
// The package knows neither NATS nor the engines of the post store. Package app connects it to both.
// docs/decisions/0072-several-nodes.md explains the design.
package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

// BucketName is the name of the bucket with the records of nodes.
const BucketName = "nodes"

// A node writes its record every Interval. A node whose record has not changed for Timeout is not
// live. The journal keeps what it lacks for another Memory; after that, it has to copy the post store
// again.
const (
	Interval = 2 * time.Second
	Timeout  = 10 * time.Second
	Memory   = 24 * time.Hour
)

// CutOffAfter is how long a node may fail to write its record before it is cut off. When another node is
// killed, writes wait up to 15 seconds while leaders are elected; the nodes that are left must not all
// seem to be cut off then.
const CutOffAfter = 20 * time.Second

// A State is what a node does.
type State string

const (
	Starting State = "starting" // it has not processed the journal yet
	Joining  State = "joining"  // it copies the post store of another node
	Ready    State = "ready"    // it answers requests
	Behind   State = "behind"   // it answers requests, but its posts are too old
)

// A Record is what a node says about itself. It is stored as JSON with these names.
type Record struct {
	ID       string // see Identity
	Name     string
	Process  string // differs after each start
	Version  string // of the program
	Formats  Formats
	State    State
	Detail   string           // of the state, for example "copying the post store from node b: 34 %"; may be empty
	Position earshot.Position // of the journal, up to which its posts can be found
	Durable  earshot.Position // up to which they are on its disk
	Catalog  uint64           // revision of the catalog that it has read
	Roles    []string         // sorted
	Started  time.Time        // by its clock
	Written  time.Time        // by its clock
}

// A Member is a node as another one sees it.
type Member struct {
	Record
	Live bool
	Self bool
	Seen time.Time // when its record last changed
}

// Forgotten reports whether the journal no longer keeps entries for the node.
func (m Member) Forgotten(now time.Time) bool { return !m.Live && now.Sub(m.Seen) > Memory }

// Options configure [Members].
type Options struct {
	Store    kv.Store // the bucket with the records
	Identity Identity
	Version  string
	Formats  Formats       // newest ones that the program reads and writes
	Fill     func(*Record) // sets everything that changes: state, positions, roles
	Log      *slog.Logger
	Now      func() time.Time // nil: time.Now
}

// Members writes the record of this node and watches those of all nodes. Create it with [New].
type Members struct {
	Options
	process string
	started time.Time
	lost    chan struct{} // closed when another process has taken this node's identity
	once    sync.Once     // guards closing lost

	mu       sync.Mutex
	nodes    map[string]*node // guarded by mu; by ID
	complete bool             // guarded by mu; the watch has read all records
	changed  chan struct{}    // guarded by mu; closed at the next change
	revision uint64           // guarded by mu; of this node's record; 0: none
	written  time.Time        // guarded by mu; when this node's record was last written, or New was called
}

// A node is a record and when it changed.
type node struct {
	record   Record
	revision uint64
	observed time.Time // when a change of the record was observed; zero: never
}

// New returns Members without any known nodes. Call [Members.Run].
func New(o Options) *Members {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	now := o.Now()
	return &Members{
		Options: o, process: rand.Text(), started: now, written: now, lost: make(chan struct{}),
		nodes: map[string]*node{}, changed: make(chan struct{}),
	}
}

// Run writes and watches records until ctx ends.
func (m *Members) Run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() { m.watch(ctx) })
	defer watching.Wait()
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	failing := false
	for {
		err := m.write(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			m.Log.Warn("this node cannot tell the others that it is live; will retry", "error", err)
		case err == nil && failing:
			m.Log.Info("this node tells the others again that it is live")
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-m.lost:
			return
		case <-tick.C:
		}
	}
}

// Lost returns a channel that is closed when another process writes the record of this node, because
// its data directory was copied. This process must end then.
func (m *Members) Lost() <-chan struct{} { return m.lost }

// ErrLost is why the process must end when Lost is closed.
var ErrLost = errors.New("another process runs as this node: a data directory was copied, including node.json. " +
	"Remove node.json and the directory nats from the copy and start it again")

// write writes the record of this node.
func (m *Members) write(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout/2)
	defer cancel()
	m.mu.Lock()
	revision := m.revision
	m.mu.Unlock()
	value, err := json.Marshal(m.self())
	if err != nil {
		return err
	}
	next, err := m.Store.Put(ctx, m.Identity.ID, value, revision)
	if errors.Is(err, kv.ErrConflict) {
		if next, err = m.replace(ctx, value); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revision, m.written = next, m.Now()
	return nil
}

// CutOff reports whether this node does not reach a majority of the nodes, without which no record can
// be written. What it answers gets older.
func (m *Members) CutOff() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Now().Sub(m.written) > CutOffAfter
}

// replace writes the record of this node after a conflict: the record is that of an earlier process,
// was removed, or was written although the response was lost. It fails if a later process wrote it.
func (m *Members) replace(ctx context.Context, value []byte) (uint64, error) {
	e, err := m.Store.Get(ctx, m.Identity.ID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return m.Store.Put(ctx, m.Identity.ID, value, 0)
	case err != nil:
		return 0, err
	}
	var stored Record
	m.mu.Lock()
	known := m.revision
	m.mu.Unlock()
	if err := json.Unmarshal(e.Value, &stored); err == nil && known > 0 && stored.Process != m.process {
		m.once.Do(func() { close(m.lost) })
		return 0, ErrLost
	}
	return m.Store.Put(ctx, m.Identity.ID, value, e.Revision)
}

// self returns the current record of this node.
func (m *Members) self() Record {
	r := Record{
		ID: m.Identity.ID, Name: m.Identity.Name, Process: m.process, Version: m.Version, Formats: m.Formats,
		Started: m.started.UTC(), Written: m.Now().UTC(),
	}
	m.Fill(&r)
	slices.Sort(r.Roles)
	return r
}

// watch follows the records until ctx ends.
func (m *Members) watch(ctx context.Context) {
	for {
		err := m.Store.Watch(ctx, m.apply, func(uint64) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.complete = true
			m.wake()
		})
		if ctx.Err() != nil {
			return
		}
		m.Log.Warn("watching the other nodes failed; will retry", "error", err)
		if !sleep.For(ctx, time.Second) {
			return
		}
	}
}

// apply applies a change of a record.
func (m *Members) apply(e kv.Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.wake()
	if e.Value == nil {
		delete(m.nodes, e.Key)
		return
	}
	known := m.nodes[e.Key]
	if known != nil && e.Revision <= known.revision {
		return // the watch has started again
	}
	var r Record
	if err := json.Unmarshal(e.Value, &r); err != nil || r.ID != e.Key {
		m.Log.Warn("the record of a node is unreadable", "key", e.Key, "error", err)
		return
	}
	n := &node{record: r, revision: e.Revision}
	if m.complete || known != nil { // otherwise it is unknown when it was written
		n.observed = m.Now()
	}
	m.nodes[e.Key] = n
}

// wake wakes waiters. m.mu must be held.
func (m *Members) wake() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// List returns all nodes that have a record, by name. Before the first records have been read, it
// contains only this node.
func (m *Members) List() []Member {
	self := Member{Record: m.self(), Live: true, Self: true, Seen: m.Now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []Member{self}
	for id, n := range m.nodes {
		if id != self.ID {
			list = append(list, m.member(n))
		}
	}
	slices.SortFunc(list, func(a, b Member) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return list
}

// member returns how this process sees a node. m.mu must be held.
func (m *Members) member(n *node) Member {
	seen := n.observed
	if seen.IsZero() {
		seen = n.record.Written
	}
	return Member{Record: n.record, Live: !n.observed.IsZero() && m.Now().Sub(n.observed) < Timeout, Seen: seen}
}

// Floor returns the journal position up to which every node that was seen within the last day has
// everything on disk. It returns false if that is not known yet.
func (m *Members) Floor() (floor earshot.Position, known bool) {
	m.mu.Lock()
	known = m.complete
	m.mu.Unlock()
	if !known {
		return 0, false
	}
	now := m.Now()
	for i, member := range slices.DeleteFunc(m.List(), func(member Member) bool { return member.Forgotten(now) }) {
		if i == 0 || member.Durable < floor {
			floor = member.Durable
		}
	}
	return floor, true
}

// Find returns the node with an ID or a name.
func (m *Members) Find(node string) (Member, error) {
	var found []Member
	for _, member := range m.List() {
		if member.ID == node {
			return member, nil
		}
		if member.Name == node {
			found = append(found, member)
		}
	}
	switch len(found) {
	case 0:
		return Member{}, earshot.Errorf(earshot.NotFound, "There is no node %s", node)
	case 1:
		return found[0], nil
	}
	return Member{}, earshot.Errorf(earshot.Invalid, "%d nodes are named %s. Please use the ID of the node", len(found), node)
}

// Remove removes the record of a node that is not live. A node that starts again later writes a new
// record.
func (m *Members) Remove(ctx context.Context, id string) error {
	member, err := m.Find(id)
	switch {
	case err != nil:
		return err
	case member.Live:
		return earshot.Errorf(earshot.Conflict, "Node %s is running. Please stop it first", member.Name)
	}
	e, err := m.Store.Get(ctx, member.ID)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = m.Store.Delete(ctx, member.ID, e.Revision)
	}
	if errors.Is(err, kv.ErrConflict) {
		return earshot.Errorf(earshot.Conflict, "Node %s has just started again. Please stop it first", member.Name)
	}
	if err != nil {
		return fmt.Errorf("remove the record of node %s: %w", member.Name, err)
	}
	return nil
}

// RemoveReplaced removes the records of nodes that had the name of this one and are not live: machines
// that were replaced by this one. It does nothing until it is certain which nodes are live.
func (m *Members) RemoveReplaced(ctx context.Context) error {
	if m.Now().Sub(m.started) < 2*Timeout {
		return nil
	}
	for _, member := range m.List() {
		if member.Self || member.Live || member.Name != m.Identity.Name {
			continue
		}
		if err := m.Remove(ctx, member.ID); err != nil && !earshot.IsKind(err, earshot.Conflict) {
			return err
		}
		m.Log.Info("this node replaces an earlier one of the same name", "id", member.ID)
	}
	return nil
}

// WaitFor waits until pick finds a node among all nodes, and returns it. pick is called again whenever
// a record changes.
func (m *Members) WaitFor(ctx context.Context, pick func([]Member) (Member, bool)) (Member, error) {
	for {
		m.mu.Lock()
		changed := m.changed
		m.mu.Unlock()
		if found, ok := pick(m.List()); ok {
			return found, nil
		}
		select {
		case <-ctx.Done():
			return Member{}, ctx.Err()
		case <-changed:
		}
	}
}
