// Package clickhouse implements a post store in ClickHouse, for installations that outgrow the
// disks of their nodes. The nodes are then stateless: any number of them read, and one writes.
//
// See schema.go for the tables. Rows are only ever added. A change inserts its rows first and a row
// in table commits last; queries ignore rows whose commit they do not know. So a change is visible
// as a whole or not at all, also if the process or the server dies in between, and each call sees
// one consistent state.
//
//	Append, Delete, AddSnapshots   write.go, append.go, delete.go   one commit each
//	Rematch, Reinfer               rematch*.go, reinfer.go
//	copies of all posts            export.go, import.go
//	queries                        view.go: what a query sees
//	                               select.go, where.go: selection -> SQL condition
//	                               tally*.go, days.go, ...: counting in SQL
//	                               scan.go: everything that SQL cannot decide, in Go
//
// All engines return the same results. Where SQL cannot express a condition exactly, it
// selects candidates, and Go decides.
package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// Options configure a store.
type Options struct {
	Client   *chhttp.Client
	Topology Topology // as for [Migrate]
	Log      *slog.Logger
	Now      func() time.Time // time.Now if nil

	// UnmatchedDays is how long to retain posts that no monitor matches; 0 means forever.
	UnmatchedDays int

	// ReadOnly means that another process writes. All writing methods then fail.
	ReadOnly bool

	// Fence returns an error if the process may no longer write. It is called before each commit.
	Fence func(context.Context) error

	// Limits apply to each query.
	Limits Limits

	copying bool // accept an unfinished copy; see OpenImport
}

// Limits bound what a single query costs the server. Zero means the server's own limit.
type Limits struct {
	Memory int64 // bytes
	Time   time.Duration
}

// A Store is a post store in ClickHouse.
type Store struct {
	db       *chhttp.Client
	topology Topology
	log      *slog.Logger
	now      func() time.Time
	readOnly bool
	fence    func(context.Context) error
	limits   Limits

	unmatchedDays int
	listsWords    bool // see canListWords

	// jobs is held by everything that must not overlap with a rematch: rematches, steps of Reinfer,
	// and the removal of old rows.
	jobs sync.Mutex

	days dayCache

	grouping chan struct{} // holds an element while a query groups posts

	// writing is held from reading what a change depends on until its commit.
	writing sync.Mutex
	failed  bool // the last change may have left rows behind; guarded by writing

	known      knownKeys
	wantFilter chan struct{} // see readKnownKeys

	mu        sync.Mutex
	state     *view         // guarded by mu; the newest view; replaced, never modified
	committed chan struct{} // guarded by mu; closed after a commit that is being written; nil: there is none

	stop       context.CancelFunc
	background sync.WaitGroup
}

var (
	_ poststore.Store       = (*Store)(nil)
	_ poststore.GroupWriter = (*Store)(nil)
)

// Open opens the store in a database whose tables exist, see [Migrate]. A store that is not read-only
// must be the only one that writes to the database.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{db: o.Client, topology: o.Topology, log: o.Log, now: o.Now, readOnly: o.ReadOnly, fence: o.Fence, limits: o.Limits, unmatchedDays: o.UnmatchedDays, grouping: make(chan struct{}, 1), wantFilter: make(chan struct{}, 1)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.fence == nil {
		s.fence = func(context.Context) error { return nil }
	}
	if !o.copying {
		if err := checkCopied(ctx, s.db); err != nil {
			return nil, err
		}
	}
	state, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	s.listsWords = s.canListWords(ctx)
	s.state, s.failed = state, true // an earlier process may have left rows behind
	if !s.readOnly {
		keys, err := s.number(ctx, "SELECT count() AS n FROM keys", nil)
		if err != nil {
			return nil, fmt.Errorf("count the keys of posts: %w", err)
		}
		s.known.from, s.known.keys = minFiltered, int64(keys)
		ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
		s.stop = stop
		s.background.Go(func() { s.maintain(ctx) })
		s.background.Go(func() { s.readKnownKeys(ctx) })
	}
	return s, nil
}

// Close ends the work in the background. The store must not be used afterward.
func (s *Store) Close() error {
	if s.stop != nil {
		s.stop()
	}
	s.background.Wait()
	return nil
}

// Position implements [poststore.Writer].
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	v, err := s.view(ctx)
	if err != nil {
		return 0, err
	}
	return v.position, nil
}

// newGen returns the number of a new generation of a set's copies. A failed rematch leaves copies
// behind, so numbers must not be used twice.
func newGen() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])>>1 | 1
}
