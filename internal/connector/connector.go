// Package connector defines how Earshot collects posts from networks. A source is one configured
// connection to a network, such as Bluesky, a list of feeds, or a folder; a connector is the code
// that reads it. Each network has a package below this one. Package source runs the configured
// sources, and package connectortest contains the tests that every connector must pass.
//
//	network ──► Connector.Run ──► Sink.Select ──► Sink.Deliver ──► journal
//	              │ decode          │ which posts    │ posts, deletions and
//	              │ reconnect       │ to complete    │ the cursor, in one entry
//
// For example, the Bluesky connector reads 1,000 events from a WebSocket. It selects the posts that
// match a monitor, looks up the profiles of their authors, and delivers the posts together with the
// cursor after the last event. If the process dies before the journal has the batch, the next run
// starts at the cursor before it and reads the same events again. Posts have keys, so reading an
// event twice has no effect.
package connector

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

// A Connector reads a source.
type Connector interface {
	// Run reads everything after cursor, which is empty for a new source, and passes it to sink. It
	// runs until ctx ends and reconnects after temporary errors. It returns an error that wraps
	// [ErrAttention] if a person must fix something first, and any other error if it should be
	// restarted after a while. A poller with a quota sleeps within Run.
	//
	// Run must not use more than a few megabytes of memory, whatever the network sends.
	Run(ctx context.Context, cursor string, sink Sink) error

	// Sample returns up to n current posts, without changing anything, to show that the settings
	// work. It returns what it has when ctx ends.
	Sample(ctx context.Context, n int) ([]earshot.Post, error)
}

// A Receiver is a Connector that the network sends requests to, such as a webhook. Receive is called
// concurrently while Run is running.
type Receiver interface {
	Connector

	// Receive authenticates the sender and handles a request. Once it returns without an error, the
	// posts in the request survive a crash.
	Receive(ctx context.Context, r Request) (Response, error)
}

// A Request is a request from a network.
type Request struct {
	Header http.Header
	Body   []byte
}

// A Response is the response to a request. Errors of type *earshot.Error result in the usual error
// response of the HTTP interface instead.
type Response struct {
	Status int
	Body   any // written as JSON; nil: none
}

// A Sink accepts what a connector reads. Its methods must not be called concurrently, except Count.
type Sink interface {
	// Select returns the posts that will be stored: those that match a monitor or, for a source
	// that keeps everything, all of them. A connector calls it before it requests more data about
	// posts, such as authors' profiles, and sets Batch.Selected. It may skip Select and deliver all
	// posts. The result does not share memory with posts.
	Select(ctx context.Context, posts []earshot.Post) []earshot.Post

	// Deliver stores a batch. When it returns, the batch and its cursor survive a crash, except that a
	// crash may undo a cursor that moved without posts or deletions. It blocks while posts arrive
	// faster than they can be stored. An error means that nothing after the last delivered cursor
	// is stored; Run must return it.
	Deliver(ctx context.Context, b Batch) error

	// Report sets the state shown to people.
	Report(s State)

	// Count adds to the counters shown to people.
	Count(c Counters)

	// Gap records that posts of a period may be missing, for example because the network no longer
	// has the events after the cursor.
	Gap(ctx context.Context, g Gap) error
}

// A Batch has posts and deletions that a connector has read. The deletions apply before the posts.
// A batch without either only moves the cursor.
type Batch struct {
	Posts     []earshot.Post
	Deletions []earshot.Deletion
	Cursor    string // after the batch; empty: unchanged
	Selected  bool   // the posts come from Select, so Deliver stores them all
}

// A Phase is the activity of a source.
type Phase string

const (
	Starting   Phase = "starting"
	Live       Phase = "live"
	CatchingUp Phase = "catchingUp" // State.Lag is how far behind it is
	BackingOff Phase = "backingOff" // until State.Until
	Attention  Phase = "attention"  // a person must fix what State.Reason describes
	Stopped    Phase = "stopped"
)

// A State is the activity of a source, and the reason for it.
type State struct {
	Phase  Phase
	Lag    time.Duration // between now and the last event, when catching up
	Until  time.Time     // end of the backoff
	Reason string        // for people, as a sentence without a period
}

