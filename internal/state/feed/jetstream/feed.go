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

	recordBucket  = "streams"
	recordStream  = "KV_" + recordBucket
	recordSubject = "$KV." + recordBucket + "."
)

// Options of a feed.
type Options struct {
	Log *slog.Logger
}

// A Feed is a feed.Feed in JetStream.
type Feed struct {
	node     *natsnode.Node
	messages jetstream.Stream
	records  jetstream.Stream
	log      *slog.Logger
	taking   [256]sync.Mutex // by stream: who takes in this process does not run into others

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
	if f.messages, err = open(ctx, node, messageConfig()); err != nil {
		return nil, err
	}
	if f.records, err = open(ctx, node, recordConfig()); err != nil {
		return nil, err
	}
	f.progress, err = f.readProgress(ctx)
	return f, err
}

func messageConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:               messageStream,
		Subjects:           []string{messageSubject + "*"},
		MaxAge:             feed.Kept,
		AllowAtomicPublish: true,
		AllowMsgTTL:        true, // for what is loaded
	}
}

func recordConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:               recordStream,
		Subjects:           []string{recordSubject + ">"},
		MaxMsgsPerSubject:  1,
		AllowRollup:        true,
		DenyDelete:         true,
		AllowAtomicPublish: true,
	}
}

// open finds or makes a stream. Where there is one copy it answers directly, which is
// faster; with several, one that lags would answer, too.
func open(ctx context.Context, node *natsnode.Node, config jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	config.Storage = jetstream.FileStorage
	config.Replicas = node.Replicas()
	config.Discard = jetstream.DiscardNew
	config.Duplicates = 2 * time.Minute // longer than any repeat takes
	config.AllowDirect = node.Replicas() == 1
	err = node.Repeat(ctx, func(ctx context.Context) (err error) {
		stream, err = node.JetStream().CreateOrUpdateStream(ctx, config)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", config.Name, err)
	}
	return stream, nil
}

func subject(stream earshot.StreamID) string {
	return messageSubject + strconv.FormatInt(int64(stream), 10)
}

// lock keeps others in this process from taking from a queue until the result is called.
func (f *Feed) lock(stream earshot.StreamID) (unlock func()) {
	m := &f.taking[uint64(stream)%uint64(len(f.taking))]
	m.Lock()
	return m.Unlock
}

// Remove implements feed.Feed.
func (f *Feed) Remove(ctx context.Context, stream earshot.StreamID) error {
	defer f.lock(stream)()
	f.forget(stream)
	err := f.purge(ctx, f.messages, jetstream.WithPurgeSubject(subject(stream)))
	if err == nil {
		err = f.purge(ctx, f.records, jetstream.WithPurgeSubject(recordSubject+placeKey(stream)))
	}
	if err != nil {
		return fmt.Errorf("remove the posts of stream %d: %w", stream, err)
	}
	return nil
}

func (f *Feed) purge(ctx context.Context, s jetstream.Stream, what jetstream.StreamPurgeOpt) error {
	return f.node.Repeat(ctx, func(ctx context.Context) error { return s.Purge(ctx, what) })
}

// Stats implements feed.Feed.
func (f *Feed) Stats(ctx context.Context) (feed.Stats, error) {
	state, err := f.state(ctx, f.messages)
	return feed.Stats{Messages: int64(state.Msgs), Bytes: int64(state.Bytes)}, err
}

func (f *Feed) state(ctx context.Context, s jetstream.Stream) (state jetstream.StreamState, err error) {
	err = f.node.Repeat(ctx, func(ctx context.Context) error {
		info, err := s.Info(ctx)
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

// last returns the last message of a subject, and false when there is none.
func (f *Feed) last(ctx context.Context, s jetstream.Stream, subject string) (*jetstream.RawStreamMsg, bool, error) {
	return f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return s.GetLastMsgForSubject(ctx, subject)
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
	err = f.node.Repeat(ctx, func(ctx context.Context) (err error) {
		m, err = get(ctx)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, false, nil
	}
	return m, err == nil, err
}
