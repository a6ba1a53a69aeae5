// Package jetstream stores the queues of streams in a NATS stream, one subject per queue. A bucket
// holds the cursor of each queue, and the journal position up to which everything is appended.
//
// A message holds up to a hundred items of one queue and the number of items before it, so that
// pending items are counted by reading two messages. Messages of all queues are written in one
// batch, which the server syncs once. Each batch expects the ends of its queues as they were read,
// so that the server refuses a repeated one, or one of a second writer.
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
	messageSubject = "realtime." // followed by the id of the stream

	bucketName = "streams"
)

// Options of a feed.
type Options struct {
	Log *slog.Logger
}

// A Feed is a feed.Feed in JetStream.
type Feed struct {
	node        *natsnode.Node
	messages    jetstream.Stream
	bucket      *natsnode.Bucket // the cursors of the queues, and the progress
	log         *slog.Logger
	cursorLocks [256]sync.Mutex // by stream: calls of Take in this process do not conflict

	mu       sync.Mutex
	progress progress                  // as it is stored; guarded by mu
	tails    map[earshot.StreamID]tail // cached, of queues that were appended to; guarded by mu
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
		AllowDirect:        node.Replicas() == 1, // faster; with replicas, one that lags might answer
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

// lockCursor locks the cursor of a queue in this process.
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
	err := f.purge(ctx, jetstream.WithPurgeSubject(subject(stream)))
	if err == nil {
		err = f.bucket.Purge(ctx, cursorKey(stream))
	}
	if err != nil {
		return fmt.Errorf("remove the posts of stream %d: %w", stream, err)
	}
	return nil
}

func (f *Feed) purge(ctx context.Context, what jetstream.StreamPurgeOpt) error {
	return f.node.Retry(ctx, func(ctx context.Context) error { return f.messages.Purge(ctx, what) })
}

// Stats implements feed.Feed.
func (f *Feed) Stats(ctx context.Context) (feed.Stats, error) {
	state, err := f.node.StreamState(ctx, f.messages)
	return feed.Stats{Messages: int64(state.Msgs), Bytes: int64(state.Bytes)}, err
}

// last returns the last message of a queue, and false if there is none.
func (f *Feed) last(ctx context.Context, stream earshot.StreamID) (*jetstream.RawStreamMsg, bool, error) {
	return f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return f.messages.GetLastMsgForSubject(ctx, subject(stream))
	})
}

// next returns the first message of a queue at or after a sequence, and false if there is none.
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
