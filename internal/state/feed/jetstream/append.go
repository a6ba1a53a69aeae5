package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	maxBatchBytes = 8 << 20 // of the messages that are written at once
	headerReserve = 4 << 10 // in a message; less than that of a journal entry, so that its posts fit

	// A batch that is refused is tried again for some five seconds.
	minConflictPause = 5 * time.Millisecond
	maxConflictPause = 5 * time.Second
)

// A tail is what is known of the end of a queue, and the sequence of its last message.
type tail struct {
	feed.Tail
	seq uint64
}

// Append implements feed.Feed. The messages of up to a thousand queues are stored all or
// none.
func (f *Feed) Append(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	for pause := minConflictPause; pause < maxConflictPause; pause *= 2 {
		err := f.appendOnce(ctx, upTo, runs)
		if !errors.Is(err, natsnode.ErrConflict) {
			return err
		}
		// A message expired, a queue was removed, or the batch is stored and its answer got lost.
		if !natsnode.Sleep(ctx, pause) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("append to streams: someone else appends, too: %w", natsnode.ErrConflict)
}

func (f *Feed) appendOnce(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	b := batch{feed: f}
	for _, q := range feed.GroupByQueue(runs) {
		if err := b.addQueue(ctx, upTo, q); err != nil {
			return fmt.Errorf("append to stream %d: %w", q.Stream, err)
		}
	}
	if err := b.publish(ctx); err != nil {
		return fmt.Errorf("append to streams: %w", err)
	}
	p := f.currentProgress()
	if p.Position != nil && *p.Position == upTo {
		return nil
	}
	p.Position = &upTo
	return f.writeProgress(ctx, p)
}

func (f *Feed) currentProgress() progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.progress
}

// A batch collects messages that are to be written at once.
type batch struct {
	feed     *Feed
	messages []*nats.Msg
	tails    []newTail // the last message of each queue
	bytes    int
}

// An newTail is how a queue ends with a message of a batch.
type newTail struct {
	stream earshot.StreamID
	tail   feed.Tail
	index  int // index of the message
}

// addQueue adds what is new for a queue, and writes the batch when it is full.
func (b *batch) addQueue(ctx context.Context, upTo earshot.Position, q feed.QueueRuns) error {
	t, err := b.feed.tail(ctx, q.Stream)
	if err != nil {
		return err
	}
	epoch := b.feed.currentProgress().Epoch
	for _, message := range t.Pack(epoch, upTo, b.feed.withoutOversized(q.Runs)) {
		data, err := feed.Encode(message)
		if err != nil {
			return err
		}
		if len(b.messages) == natsnode.MaxBatch || len(b.messages) > 0 && b.bytes+len(data) > maxBatchBytes {
			if err := b.publish(ctx); err != nil {
				return err
			}
		}
		if err := b.add(ctx, q.Stream, message.Header, data); err != nil {
			return err
		}
	}
	return nil
}

// withoutOversized returns runs without the posts that the server would not take: they must not hold up
// the others for good. A post that the journal has is hardly ever one of them.
func (f *Feed) withoutOversized(runs []feed.Run) []feed.Run {
	most := int(f.node.Conn().MaxPayload()) - headerReserve
	large := func(item feed.Item) bool { return len(item.Post) > most }
	for i, r := range runs {
		if !slices.ContainsFunc(r.Items, large) {
			continue
		}
		f.log.Error("a post is too large for a stream and left out", "stream", r.Stream, "position", r.Position, "most", most)
		runs[i].Items = slices.DeleteFunc(slices.Clone(r.Items), large)
	}
	return runs
}

func (b *batch) add(ctx context.Context, stream earshot.StreamID, head feed.Header, data []byte) error {
	m := &nats.Msg{Subject: subject(stream), Data: data}
	end := newTail{stream, head.Tail(head.Epoch), len(b.messages)}
	if n := len(b.tails); n > 0 && b.tails[n-1].stream == stream {
		b.tails[n-1] = end
	} else {
		t, err := b.feed.tail(ctx, stream) // known, or just written
		if err != nil {
			return err
		}
		natsnode.ExpectLast(m, t.seq)
		b.tails = append(b.tails, end)
	}
	b.messages = append(b.messages, m)
	b.bytes += len(data)
	return nil
}

// publish writes what was collected. When it fails the ends of the queues are unknown.
func (b *batch) publish(ctx context.Context) error {
	if len(b.messages) == 0 {
		return nil
	}
	last, err := uint64(0), b.feed.node.CheckFreeSpace(int64(b.bytes))
	if err == nil {
		last, err = b.feed.node.PublishBatch(ctx, b.messages)
	}
	b.feed.mu.Lock()
	defer b.feed.mu.Unlock()
	first := last + 1 - uint64(len(b.messages))
	for _, e := range b.tails {
		if err != nil {
			delete(b.feed.tails, e.stream)
		} else {
			b.feed.tails[e.stream] = tail{e.tail, first + uint64(e.index)}
		}
	}
	b.messages, b.tails, b.bytes = nil, nil, 0
	return err
}

// tail returns the end of a queue. It is read once, and known from then on.
func (f *Feed) tail(ctx context.Context, stream earshot.StreamID) (tail, error) {
	f.mu.Lock()
	t, known := f.tails[stream]
	epoch := f.progress.Epoch
	f.mu.Unlock()
	if known {
		return t, nil
	}
	m, found, err := f.last(ctx, stream)
	if err != nil {
		return t, err
	}
	if found {
		h, err := feed.DecodeHeader(m.Data)
		if err != nil {
			return t, err
		}
		t = tail{h.Tail(epoch), m.Sequence}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tails[stream] = t
	return t, nil
}

func (f *Feed) forget(stream earshot.StreamID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tails, stream)
}
