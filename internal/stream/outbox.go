package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/sleep"
	"earshot/internal/state/feed"
	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
)

const (
	// flushInterval is the minimum time between two appends. A longer interval would delay posts; a
	// shorter one would create more and smaller messages. Posts after a pause are appended
	// immediately.
	flushInterval = 200 * time.Millisecond

	// maxOutboxBytes bounds the memory for posts that are not appended yet. Offer blocks at this
	// limit.
	maxOutboxBytes = 32 << 20

	minRetryPause = 10 * time.Millisecond
	maxRetryPause = 5 * time.Second

	// finalFlushTimeout is the maximum time to append the outbox when the service stops.
	finalFlushTimeout = 3 * time.Second
)

// An outbox contains posts that were offered but not appended yet.
type outbox struct {
	mu           sync.Mutex // guards the fields below
	runs         []feed.Run
	upTo         earshot.Position
	appendedUpTo earshot.Position // everything up to this position is appended or was never offered
	bytes        int
	signal       chan struct{} // contains a token while there may be posts to append
	space        chan struct{} // closed when space is freed; nil if no call waits

	waiting map[earshot.PostKey]*waitingPost // posts whose pictures nobody has looked at yet

	closed bool // Run has ended
}

// Position returns the journal position up to which all posts are durably in the streams. It sets
// the position of a new feed to initial.
func (s *Service) Position(ctx context.Context, initial earshot.Position) (earshot.Position, error) {
	position, ok, err := s.Feed.Position(ctx)
	if err != nil || ok {
		return position, err
	}
	return initial, s.Feed.Append(ctx, initial, nil)
}

// A journal that seems to end before the position of the streams is read again a few times before
// their positions are reset, because a server that was paused may not know the last entries at first.
const (
	maxEndReads  = 4
	endReadPause = 250 * time.Millisecond
)

// Reconcile passes the last position of the journal to the feed. It must be called before Run.
func (s *Service) Reconcile(ctx context.Context, last earshot.Position) error {
	for range maxEndReads {
		at, ok, err := s.Feed.Position(ctx)
		if err != nil {
			return err
		}
		if !ok || at <= last {
			break
		}
		if !sleep.For(ctx, endReadPause) {
			return ctx.Err()
		}
		again, err := s.Journal.Last(ctx)
		if err != nil {
			return err
		}
		last = max(last, again)
	}
	s.outbox.open()
	return s.Feed.Reconcile(ctx, last)
}

// Offer queues the posts of a journal entry for the streams of their monitors. Run appends them
// soon after. Until Position covers an entry, it must be offered again after a crash, and when another
// process appends to the streams. Offer blocks while the outbox is full. Calls must not overlap and
// must follow journal order. Once ctx has ended, Offer queues nothing.
func (s *Service) Offer(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	s.routes.update(s.Catalog.Streams)
	for {
		runs, bytes, rest := s.routes.collect(at, posts)
		s.hold(ctx, at, posts[:len(posts)-len(rest)], runs)
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
		if err := o.check(ctx); err != nil {
			o.mu.Unlock()
			return err
		}
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

// notify signals that there may be posts to append. o.mu must be held.
func (o *outbox) notify() {
	if o.signal == nil {
		o.signal = make(chan struct{}, 1)
	}
	sleep.Notify(o.signal)
}

// ready returns the channel that contains a token while there may be posts to append.
func (o *outbox) ready() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.signal == nil {
		o.signal = make(chan struct{}, 1)
	}
	return o.signal
}

// take removes and returns the contents of the outbox, up to the first post that still waits for its
// pictures. Their bytes count until commit.
func (o *outbox) take(now time.Time, final bool) (runs []feed.Run, upTo earshot.Position, bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := o.firstWaiting(now)
	if first == 0 || final || o.bytes > maxOutboxBytes/2 {
		runs, o.runs = o.runs, nil
		clear(o.waiting)
		return runs, o.upTo, o.bytes
	}
	o.notify() // look again after the next interval
	n := slices.IndexFunc(o.runs, func(r feed.Run) bool { return r.Position >= first })
	if n < 0 {
		n = len(o.runs)
	}
	runs, o.runs = o.runs[:n:n], o.runs[n:]
	for _, r := range runs {
		bytes += bytesOf(r)
	}
	return runs, min(o.upTo, first-1), bytes
}

func bytesOf(r feed.Run) (bytes int) {
	for i := range r.Items {
		bytes += len(r.Items[i].Post) + itemBytes
	}
	return bytes
}

// commit releases the bytes of appended posts.
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

// rollback undoes take.
func (o *outbox) rollback(runs []feed.Run) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs = append(runs, o.runs...)
}

// Lag returns the number of journal positions that were offered but not appended yet.
func (s *Service) Lag() int64 {
	s.outbox.mu.Lock()
	defer s.outbox.mu.Unlock()
	return int64(s.outbox.upTo - s.outbox.appendedUpTo)
}

// Run appends offered posts until ctx ends, or until another process has the right to append. What is
// not appended then is dropped.
func (s *Service) Run(ctx context.Context) {
	defer s.outbox.close()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), lease.ErrLost) {
				return
			}
			// Posts that cannot be appended now are offered again after the next start.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
			defer cancel()
			s.flush(ctx, true)
			return
		case <-s.outbox.ready():
		}
		select {
		case <-ctx.Done():
			continue
		case <-pause.C:
		}
		pause.Reset(flushInterval)
		if err := s.flush(ctx, false); errors.Is(err, kv.ErrFenced) {
			s.Log.Warn("another node appends to streams now")
			return
		}
	}
}

// open admits posts.
func (o *outbox) open() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = false
}

var errClosed = errors.New("this process does not append to streams")

// check returns an error if no posts are admitted with ctx. o.mu must be held.
func (o *outbox) check(ctx context.Context) error {
	if o.closed {
		return errClosed
	}
	return ctx.Err()
}

// close drops everything, and admits no more posts.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs, o.upTo, o.appendedUpTo, o.bytes, o.waiting, o.closed = nil, 0, 0, 0, nil, true
	if o.space != nil {
		close(o.space)
		o.space = nil
	}
}

// appended returns the position up to which everything is appended.
func (o *outbox) appended() earshot.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.appendedUpTo
}

// flush appends the outbox and retries until it succeeds, ctx ends or another process has the right to
// append. If ctx ends, it puts everything back, because later posts must not be appended without it.
func (s *Service) flush(ctx context.Context, final bool) error {
	runs, upTo, bytes := s.outbox.take(time.Now(), final)
	if upTo == 0 || len(runs) == 0 && upTo <= s.outbox.appended() {
		return nil
	}
	for wait := minRetryPause; ; wait = min(2*wait, maxRetryPause) {
		err := s.append(ctx, upTo, runs)
		if err == nil {
			s.outbox.commit(upTo, bytes)
			return nil
		}
		if ctx.Err() != nil || errors.Is(err, kv.ErrFenced) {
			s.outbox.rollback(runs)
			return err
		}
		s.Log.Error("appending posts to streams failed; will retry", "position", upTo, "wait", wait, "error", err)
		select {
		case <-ctx.Done(): // make a last attempt
		case <-time.After(wait):
		}
	}
}

// append calls Feed.Append and returns panics as errors.
func (s *Service) append(ctx context.Context, upTo earshot.Position, runs []feed.Run) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.Feed.Append(ctx, upTo, runs)
}
