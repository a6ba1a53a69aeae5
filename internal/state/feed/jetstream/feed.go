// Package jetstream stores the queues of streams in a NATS stream, with one subject per queue. A
// bucket contains the cursor of each queue, and the journal position up to which everything is
// appended.
//
// A message contains up to a hundred items of one queue and the number of items before it, so
// counting pending items takes two reads. Messages of all queues are written in batches, and the
// server syncs once per batch. A batch is stored only if the tails of its queues have not changed
// since they were read, so the server rejects a repeated batch and one from a second writer.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	messageStream  = "REALTIME"
	messageSubject = "realtime." // followed by the stream ID

	bucketName = "streams"
)

// StreamNames returns the names of the NATS streams to which Append writes.
func StreamNames() []string { return []string{messageStream, natsnode.BucketStream(bucketName)} }

// Options of a feed.
type Options struct {
	Log *slog.Logger
}

// A Feed is a [feed.Feed] in JetStream.
type Feed struct {
	node        *natsnode.Node
	messages    jetstream.Stream
	bucket      *natsnode.Bucket // cursors of the queues, and the progress
	log         *slog.Logger
	cursorLocks [256]sync.Mutex // by stream; prevents conflicts between calls of Take in this process

	mu       sync.Mutex
	progress progress                  // as stored; guarded by mu
	tails    map[earshot.StreamID]tail // cache for queues that were appended to; guarded by mu
}

// Open finds or creates the stream and the bucket.
func Open(ctx context.Context, node *natsnode.Node, o Options) (_ *Feed, err error) {
	f := &Feed{node: node, log: o.Log, tails: map[earshot.StreamID]tail{}}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	config := jetstream.StreamConfig{
		Name:               messageStream,
		Subjects:           []string{messageSubject + "*"},
		MaxAge:             feed.Retention,
		AllowDirect:        node.Replicas() == 1, // faster; with replicas, a lagging one might respond
		AllowAtomicPublish: true,
		AllowMsgTTL:        true, // for Load
	}
	if f.messages, err = node.OpenStream(ctx, config); err != nil {
		return nil, err
	}
	if f.bucket, err = natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: bucketName, DirectReads: true}); err != nil {
		return nil, err
	}
	f.progress, err = f.readProgress(ctx)
	return f, err
}

func subject(stream earshot.StreamID) string {
	return messageSubject + strconv.FormatInt(int64(stream), 10)
}

// lockCursor locks the cursor of a queue within this process.
func (f *Feed) lockCursor(stream earshot.StreamID) (unlock func()) {
	m := &f.cursorLocks[uint64(stream)%uint64(len(f.cursorLocks))]
	m.Lock()
	return m.Unlock
}

// Remove implements feed.Feed.
func (f *Feed) Remove(ctx context.Context, stream earshot.StreamID) error {
	defer f.lockCursor(stream)()
	f.mu.Lock()
	delete(f.tails, stream)
	f.mu.Unlock()
	err := f.node.PurgeSubject(ctx, f.messages, subject(stream), 0)
	if err == nil {
		err = f.bucket.Purge(ctx, cursorKey(stream))
	}
	if err != nil {
		return fmt.Errorf("remove the posts of stream %d: %w", stream, err)
	}
	return nil
}

// Stats implements feed.Feed.
func (f *Feed) Stats(ctx context.Context) (feed.Stats, error) {
	state, err := f.node.StreamState(ctx, f.messages)
	if err != nil {
		return feed.Stats{}, err
	}
	fences, err := f.node.CountFences(ctx, f.messages)
	return feed.Stats{Messages: int64(state.Msgs - min(state.Msgs, fences)), Bytes: int64(state.Bytes)}, err
}

// HighestStream returns the highest ID of a stream that has a queue or a cursor, or 0.
func (f *Feed) HighestStream(ctx context.Context) (highest earshot.StreamID, err error) {
	var info *jetstream.StreamInfo
	err = f.node.Retry(ctx, func(ctx context.Context) (err error) {
		info, err = f.messages.Info(ctx, jetstream.WithSubjectFilter(messageSubject+"*"))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("list the queues of streams: %w", err)
	}
	for subject := range info.State.Subjects {
		if id, ours := streamOf(subject, messageSubject); ours {
			highest = max(highest, id)
		}
	}
	keys, err := f.bucket.Keys(ctx, cursorPrefix+"*")
	if err != nil {
		return 0, fmt.Errorf("list the cursors of streams: %w", err)
	}
	for _, key := range keys {
		if id, ours := streamOf(key, cursorPrefix); ours {
			highest = max(highest, id)
		}
	}
	return highest, nil
}

// last returns the last message of a queue, or false if the queue is empty.
func (f *Feed) last(ctx context.Context, stream earshot.StreamID) (*jetstream.RawStreamMsg, bool, error) {
	return f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return f.messages.GetLastMsgForSubject(ctx, subject(stream))
	})
}

// next returns the first message of a queue at or after a sequence number, or false if there is
// none.
func (f *Feed) next(ctx context.Context, stream earshot.StreamID, seq uint64) (*jetstream.RawStreamMsg, bool, error) {
	return f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return f.messages.GetMsg(ctx, max(seq, 1), jetstream.WithGetMsgSubject(subject(stream)))
	})
}

func (f *Feed) get(ctx context.Context, get func(context.Context) (*jetstream.RawStreamMsg, error)) (m *jetstream.RawStreamMsg, found bool, err error) {
	err = f.node.Retry(ctx, func(ctx context.Context) (err error) {
		m, err = get(ctx)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, false, nil
	}
	return m, err == nil, err
}
