// Package pipeline ingests journal entries. It enriches posts, matches them against the watchlist,
// stores them, and offers them to streams.
//
//	journal ── batch ──▶ enrich ──▶ match ──▶ store ──▶ offer
//	                                  ▲         │         │
//	                       monitors of the   post store  streams
//	                       catalog, compiled
//
// The central idea is that the journal is the only queue and its order is the order of everything.
// The pipeline processes one entry at a time, and every write carries the journal position of its
// entry. Processing an entry again is harmless because the store skips positions it already has.
// The pipeline therefore needs no checkpoint of its own: it continues after the last position that the
// store has.
//
// Every node of a cluster has a pipeline, and one of them feeds the streams. A pipeline that begins to
// do so goes back to the position of the streams and processes the entries after it again, for the
// streams only. So does a single node after a crash.
//
// For example, entry 812 contains a post about cold coffee. [Pipeline.Run] infers its language and
// sentiment, finds that monitors 7 and 9 match it, and appends it to the store at position 812 with
// the sets of both. It then offers the post to the streams. If the process crashes before the store
// and the streams have it on disk, the pipeline processes entry 812 again.
//
// Errors are handled as follows:
//
//   - If the store, the streams or the journal fails, the pipeline retries until it succeeds.
//     Skipping the entry would break the order.
//   - If processing an entry panics, the entry becomes a dead letter with the reason, and the
//     pipeline continues with the next one.
//   - If a monitor cannot be compiled, it is left out of the watchlist and logged.
//
// A post is matched against the monitors that exist when it is ingested. Package rematch applies
// later monitor changes to stored posts; [Pipeline.Barrier] coordinates the two.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// A Pipeline moves posts from the journal to the store. Call [Pipeline.Prepare], then
// [Pipeline.Run].
type Pipeline struct {
	Journal journal.Journal
	Enrich  *enrich.Enricher
	Catalog *catalog.Catalog
	Store   Store
	Streams Streams // see [Pipeline.FeedStreams]; may be nil
	Log     *slog.Logger

	// Categorizers returns functions that categorize the posts of a monitor. It may be nil.
	Categorizers func(m *earshot.Monitor) []Categorizer

	// Filter removes posts that must not be stored from a slice, in place. If it fails, it leaves
	// the slice unchanged. It may be nil.
	Filter func(posts []earshot.Post) ([]earshot.Post, error)

	// Stored is called with the posts of an entry after they were stored, perhaps more than once. It
	// must not block or retain the posts. Second looks are no reason to call it. It may be nil.
	Stored func(posts []poststore.MatchedPost)

	// storing is held for reading while a batch is matched and stored. Barrier locks it for
	// writing.
	storing  sync.RWMutex
	baseline baseline

	watchMu      sync.Mutex
	list         *watchlist.List                     // guarded by watchMu
	categorizers map[earshot.MonitorID][]Categorizer // guarded by watchMu; has only monitors with categorizers
	version      uint64                              // guarded by watchMu; catalog version of the monitors in list
	madeFor      earshot.Position                    // guarded by watchMu; entry that list was compiled for

	termMu    sync.Mutex
	term      *term              // guarded by termMu; nil: another node feeds the streams
	interrupt context.CancelFunc // guarded by termMu; ends the current loop over the journal

	failure  atomic.Pointer[failure] // of the entry that is being retried; nil: none
	posts    atomic.Int64            // ingested since the start
	position waitablePosition        // up to which all entries have been processed; never decreases
	reached  atomic.Uint64           // position of the loop, which processes earlier entries again for streams
}

// A Store stores posts and finds them by their keys and sets.
type Store interface {
	poststore.Writer
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
	Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error)
	Tallies(ctx context.Context, of poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error)
}

// A Categorizer appends the category sets that a post of its monitor belongs to.
type Categorizer = func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID

