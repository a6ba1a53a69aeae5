// Package secondlook has a slow network read stored posts again, and replaces their sentiment and
// emotion.
//
// Ingest never waits for it. The service asks the store for posts of each monitor that had no second
// look yet, newest first, reads them within its share of a core, and appends the results to the journal.
// The pipeline applies them like any other entry, so all nodes have the same. What is left to do is
// known from the store alone: every post says which models processed it. So nothing is lost in a crash,
// and posts that a new monitor finds, or that the models processed again, have their turn.
package secondlook

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/sleep"
	"earshot/internal/state/journal"
)

const (
	// maxBatch is the number of posts of a monitor that are read before it is the turn of the next
	// monitor.
	maxBatch = 32

	// idle is how often the service checks whether posts have arrived, and recheck how often it asks the
	// store in any case: rematching changes the posts of a monitor, too.
	idle    = 5 * time.Second
	recheck = 15 * time.Second

	// maxPause bounds a pause, and busyPause the time that posts wait for ingest.
	maxPause  = time.Minute
	busyPause = 2 * time.Second
)

// Options of a Service. All fields are required unless noted.
type Options struct {
	Posts    Posts
	Journal  Journal
	Monitors func() []*earshot.Monitor
	Enrich   *enrich.Enricher

	// Network returns the network, which is loaded when there is work for it.
	Network func() (enrich.Network, error)

	// Languages lists the languages of posts to read. Empty: all.
	Languages []string

	// Ready reports whether all nodes know entries with looks.
	Ready func() bool

	// Stored waits until the pipeline has processed an entry.
	Stored func(ctx context.Context, at earshot.Position) error

	// CPU is the share of a core to use, from 0 to 1.
	CPU float64

	// Busy reports whether ingest is behind, which has precedence. It may be nil.
	Busy func() bool

	Log *slog.Logger
}

// Posts finds stored posts.
type Posts interface {
	Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error)
	Position(ctx context.Context) (earshot.Position, error)
}

// A Journal takes results.
type Journal interface {
	Append(ctx context.Context, e journal.Entry) (earshot.Position, error)
}

// A Service gives posts a second look.
type Service struct {
	Options
	network enrich.Network
	last    map[earshot.MonitorID]earshot.PostKey // newest post of the last batch of each monitor
	found   map[known]result
	seed    maphash.Seed // of the keys of found
	looked  atomic.Int64
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{Options: o, last: map[earshot.MonitorID]earshot.PostKey{}, found: map[known]result{}, seed: maphash.MakeSeed()}
}

// Looked returns the number of posts that were read since the process started.
func (s *Service) Looked() int64 { return s.looked.Load() }

// Run reads posts until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var seen earshot.Position
	var asked time.Time
	for ctx.Err() == nil {
		at, err := s.Posts.Position(ctx)
		more := false
		if err == nil && s.Ready() && (at != seen || time.Since(asked) >= recheck) {
			asked = time.Now()
			more, err = s.round(ctx, at)
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.Log.Error("second look failed; will retry", "wait", maxPause, "error", err)
			sleep.For(ctx, maxPause)
		case !more:
			seen = at
			sleep.For(ctx, idle)
		}
	}
}

// round reads some posts of each monitor, and reports whether there were any. It skips monitors that no
// longer get posts: see docs/decisions/0078-looks.md.
func (s *Service) round(ctx context.Context, at earshot.Position) (more bool, err error) {
	for _, m := range s.Monitors() {
		if !m.Watches(at) {
			continue
		}
		n, err := s.lookAt(ctx, m)
		if err != nil {
			return more, fmt.Errorf("monitor %d: %w", m.ID, err)
		}
		more = more || n > 0
	}
	return more, nil
}

// lookAt reads the newest posts of a monitor that had no second look, and returns how many.
func (s *Service) lookAt(ctx context.Context, m *earshot.Monitor) (int, error) {
	began := time.Now()
	models := s.Enrich.ModelVersion()
	of := poststore.Selection{
		Set:    poststore.MonitorSet(m.ID),
		Having: []poststore.Having{{By: poststore.ByModels, Keys: []string{strconv.FormatUint(uint64(models), 10)}}},
	}
	if len(s.Languages) > 0 {
		of.Having = append(of.Having, poststore.Having{By: poststore.ByLanguage, Keys: s.Languages})
	}
	posts, _, err := s.Posts.Posts(ctx, of, maxBatch)
	if err != nil {
		return 0, err
	}
	if s.network == nil && len(posts) > 0 {
		if s.network, err = s.Network(); err != nil {
			return 0, err
		}
	}
	if err := s.rest(ctx, time.Since(began)); err != nil || len(posts) == 0 {
		return 0, err
	}
	if s.last[m.ID] == posts[0].Key() { // it changed, or its look could not be stored
		s.Log.Warn("a post needs another second look", "monitor", m.ID, "source", posts[0].Source, "guid", posts[0].GUID)
		sleep.For(ctx, maxPause)
	}
	s.last[m.ID] = posts[0].Key()
	looks := make([]journal.Look, len(posts))
	for i := range posts {
		began := time.Now()
		looks[i] = s.look(&posts[i], models)
		if err := s.rest(ctx, time.Since(began)); err != nil {
			return 0, err
		}
	}
	at, err := s.Journal.Append(ctx, journal.Entry{Looks: looks})
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	s.looked.Add(int64(len(looks)))
	return len(looks), s.Stored(ctx, at)
}

// look reads a post. If the network fails, the post keeps what it has, so that it is not read forever.
func (s *Service) look(p *earshot.Post, models uint32) (l journal.Look) {
	l = journal.Look{Key: p.Key(), Text: enrich.TextHash(p), Models: enrich.Looked(models), Sentiment: p.Sentiment, Emotion: p.Emotion}
	before := l
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("panic in a second look", "source", p.Source, "guid", p.GUID, "panic", r, "stack", string(debug.Stack()))
			l = before
		}
	}()
	key := known{maphash.Comparable(s.seed, [2]string{p.Title, p.Contents}), p.Source, p.ContentSource}
	found, ok := s.found[key]
	if !ok {
		var err error
		if found.sentiment, found.emotion, err = s.Enrich.Look(s.network, p); err != nil {
			s.Log.Warn("second look failed; the post keeps its sentiment", "source", p.Source, "guid", p.GUID, "error", err)
			return before
		}
		if len(s.found) >= maxFound {
			clear(s.found)
		}
		s.found[key] = found
	}
	l.Sentiment, l.Emotion = found.sentiment, found.emotion
	return l
}

// maxFound bounds the number of results that are remembered: 6 MB.
const maxFound = 50_000

// A known identifies a text that was read, so that a post that arrives again with other counters is not
// read again, nor are copies of it. The hash is seeded: nobody can write a text that passes for another.
type known struct {
	text          uint64
	source        earshot.Source
	contentSource earshot.ContentSourceID
}

// A result is the sentiment and emotion that the network inferred.
type result struct {
	sentiment earshot.Sentiment
	emotion   earshot.Emotion
}

// rest pauses after work, so that work takes only the share of a core, and while ingest is behind.
func (s *Service) rest(ctx context.Context, worked time.Duration) error {
	sleep.For(ctx, min(time.Duration(float64(worked)*(1/s.CPU-1)), maxPause))
	if s.Busy != nil && s.Busy() {
		sleep.For(ctx, busyPause)
	}
	return ctx.Err()
}
