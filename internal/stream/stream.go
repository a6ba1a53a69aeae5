// Package stream keeps realtime streams: which monitors each has, and the posts that wait in
// it. A post is handed to a stream once for each of its monitors that selects the post, when
// it has been stored, and waits there for those who read: as from a queue, from a place that
// they name, or as it comes.
//
// Offer, which the pipeline calls, only collects; a moment later everything collected is
// appended to the feed at once. What a crash loses of it comes again, because the feed knows
// up to which journal entry it has everything. docs/decisions/0049-streams.md
package stream

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
)

// A Journal knows where posts that arrive now stand.
type Journal interface {
	Last(ctx context.Context) (earshot.Position, error)
}

// Posts knows which posts there still are.
type Posts interface {
	// Find returns the posts that have these keys. Keys that no post has are left out.
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// A Service keeps streams.
type Service struct {
	Catalog *catalog.Catalog
	Posts   Posts
	Feed    feed.Feed
	Journal Journal
	Now     func() time.Time
	Log     *slog.Logger

	routes routes
	outbox outbox
}

// MaxMonitors is how many monitors a stream has at most, and MaxStreams how many streams a
// team has.
const (
	MaxMonitors  = 1000
	MaxStreams   = 10_000
	maxNameRunes = 200
)

// Find returns a stream if c may see it, and ErrNoStream otherwise.
func (s *Service) Find(c *earshot.Caller, id earshot.StreamID) (*earshot.Stream, error) {
	st, ok := s.Catalog.Streams.Find(id)
	if !ok || !c.In(st.Team) {
		return nil, earshot.ErrNoStream
	}
	return st, nil
}

// List returns the streams that c may see, by id; of one team unless that is 0.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.Stream {
	var list []*earshot.Stream
	for _, st := range s.Catalog.Streams.List() {
		if c.In(st.Team) && (team == 0 || st.Team == team) {
			list = append(list, st)
		}
	}
	return list
}

// Monitors returns the monitors of a stream, in the order in which they were added. Removed
// ones are left out.
func (s *Service) Monitors(st *earshot.Stream) []*earshot.Monitor {
	var list []*earshot.Monitor
	for _, of := range st.Monitors {
		if m, ok := s.Catalog.Monitors.Find(of.ID); ok && !m.Removed {
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

// Add makes a stream without monitors.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, team earshot.TeamID, name string) (*earshot.Stream, error) {
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	s.Catalog.MultiRecord.Lock() // the team must not end meanwhile
	defer s.Catalog.MultiRecord.Unlock()
	if _, ok := s.Catalog.Teams.Find(team); !ok || !c.In(team) {
		return nil, earshot.Errorf(earshot.NotFound, "Team %d does not exist", team)
	}
	if err := s.checkRoom(team); err != nil {
		return nil, err
	}
	id, err := s.Catalog.NextIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	st := &earshot.Stream{ID: earshot.StreamID(id), Name: name, Team: team, Created: s.Now().UTC().Truncate(time.Second)}
	return st, s.Catalog.Streams.Add(ctx, st.ID, st)
}

func (s *Service) checkRoom(team earshot.TeamID) error {
	streams := 0
	for _, st := range s.Catalog.Streams.List() {
		if st.Team == team {
			streams++
		}
	}
	if streams >= MaxStreams {
		return earshot.Errorf(earshot.Invalid, "Team %d has %d streams, which is as many as a team may have; delete one first", team, streams)
	}
	return nil
}

// Rename gives a stream another name.
func (s *Service) Rename(ctx context.Context, c *earshot.Caller, id earshot.StreamID, name string) (*earshot.Stream, error) {
	if _, err := s.Find(c, id); err != nil {
		return nil, err
	}
	name, err := checkName(name)
	if err != nil {
		return nil, err
	}
	return s.update(ctx, id, func(st *earshot.Stream) error { st.Name = name; return nil })
}

// Remove deletes a stream and the posts that wait in it.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.StreamID) error {
	if _, err := s.Find(c, id); err != nil {
		return err
	}
	// First the stream, then its queue: what is left of that after a crash expires, while
	// posts that were deleted from a stream that is still there would be missed.
	err := s.Catalog.Streams.Remove(ctx, id)
	if errors.Is(err, catalog.ErrNotFound) {
		return earshot.ErrNoStream
	}
	if err != nil {
		return err
	}
	return s.Feed.Remove(ctx, id)
}

// AddMonitor has a stream take the posts of a monitor that come in from now on.
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
		return nil, earshot.Errorf(earshot.Invalid, "%d is a filter; streams take monitors", monitor)
	case m.Team != st.Team:
		return nil, earshot.Errorf(earshot.Invalid, "Monitor %d belongs to another team than stream %d", monitor, id)
	}
	last, err := s.Journal.Last(ctx)
	if err != nil {
		return nil, err
	}
	return s.update(ctx, id, func(st *earshot.Stream) error {
		if st.MonitorIndex(monitor) >= 0 {
			return nil
		}
		st.Monitors = slices.DeleteFunc(st.Monitors, s.isRemoved) // nobody sees them, so they must not take room
		if len(st.Monitors) >= MaxMonitors {
			return earshot.Errorf(earshot.Invalid, "Stream %d has %d monitors, which is as many as a stream may have", id, MaxMonitors)
		}
		st.Monitors = append(st.Monitors, earshot.StreamMonitor{ID: monitor, After: last})
		return nil
	})
}

// isRemoved reports whether a monitor is known to be gone for good.
func (s *Service) isRemoved(of earshot.StreamMonitor) bool {
	m, ok := s.Catalog.Monitors.Find(of.ID)
	return ok && m.Removed
}

// RemoveMonitor has a stream take no more posts of a monitor. Those that wait stay.
func (s *Service) RemoveMonitor(ctx context.Context, c *earshot.Caller, id earshot.StreamID, monitor earshot.MonitorID) (*earshot.Stream, error) {
	if _, err := s.Find(c, id); err != nil {
		return nil, err
	}
	return s.update(ctx, id, func(st *earshot.Stream) error {
		i := st.MonitorIndex(monitor)
		if i < 0 {
			return earshot.Errorf(earshot.NotFound, "Stream %d does not have monitor %d", id, monitor)
		}
		st.Monitors = slices.Delete(st.Monitors, i, i+1)
		return nil
	})
}

func (s *Service) update(ctx context.Context, id earshot.StreamID, change func(*earshot.Stream) error) (*earshot.Stream, error) {
	st, err := s.Catalog.Streams.Update(ctx, id, change)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, earshot.ErrNoStream
	}
	return st, err
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	return name, earshot.CheckText("name", name, 1, maxNameRunes)
}
