// Package pipeline turns journal entries into stored, counted posts: enrich,
// match against the watchlist, store, offer to streams, acknowledge. An entry may run twice;
// storing a post again replaces it, so nothing is counted twice. What cannot be
// processed is set aside with its reason, and the rest flows on. When a monitor
// changes, stored posts are matched against it again, in the background, and when an
// opinion monitor is taught, they are sorted into its categories anew.
package pipeline

import (
	"context"
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
	Store   poststore.Store
	Teacher Teacher // nil: posts are not sorted into categories
	Streams Streams // nil: there are none
	Log     *slog.Logger

	// storing is held for reading while a batch is matched and stored. Taking it
	// for writing waits for batches that were matched against an older watchlist.
	storing   sync.RWMutex
	backfills backfills
	revision  revision
	baseline  baseline

	watching sync.Mutex
	list     *watchlist.List
	sorters  sorters
	version  uint64           // of the monitors that list was made of
	madeFor  earshot.Position // the entry that list was made for

	posts    atomic.Int64
	position atomic.Uint64
}

// Streams take posts once they are stored.
type Streams interface {
	// Position returns up to which journal entry they have everything for good; when they never
	// had anything, the given one, and from then on they know.
	Position(ctx context.Context, otherwise earshot.Position) (earshot.Position, error)

	// Begin is told where the journal ends, before anything is offered.
	Begin(ctx context.Context, last earshot.Position) error

	// Offer hands the posts of an entry on. They have it for good only when Position says so.
	Offer(ctx context.Context, at earshot.Position, posts []poststore.Matched) error
}

// Rewind sets the journal back to what the store and the streams have, and finds the monitors that
// stored posts are still to be matched against. It comes before Run: until then the
// journal may count entries as dealt with that this store has never seen.
func (p *Pipeline) Rewind(ctx context.Context) error {
	at, err := p.Store.Position(ctx)
	if err != nil {
		return fmt.Errorf("store position: %w", err)
	}
	last, err := p.Journal.Last(ctx)
	if err != nil {
		return fmt.Errorf("journal position: %w", err)
	}
	if at > last {
		return fmt.Errorf("the store has entries up to %d, the journal ends at %d: they do not belong together", at, last)
	}
	if err := p.rewind(ctx, at, last); err != nil {
		return fmt.Errorf("rewind journal: %w", err)
	}
	p.position.Store(uint64(at))
	if err := p.resume(ctx, at); err != nil {
		return fmt.Errorf("find what is to be matched again: %w", err)
	}
	p.readModels()
	if err := p.loadBaseline(ctx); err != nil {
		return fmt.Errorf("baseline of interests: %w", err)
	}
	if err := p.loadGeneration(ctx); err != nil {
		return fmt.Errorf("generation of the models: %w", err)
	}
	return nil
}

// rewind sets the journal back to what both the store and the streams have. The store skips
// what it has already. Entries that are no longer in the journal are lost to streams alone.
func (p *Pipeline) rewind(ctx context.Context, stored, last earshot.Position) error {
	if p.Streams == nil {
		return p.Journal.Rewind(ctx, Consumer, stored)
	}
	if err := p.Streams.Begin(ctx, last); err != nil {
		return fmt.Errorf("streams: %w", err)
	}
	offered, err := p.Streams.Position(ctx, stored)
	if err != nil {
		return fmt.Errorf("position of streams: %w", err)
	}
	if offered >= stored {
		return p.Journal.Rewind(ctx, Consumer, stored)
	}
	err = p.Journal.Rewind(ctx, Consumer, offered)
	if err == nil {
		return nil
	}
	p.Log.Error("streams miss posts: the journal does not have them any more", "after", offered, "up to", stored, "error", err)
	return p.Journal.Rewind(ctx, Consumer, stored)
}

// Run processes the journal, matches stored posts again where monitors change, and has
// them seen by newer models where that is asked for, until ctx ends.
func (p *Pipeline) Run(ctx context.Context) {
	var jobs sync.WaitGroup
	defer jobs.Wait()
	jobs.Go(func() { p.backfill(ctx) })
	jobs.Go(func() { p.keepRevising(ctx) })
	jobs.Go(func() { p.keepBaseline(ctx) })
	for batch := range p.Journal.Batches(ctx, Consumer) {
		p.process(ctx, batch)
	}
}

// process deals with one batch for good: stored, or set aside. While the store
// or the journal refuse, it waits, because going on would break the order.
func (p *Pipeline) process(ctx context.Context, batch *journal.Batch) {
	finish, stored := batch.Ack, int64(len(batch.Posts))
	err := retry(ctx, p.Log, batch, func() error { return p.apply(ctx, batch) })
	if reason, poison := err.(poisoned); poison {
		p.Log.Error("journal entry set aside", "position", batch.Position, "reason", reason.Error())
		finish, stored = func() error { return batch.Reject(ctx, reason.Error()) }, 0
	} else if err != nil {
		return // ctx ended; the entry comes again
	}
	if retry(ctx, p.Log, batch, finish) == nil {
		p.posts.Add(stored)
		if stored > 0 {
			p.baseline.note(batch)
		}
		p.position.Store(uint64(batch.Position))
	}
}

// poisoned is the reason why an entry can never be processed.
type poisoned string

func (r poisoned) Error() string { return string(r) }

// apply stores a batch. A panic on the way makes it poisoned.
func (p *Pipeline) apply(ctx context.Context, batch *journal.Batch) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("panic while processing a journal entry", "position", batch.Position, "panic", r, "stack", string(debug.Stack()))
			reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
			err = poisoned("panic: " + reason)
		}
	}()
	var matched []poststore.Matched
	switch {
	case batch.Deletion != nil:
		err = p.Store.Delete(ctx, batch.Position, *batch.Deletion)
	case batch.Figures != nil:
		err = p.Store.AddSnapshots(ctx, batch.Position, batch.Figures.Monitor, batch.Figures.Snapshots)
	default:
		matched, err = p.store(ctx, batch)
	}
	if err != nil || p.Streams == nil {
		return err
	}
	return p.Streams.Offer(ctx, batch.Position, matched)
}

// store completes, matches and stores the posts of a batch.
func (p *Pipeline) store(ctx context.Context, batch *journal.Batch) ([]poststore.Matched, error) {
	p.Enrich.InferImages(ctx, batch.Posts)
	p.storing.RLock()
	defer p.storing.RUnlock()
	list, sort := p.watchlist(batch.Position)
	matched := match(p.Enrich, list, sort, batch)
	return matched, p.Store.Append(ctx, batch.Position, matched)
}

// retry calls f until it succeeds, fails for good or ctx ends, waiting longer
// each time.
func retry(ctx context.Context, log *slog.Logger, batch *journal.Batch, f func() error) error {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := f()
		if _, poison := err.(poisoned); err == nil || poison {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		log.Error("journal entry not processed yet; trying again", "position", batch.Position, "wait", wait, "error", err)
		batch.Working()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Processed returns how many posts went through since the start, and the journal
// position reached.
func (p *Pipeline) Processed() (posts int64, at earshot.Position) {
	return p.posts.Load(), earshot.Position(p.position.Load())
}
