package pipeline

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/journal"
)

// Streams receive posts after they are stored.
type Streams interface {
	// Position returns the last journal entry that the streams have durably. If they have never
	// received one, they start at initial and return it.
	Position(ctx context.Context, initial earshot.Position) (earshot.Position, error)

	// Reconcile gives the streams the last position of the journal before any posts are offered.
	Reconcile(ctx context.Context, last earshot.Position) error

	// Offer passes on the posts of an entry. They are durable only once Position has reached the
	// entry.
	Offer(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error

	// Update passes on posts of earlier entries whose pictures have been looked at. Streams that
	// already contain them keep the old version.
	Update(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error

	// Run makes offered posts durable, until ctx ends or the streams have lost the right to write.
	// When it returns, it has forgotten what is not durable.
	Run(ctx context.Context)
}

// A term is a period in which the pipeline feeds the streams.
type term struct {
	ctx   context.Context  // ends with the term
	after earshot.Position // the streams have everything up to here
	begun bool             // the pipeline has gone back; guarded by Pipeline.termMu
}

// FeedStreams makes the pipeline feed the streams until ctx ends, which is the context of that role.
// The pipeline goes back to the position of the streams. The store skips entries that it already has,
// and the streams are not offered entries that they already have. FeedStreams calls started, which
// may be nil, when the pipeline knows where to go back to. If the journal no longer contains some
// entries that the streams lack, FeedStreams logs an error, and the streams miss those posts.
func (p *Pipeline) FeedStreams(ctx context.Context, started func()) error {
	after, err := p.findStreams(ctx)
	if err != nil {
		return err
	}
	feeding, stop := context.WithCancel(ctx)
	defer stop() // also if Run returns because the streams have lost the right to write
	p.setTerm(&term{ctx: feeding, after: after})
	defer p.setTerm(nil)
	if started != nil {
		started()
	}
	p.Streams.Run(feeding)
	return nil
}

// findStreams returns the position after which entries must be offered to the streams.
func (p *Pipeline) findStreams(ctx context.Context) (earshot.Position, error) {
	stored, err := p.Store.Position(ctx)
	if err != nil {
		return 0, fmt.Errorf("get store position: %w", err)
	}
	last, err := p.lastEntry(ctx, stored)
	if err != nil {
		return 0, fmt.Errorf("get journal position: %w", err)
	}
	if err := p.Streams.Reconcile(ctx, last); err != nil {
		return 0, fmt.Errorf("reconcile streams: %w", err)
	}
	after, err := p.Streams.Position(ctx, stored)
	if err != nil {
		return 0, fmt.Errorf("get position of streams: %w", err)
	}
	trimmed, err := p.Journal.Trimmed(ctx)
	if err != nil {
		return 0, fmt.Errorf("get journal position: %w", err)
	}
	if after < trimmed {
		p.Log.Error("streams miss posts that the journal no longer has", "after", after, "up to", trimmed)
	}
	return max(after, trimmed), nil
}

// setTerm begins a term, or ends it if t is nil. Without streams, the loop over the journal continues.
func (p *Pipeline) setTerm(t *term) {
	p.termMu.Lock()
	defer p.termMu.Unlock()
	p.term = t
	switch {
	case p.interrupt == nil: // before Run
		p.goBack()
	case t != nil:
		p.interrupt()
	}
}

// beginLoop returns the current term, or nil, and goes back to the position of the streams if they
// need it. A later term calls interrupt.
func (p *Pipeline) beginLoop(interrupt context.CancelFunc) *term {
	p.termMu.Lock()
	defer p.termMu.Unlock()
	p.interrupt = interrupt
	p.goBack()
	return p.term
}

// goBack goes back to the position of the streams once in each term. p.termMu must be held.
func (p *Pipeline) goBack() {
	if p.term != nil && !p.term.begun {
		p.term.begun = true
		p.reached.Store(min(p.reached.Load(), uint64(p.term.after)))
	}
}

// offer passes the posts of an entry on to the streams in a term. When the term ends, another node
// does it.
func (p *Pipeline) offer(ctx context.Context, t *term, batch *journal.Batch, posts []poststore.MatchedPost) error {
	if t == nil || batch.Position <= t.after || t.ctx.Err() != nil {
		return nil
	}
	offering, stop := context.WithCancel(t.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	pass := p.Streams.Offer
	if batch.Pictures != nil {
		pass = p.Streams.Update
	}
	err := pass(offering, batch.Position, posts)
	if t.ctx.Err() != nil {
		return nil
	}
	return err
}
