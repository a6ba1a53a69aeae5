// Package pipeline ingests journal entries: it enriches posts, matches them against the
// watchlist, stores them, offers them to streams, and acknowledges the entry.
//
//	journal ── batch ──▶ enrich ──▶ match ──▶ store ──▶ offer ──▶ acknowledge
//	                                  ▲         │         │
//	                       monitors of the   post store  streams
//	                       catalog, compiled
//
// An entry may run twice; storing a post again replaces it, so nothing is counted twice. An
// entry that cannot be processed is rejected with its reason, and the rest flows on. While the
// store or the journal fails, the pipeline waits and retries, because going on would break the
// order.
//
// Each post is matched against the monitors as they are when it is ingested. What later changes
// of monitors mean for stored posts is left to package rematch; [Pipeline.Barrier] is the seam
// between the two.
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

// Consumer is the pipeline's name in the journal.
const Consumer = "pipeline"

// A Pipeline moves posts from the journal to the store.
type Pipeline struct {
	Journal journal.Journal
	Enrich  *enrich.Enricher
	Catalog *catalog.Catalog
	Store   poststore.Writer
	Streams Streams // nil: none
	Log     *slog.Logger

	// Categorizers returns functions that categorize posts of a monitor. nil: none.
	Categorizers func(m *earshot.Monitor) []Categorizer

	// storing is held for reading while a batch is matched and stored. Barrier takes it
	// for writing.
	storing  sync.RWMutex
	baseline baseline

	watchMu      sync.Mutex
	list         *watchlist.List                     // guarded by watchMu
	categorizers map[earshot.MonitorID][]Categorizer // guarded by watchMu; of monitors that have any
	version      uint64                              // guarded by watchMu; of the monitors that list is made of
	madeFor      earshot.Position                    // guarded by watchMu; the entry that list is made for

	posts    atomic.Int64
	position atomic.Uint64
}

// A Categorizer appends the category sets that a post of its monitor belongs to.
type Categorizer = func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID

// Streams receive posts once they are stored.
type Streams interface {
	// Position returns the last journal entry that they have durably. When they never had
	// anything, they start at initial and return that.
	Position(ctx context.Context, initial earshot.Position) (earshot.Position, error)

	// Reconcile announces where the journal ends, before anything is offered.
	Reconcile(ctx context.Context, last earshot.Position) error

	// Offer hands over the posts of an entry. They are durable only when Position says so.
	Offer(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error
}

// Rewind sets the journal back to what both the store and the streams have. It comes before
// Run: the journal may count entries as processed that this store has never seen. The store
// skips entries that it has. Entries that are no longer in the journal are lost to streams only.
func (p *Pipeline) Rewind(ctx context.Context) error {
	stored, err := p.Store.Position(ctx)
	if err != nil {
		return fmt.Errorf("store position: %w", err)
	}
	last, err := p.Journal.Last(ctx)
	if err != nil {
		return fmt.Errorf("journal position: %w", err)
	}
	if stored > last {
		return fmt.Errorf("the store has entries up to %d, the journal ends at %d: they do not belong together", stored, last)
	}
	offered := stored
	if p.Streams != nil {
		if err := p.Streams.Reconcile(ctx, last); err != nil {
			return fmt.Errorf("rewind journal: streams: %w", err)
		}
		if offered, err = p.Streams.Position(ctx, stored); err != nil {
			return fmt.Errorf("rewind journal: position of streams: %w", err)
		}
	}
	err = p.Journal.Rewind(ctx, Consumer, min(offered, stored))
	if err != nil && offered < stored {
		p.Log.Error("streams miss posts: the journal does not have them any more", "after", offered, "up to", stored, "error", err)
		err = p.Journal.Rewind(ctx, Consumer, stored)
	}
	if err != nil {
		return fmt.Errorf("rewind journal: %w", err)
	}
	p.position.Store(uint64(stored))
	if err := p.loadBaseline(ctx); err != nil {
		return fmt.Errorf("baseline of interests: %w", err)
	}
	return nil
}

// Run ingests the journal, one entry after the other, until ctx ends.
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
			p.Log.Error("journal entry set aside", "position", batch.Position, "reason", poison.reason)
			err = p.retry(ctx, batch, func() error { return batch.Reject(ctx, poison.reason) })
		}
		if err != nil {
			continue // ctx ended; the entry comes again
		}
		if poison == nil {
			p.posts.Add(int64(len(batch.Posts)))
			p.baseline.add(batch)
		}
		p.position.Store(uint64(batch.Position))
	}
}

// ingest applies an entry to the store and offers its posts to the streams. A panic on the way
// becomes a poisonError.
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
	default:
		posts, err = p.store(ctx, batch)
	}
	if err != nil || p.Streams == nil {
		return err
	}
	return p.Streams.Offer(ctx, batch.Position, posts)
}

// store enriches, matches and stores the posts of a batch.
func (p *Pipeline) store(ctx context.Context, batch *journal.Batch) ([]poststore.MatchedPost, error) {
	p.Enrich.InferImages(ctx, batch.Posts)
	p.storing.RLock()
	defer p.storing.RUnlock()
	posts := p.match(ctx, batch)
	return posts, p.Store.Append(ctx, batch.Position, posts)
}

// Barrier returns when every batch that was matched against monitors of before is stored.
// Batches that begin later match against the catalog as it is now, or newer.
func (p *Pipeline) Barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}

// A poisonError is why an entry can never be processed.
type poisonError struct{ reason string }

func (e *poisonError) Error() string { return e.reason }

// Bounds of the wait after a failure, which doubles each time: a passing failure costs hardly
// any time, and one that stays does not fill the log.
const (
	minWait = 10 * time.Millisecond
	maxWait = 5 * time.Second
)

// retry calls f until it succeeds, returns a poisonError, or ctx ends.
func (p *Pipeline) retry(ctx context.Context, batch *journal.Batch, f func() error) error {
	for wait := minWait; ; wait = min(2*wait, maxWait) {
		err := f()
		var poison *poisonError
		if err == nil || errors.As(err, &poison) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.Log.Error("journal entry not processed yet; trying again", "position", batch.Position, "wait", wait, "error", err)
		batch.InProgress()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Processed returns how many posts were ingested since the start, and the journal position
// reached.
func (p *Pipeline) Processed() (posts int64, at earshot.Position) {
	return p.posts.Load(), earshot.Position(p.position.Load())
}
