package pipeline

import (
	"context"
	"errors"
	"iter"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/journal"
)

// For a store that prefers large writes, the pipeline stores all entries that are already waiting in
// one group. An entry that arrives alone is not delayed.
const (
	maxGroupPosts = 100_000
	maxWaiting    = 64 // entries read ahead
)

// groups yields the entries of the journal after a position in groups that can be processed together.
// Unless the store is a [poststore.GroupWriter], each group has one entry.
func (p *Pipeline) groups(ctx context.Context, after earshot.Position) iter.Seq2[[]*journal.Batch, error] {
	if _, ok := p.Store.(poststore.GroupWriter); !ok {
		return func(yield func([]*journal.Batch, error) bool) {
			for batch, err := range p.Journal.Batches(ctx, after) {
				if !yield([]*journal.Batch{batch}, err) {
					return
				}
			}
		}
	}
	return func(yield func([]*journal.Batch, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		read := p.readAhead(ctx, after)
		defer func() {
			stop()
			for range read { // until the reader has ended
			}
		}()
		next, ok := <-read
		for ok {
			if next.err != nil {
				yield(nil, next.err)
				return
			}
			group := []*journal.Batch{next.batch}
			group, next, ok = fill(group, read)
			if !yield(group, nil) {
				return
			}
			if next.batch == nil && next.err == nil && ok {
				next, ok = <-read
			}
		}
	}
}

// A waiting is an entry of the journal that was read ahead, or the error that ended it.
type waiting struct {
	batch *journal.Batch
	err   error
}

// readAhead reads the journal in the background until ctx is done.
func (p *Pipeline) readAhead(ctx context.Context, after earshot.Position) <-chan waiting {
	read := make(chan waiting, maxWaiting)
	go func() {
		defer close(read)
		for batch, err := range p.Journal.Batches(ctx, after) {
			select {
			case read <- waiting{batch, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return read
}

// fill adds entries that are already waiting to a group, as long as they can be stored together. It
// also returns the entry that comes next, if it was read, and whether there may be more.
func fill(group []*journal.Batch, read <-chan waiting) (filled []*journal.Batch, next waiting, more bool) {
	if !hasOnlyPosts(group[0]) {
		return group, waiting{}, true
	}
	for posts := len(group[0].Posts); posts < maxGroupPosts; {
		select {
		case w, ok := <-read:
			if !ok || w.err != nil || !hasOnlyPosts(w.batch) {
				return group, w, ok
			}
			group = append(group, w.batch)
			posts += len(w.batch.Posts)
		default:
			return group, waiting{}, true
		}
	}
	return group, waiting{}, true
}

// hasOnlyPosts reports whether an entry contains posts and nothing else.
func hasOnlyPosts(b *journal.Batch) bool {
	return b.Deletion == nil && b.Snapshots == nil && b.Pictures == nil && len(b.Looks) == 0
}

// processGroup processes entries in order. If one of them can never be processed, it processes each
// on its own, so that only that one becomes a dead letter.
func (p *Pipeline) processGroup(ctx context.Context, t *term, group []*journal.Batch) error {
	if len(group) > 1 {
		err := p.retry(ctx, group[0], func() error { return p.ingestGroup(ctx, t, group) })
		var poison *poisonError
		if err != nil && !errors.As(err, &poison) {
			return err
		}
		if err == nil {
			for _, batch := range group {
				p.count(batch)
			}
			return nil
		}
	}
	for _, batch := range group {
		if err := p.process(ctx, t, batch); err != nil {
			return err
		}
	}
	return nil
}

// ingestGroup stores the posts of entries at once, and offers them to the streams.
func (p *Pipeline) ingestGroup(ctx context.Context, t *term, group []*journal.Batch) (err error) {
	defer p.catch(group[0], &err)
	for _, batch := range group {
		if err := p.Catalog.WaitRevision(ctx, batch.Catalog); err != nil {
			return err
		}
	}
	batches, err := p.storeGroup(ctx, group)
	if err != nil {
		return err
	}
	for i, batch := range group {
		if err := p.offer(ctx, t, batch, batches[i].Posts); err != nil {
			return err
		}
	}
	return nil
}

// storeGroup enriches, matches and stores the posts of entries.
func (p *Pipeline) storeGroup(ctx context.Context, group []*journal.Batch) ([]poststore.Batch, error) {
	for _, batch := range group {
		if err := p.filter(batch); err != nil {
			return nil, err
		}
	}
	p.storing.RLock()
	defer p.storing.RUnlock()
	batches := make([]poststore.Batch, len(group))
	for i, batch := range group {
		batches[i] = poststore.Batch{At: batch.Position, Posts: p.match(ctx, batch.Posts, batch, nil)}
	}
	if err := p.Store.(poststore.GroupWriter).AppendGroup(ctx, batches); err != nil {
		return nil, err
	}
	if p.Stored != nil {
		for _, b := range batches {
			p.Stored(b.Posts)
		}
	}
	return batches, nil
}
