// Package local is the post store of one machine: write-once segments of posts that are mapped
// into memory, and Pebble for what changes.
//
// A query sees a view: a list of segments, for each of them the rows that are deleted and the sets
// that were overridden, and a journal position. Nothing in a view changes; a change makes a new
// view and swaps a pointer. So queries never wait for writers, and see every batch entirely or not
// at all.
//
//	             Append                flush, every second          compaction
//	journal ──► segment in memory ──► segment on disk, synced ──► fewer, larger segments
//	             │ visible at once      │ Pebble: it exists,          │ without deleted rows,
//	             │                      │ position, keys, deleted     │ with overridden sets
//	             ▼                      ▼                             ▼
//	view ──►   [mem] [mem] [ 64 k posts ] [ 300 k posts ] [ up to 4 M posts           ]
//	             ▲                           ▲ deleted rows, overridden sets (Pebble)
//	             └── query: select rows in each segment, count or read, add up
//
// What survives a crash: segments that Pebble lists, and everything up to the journal position that
// was written with the last of them. Segments in memory are lost, and their posts read from the
// journal again. What Pebble holds may be ahead of that position, as far as reading the journal
// again leads to the same state; it is never behind. flush.go has the order of writes. Files that
// Pebble does not list are debris and removed; listed ones that are damaged are quarantined, and
// queries go on without their posts.
//
// A post takes about 350 bytes in segments, indexes included, and 40 in Pebble, nearly all for its
// key (docs/benchmarks.md). It is written once by a flush and once more each time its segment has
// grown fourfold. A query takes one pass over the segments that overlap its time, on all cores;
// counts of complete days are cached (daycache.go).
//
//	append*.go counters*.go keys*.go   from a batch to a new view
//	flush.go compact*.go recover.go    to disk, and back
//	rematch*.go reinfer*.go            changed monitors and newer models on stored posts
//	query*.go changed*.go daycache*.go queries
//	quarantine.go verify.go space.go   damage and full disks
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/semaphore"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Options say where and how posts are stored.
type Options struct {
	Dir           string           // is created
	UnmatchedDays int              // how long posts that no monitor matches are retained; 0: forever
	Log           *slog.Logger     // nil: none
	Now           func() time.Time // nil: time.Now
}

// A Store stores posts on the local disk.
type Store struct {
	dir           string
	unmatchedDays int
	log           *slog.Logger
	now           func() time.Time
	db            *pebble.DB
	space         *diskSpace

	current atomic.Pointer[view]
	durable atomic.Uint64 // journal position on disk
	lastID  atomic.Uint64 // of a segment, an override or a generation
	hurried atomic.Int64  // time of the last hurried flush, in nanoseconds since 1970

	mu          sync.Mutex              // held to change the view and what belongs to it
	pending     *pending                // guarded by mu; since the last flush began
	flushing    *pending                // guarded by mu; of the running flush, or nil
	countersAt  earshot.Position        // guarded by mu; journal position up to which counters are recorded
	dirty       map[uint64]struct{}     // guarded by mu; segments whose deleted rows are not on disk yet
	filter      *keyFilter              // guarded by mu; nil until it is filled
	unfiltered  []segment.Key           // guarded by mu; keys added before that
	quarantined []poststore.Quarantined // guarded by mu

	flushMu     sync.Mutex // held by the one flush that runs
	maintainMu  sync.Mutex // held by the one compaction or rematch that runs
	reserved    uint64     // guarded by maintainMu; segment that Reinfer works on, which is not compacted
	reinferMu   sync.Mutex // held by the one Reinfer that runs
	reinferRows int        // how many posts are inferred at a time

	fingerprints *prefixCache
	deletedTimes vanishedCache
	dayCache     *dayCache
	sampling     *semaphore.Weighted // acquired to read a sample of words

	toFlush   chan struct{} // signals that something is to be flushed
	full      chan struct{} // signals that there is enough to flush at once
	toCompact chan struct{} // signals that there may be something to compact
	stop      context.CancelFunc
	running   sync.WaitGroup
	inUse     sync.RWMutex // held for reading by every call, and for writing by Close
	closed    atomic.Bool
}

