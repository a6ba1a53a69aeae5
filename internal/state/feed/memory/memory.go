// Package memory implements the feed in memory, with a list of messages per queue and a lock. It
// packs items into messages like the durable feed, so cursors are the same. All data is lost when
// the process ends.
package memory

import (
	"context"
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/feed"
)

// A Feed is a [feed.Feed] in memory.
type Feed struct {
	Now func() time.Time // clock for expiry

	mu          sync.Mutex // guards the fields below
	queues      map[earshot.StreamID]*queue
	last        uint64 // number of the newest message
	epoch       uint64
	position    earshot.Position
	upTo        earshot.Position // highest position passed to Append
	hasPosition bool             // whether position is set
	appended    chan struct{}    // closed and replaced by each Append
}

type queue struct {
	messages []message // oldest first
	cursor   feed.Cursor
}

type message struct {
	feed.Message
	number uint64
	time   time.Time
}

// New returns an empty feed.
func New() *Feed {
	return &Feed{Now: time.Now, queues: map[earshot.StreamID]*queue{}, appended: make(chan struct{})}
}

// Append implements feed.Feed.
func (f *Feed) Append(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range feed.GroupByQueue(runs) {
		f.queue(b.Stream) // drops expired messages
		q := f.findOrAddQueue(b.Stream)
		for _, m := range q.tail(f.epoch).Pack(f.epoch, upTo, b.Runs) {
			f.last++
			q.messages = append(q.messages, message{m, f.last, f.Now()})
		}
	}
	f.position, f.hasPosition = upTo, true
	f.upTo = max(f.upTo, upTo)
	close(f.appended)
	f.appended = make(chan struct{})
	return nil
}

func (q *queue) tail(epoch uint64) feed.Tail {
	if len(q.messages) == 0 {
		return feed.Tail{}
	}
	return q.messages[len(q.messages)-1].Tail(epoch)
}

// queue returns a queue without expired messages, or nil. f.mu must be held.
func (f *Feed) queue(stream earshot.StreamID) *queue {
	q := f.queues[stream]
	if q == nil {
		return nil
	}
	oldest := f.Now().Add(-feed.Retention)
	for len(q.messages) > 0 && q.messages[0].time.Before(oldest) {
		q.messages = q.messages[1:]
	}
	return q
}

// Position implements feed.Feed.
func (f *Feed) Position(ctx context.Context) (earshot.Position, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position, f.hasPosition, ctx.Err()
}

// Reconcile implements feed.Feed.
func (f *Feed) Reconcile(ctx context.Context, last earshot.Position) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.upTo > last {
		f.epoch++
		f.position, f.upTo, f.hasPosition = 0, 0, false
	}
	return ctx.Err()
}

// Remove implements feed.Feed.
func (f *Feed) Remove(ctx context.Context, stream earshot.StreamID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.queues, stream)
	return ctx.Err()
}

// Stats implements feed.Feed.
func (f *Feed) Stats(ctx context.Context) (s feed.Stats, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range f.queues {
		for _, m := range f.queue(id).messages {
			s.Messages++
			for _, item := range m.Items {
				s.Bytes += int64(len(item.Post))
			}
		}
	}
	return s, ctx.Err()
}