// Prepare finds the position to continue at: the position of the store. It returns
// [journal.ErrTrimmed] if the journal no longer has entries that the store lacks.
func (p *Pipeline) Prepare(ctx context.Context) error {
	stored, err := p.Store.Position(ctx)
	if err != nil {
		return fmt.Errorf("get store position: %w", err)
	}
	last, err := p.lastEntry(ctx, stored)
	if err != nil {
		return fmt.Errorf("get journal position: %w", err)
	}
	if stored > last {
		return fmt.Errorf("the post store has entries up to position %d, but the journal ends at %d: they do not belong to the same installation or backup", stored, last)
	}
	if trimmed, err := p.Journal.Trimmed(ctx); err != nil {
		return fmt.Errorf("get journal position: %w", err)
	} else if trimmed > stored {
		return journal.MissingEntries(stored+1, trimmed)
	}
	if p.Streams != nil { // new streams begin here, even if another node feeds them
		if _, err := p.Streams.Position(ctx, stored); err != nil {
			return fmt.Errorf("get position of streams: %w", err)
		}
	}
	p.position.Store(uint64(stored))
	p.reached.Store(uint64(stored))
	if err := p.loadBaseline(ctx); err != nil {
		return fmt.Errorf("load interest baseline: %w", err)
	}
	return nil
}

// A journal that seems to end before a position that the store has is asked again a few times, because
// a server that was paused may not know the last entries at first.
const (
	maxEndReads  = 4
	endReadPause = 250 * time.Millisecond
)

// lastEntry returns the end of the journal, which should be at or after a position.
func (p *Pipeline) lastEntry(ctx context.Context, expected earshot.Position) (last earshot.Position, err error) {
	for range maxEndReads {
		if last, err = p.Journal.Last(ctx); err != nil || last >= expected {
			break
		}
		if !sleep.For(ctx, endReadPause) {
			return last, ctx.Err()
		}
	}
	return last, err
}

// Run ingests journal entries in order, one at a time, until ctx is done. It returns
// [journal.ErrTrimmed] if the journal no longer has entries that the store lacks.
func (p *Pipeline) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := p.follow(ctx)
		switch {
		case err == nil:
		case !errors.Is(err, journal.ErrTrimmed) || p.reached.Load() >= p.position.Load():
			err = fmt.Errorf("read the journal: %w", err)
			p.failure.Store(&failure{err, time.Now()})
			return err
		default:
			p.Log.Error("streams miss posts that the journal no longer has", "after", p.reached.Load(), "up to", p.position.Load(), "error", err)
			p.reached.Store(p.position.Load())
		}
	}
	return nil
}

// follow processes entries until ctx is done, the pipeline must go back for the streams, or entries
// are missing.
func (p *Pipeline) follow(ctx context.Context) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	t := p.beginLoop(stop)
	for group, err := range p.groups(reading, earshot.Position(p.reached.Load())) {
		if err != nil {
			return err
		}
		if p.processGroup(ctx, t, group) != nil {
			return nil // ctx is done; the entries will be delivered again
		}
		last := group[len(group)-1].Position
		p.reached.Store(uint64(last))
		if uint64(last) > p.position.Load() {
			p.position.Store(uint64(last))
			p.Journal.Processed(last)
		}
	}
	return nil
}

// process ingests an entry, and retries until it succeeds or ctx is done. An entry that can never be
// processed becomes a dead letter.
func (p *Pipeline) process(ctx context.Context, t *term, batch *journal.Batch) error {
	err := p.retry(ctx, batch, func() error { return p.ingest(ctx, t, batch) })
	var poison *poisonError
	if errors.As(err, &poison) {
		p.Log.Error("journal entry cannot be processed; moving it to the dead letters", "position", batch.Position, "reason", poison.reason)
		if err := p.retry(ctx, batch, func() error { return batch.Reject(ctx, poison.reason) }); err != nil {
			return err
		}
		return p.retry(ctx, batch, func() error { return p.offer(ctx, t, batch, nil) }) // so that their position advances
	}
	if err == nil {
		p.count(batch)
	}
	return err
}

// count counts the posts of an entry, unless it was processed again.
func (p *Pipeline) count(batch *journal.Batch) {
	if uint64(batch.Position) > p.position.Load() {
		p.posts.Add(int64(len(batch.Posts)))
		p.baseline.add(batch)
	}
}

