package stream

import (
	"context"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/feed"
)

const (
	// flushInterval is how long posts are collected at least before the next are appended: many small
	// batches become one message for each stream. What comes after a pause does not wait.
	flushInterval = 200 * time.Millisecond

	// maxOutboxBytes is how many bytes wait to be appended before Offer waits, too.
	maxOutboxBytes = 32 << 20

	minRetryPause = 10 * time.Millisecond
	maxRetryPause = 5 * time.Second

	// finalFlushTimeout is how long the end of the service is held up to append what was collected.
	finalFlushTimeout = 3 * time.Second
)

// An outbox is what was offered and is not appended yet.
type outbox struct {
	mu           sync.Mutex
	runs         []feed.Run
	upTo         earshot.Position
	appendedUpTo earshot.Position // up to which everything is appended; what was never offered counts as that
	bytes        int
	signal       chan struct{} // has a value while there may be something
	space        chan struct{} // closed when there is room again; nil while nobody waits
}

// Position returns up to which journal entry all posts are in the streams for good. Of a feed
// that is new it is the given one, from now on.
func (s *Service) Position(ctx context.Context, otherwise earshot.Position) (earshot.Position, error) {
	at, known, err := s.Feed.Position(ctx)
	if err != nil || known {
		return at, err
	}
	return otherwise, s.Feed.Append(ctx, otherwise, nil)
}

// Reconcile is told where the journal ends, before the first Offer.
func (s *Service) Reconcile(ctx context.Context, last earshot.Position) error {
	return s.Feed.Reconcile(ctx, last)
}

// Offer hands the posts of a journal entry to the streams that take them. They are appended a
// moment later; until Position says so, they have to be offered again after a crash. It waits
// while too much is under way. One calls it at a time, in the order of the journal.
func (s *Service) Offer(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	s.routes.update(s.Catalog.Streams)
	for {
		runs, bytes, rest := s.routes.collect(at, posts)
		if len(rest) == 0 {
			return s.outbox.put(ctx, at, runs, bytes)
		}
		for i := range runs {
			runs[i].More = true
		}
		if err := s.outbox.put(ctx, at-1, runs, bytes); err != nil {
			return err
		}
		posts = rest
	}
}

func (o *outbox) put(ctx context.Context, at earshot.Position, runs []feed.Run, bytes int) error {
	for {
		o.mu.Lock()
		if o.bytes == 0 || o.bytes+bytes <= maxOutboxBytes {
			if o.upTo == 0 {
				o.appendedUpTo = at - 1
			}
			o.runs, o.upTo, o.bytes = append(o.runs, runs...), at, o.bytes+bytes
			o.notify()
			o.mu.Unlock()
			return nil
		}
		if o.space == nil {
			o.space = make(chan struct{})
		}
		room := o.space
		o.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-room:
		}
	}
}

// notify has the next wait return. The lock is held.
func (o *outbox) notify() {
	if o.signal == nil {
		o.signal = make(chan struct{}, 1)
	}
	select {
	case o.signal <- struct{}{}:
	default:
	}
}

// ready returns the channel that has a value while there may be something.
func (o *outbox) ready() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.signal == nil {
		o.signal = make(chan struct{}, 1)
	}
	return o.signal
}

// take returns what waits. It goes on to count as waiting until appended is called.
func (o *outbox) take() (runs []feed.Run, upTo earshot.Position, bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	runs, o.runs = o.runs, nil
	return runs, o.upTo, o.bytes
}

// commit makes room.
func (o *outbox) commit(upTo earshot.Position, bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.appendedUpTo = upTo
	o.bytes -= bytes
	if o.space != nil {
		close(o.space)
		o.space = nil
	}
}

// rollback undoes collected.
func (o *outbox) rollback(runs []feed.Run) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs = append(runs, o.runs...)
}

// Lag returns how many positions of the journal are between what was offered and what is in
// the streams.
func (s *Service) Lag() int64 {
	s.outbox.mu.Lock()
	defer s.outbox.mu.Unlock()
	return int64(s.outbox.upTo - s.outbox.appendedUpTo)
}

// Run appends what is offered until ctx ends.
func (s *Service) Run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			s.finish(ctx)
			return
		case <-s.outbox.ready():
		}
		<-pause.C
		pause.Reset(flushInterval)
		s.flush(ctx)
	}
}

// finish appends what is left, if that can be done in a moment. Otherwise it is offered again
// after the next start.
func (s *Service) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
	defer cancel()
	s.flush(ctx)
}

// flush appends what was collected, and tries until it succeeds or ctx ends. In that case it is
// still there: what comes later must not be appended without it.
func (s *Service) flush(ctx context.Context) {
	runs, upTo, bytes := s.outbox.take()
	if upTo == 0 {
		return
	}
	for wait := minRetryPause; ; wait = min(2*wait, maxRetryPause) {
		err := s.append(ctx, upTo, runs)
		if err == nil {
			s.outbox.commit(upTo, bytes)
			return
		}
		if ctx.Err() != nil {
			s.outbox.rollback(runs)
			return
		}
		s.Log.Error("posts not in their streams yet; trying again", "position", upTo, "wait", wait, "error", err)
		select {
		case <-ctx.Done(): // one attempt more tells
		case <-time.After(wait):
		}
	}
}

// append is Feed.Append, of which a panic is an error.
func (s *Service) append(ctx context.Context, upTo earshot.Position, runs []feed.Run) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.Feed.Append(ctx, upTo, runs)
}
