// Package local is the post store of one machine: write-once files of posts that are
// mapped into memory, and Pebble for what changes.
//
// The idea: a question sees a view, which is a list of files, for each of them the rows
// that are gone, and a journal position. Nothing in a view changes; a change makes a new
// one and swaps a pointer. So questions never wait for writers, and see every batch as a
// whole or not at all.
//
// A batch becomes a small file of its own at once, in memory: it is visible, and if the
// process ends, the journal has its posts. Within a second, the small files are merged into
// one on disk, synced, and a synced write to Pebble makes it exist, together with the
// journal position up to which everything is stored. After a crash the journal is read
// again from there. In the background files are merged into larger ones.
//
// What Pebble holds may be ahead of that position, as far as reading the journal again
// leads to the same end; it is never behind. flush.go says how.
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

// Options say where and how posts are kept.
type Options struct {
	Dir           string           // is created
	UnmatchedDays int              // how long posts are kept that no monitor matched; 0: forever
	Log           *slog.Logger     // nil: none
	Now           func() time.Time // nil: time.Now
}

// A Store keeps posts on the local disk.
type Store struct {
	dir           string
	unmatchedDays int
	log           *slog.Logger
	now           func() time.Time
	db            *pebble.DB
	space         *diskSpace

	current atomic.Pointer[view]
	durable atomic.Uint64 // position on disk
	lastID  atomic.Uint64 // of a file or of a set of marks
	hurried atomic.Int64  // when the last flush was because of many posts, in nanoseconds since 1970

	// mu is held to change the view and what belongs to it.
	mu          sync.Mutex
	pending     *pending            // since the last flush began
	flushing    *pending            // in the flush that is under way; nil: none
	countersAt  earshot.Position    // up to which it is known how figures changed
	dirty       map[uint64]struct{} // files whose gone rows are not on disk as they are
	filter      *keyFilter          // nil until it is filled
	unfiltered  []segment.Key       // keys that came before that
	quarantined []poststore.Quarantined

	flushMu     sync.Mutex // is held by the one flush that runs
	maintainMu  sync.Mutex // is held by the one merge or rematch that runs
	reserved    uint64     // the file that is not merged because it is revised; maintain is held to change or look at it
	reinferMu   sync.Mutex // is held by the one revision that runs
	reinferRows int        // how many posts are revised at a time

	fingerprints *prefixCache
	deletedTimes vanishedCache
	sampling     *semaphore.Weighted // is acquired to read a sample of words
	dayCache     *dayCache
	toFlush      chan struct{} // something waits to be flushed
	full         chan struct{} // enough to be flushed at once
	toCompact    chan struct{}
	stop         context.CancelFunc
	running      sync.WaitGroup
	inUse        sync.RWMutex // is held for reading by everybody, and by Close
	closed       atomic.Bool
}

var _ poststore.Store = (*Store)(nil)

// ErrClosed is returned by a store after Close.
var ErrClosed = errors.New("the post store is closed")

// Open opens the store in a directory. Files that are not listed are debris of a crash
// and removed; listed ones that are damaged are set aside.
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

// Close writes what is not on disk yet and closes the files.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return ErrClosed
	}
	s.stop()
	s.running.Wait()
	s.inUse.Lock() // waits for those who are in the middle of something
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

// Position implements poststore.Store.
func (s *Store) Position(ctx context.Context) (earshot.Position, error) {
	return s.current.Load().position, ctx.Err()
}

// Durable returns the position up to which everything is on disk. The journal is read
// again from there after a crash.
func (s *Store) Durable() earshot.Position { return earshot.Position(s.durable.Load()) }

// Stats implements poststore.Store.
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

// newID returns a number that no file and no set of marks has had.
func (s *Store) newID() uint64 { return s.lastID.Add(1) }

// reserveID sees to it that newID never returns an id that is in use.
func (s *Store) reserveID(id uint64) { s.lastID.Store(max(s.lastID.Load(), id)) }
