// Package pipeline ingests journal entries. It enriches posts, matches them against the watchlist,
// stores them, offers them to streams, and acknowledges the entry.
//
//	journal ── batch ──▶ enrich ──▶ match ──▶ store ──▶ offer ──▶ acknowledge
//	   ▲                              ▲         │         │
//	   │                   monitors of the   post store  streams
//	rewind on start        catalog, compiled
//
// The central idea is that the journal is the only queue and its order is the order of everything.
// The pipeline processes one entry at a time, and every write carries the journal position of its
// entry. Processing an entry again is harmless because the store skips positions it already has.
// The pipeline therefore needs no checkpoint of its own: after a crash, [Pipeline.Rewind] resets
// the journal to the last position that both the store and the streams have.
//
// For example, entry 812 contains a post about cold coffee. [Pipeline.Run] infers its language and
// sentiment, finds that monitors 7 and 9 match it, and appends it to the store at position 812 with
// the sets of both. It then offers the post to the streams and acknowledges the entry. If the
// process crashes before the acknowledgment, entry 812 is delivered again, and the store skips it.
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
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// Consumer is the name of the pipeline as a consumer of the journal.
const Consumer = "pipeline"

// A Pipeline moves posts from the journal to the store. Call [Pipeline.Rewind], then
// [Pipeline.Run].
type Pipeline struct {
	Journal journal.Journal
	Enrich  *enrich.Enricher
	Catalog *catalog.Catalog
	Store   Store
	Streams Streams // may be nil
	Log     *slog.Logger

	// Categorizers returns functions that categorize the posts of a monitor. It may be nil.
	Categorizers func(m *earshot.Monitor) []Categorizer

	// Filter removes posts that must not be stored from a slice, in place. If it fails, it leaves
	// the slice unchanged. It may be nil.
	Filter func(posts []earshot.Post) ([]earshot.Post, error)

	// Stored is called with the posts of an entry after they were stored, perhaps more than once. It
	// must not block or retain the posts. It may be nil.
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

	failure  atomic.Pointer[failure] // of the entry that is being retried; nil: none
	posts    atomic.Int64            // ingested since the start
	position atomic.Uint64           // of the last processed entry
}

// A Store stores posts and finds them by their keys.
type Store interface {
	poststore.Writer
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// A Categorizer appends the category sets that a post of its monitor belongs to.
type Categorizer = func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID

// Streams receive posts after they are stored.
type Streams interface {
	// Position returns the last journal entry that the streams have durably. If they have never
	// received one, they start at initial and return it.
	Position(ctx context.Context, initial earshot.Position) (earshot.Position, error)

	// Reconcile tells the streams the last position of the journal before any posts are offered.
	Reconcile(ctx context.Context, last earshot.Position) error

	// Offer passes on the posts of an entry. They are durable only once Position has reached the
	// entry.
	Offer(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error

	// Update passes on posts of earlier entries whose pictures have been looked at. Streams that
	// already contain them keep the old version.
	Update(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error
}

// Rewind resets the journal to the last position that both the store and the streams have. Call it
// before Run because the journal may count entries as processed that this store does not have. The
// store skips entries that it already has. If the journal no longer contains some entries that the
// streams lack, Rewind logs an error, and the streams miss those posts.
func (p *Pipeline) Rewind(ctx context.Context) error {
	stored, err := p.Store.Position(ctx)
	if err != nil {
		return fmt.Errorf("get store position: %w", err)
	}
	last, err := p.Journal.Last(ctx)
	if err != nil {
		return fmt.Errorf("get journal position: %w", err)
	}
	if stored > last {
		return fmt.Errorf("the post store has entries up to position %d, but the journal ends at %d: they do not belong to the same installation or backup", stored, last)
	}
	offered := stored
	if p.Streams != nil {
		if err := p.Streams.Reconcile(ctx, last); err != nil {
			return fmt.Errorf("rewind journal: reconcile streams: %w", err)
		}
		if offered, err = p.Streams.Position(ctx, stored); err != nil {
			return fmt.Errorf("rewind journal: get position of streams: %w", err)
		}
	}
	err = p.Journal.Rewind(ctx, Consumer, min(offered, stored))
	if err != nil && offered < stored {
		p.Log.Error("streams miss posts that the journal no longer has", "after", offered, "up to", stored, "error", err)
		err = p.Journal.Rewind(ctx, Consumer, stored)
	}
	if err != nil {
		return fmt.Errorf("rewind journal: %w", err)
	}
	p.position.Store(uint64(stored))
	if err := p.loadBaseline(ctx); err != nil {
		return fmt.Errorf("load interest baseline: %w", err)
	}
	return nil
}

// Run ingests journal entries in order, one at a time, until ctx is done.
func (p *Pipeline) Run(ctx context.Context) {
	var saving sync.WaitGroup
	defer saving.Wait()
	saved := p.Baseline().Position
	saving.Go(func() { p.saveBaseline(ctx, saved) })
	for batch := range p.Journal.Batches(ctx, Consumer) {
		err := p.retry(ctx, batch, func() error { return p.ingest(ctx, batch) })
		var poison *poisonError
		switch {
		case err == nil:
			err = p.retry(ctx, batch, batch.Ack)
		case errors.As(err, &poison):
			p.Log.Error("journal entry cannot be processed; moving it to the dead letters", "position", batch.Position, "reason", poison.reason)
			err = p.retry(ctx, batch, func() error { return batch.Reject(ctx, poison.reason) })
		}
		if err != nil {
			continue // ctx is done; the entry will be delivered again
		}
		if poison == nil {
			p.posts.Add(int64(len(batch.Posts)))
			p.baseline.add(batch)
		}
		p.position.Store(uint64(batch.Position))
	}
}

// ingest applies an entry to the store and offers its posts to the streams. It converts panics to a
// poisonError.
func (p *Pipeline) ingest(ctx context.Context, batch *journal.Batch) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("panic while processing a journal entry", "position", batch.Position, "panic", r, "stack", string(debug.Stack()))
			reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
			err = &poisonError{"panic: " + reason}
		}
	}()
	var posts []poststore.MatchedPost
	switch {
	case batch.Deletion != nil:
		err = p.Store.Delete(ctx, batch.Position, *batch.Deletion)
	case batch.Snapshots != nil:
		err = p.Store.AddSnapshots(ctx, batch.Position, batch.Snapshots.Monitor, batch.Snapshots.Snapshots)
	case batch.Pictures != nil:
		posts, err = p.storePictures(ctx, batch)
	default:
		posts, err = p.store(ctx, batch)
	}
	switch {
	case err != nil || p.Streams == nil:
		return err
	case batch.Pictures != nil:
		return p.Streams.Update(ctx, batch.Position, posts)
	}
	return p.Streams.Offer(ctx, batch.Position, posts)
}

// store enriches, matches and stores the posts of a batch.
func (p *Pipeline) store(ctx context.Context, batch *journal.Batch) ([]poststore.MatchedPost, error) {
	if p.Filter != nil {
		kept, err := p.Filter(batch.Posts)
		if err != nil {
			return nil, err
		}
		batch.Posts = kept
	}
	p.storing.RLock()
	defer p.storing.RUnlock()
	posts := p.match(ctx, batch.Entry.Posts, batch)
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
		batch.InProgress()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Processed returns the number of posts ingested since the start, and the journal position reached.
func (p *Pipeline) Processed() (posts int64, at earshot.Position) {
	return p.posts.Load(), earshot.Position(p.position.Load())
}
