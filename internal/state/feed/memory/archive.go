package memory

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"earshot"
	"earshot/internal/state/feed"
)

var _ feed.Archive = (*Feed)(nil)

// State implements feed.Archive.
func (f *Feed) State(ctx context.Context) (feed.State, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := feed.State{Epoch: f.epoch, Cursors: map[earshot.StreamID]feed.Cursor{}, Last: f.last}
	if f.hasPosition {
		position := f.position
		r.Position = &position
	}
	for id, q := range f.queues {
		if q.cursor != (feed.Cursor{}) {
			r.Cursors[id] = q.cursor
		}
	}
	return r, ctx.Err()
}

// Messages implements feed.Archive.
func (f *Feed) Messages(ctx context.Context, upTo uint64) iter.Seq2[feed.StoredMessage, error] {
	return func(yield func(feed.StoredMessage, error) bool) {
		for _, s := range f.messagesUpTo(upTo) {
			data, err := feed.Encode(s.Message)
			if err = cmp.Or(err, ctx.Err()); !yield(feed.StoredMessage{Stream: s.stream, Number: s.number, Time: s.time, Data: data}, err) || err != nil {
				return
			}
		}
	}
}

// A queuedMessage is a message with its queue.
type queuedMessage struct {
	message
	stream earshot.StreamID
}

// messagesUpTo returns the messages up to and including a number, ascending.
func (f *Feed) messagesUpTo(upTo uint64) []queuedMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []queuedMessage
	for id := range f.queues {
		for _, m := range f.queue(id).messages {
			if m.number <= upTo {
				all = append(all, queuedMessage{m, id})
			}
		}
	}
	slices.SortFunc(all, func(a, b queuedMessage) int { return cmp.Compare(a.number, b.number) })
	return all
}

// Load implements feed.Archive.
func (f *Feed) Load(ctx context.Context, r feed.State, messages iter.Seq2[feed.StoredMessage, error]) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last > 0 || f.hasPosition {
		return errors.New("load streams: they already have messages")
	}
	next := uint64(1)
	for s, err := range messages {
		if err == nil {
			err = cmp.Or(r.CheckNext(next, s.Number), ctx.Err())
		}
		if err == nil {
			err = f.load(s, r.Jumps.Number(s.Number))
		}
		next = s.Number + 1
		if err != nil {
			return err
		}
	}
	for id, at := range r.Cursors {
		f.findOrAddQueue(id).cursor = at
	}
	f.epoch, f.last = r.Epoch, r.Jumps.Add(r.Last, f.Now()).Number(r.Last+1)-1
	if r.Position != nil {
		f.position, f.hasPosition = *r.Position, true
		f.upTo = max(f.upTo, f.position)
	}
	return nil
}

func (f *Feed) load(s feed.StoredMessage, number uint64) error {
	m, err := feed.Decode(s.Data)
	if err != nil {
		return err
	}
	if s.Expired(f.Now()) {
		return nil
	}
	q := f.findOrAddQueue(s.Stream)
	q.messages = append(q.messages, message{m, number, s.Time})
	f.upTo = m.UpTo
	return nil
}

// findOrAddQueue returns a queue, and creates it if needed. f.mu must be held.
func (f *Feed) findOrAddQueue(stream earshot.StreamID) *queue {
	q := f.queues[stream]
	if q == nil {
		q = &queue{}
		f.queues[stream] = q
	}
	return q
}
