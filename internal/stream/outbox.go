package stream

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/feed"
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

// Reconcile passes the last position of the journal to the feed. It must be called before the first
// Offer.
func (s *Service) Reconcile(ctx context.Context, last earshot.Position) error {
	return s.Feed.Reconcile(ctx, last)
}

// Offer queues the posts of a journal entry for the streams of their monitors. Run appends them
// soon after. Until Position covers an entry, it must be offered again after a crash. Offer blocks
// while the outbox is full. Calls must not overlap and must follow journal order.
func (s *Service) Offer(ctx context.Context, at earshot.Position, posts []poststore.MatchedPost) error {
	s.routes.update(s.Catalog.Streams)
	for {
		runs, bytes, rest := s.routes.collect(at, posts)
		s.hold(at, posts[:len(posts)-len(rest)], runs)
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

// notify signals that there may be posts to append. o.mu must be held.
func (o *outbox) notify() {
	if o.signal == nil {
		o.signal = make(chan struct{}, 1)
	}
	select {
	case o.signal <- struct{}{}:
	default:
	}
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

// Run appends offered posts until ctx ends.
func (s *Service) Run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			// Posts that cannot be appended now are offered again after the next start.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
			defer cancel()
			s.flush(ctx, true)
			return
		case <-s.outbox.ready():
		}
		<-pause.C
		pause.Reset(flushInterval)
		s.flush(ctx, false)
	}
}

// appended returns the position up to which everything is appended.
func (o *outbox) appended() earshot.Position {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.appendedUpTo
}

// flush appends the outbox and retries until it succeeds or ctx ends. If ctx ends, it puts
// everything back, because later posts must not be appended without it.
func (s *Service) flush(ctx context.Context, final bool) {
	runs, upTo, bytes := s.outbox.take(time.Now(), final)
	if upTo == 0 || len(runs) == 0 && upTo <= s.outbox.appended() {
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
