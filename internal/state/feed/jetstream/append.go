package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	maxBatchBytes = 8 << 20 // total of the messages in a batch
	headerReserve = 4 << 10 // per message; smaller than for a journal entry, so its posts fit

	// A rejected batch is retried for about five seconds.
	minConflictPause = 5 * time.Millisecond
	maxConflictPause = 5 * time.Second
)

// A tail is the tail of a queue, with the sequence number of its last message.
type tail struct {
	feed.Tail
	seq uint64
}

// Append implements feed.Feed. It stores up to 1,000 messages atomically.
func (f *Feed) Append(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	first := map[earshot.StreamID]feed.Tail{}
	for pause := minConflictPause; pause < maxConflictPause; pause *= 2 {
		err := f.appendOnce(ctx, upTo, runs, first)
		if !errors.Is(err, natsnode.ErrConflict) {
			return err
		}
		// A message expired, a queue was removed, or the batch is stored but the response was lost.
		if !sleep.For(ctx, pause) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("append to streams: another process also appends: %w", natsnode.ErrConflict)
}

// appendOnce makes one attempt. first contains the tails that queues had at the first attempt.
func (f *Feed) appendOnce(ctx context.Context, upTo earshot.Position, runs []feed.Run, first map[earshot.StreamID]feed.Tail) error {
	b := batch{feed: f, first: first}
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

// A batch collects messages that are written atomically.
type batch struct {
	feed     *Feed
	first    map[earshot.StreamID]feed.Tail
	messages []*nats.Msg
	tails    []newTail // one per queue
	bytes    int
}

// A newTail is the tail of a queue after a batch.
type newTail struct {
	stream earshot.StreamID
	tail   feed.Tail
	index  int // of the last message in messages
}

// addQueue adds the new runs of a queue, and writes the batch when it is full.
func (b *batch) addQueue(ctx context.Context, upTo earshot.Position, q feed.QueueRuns) error {
	t, err := b.feed.tail(ctx, q.Stream)
	if err != nil {
		return err
	}
	before, retried := b.first[q.Stream]
	if !retried || t.Total < before.Total { // the queue was removed or has expired
		before = t.Tail
		b.first[q.Stream] = before
	}
	runs := before.SkipItems(b.feed.withoutOversized(q.Runs), t.Total-before.Total)
	epoch := b.feed.currentProgress().Epoch
	for _, message := range t.Pack(epoch, upTo, runs) {
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

// withoutOversized returns runs without the posts that are too large for the server, because they
// would block all others forever. Posts from the journal rarely are.
func (f *Feed) withoutOversized(runs []feed.Run) []feed.Run {
	limit := int(f.node.Conn().MaxPayload()) - headerReserve
	large := func(item feed.Item) bool { return len(item.Post) > limit }
	for i, r := range runs {
		if !slices.ContainsFunc(r.Items, large) {
			continue
		}
		f.log.Error("a post is too large for a stream; skipped", "stream", r.Stream, "position", r.Position, "limit", limit)
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
		t, err := b.feed.tail(ctx, stream) // cached, or just written
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

// publish writes the batch. After an error the tails of the queues are unknown.
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

// tail returns the tail of a queue. It reads the tail once and then caches it.
func (f *Feed) tail(ctx context.Context, stream earshot.StreamID) (tail, error) {
	f.mu.Lock()
	t, cached := f.tails[stream]
	epoch := f.progress.Epoch
	f.mu.Unlock()
	if cached {
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
