// Package source manages live sources and runs them: one connector per source, with restarts,
// leases, counters and gaps. What a connector delivers goes to the journal, together with its
// cursor.
package source

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// BucketName is the name of the bucket with the records of connectors. The keys of a source start
// with its ID.
const BucketName = "sources"

// A Service manages and runs the live sources.
type Service struct {
	Kinds []connector.Kind
}

// Info is a source and what it is doing.
type Info struct {
	*earshot.LiveSource
	Kind     *connector.Kind // nil if this version does not know the kind
	State    State
	Counters connector.Counters
	GapTime  time.Duration
	LastPost time.Time   // when the newest post was delivered; zero: never
	Activity []int64     // posts delivered in each of the last 60 minutes, the current one last
	Gaps     []SourceGap // the newest 100, newest first
}

// State is what a source is doing, since when.
type State struct {
	connector.State
	Since time.Time
}

// A SourceGap is a period of which a source may lack posts.
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

var errNotYet = errors.New("not implemented")

// List returns the sources that c may see, ordered by ID. If team is not 0, it returns only sources
// of that team.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []Info { return nil }

// Find returns a source if c may see it, or [earshot.NoLiveSource].
func (s *Service) Find(c *earshot.Caller, id earshot.LiveSourceID) (Info, error) {
	return Info{}, errNotYet
}

// Add adds a source and starts it. src has Team, Name, Kind, Settings, Keep and RetentionDays.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string) (Info, error) {
	return Info{}, errNotYet
}

// Edit changes a source and starts it again.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.LiveSourceID, change Change) (Info, error) {
	return Info{}, errNotYet
}

// Remove stops and removes a source, and its posts if withPosts is set.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.LiveSourceID, withPosts bool) error {
	return errNotYet
}

// Test connects with the given settings and returns up to n posts. It stores nothing. src may have
// the ID of an existing source, whose settings and secret complete those of src.
func (s *Service) Test(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string, n int) ([]earshot.Post, error) {
	return nil, errNotYet
}

// Rules returns the rules that must be accepted before a source with these settings is added. It
// returns nil if the kind has none.
func (s *Service) Rules(ctx context.Context, c *earshot.Caller, src earshot.LiveSource, secret string) (*connector.Rules, error) {
	return nil, errNotYet
}

// Receive passes a request to a source that receives requests.
func (s *Service) Receive(ctx context.Context, id earshot.LiveSourceID, r connector.Request) (connector.Response, error) {
	return connector.Response{}, errNotYet
}

// Gaps returns the gaps between two times of the sources whose posts a monitor can select, oldest
// first.
func (s *Service) Gaps(m *earshot.Monitor, from, to time.Time) []SourceGap { return nil }
