// Package source manages live sources and runs them: one connector per source, with restarts,
// leases, counters and gaps. What a connector delivers goes to the journal, together with its
// cursor.
//
//	catalog ── change ──► supervisor ──► runner ──► lease ──► Connector.Run ──► sink ──► journal
//	                          │            │                                     │
//	                    checkpoints,    backoff,                           match, count,
//	                    retention,      state                              origin with cursor
//	                    removals
//
// The central idea is that the journal is the source of truth for how far a source has been read: an
// entry, the cursor after it and the counters are written together. A checkpoint in the catalog,
// written every 15 seconds, only avoids reading the journal from its start. When a source starts, its
// cursor and its counters are those of the newest journal entry after its checkpoint or, if there is
// none, those of the checkpoint.
package source

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
)

// BucketName is the name of the bucket with the records of connectors. The keys of a source start
// with its ID.
const BucketName = "sources"

// A Service manages and runs the live sources. [Service.Run] runs them.
type Service struct {
	Kinds   []connector.Kind
	Catalog *catalog.Catalog
	Journal journal.Journal
	Content Content
	Records kv.Store       // of connectors
	Roles   *lease.Manager // decides which process runs a source

	// Matches reports for each post whether it matches a monitor. It does not change the posts.
	Matches func(ctx context.Context, posts []earshot.Post) []bool

	// Stored returns the stored posts with the given keys. A new version of a stored post is kept
	// even if it no longer matches a monitor.
	Stored func(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)

	// Pending returns the number of journal entries that are not stored yet. Sources wait while
	// there are too many.
	Pending func(ctx context.Context) (int64, error)

	// Forward passes a request to the node that runs a source. It fails with
	// [connector.ErrNotRunning] if none does. Nil: there are no other nodes.
	Forward func(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error)

	Secret []byte        // of the installation; encrypts the secrets of sources
	Env    connector.Env // shared by all connectors; only HTTP is used
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now

	mu      sync.Mutex                       // guards the fields below
	runners map[earshot.LiveSourceID]*runner // of all sources, once Run has started

	changed sleep.Signal // a source was changed by this process
	cursors cursorIndex
	backlog backlog
}

// Content is the part of package content that live sources need.
type Content interface {
	AddSource(ctx context.Context, c *earshot.Caller, src earshot.ContentSource) (*earshot.ContentSource, error)

	// Deliver writes posts of a content source to the journal, as one entry with an origin.
	Deliver(ctx context.Context, posts []earshot.Post, origin *journal.Origin) (earshot.Position, error)
}

// Info is a source and what it is doing.
type Info struct {
	*earshot.LiveSource
	Kind     *connector.Kind // nil if this version does not support the kind
	State    State
	Counters connector.Counters
	GapTime  time.Duration
	LastPost time.Time   // when the newest post was delivered; zero: never
	Activity []int64     // posts delivered in each of the last 60 minutes, ending with the current one
	Gaps     []SourceGap // the 100 most recent, newest first
}

// State is the activity of a source, and since when.
type State struct {
	connector.State
	Since time.Time
}

// A SourceGap is a period for which a source may have missed posts.
type SourceGap struct {
	Source earshot.LiveSourceID
	Name   string // of the source
	connector.Gap
	Open bool // the source is down now, and may still catch up
}

// A Change changes settings of a source. Nil fields stay as they are.
type Change struct {
	Name          *string
	Settings      map[string]string // merged; an empty value removes the setting
	Secret        *string
	Keep          *earshot.Keep
	RetentionDays *int
	Paused        *bool
}

// List returns the sources that c may see, ordered by ID. If team is not 0, it returns only sources
// of that team.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []Info {
	list := []Info{}
	for _, src := range s.Catalog.Live.List() {
		if c.In(src.Team) && !src.Removed && (team == 0 || src.Team == team) {
			list = append(list, s.info(src))
		}
	}
	return list
}

// All returns all sources, ordered by ID.
func (s *Service) All() []Info {
	var list []Info
	for _, src := range s.Catalog.Live.List() {
		if !src.Removed {
			list = append(list, s.info(src))
		}
	}
	return list
}

// Find returns a source if c may see it, or [earshot.NoLiveSource].
func (s *Service) Find(c *earshot.Caller, id earshot.LiveSourceID) (Info, error) {
	src, err := s.find(c, id)
	if err != nil {
		return Info{}, err
	}
	return s.info(src), nil
}