var _ poststore.Store = (*Store)(nil)

// ErrClosed is returned by a store after Close.
var ErrClosed = errors.New("the post store is closed")

// Open opens the store in a directory. It removes files that a crash left behind, and quarantines
// damaged segments.
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Store{
		dir: o.Dir, unmatchedDays: o.UnmatchedDays, log: o.Log, now: o.Now,
		pending: newPending(), dirty: map[uint64]struct{}{}, fingerprints: newPrefixCache(), dayCache: newDayCache(),
		toFlush: make(chan struct{}, 1), full: make(chan struct{}, 1), toCompact: make(chan struct{}, 1),
		reinferRows: reinferRows, sampling: semaphore.NewWeighted(wordSamples),
	}
	for _, dir := range []string{s.dir, s.segmentDir(), s.quarantineDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if s.space, err = newDiskSpace(s.dir); err != nil {
		return nil, err
	}
	if s.db, err = openPebble(filepath.Join(s.dir, "state"), s.space, s.log); err != nil {
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	}
	if err := s.load(); err != nil {
		s.db.Close()
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() {
		if err := s.fillFilter(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("keys of posts are looked up one by one", "error", err)
		}
	})
	s.running.Go(func() { s.runFlushes(ctx) })
	s.running.Go(func() { s.runCompactions(ctx) })
	s.running.Go(func() { s.runVerification(ctx) })
	return s, nil
}

// Close flushes and closes the segments.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return ErrClosed
	}
	s.stop()
	s.running.Wait()
	s.inUse.Lock() // waits for calls that are running
	defer s.inUse.Unlock()
	err := s.flushAll(context.Background())
	for _, p := range s.current.Load().segments {
		p.data.Close()
	}
	return errors.Join(err, s.db.Close())
}

// enter is called before, and leave after, everything that Close has to wait for.
func (s *Store) enter() error {
	s.inUse.RLock()
	if s.closed.Load() {
		s.inUse.RUnlock()
		return ErrClosed
	}
	return nil
}

func (s *Store) leave() { s.inUse.RUnlock() }

func (s *Store) segmentDir() string    { return filepath.Join(s.dir, "segments") }
func (s *Store) quarantineDir() string { return filepath.Join(s.dir, "damaged") }

const segmentSuffix = ".seg"

func segmentName(id uint64) string { return fmt.Sprintf("%016x%s", id, segmentSuffix) }

func (s *Store) path(id uint64) string { return filepath.Join(s.segmentDir(), segmentName(id)) }

// Position implements poststore.Writer.
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	return s.current.Load().position, ctx.Err()
}

// Durable returns the journal position up to which everything is on disk. After a crash the journal
// is read again from there.
func (s *Store) Durable() earshot.Position { return earshot.Position(s.durable.Load()) }

// Stats implements poststore.Maintainer.
func (s *Store) Stats(ctx context.Context) (poststore.Stats, error) {
	if err := s.enter(); err != nil {
		return poststore.Stats{}, err
	}
	defer s.leave()
	v, err := s.acquire()
	if err != nil {
		return poststore.Stats{}, err
	}
	defer v.release()
	stats := poststore.Stats{Engine: "local", Segments: len(v.segments), Bytes: int64(s.db.Metrics().DiskSpaceUsage())}
	for _, p := range v.segments {
		stats.Posts += p.live()
		stats.Bytes += p.data.Size()
	}
	s.mu.Lock()
	stats.Quarantined = append(stats.Quarantined, s.quarantined...)
	s.mu.Unlock()
	return stats, ctx.Err()
}

// newID returns a number that no segment, override or generation has had.
func (s *Store) newID() uint64 { return s.lastID.Add(1) }

// reserveID has newID never return an id that is in use.
func (s *Store) reserveID(id uint64) { s.lastID.Store(max(s.lastID.Load(), id)) }
