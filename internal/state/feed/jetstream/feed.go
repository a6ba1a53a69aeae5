// Package jetstream keeps the queues of streams in a NATS stream, one subject a queue, and
// beside it in a bucket the place of each queue and the journal position that everything is
// appended up to.
//
// A message holds up to a hundred items of one queue and tells how many were before it, so
// that what waits is counted by looking at two messages. Messages of all queues are written
// in one batch, which the server syncs once. Each batch expects the ends of its queues as
// they were read, so that one that is repeated, or comes from a second writer, is refused.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	messageStream  = "REALTIME"
	messageSubject = "realtime." // and the id of the stream

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
	cursorLocks [256]sync.Mutex // by stream: who takes in this process does not run into others

	mu       sync.Mutex
	progress progress                  // as it is stored
	tails    map[earshot.StreamID]tail // of queues that were appended to
}

// Open finds or makes the stream and the bucket.
func Open(ctx context.Context, node *natsnode.Node, o Options) (*Feed, error) {
	f := &Feed{node: node, log: o.Log, tails: map[earshot.StreamID]tail{}}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	var err error
	config := jetstream.StreamConfig{
		Name:               messageStream,
		Subjects:           []string{messageSubject + "*"},
		MaxAge:             feed.Retention,
		Storage:            jetstream.FileStorage,
		Replicas:           node.Replicas(),
		Discard:            jetstream.DiscardNew,
		Duplicates:         2 * time.Minute,      // longer than any repeat takes
		AllowDirect:        node.Replicas() == 1, // faster; with replicas, one that lags might answer
		AllowAtomicPublish: true,
		AllowMsgTTL:        true, // for Load
	}
	err = node.Retry(ctx, func(ctx context.Context) (err error) {
		f.messages, err = node.JetStream().CreateOrUpdateStream(ctx, config)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", messageStream, err)
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

// lockCursor keeps others in this process from taking from a queue until the result is called.
func (f *Feed) lockCursor(stream earshot.StreamID) (unlock func()) {
	m := &f.cursorLocks[uint64(stream)%uint64(len(f.cursorLocks))]
	m.Lock()
	return m.Unlock
}

// Remove implements feed.Feed.
func (f *Feed) Remove(ctx context.Context, stream earshot.StreamID) error {
	defer f.lockCursor(stream)()
	f.forget(stream)
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
	state, err := f.streamState(ctx)
	return feed.Stats{Messages: int64(state.Msgs), Bytes: int64(state.Bytes)}, err
}

func (f *Feed) streamState(ctx context.Context) (state jetstream.StreamState, err error) {
	err = f.node.Retry(ctx, func(ctx context.Context) error {
		info, err := f.messages.Info(ctx)
		if err == nil {
			state = info.State
		}
		return err
	})
	if err != nil {
		return state, fmt.Errorf("ask for the state of streams: %w", err)
	}
	return state, nil
}

// last returns the last message of a queue, and false when there is none.
func (f *Feed) last(ctx context.Context, stream earshot.StreamID) (*jetstream.RawStreamMsg, bool, error) {
	return f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return f.messages.GetLastMsgForSubject(ctx, subject(stream))
	})
}

// next returns the first message of a queue that has a sequence or a later one, and false
// when there is none.
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
