// Package local implements the post store on the local disk. Posts are stored in write-once
// segments that are mapped into memory. Everything that changes is stored in Pebble.
//
// The central idea is the view: an immutable list of segments with their deleted rows and
// overridden sets, at one journal position. A query reads the view that is current when it starts.
// Every change builds a new view and swaps a pointer. Queries therefore never wait for writers and
// see either all of a batch or none of it.
//
//	             Append                flush, every second          compaction
//	journal ──► segment in memory ──► segment on disk, synced ──► fewer, larger segments
//	             │ visible at once      │ Pebble: segment record,     │ deleted rows dropped,
//	             │                      │ position, keys, deleted     │ overridden sets merged
//	             ▼                      ▼                             ▼
//	view ──►   [mem] [mem] [ 64 k posts ] [ 300 k posts ] [ up to 4 M posts           ]
//	             ▲                           ▲ deleted rows, overridden sets (Pebble)
//	             └── query: select rows in each segment, count or read them, merge the results
//
// For example, a post is appended at journal position 812. It is visible when [Store.Append]
// returns. Within about a second a flush writes it to segments/00000000000000a4.seg and records the
// segment and position 812 in Pebble. When the post is edited, the new version arrives in another
// segment, and row 17 of segment a4 is marked as deleted. The next compaction of a4 drops the row.
//
// # Crash safety
//
// After a crash, the store has the segments listed in Pebble, and with them every journal entry up
// to the position that was committed with the last of them. Segments in memory are lost, and the
// pipeline replays their entries from the journal. Pebble may be ahead of the position if replaying
// the journal leads to the same state, but it is never behind. See flush.go for the order of
// writes. On startup the store removes files that a crash left behind and quarantines segments that
// are damaged. Queries then run without the posts of the quarantined segments.
//
// # Damage
//
// Every synced commit to Pebble has a number, which is also written to a small file outside Pebble:
// the witness. If Pebble is behind the witness after a start, or if one of its files is damaged, the
// store does not open and changes nothing. [Check] verifies everything, [Plan] repairs it.
//
// # Costs
//
// A post takes about 350 bytes in segments, including indexes, and 40 bytes in Pebble, almost all
// of them for its key (docs/benchmarks.md). It is written once by a flush and once more each time
// its segment grows fourfold. A query makes one pass over the segments that overlap its time range,
// on all cores. Counts of complete days are cached (daycache.go).
//
// # Files
//
//	append*.go counters*.go keys*.go     from a batch to a new view
//	flush.go compact*.go recover.go      to disk and back
//	rematch*.go reinfer*.go              applying changed monitors and newer models
//	query*.go changed*.go daycache*.go   queries
//	witness.go commit.go                 proof of the last commit
//	quarantine.go check*.go verify.go    damage is found
//	repair*.go recoverable.go            and repaired
//	space.go                             full disks
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/sync/semaphore"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Options configure a [Store].
type Options struct {
	Dir           string           // created if missing
	UnmatchedDays int              // how long to retain posts that no monitor matches; 0: forever
	Log           *slog.Logger     // nil: discard
	Now           func() time.Time // nil: time.Now

	// Installation is the id that the catalog and the journal have, in hex. A new store records it,
	// and Open refuses a store with another one. Empty: not checked.
	Installation string

	// CatalogRevision returns the current revision of the catalog, which is recorded with each
	// flush. nil: not recorded.
	CatalogRevision func() uint64
}

// A Store is a post store on the local disk.
type Store struct {
	dir           string
	unmatchedDays int
	log           *slog.Logger
	now           func() time.Time
	db            *pebble.DB
	witness       *witnessFile
	readOnly      bool // see OpenExport
	space         *diskSpace

	installation    string
	catalogRevision func() uint64
	revision        atomic.Uint64 // state.Revision
	corruptReads    atomic.Int64  // reads of Pebble that hit damage

	current atomic.Pointer[view]
	durable atomic.Uint64 // journal position up to which everything is on disk
	lastID  atomic.Uint64 // last id given to a segment, an override or a generation
	hurried atomic.Int64  // time of the last hurried flush (flushBatch.hurried), in Unix nanoseconds

	mu          sync.Mutex              // held while changing the view and the fields below
	state       stateRecord             // guarded by mu; as of the last synced commit
	pending     *pending                // guarded by mu; changes since the last flush began
	flushing    *pending                // guarded by mu; changes that the running flush writes, or nil
	countersAt  earshot.Position        // guarded by mu; journal position up to which counters are recorded
	dirty       map[uint64]struct{}     // guarded by mu; segments with deleted rows that are not on disk yet
	filter      *keyFilter              // guarded by mu; nil until it has been filled
	unfiltered  []segment.Key           // guarded by mu; keys added before the filter was filled
	quarantined []poststore.Quarantined // guarded by mu

	flushMu     sync.Mutex // held by the running flush
	maintainMu  sync.Mutex // held by the running compaction or rematch
	reserved    uint64     // guarded by maintainMu; segment that Reinfer is processing, exempt from compaction
	reinferMu   sync.Mutex // held by the running Reinfer
	reinferRows int        // batch size of Reinfer

	fingerprints *prefixCache
	deletedTimes vanishedCache
	dayCache     *dayCache
	sampling     *semaphore.Weighted // limits concurrent reads of samples
	grouping     *semaphore.Weighted // limits concurrent groupings of duplicates
	groupings    groupingCache
	keyRows      keyRowCache

	toFlush   chan struct{} // signals that there are changes to flush
	full      chan struct{} // signals that a flush should start immediately
	toCompact chan struct{} // signals that there may be segments to compact
	stop      context.CancelFunc
	running   sync.WaitGroup
	inUse     sync.RWMutex // held for reading by every call, and for writing by Close
	closed    atomic.Bool
}

