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

// Records implements feed.Archive.
func (f *Feed) Records(ctx context.Context) (feed.Records, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := feed.Records{Epoch: f.epoch, Places: map[earshot.StreamID]feed.Place{}, Last: f.last}
	if f.known {
		position := f.position
		r.Position = &position
	}
	for id, q := range f.queues {
		if q.place != (feed.Place{}) {
			r.Places[id] = q.place
		}
	}
	return r, ctx.Err()
}

// Messages implements feed.Archive.
func (f *Feed) Messages(ctx context.Context, upTo uint64) iter.Seq2[feed.Stored, error] {
	return func(yield func(feed.Stored, error) bool) {
		for _, s := range f.copies(upTo) {
			data, err := feed.Encode(s.Message)
			if err = cmp.Or(err, ctx.Err()); !yield(feed.Stored{Stream: s.stream, Number: s.number, Time: s.time, Data: data}, err) || err != nil {
				return
			}
		}
	}
}

// A numbered message is one with the queue that it is in.
type numbered struct {
	message
	stream earshot.StreamID
}

// copies returns the messages up to a number, in order.
func (f *Feed) copies(upTo uint64) []numbered {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []numbered
	for id := range f.queues {
		for _, m := range f.queue(id).messages {
			if m.number <= upTo {
				all = append(all, numbered{m, id})
			}
		}
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	return all
}

// Load implements feed.Archive.
func (f *Feed) Load(ctx context.Context, r feed.Records, messages iter.Seq2[feed.Stored, error]) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last > 0 || f.known {
		return errors.New("load streams: they have messages")
	}
	next := uint64(1)
	for s, err := range messages {
		if err == nil {
			err = cmp.Or(r.Follow(next, s.Number), ctx.Err())
		}
		if err == nil {
			err = f.load(s, r.Jumps.Number(s.Number))
		}
		next = s.Number + 1
		if err != nil {
			return err
		}
	}
	for id, at := range r.Places {
		f.loaded(id).place = at
	}
	f.epoch, f.last = r.Epoch, r.Jumps.Add(r.Last, f.Now()).Number(r.Last+1)-1
	if r.Position != nil {
		f.position, f.known = *r.Position, true
		f.upTo = max(f.upTo, f.position)
	}
	return nil
}

func (f *Feed) load(s feed.Stored, number uint64) error {
	m, err := feed.Decode(s.Data)
	if err != nil {
		return err
	}
	if s.Expired(f.Now()) {
		return nil
	}
	q := f.loaded(s.Stream)
	q.messages = append(q.messages, message{m, number, s.Time})
	f.upTo = m.UpTo
	return nil
}

// loaded returns a queue, which it makes when there is none.
func (f *Feed) loaded(stream earshot.StreamID) *queue {
	q := f.queues[stream]
	if q == nil {
		q = &queue{}
		f.queues[stream] = q
	}
	return q
}