// find returns a source if c may see it.
func (s *Service) find(c *earshot.Caller, id earshot.LiveSourceID) (*earshot.LiveSource, error) {
	if src, ok := s.Catalog.Live.Find(id); ok && !src.Removed && c.In(src.Team) {
		return src, nil
	}
	return nil, earshot.NoLiveSource(id)
}

// kind returns the kind with a name, or nil.
func (s *Service) kind(name string) *connector.Kind {
	i := slices.IndexFunc(s.Kinds, func(k connector.Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Kinds[i]
}

func (s *Service) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// Receive passes a request to a source that receives requests.
func (s *Service) Receive(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error) {
	response, err := s.ReceiveHere(ctx, id, r)
	if errors.Is(err, connector.ErrNotRunning) && s.Forward != nil {
		return s.Forward(ctx, id, r)
	}
	return response, err
}

// ReceiveHere is Receive for a source that runs on this node. It fails with
// [connector.ErrNotRunning] if the source does not.
func (s *Service) ReceiveHere(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error) {
	src, ok := s.Catalog.Live.Find(id)
	if !ok || src.Removed || src.Paused {
		return connector.Response{}, earshot.NoLiveSource(id)
	}
	if k := s.kind(src.Kind); k == nil || !k.Receives {
		return connector.Response{}, earshot.NoLiveSource(id)
	}
	run := s.runner(id)
	if run == nil {
		return connector.Response{}, connector.ErrNotRunning
	}
	to, isReceiver := run.receiver()
	if to == nil {
		return connector.Response{}, connector.ErrNotRunning
	}
	if !isReceiver {
		return connector.Response{}, earshot.NoLiveSource(id)
	}
	ctx, cancel := context.WithTimeout(ctx, receiveTimeout)
	defer cancel()
	return to.(connector.Receiver).Receive(ctx, r)
}

// receiveTimeout bounds a request to a source, so that a request that cannot be stored does not hold
// its connection forever.
const receiveTimeout = 20 * time.Second

// Outages is like Gaps, without the sources.
func (s *Service) Outages(m *earshot.Monitor, from, to time.Time) (list []catalog.Gap) {
	for _, g := range s.Gaps(m, from, to) {
		list = append(list, catalog.Gap(g.Gap))
	}
	return list
}

// Gaps returns the gaps between two times of the sources whose posts a monitor can select, oldest
// first. A source of another team is named after its kind, without details of its connection.
func (s *Service) Gaps(m *earshot.Monitor, from, to time.Time) []SourceGap {
	gaps := []SourceGap{}
	for _, src := range s.Catalog.Live.List() {
		if src.Removed || !s.feeds(src, m) {
			continue
		}
		info := s.info(src)
		for _, g := range info.Gaps {
			if !g.From.Before(to) || !g.To.After(from) {
				continue
			}
			if src.Team != m.Team {
				g.Name, g.Reason = info.Kind.Title, otherTeamsReason
			}
			gaps = append(gaps, g)
		}
	}
	slices.SortStableFunc(gaps, func(a, b SourceGap) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.Source, b.Source))
	})
	return gaps
}

// otherTeamsReason replaces the reason of a gap of another team's source, which may contain
// addresses from its settings.
const otherTeamsReason = "A source of another team missed posts"

// feeds reports whether a monitor can select posts of a source.
func (s *Service) feeds(src *earshot.LiveSource, m *earshot.Monitor) bool {
	k := s.kind(src.Kind)
	if k == nil {
		return false
	}
	selected := func(name earshot.Source) bool {
		return len(m.Criteria.Sources) == 0 || slices.Contains(m.Criteria.Sources, string(name))
	}
	networks := k.Sources(k.WithDefaults(src.Settings))
	if networks != nil {
		return slices.ContainsFunc(networks, selected)
	}
	to, ok := s.Catalog.Sources.Find(src.ContentSource)
	return ok && src.Team == m.Team && selected(earshot.Source(to.Name))
}

// runner returns the runner of a source, or nil.
func (s *Service) runner(id earshot.LiveSourceID) *runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runners[id]
}

func (s *Service) info(src *earshot.LiveSource) Info {
	info := Info{LiveSource: src, Kind: s.kind(src.Kind)}
	r := s.runner(src.ID)
	if r == nil { // Run has not started it yet, or another process runs it
		r = &runner{service: s, id: src.ID, src: src}
		r.state = State{connector.State{Phase: connector.Starting}, src.Created}
		if cp, ok := s.Catalog.Checkpoints.Find(src.ID); ok {
			r.restore(cp)
		}
	}
	r.describe(&info)
	return info
}