var _ poststore.Store = (*Store)(nil)

// ErrClosed is returned by every call after [Store.Close].
var ErrClosed = errors.New("the post store is closed")

// Open opens or creates the store in o.Dir. It removes files left behind by a crash and quarantines
// damaged segments. If the database is damaged, older than the last commit, or belongs to another
// installation, Open changes nothing and returns an error that wraps an *integrity.DamageError.
// Background work continues until [Store.Close], even if ctx is canceled.
func Open(ctx context.Context, o Options) (*Store, error) { return open(ctx, o, false) }

// open is Open. With copying, it also accepts a store that posts are being copied to.
func open(ctx context.Context, o Options, copying bool) (_ *Store, err error) {
	s := newStore(o)
	c, err := checkBeforeOpen(s.dir, o.Installation)
	if err != nil {
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	}
	if c.copying && !copying {
		return nil, fmt.Errorf("the posts in %s are incomplete: %w", s.dir, poststore.ErrUnfinishedCopy)
	}
	for _, dir := range []string{s.dir, s.segmentDir(), s.quarantineDir()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if err := removeScratch(s.dir); err != nil {
		return nil, err
	}
	if s.space, err = newDiskSpace(s.dir); err != nil {
		return nil, err
	}
	if s.db, err = s.openPebble(); err != nil {
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	}
	if err := s.load(); err != nil {
		s.closeFiles()
		return nil, fmt.Errorf("open post store %s: %w", s.dir, err)
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() {
		if err := s.fillFilter(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("could not fill the key filter; looking up every key on disk", "error", err)
		}
	})
	s.running.Go(func() { s.runFlushes(ctx) })
	s.running.Go(func() { s.runCompactions(ctx) })
	return s, nil
}

// newStore returns a store that is not open yet.
func newStore(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{
		dir: o.Dir, unmatchedDays: o.UnmatchedDays, log: o.Log, now: o.Now,
		installation: o.Installation, catalogRevision: o.CatalogRevision,
		pending: newPending(), dirty: map[uint64]struct{}{}, fingerprints: newPrefixCache(), dayCache: newDayCache(),
		toFlush: make(chan struct{}, 1), full: make(chan struct{}, 1), toCompact: make(chan struct{}, 1),
		reinferRows: reinferRows, sampling: semaphore.NewWeighted(wordSamples), grouping: semaphore.NewWeighted(1),
	}
}

// Close waits for running calls, flushes all posts and closes the store. A second Close returns
// [ErrClosed].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return ErrClosed
	}
	s.stop()
	s.running.Wait()
	s.inUse.Lock() // wait for running calls
	defer s.inUse.Unlock()
	err := s.flushAll(context.Background())
	return errors.Join(err, s.closeFiles())
}

func (s *Store) closeFiles() error {
	if v := s.current.Load(); v != nil {
		for _, p := range v.segments {
			p.data.Close()
		}
	}
	err := s.db.Close()
	if s.witness != nil {
		err = errors.Join(err, s.witness.Close())
	}
	return err
}

// enter must be called before, and leave after, any work that Close has to wait for.
func (s *Store) enter() error {
	s.inUse.RLock()
	if s.closed.Load() {
		s.inUse.RUnlock()
		return ErrClosed
	}
	return nil
}

func (s *Store) leave() { s.inUse.RUnlock() }

func (s *Store) stateDir() string      { return stateDir(s.dir) }
func (s *Store) segmentDir() string    { return segmentDir(s.dir) }
func (s *Store) quarantineDir() string { return quarantineDir(s.dir) }

func stateDir(dir string) string      { return filepath.Join(dir, "state") }
func segmentDir(dir string) string    { return filepath.Join(dir, "segments") }
func quarantineDir(dir string) string { return filepath.Join(dir, "damaged") }

const segmentSuffix = ".seg"

func segmentName(id uint64) string { return fmt.Sprintf("%016x%s", id, segmentSuffix) }

// segmentID is the inverse of segmentName.
func segmentID(name string) (id uint64, ok bool) {
	hex, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseUint(hex, 16, 64)
	return id, err == nil && segmentName(id) == name
}

func (s *Store) path(id uint64) string { return filepath.Join(s.segmentDir(), segmentName(id)) }

// Position implements [poststore.Writer].
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	return s.current.Load().position, ctx.Err()
}

// Durable returns the journal position up to which everything is on disk. After a crash, the
// journal is replayed from there.
func (s *Store) Durable() earshot.Position { return earshot.Position(s.durable.Load()) }

// Stats implements [poststore.Maintainer].
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

// newID returns an id that no segment, override or generation has ever had.
func (s *Store) newID() uint64 { return s.lastID.Add(1) }

// reserveID ensures that newID never returns id.
func (s *Store) reserveID(id uint64) { s.lastID.Store(max(s.lastID.Load(), id)) }
