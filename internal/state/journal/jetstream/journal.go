// Package jetstream keeps the journal in two NATS streams: the entries, and the
// dead letters among them. A position is the sequence number of a message.
//
// An entry is one message, or several consecutive ones when it is too large for
// one; those are stored all or none, and each comes out as a batch of its own.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

const (
	entryStream  = "JOURNAL"
	entrySubject = "journal"

	deadLetterStream  = "DEADLETTERS"
	deadLetterSubject = "deadletter." // and the position
)

// Options of a journal.
type Options struct {
	Log *slog.Logger
}

// A Journal is a journal.Journal in JetStream.
type Journal struct {
	node              *natsnode.Node
	entries           jetstream.Stream
	deadLetters       jetstream.Stream
	log               *slog.Logger
	recentDeadLetters deadLetterCache
	unackedBytes      atomic.Int64 // bytes that were appended here and are not acknowledged yet
}

var _ journal.Archive = (*Journal)(nil)

// Open finds or makes the streams.
func Open(ctx context.Context, node *natsnode.Node, o Options) (*Journal, error) {
	j := &Journal{node: node, log: o.Log}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	for _, s := range []struct {
		stream *jetstream.Stream
		config jetstream.StreamConfig
	}{
		{&j.entries, jetstream.StreamConfig{Name: entryStream, Subjects: []string{entrySubject}, AllowAtomicPublish: true}},
		{&j.deadLetters, jetstream.StreamConfig{Name: deadLetterStream, Subjects: []string{deadLetterSubject + ">"}}},
	} {
		var err error
		if *s.stream, err = open(ctx, node, s.config); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// open finds or makes a stream that keeps everything.
func open(ctx context.Context, node *natsnode.Node, config jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	config.Storage = jetstream.FileStorage
	config.Replicas = node.Replicas()
	config.Discard = jetstream.DiscardNew
	config.Duplicates = 2 * time.Minute // longer than any repeat takes
	err = node.Retry(ctx, func(ctx context.Context) (err error) {
		stream, err = node.JetStream().CreateOrUpdateStream(ctx, config)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", config.Name, err)
	}
	return stream, nil
}

// Append implements journal.Journal. A repeat after a lost answer is recognised
// by the server, so e is stored once.
func (j *Journal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	parts, err := split(e, j.partLimit())
	if err != nil {
		return 0, err
	}
	if err := j.node.CheckFreeSpace(storageFactor * j.unackedBytes.Load()); err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	seq, err := j.node.PublishParts(ctx, entrySubject, parts)
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	for _, part := range parts {
		j.unackedBytes.Add(int64(len(part)))
	}
	return earshot.Position(seq), nil
}

// storageFactor is how much room on the same disk a byte of an entry takes when it is stored,
// index included, at most: what waits for that must not be outrun by what comes in.
const storageFactor = 4

// done notes that a message waits no longer. One that was there before does not count.
func (j *Journal) done(bytes int) {
	for {
		before := j.unackedBytes.Load()
		if j.unackedBytes.CompareAndSwap(before, max(before-int64(bytes), 0)) {
			return
		}
	}
}

// Last implements journal.Journal.
func (j *Journal) Last(ctx context.Context) (earshot.Position, error) {
	state, err := j.streamState(ctx, j.entries)
	return earshot.Position(state.LastSeq), err
}

// Pending implements journal.Journal. The parts of a divided entry count each.
// It is reckoned from what is stored and what is acknowledged: the server's own
// figures of what is left to deliver trail behind a write that was just answered.
func (j *Journal) Pending(ctx context.Context, consumer string) (int64, error) {
	state, err := j.streamState(ctx, j.entries)
	if err != nil {
		return 0, fmt.Errorf("ask for the end of the journal: %w", err)
	}
	var c jetstream.Consumer
	err = j.node.Retry(ctx, func(ctx context.Context) (err error) {
		c, err = j.entries.Consumer(ctx, consumer)
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // it has not begun
		return int64(state.Msgs), nil
	}
	if err != nil {
		return 0, fmt.Errorf("ask for the lag of %s: %w", consumer, err)
	}
	floor := int64(c.CachedInfo().AckFloor.Stream) // just fetched
	done := max(floor, int64(state.FirstSeq)-1)    // what was trimmed waits for nobody
	return max(int64(state.LastSeq)-done, 0), nil
}

// Rewind implements journal.Journal. A loop of the consumer that is still
// running must end first.
func (j *Journal) Rewind(ctx context.Context, consumer string, after earshot.Position) error {
	state, err := j.streamState(ctx, j.entries)
	if err != nil {
		return err
	}
	if uint64(after)+1 < state.FirstSeq {
		return fmt.Errorf("rewind %s: the entries %d to %d are no longer in the journal", consumer, after+1, state.FirstSeq-1)
	}
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		if _, err := j.entries.CreateOrUpdateConsumer(ctx, consumerConfig(consumer)); err != nil {
			return err
		}
		_, err := j.node.JetStream().ResetConsumerToSequence(ctx, entryStream, consumer, uint64(after)+1)
		return err
	})
	if err != nil {
		return fmt.Errorf("rewind %s: %w", consumer, err)
	}
	return nil
}

// streamState returns the counters of a stream.
func (j *Journal) streamState(ctx context.Context, s jetstream.Stream) (state jetstream.StreamState, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		info, err := s.Info(ctx)
		if err == nil {
			state = info.State
		}
		return err
	})
	if err != nil {
		return state, fmt.Errorf("ask for the journal's state: %w", err)
	}
	return state, nil
}