// Counters count what a source has delivered. The sink counts posts, deletions, and posts that
// match no monitor; a connector counts the rest.
type Counters struct {
	Events     int64            `json:"events"`    // read from the network
	Posts      int64            `json:"posts"`     // stored, including new versions
	Deletions  int64            `json:"deletions"` // deleted posts and accounts
	Skipped    map[string]int64 `json:"skipped"`   // not stored, by reason, such as "no monitor matches"
	Bytes      int64            `json:"bytes"`     // received
	Reconnects int64            `json:"reconnects"`
}

// Add adds d to c.
func (c *Counters) Add(d Counters) {
	c.Events += d.Events
	c.Posts += d.Posts
	c.Deletions += d.Deletions
	c.Bytes += d.Bytes
	c.Reconnects += d.Reconnects
	for reason, n := range d.Skipped {
		if c.Skipped == nil {
			c.Skipped = map[string]int64{}
		}
		c.Skipped[reason] += n
	}
}

// A Gap is a period for which a source may have missed posts.
type Gap struct {
	From, To time.Time
	Reason   string // for people, as a sentence without a period
}

// ErrAttention is wrapped by errors that only a person can resolve: a revoked token, a blocked
// address, rules that were not accepted.
var ErrAttention = errors.New("the source needs attention")

// ErrNotRunning means that a source does not run now, or not on this node.
var ErrNotRunning = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: 10 * time.Second,
	Message: "The source is not running. Please try again later"}

// A RetryError requests that a source be restarted after a delay that the network specified.
type RetryError struct {
	After time.Duration
	Err   error
}

func (e *RetryError) Error() string { return e.Err.Error() }
func (e *RetryError) Unwrap() error { return e.Err }

// Env is the environment of a connector.
type Env struct {
	Source   *earshot.LiveSource
	Settings Settings     // of Source, with defaults
	Secret   string       // token or password; never logged
	HTTP     *http.Client // connects only to public addresses, and identifies the program with a contact address
	Store    kv.Store     // durable records of this source, such as a cache; values of at most 512 KB
	Log      *slog.Logger
	Now      func() time.Time
	Wait     func(ctx context.Context, d time.Duration) error // until d has passed or ctx is done
}

// Settings are the settings of a source, by name. A Kind documents them. All kinds that connect to
// a network have "url", which replaces the network's address.
type Settings map[string]string

// A Kind is a network that sources can be configured for.
type Kind struct {
	Name        string // in commands and the API: "bluesky"
	Title       string // for people: "Bluesky"
	Description string // one sentence
	Settings    []Setting
	Secret      string       // what the secret is, such as "access token"; empty: none
	Keep        earshot.Keep // default

	// Check returns an error for people if settings are invalid. It does not use the network.
	Check func(s Settings, secret string) error

	// Sources returns the networks of the posts that a source with these settings delivers. Nil
	// means that the posts are custom content of the source's team.
	Sources func(s Settings) []earshot.Source

	// Rules returns the rules of a server that a person must accept before the source may read it.
	// The setting "accepted_rules" must be their version. It is nil for networks without such rules.
	Rules func(ctx context.Context, e Env) (Rules, error)

	New func(e Env) Connector

	// Receives reports whether the connectors are Receivers.
	Receives bool
}

// WithDefaults returns the settings of a source, with defaults for settings that are missing.
func (k *Kind) WithDefaults(settings map[string]string) Settings {
	all := Settings{}
	for _, s := range k.Settings {
		if s.Default != "" {
			all[s.Name] = s.Default
		}
	}
	for name, value := range settings {
		if value != "" {
			all[name] = value
		}
	}
	return all
}

// Rules are the rules that a server sets for everyone who reads it. The setting accepted_rules of a
// source must equal the version.
type Rules struct {
	URL     string   `json:"url,omitempty"`     // page with the rules or terms
	Items   []string `json:"items"`             // plain text
	Version string   `json:"version,omitempty"` // changes if the rules change
}

// A Setting describes a setting of a kind.
type Setting struct {
	Name     string   `json:"name"` // lowercase with underscores
	Title    string   `json:"title"`
	Help     string   `json:"help"`
	Required bool     `json:"required"`
	Default  string   `json:"default"`
	Options  []string `json:"options"`  // allowed values; nil: any
	Long     bool     `json:"long"`     // multiple lines of text
	Advanced bool     `json:"advanced"` // hidden at first in the web app

	// Admin means that only administrators may set it, because it affects posts that all teams see.
	Admin bool `json:"-"`
}
