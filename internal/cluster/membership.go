package cluster

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A Journal is the journal of the installation, as far as a [Membership] reads it.
type Journal interface {
	Last(ctx context.Context) (earshot.Position, error)
	Trimmed(ctx context.Context) (earshot.Position, error)
	Pending(ctx context.Context, after earshot.Position) (int64, error)
}

// MembershipOptions are what a [Membership] needs from the rest of the process.
type MembershipOptions struct {
	Records   kv.Store // the bucket with the records of nodes; nil: this process is the only node
	Identity  Identity // without a cluster, only the name
	Version   string   // of the program
	Catalog   *catalog.Catalog
	Journal   Journal
	Messenger Messenger
	Log       *slog.Logger
	Now       func() time.Time

	Name         string          // of the cluster; may be empty
	Installation string          // ID of the installation
	Ready        func() bool     // whether the process serves requests
	Stored       func() Progress // how far the process is
	Step         func() string   // returns the running step of the start
	Roles        func() []string // that the process has

	// Streams returns where the replicas of the streams are.
	Streams func(ctx context.Context) ([]StreamStatus, error)

	// RemoveServer removes the embedded NATS server of a node that has been stopped. Nil: the NATS
	// servers do not run in the nodes.
	RemoveServer func(ctx context.Context, node string) error
}

// Progress is how far a process is with the journal.
type Progress struct {
	Opened    bool             // the post store is open; otherwise both positions are unknown
	Processed earshot.Position // up to which posts can be found
	Durable   earshot.Position // up to which posts are on disk
}

// A Membership is this process as a node of an installation. It may be the only node.
type Membership struct {
	MembershipOptions
	members *Members // nil: this process is the only node
	process string   // tells messages of this process from those of others
	lag     lagWatch

	mu     sync.Mutex
	state  State  // guarded by mu; Ready: see current
	detail string // guarded by mu
}

// NewMembership returns the membership of a process that is starting.
func NewMembership(o MembershipOptions) *Membership {
	m := &Membership{MembershipOptions: o, process: rand.Text(), state: Starting}
	if o.Records != nil {
		m.members = New(Options{Store: o.Records, Identity: o.Identity, Version: o.Version, Formats: Known, Fill: m.fill, Log: o.Log})
	}
	return m
}

// Run tells the other nodes about this one until ctx ends. It returns [ErrLost] if another process has
// taken the identity of this node.
func (m *Membership) Run(ctx context.Context) error {
	if m.members == nil {
		return nil
	}
	m.members.Run(ctx)
	select {
	case <-m.members.Lost():
		return ErrLost
	default:
		return nil
	}
}

// RaiseFormats records the formats that all nodes know.
func (m *Membership) RaiseFormats(ctx context.Context) error {
	agreed, current := Known, m.Catalog.Formats()
	if m.members == nil {
		current = current.AtLeast(Formats{Journal: 1, Catalog: 1, Streams: 1}) // the same as no record
	} else if f, known := m.members.Agreed(); known {
		agreed = f
	} else {
		return nil
	}
	if current.AtLeast(agreed) == current {
		return nil
	}
	return m.Catalog.RaiseFormats(ctx, agreed)
}

// Floor limits up to where the journal may be trimmed: see [Members.Floor]. Without other nodes, the
// limit is upTo. It returns false if the limit is not known yet.
func (m *Membership) Floor(upTo earshot.Position) (earshot.Position, bool) {
	if m.members == nil {
		return upTo, true
	}
	floor, known := m.members.Floor()
	return min(upTo, floor), known
}

// Follow measures how far this node is behind the journal, until ctx ends. It also removes the record
// of the machine that this one replaces.
func (m *Membership) Follow(ctx context.Context) {
	if m.members == nil {
		return
	}
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		attempt, cancel := context.WithTimeout(ctx, Interval)
		last, processed, err := m.journalEnd(attempt)
		cancel()
		if err == nil { // without a majority of nodes, nothing new arrives, and reading continues
			m.lag.add(time.Now(), last, processed)
			if err := m.members.RemoveReplaced(ctx); err != nil && ctx.Err() == nil {
				m.Log.Warn("removing the record of a replaced node failed; will retry", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// IsCutOff reports whether this node does not reach a majority of the nodes.
func (m *Membership) IsCutOff() bool { return m.members != nil && m.members.CutOff() }

// IsBehind reports whether this node is too far behind the journal to answer requests.
func (m *Membership) IsBehind() bool {
	_, behind := m.lag.get()
	return behind
}

// setState sets what this node does until it is ready.
func (m *Membership) setState(s State, detail string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.detail = s, detail
}

// current returns what this node does.
func (m *Membership) current() (State, string) {
	if m.Ready() {
		if m.IsBehind() || m.IsCutOff() {
			return Behind, ""
		}
		return Ready, ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == Starting {
		return Starting, m.Step()
	}
	return m.state, m.detail
}

// fill sets what changes in the record of this node.
func (m *Membership) fill(r *Record) {
	r.State, r.Detail = m.current()
	r.Catalog = m.Catalog.Revision()
	p := m.Stored()
	if !p.Opened {
		return // the journal must be kept until it is known what this node has
	}
	r.Position, r.Durable, r.Roles = p.Processed, p.Durable, m.Roles()
}
