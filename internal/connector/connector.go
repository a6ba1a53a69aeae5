// Package connector defines how posts flow in from networks by themselves. A source is one configured
// connection to a network, such as Bluesky, a list of feeds, or a folder; a connector is the code
// that reads it. Each network has a package below this one. Package source runs the configured
// sources, and package connectortest contains the tests that every connector must pass.
//
//	network ──► Connector.Run ──► Sink.Select ──► Sink.Deliver ──► journal
//	              │ decode          │ which posts    │ posts, deletions and
//	              │ reconnect       │ to complete    │ the cursor, in one entry
//
// For example, the Bluesky connector reads 1,000 events from a WebSocket. It selects the posts that a
// monitor matches, looks up the profiles of their authors, and delivers the posts together with the
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
	// runs until ctx ends and reconnects after errors that pass. It returns an error that wraps
	// [ErrAttention] if a person must do something first, and any other error if it should be
	// started again after a while. A poller with a quota sleeps within Run.
	//
	// Run must not hold more than a few megabytes, whatever the network sends.
	Run(ctx context.Context, cursor string, sink Sink) error

	// Sample returns up to n current posts, without changing anything, to show that the settings
	// work. It returns what it has when ctx ends.
	Sample(ctx context.Context, n int) ([]earshot.Post, error)
}

// A Receiver is a Connector to which the network sends requests, such as a webhook. Receive is
// called concurrently while Run runs.
type Receiver interface {
	Connector

	// Receive handles a request. It checks the sender first. When it returns without an error, the
	// posts of the request survive a crash.
	Receive(ctx context.Context, r Request) (Response, error)
}

// A Request is what a network has sent.
type Request struct {
	Header http.Header
	Body   []byte
}

// A Response is the answer to a request. Errors of type *earshot.Error get the usual answer of the
// HTTP interface instead.
type Response struct {
	Status int
	Body   any // written as JSON; nil: none
}

// A Sink takes what a connector reads. Its methods must not be called concurrently, except Count.
type Sink interface {
	// Select returns the posts that will be stored: those that a monitor matches or, for a source
	// that keeps everything, all of them. A connector calls it before requests that complete posts,
	// such as for profiles of authors, and sets Batch.Selected. It may skip Select and deliver all
	// posts. The result does not share memory with posts.
	Select(ctx context.Context, posts []earshot.Post) []earshot.Post

	// Deliver stores a batch. When it returns, the batch and its cursor survive a crash, except that a
	// crash may undo a cursor that moved without posts and deletions. It blocks while posts cannot
	// be stored as fast as they arrive. An error means that nothing after the last delivered cursor
	// counts; Run must return it.
	Deliver(ctx context.Context, b Batch) error

	// Report sets the state that people see.
	Report(s State)

	// Count adds to the counters that people see.
	Count(c Counters)

	// Gap records that the source may lack posts of a period, such as when a network no longer has
	// the events after the cursor.
	Gap(ctx context.Context, g Gap) error
}

// A Batch is what a connector has read, in the order: deletions, then posts. A batch without posts
// and deletions only moves the cursor.
type Batch struct {
	Posts     []earshot.Post
	Deletions []earshot.Deletion
	Cursor    string // after the batch; empty: unchanged
	Selected  bool   // the posts come from Select, so Deliver stores them all
}

// A Phase is what a source is doing.
type Phase string

const (
	Starting   Phase = "starting"
	Live       Phase = "live"
	CatchingUp Phase = "catchingUp" // State.Lag says how far behind it is
	BackingOff Phase = "backingOff" // State.Until says how long
	Attention  Phase = "attention"  // a person must do something; State.Reason says what
	Stopped    Phase = "stopped"
)

// A State is what a source is doing, and why.
type State struct {
	Phase  Phase
	Lag    time.Duration // between now and the last event, when catching up
	Until  time.Time     // end of the backoff
	Reason string        // for people, as a sentence without a period
}

// Counters count what a source has delivered. The sink counts posts, deletions, and posts that no
// monitor matches; a connector counts the rest.
type Counters struct {
	Events     int64            // read from the network
	Posts      int64            // stored, including new versions
	Deletions  int64            // posts and accounts whose deletion was passed on
	Skipped    map[string]int64 // not stored, by reason, such as "no monitor matches"
	Bytes      int64            // received
	Reconnects int64
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

// A Gap is a period of which a source may lack posts.
type Gap struct {
	From, To time.Time
	Reason   string // for people, as a sentence without a period
}

// ErrAttention is wrapped by errors that only a person can resolve: a revoked token, a blocked
// address, rules that were not accepted.
var ErrAttention = errors.New("the source needs attention")

// A RetryError asks to start a source again after a time, because the network said so.
type RetryError struct {
	After time.Duration
	Err   error
}

func (e *RetryError) Error() string { return e.Err.Error() }
func (e *RetryError) Unwrap() error { return e.Err }

// Env is what a connector gets from the program.
type Env struct {
	Source   *earshot.LiveSource
	Settings Settings     // of Source, with defaults
	Secret   string       // token or password; never logged
	HTTP     *http.Client // refuses addresses that are not public, and states the program and a contact address
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

// WithDefaults returns the settings of a source, with the defaults of those that are not set.
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

// Rules are what a server asks of those who read it.
type Rules struct {
	URL     string   // page with the rules or terms; may be empty
	Items   []string // plain text
	Version string   // changes if the rules change
}

// A Setting describes a setting of a kind.
type Setting struct {
	Name     string // lowercase with underscores
	Title    string
	Help     string
	Required bool
	Default  string
	Options  []string // allowed values; nil: any
	Long     bool     // text of several lines
	Advanced bool     // hidden at first in the web app
}