// ingest applies an entry to the store and offers its posts to the streams. It converts panics to a
// poisonError.
func (p *Pipeline) ingest(ctx context.Context, t *term, batch *journal.Batch) (err error) {
	defer p.catch(batch, &err)
	// The sender of the posts may know monitors that another node has written.
	if err := p.Catalog.WaitRevision(ctx, batch.Catalog); err != nil {
		return err
	}
	var posts []poststore.MatchedPost
	switch {
	case batch.Deletion != nil:
		err = p.Store.Delete(ctx, batch.Position, *batch.Deletion)
	case batch.Snapshots != nil:
		err = p.Store.AddSnapshots(ctx, batch.Position, batch.Snapshots.Monitor, batch.Snapshots.Snapshots)
	case batch.Pictures != nil:
		posts, err = p.storePictures(ctx, batch)
	case len(batch.Looks) > 0:
		err = p.storeLooks(ctx, batch) // streams have the posts already
	default:
		posts, err = p.store(ctx, batch)
	}
	if err != nil {
		return err
	}
	return p.offer(ctx, t, batch, posts)
}

// catch converts a panic while an entry is processed to a poisonError. It must be deferred.
func (p *Pipeline) catch(batch *journal.Batch, err *error) {
	if r := recover(); r != nil {
		p.Log.Error("panic while processing a journal entry", "position", batch.Position, "panic", r, "stack", string(debug.Stack()))
		reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
		*err = &poisonError{"panic: " + reason}
	}
}

// filter removes the posts of an entry that must not be stored.
func (p *Pipeline) filter(batch *journal.Batch) error {
	if p.Filter == nil {
		return nil
	}
	kept, err := p.Filter(batch.Posts)
	if err != nil {
		return err
	}
	batch.Posts = kept
	return nil
}

// store enriches, matches and stores the posts of a batch.
func (p *Pipeline) store(ctx context.Context, batch *journal.Batch) ([]poststore.MatchedPost, error) {
	if err := p.filter(batch); err != nil {
		return nil, err
	}
	p.storing.RLock()
	defer p.storing.RUnlock()
	posts := p.match(ctx, batch.Entry.Posts, batch, nil)
	if err := p.Store.Append(ctx, batch.Position, posts); err != nil {
		return nil, err
	}
	if p.Stored != nil {
		p.Stored(posts)
	}
	return posts, nil
}

// Barrier waits until every batch that was matched against an older state of the catalog is stored.
// Batches that begin later are matched against the current catalog or a newer one.
func (p *Pipeline) Barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}

// A poisonError is the reason that an entry can never be processed.
type poisonError struct{ reason string }

func (e *poisonError) Error() string { return e.reason }

// The wait after a failure starts at minWait and doubles up to maxWait. A transient failure costs
// little time, and a persistent one does not fill the log.
const (
	minWait = 10 * time.Millisecond
	maxWait = 5 * time.Second
)

// A failure is an error that has lasted for some time.
type failure struct {
	err   error
	since time.Time
}

// Err returns the error with which processing an entry has failed for at least this long, or nil.
func (p *Pipeline) Err(least time.Duration) error {
	if f := p.failure.Load(); f != nil && time.Since(f.since) >= least {
		return f.err
	}
	return nil
}

// retry calls f until it succeeds, returns a poisonError, or ctx is done.
func (p *Pipeline) retry(ctx context.Context, batch *journal.Batch, f func() error) error {
	defer p.failure.Store(nil)
	began := time.Now()
	for wait := minWait; ; wait = min(2*wait, maxWait) {
		err := f()
		var poison *poisonError
		if err == nil || errors.As(err, &poison) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.failure.Store(&failure{err, began})
		p.Log.Error("processing journal entry failed; retrying", "position", batch.Position, "wait", wait, "error", err)
		if !sleep.For(ctx, wait) {
			return ctx.Err()
		}
	}
}

// Processed returns the number of posts ingested since the start, and the journal position up to
// which everything is in the store or in the dead letters.
func (p *Pipeline) Processed() (posts int64, at earshot.Position) {
	return p.posts.Load(), earshot.Position(p.position.Load())
}

// Reached returns the position that the pipeline has reached. It is before Processed while
// the pipeline processes entries again that streams lack.
func (p *Pipeline) Reached() earshot.Position { return earshot.Position(p.reached.Load()) }
