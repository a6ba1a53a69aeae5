// Package stream manages realtime streams: the monitors of each stream, and its posts. A stored
// post is appended to a stream once for each of the stream's monitors that match it. Clients take
// posts as from a queue, read from a cursor, or follow the stream.
//
// The pipeline calls Offer, which only collects posts. Run appends all collected posts to the feed
// soon after. Posts lost in a crash are offered again, because the feed stores the journal position
// up to which it is complete. See docs/decisions/0049-streams.md.
package stream

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
)

// A Journal returns the position of the newest entry.
type Journal interface {
	Last(ctx context.Context) (earshot.Position, error)
}

// Posts finds the posts that still exist.
type Posts interface {
	// Find returns the posts with the given keys. Keys without a post are skipped.
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// A Service manages streams.
type Service struct {
	Catalog *catalog.Catalog
	Posts   Posts // nil: no posts are deleted
	Feed    feed.Feed
	Journal Journal
	Now     func() time.Time
	Log     *slog.Logger

	// Await waits until this node has stored all posts up to a journal position. It returns an error
	// if that takes too long. Nil: posts are stored before they are in a stream, because this is the
	// only node.
	Await func(ctx context.Context, at earshot.Position) error

	// Unseen reports whether the pictures of a post are being looked at, so that the post should wait
	// a moment. It may be nil.
	Unseen func(p *earshot.Post) bool

	routes routes
	outbox outbox
}

// Limits per stream and per team, which bound the work for each post.
const (
	MaxMonitors  = 1000
	MaxStreams   = 10_000
	maxNameRunes = 200
)

func (s *Service) streams() catalog.Owned[earshot.StreamID, earshot.Stream] {
	return catalog.Owned[earshot.StreamID, earshot.Stream]{
		Catalog: s.Catalog, Table: s.Catalog.Streams, Name: "stream", Plural: "streams", Max: MaxStreams,
		Team:    func(st *earshot.Stream) earshot.TeamID { return st.Team },
		Missing: func(earshot.StreamID) error { return earshot.ErrNoStream },
	}
}

// Find returns a stream if c may see it, or ErrNoStream.
func (s *Service) Find(c *earshot.Caller, id earshot.StreamID) (*earshot.Stream, error) {
	return s.streams().Find(c, id)
}

// List returns the streams that c may see, ordered by ID. If team is not 0, it returns only streams
// of that team.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.Stream {
	return s.streams().List(c, team)
}

// Monitors returns the monitors of a stream, in the order in which they were added. It skips
// removed monitors.
func (s *Service) Monitors(st *earshot.Stream) []*earshot.Monitor {
	var list []*earshot.Monitor
	for _, sm := range st.Monitors {
		if m, ok := s.Catalog.Monitors.Find(sm.ID); ok && !m.Removed {
			list = append(list, m)
		}
	}
	return list
}

// TeamName returns the name of a stream's team.
func (s *Service) TeamName(st *earshot.Stream) string {
	if t, ok := s.Catalog.Teams.Find(st.Team); ok {
		return t.Name
	}
	return ""
}

// Add creates a stream without monitors.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, team earshot.TeamID, name string) (*earshot.Stream, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	return s.streams().Add(ctx, c, team, func(id earshot.StreamID) (*earshot.Stream, error) {
		return &earshot.Stream{ID: id, Name: name, Team: team, Created: s.Now().UTC().Truncate(time.Second)}, nil
	})
}

// Rename changes the name of a stream.
func (s *Service) Rename(ctx context.Context, c *earshot.Caller, id earshot.StreamID, name string) (*earshot.Stream, error) {
	if _, err := s.Find(c, id); err != nil {
		return nil, err
	}
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	return s.streams().Edit(ctx, c, id, nil, func(st *earshot.Stream) error { st.Name = name; return nil })
}

// Remove deletes a stream and its posts.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.StreamID) error {
	// Remove the stream before its queue: a queue left behind by a crash expires, but an existing
	// stream whose queue is removed would miss posts.
	if err := s.streams().Remove(ctx, c, id); err != nil {
		return err
	}
	return s.Feed.Remove(ctx, id)
}

// AddMonitor adds a monitor to a stream. The stream receives posts ingested from now on.
func (s *Service) AddMonitor(ctx context.Context, c *earshot.Caller, id earshot.StreamID, monitor earshot.MonitorID) (*earshot.Stream, error) {
	st, err := s.Find(c, id)
	if err != nil {
		return nil, err
	}
	m, ok := s.Catalog.FindMonitor(monitor)
	switch {
	case !ok || !c.In(m.Team):
		return nil, earshot.NoMonitor(monitor)
	case m.ID != monitor:
		return nil, earshot.Errorf(earshot.Invalid, "%d is a filter. A stream can only contain monitors", monitor)
	case m.Team != st.Team:
		return nil, earshot.Errorf(earshot.Invalid, "Monitor %d belongs to another team than stream %d", monitor, id)
	}
	last, err := s.Journal.Last(ctx)
	if err != nil {
		return nil, err
	}
	return s.streams().Edit(ctx, c, id, nil, func(st *earshot.Stream) error {
		if st.MonitorIndex(monitor) >= 0 {
			return nil
		}
		st.Monitors = slices.DeleteFunc(st.Monitors, s.isRemoved) // removed monitors are invisible, so they must not count toward the limit
		if len(st.Monitors) >= MaxMonitors {
			return earshot.Errorf(earshot.Invalid, "Stream %d has %d monitors, which is the maximum", id, MaxMonitors)
		}
		st.Monitors = append(st.Monitors, earshot.StreamMonitor{ID: monitor, After: last})
		return nil
	})
}

// isRemoved reports whether a monitor has been removed.
func (s *Service) isRemoved(sm earshot.StreamMonitor) bool {
	m, ok := s.Catalog.Monitors.Find(sm.ID)
	return ok && m.Removed
}

// RemoveMonitor removes a monitor from a stream. Posts already in the stream remain.
func (s *Service) RemoveMonitor(ctx context.Context, c *earshot.Caller, id earshot.StreamID, monitor earshot.MonitorID) (*earshot.Stream, error) {
	return s.streams().Edit(ctx, c, id, nil, func(st *earshot.Stream) error {
		i := st.MonitorIndex(monitor)
		if i < 0 {
			return earshot.Errorf(earshot.NotFound, "Stream %d does not have monitor %d", id, monitor)
		}
		st.Monitors = slices.Delete(st.Monitors, i, i+1)
		return nil
	})
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	return name, earshot.CheckText("name", name, 1, maxNameRunes)
}
