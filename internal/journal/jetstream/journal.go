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
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/journal"
	"earshot/internal/natsnode"
)

const (
	entryStream  = "JOURNAL"
	entrySubject = "journal"

	deadStream  = "DEADLETTERS"
	deadSubject = "deadletter." // and the position
)

// Options of a journal.
type Options struct {
	Log *slog.Logger
}

// A Journal is a journal.Journal in JetStream.
type Journal struct {
	node    *natsnode.Node
	entries jetstream.Stream
	dead    jetstream.Stream
	log     *slog.Logger
}

var _ journal.Journal = (*Journal)(nil)

// Open finds or makes the streams.
func Open(ctx context.Context, node *natsnode.Node, o Options) (*Journal, error) {
	j := &Journal{node: node, log: o.Log}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	var err error
	j.entries, err = node.JetStream().CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:               entryStream,
		Subjects:           []string{entrySubject},
		Storage:            jetstream.FileStorage,
		Replicas:           node.Replicas(),
		Discard:            jetstream.DiscardNew,
		Duplicates:         2 * time.Minute,
		AllowAtomicPublish: true,
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", entryStream, node.Failure(err))
	}
	j.dead, err = node.JetStream().CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:       deadStream,
		Subjects:   []string{deadSubject + ">"},
		Storage:    jetstream.FileStorage,
		Replicas:   node.Replicas(),
		Discard:    jetstream.DiscardNew,
		Duplicates: 2 * time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", deadStream, node.Failure(err))
	}
	return j, nil
}

// Append implements journal.Journal. A repeat after a lost answer is recognised
// by the server, so e is stored once.
func (j *Journal) Append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	parts, err := split(e, j.partSize())
	if err != nil {
		return 0, err
	}
	seq, err := j.node.PublishAll(ctx, entrySubject, parts)
	if err != nil {
		return 0, fmt.Errorf("append to the journal: %w", err)
	}
	return earshot.Position(seq), nil
}

// Last implements journal.Journal.
func (j *Journal) Last(ctx context.Context) (earshot.Position, error) {
	info, err := j.entries.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the journal's state: %w", j.node.Failure(err))
	}
	return earshot.Position(info.State.LastSeq), nil
}

// Pending implements journal.Journal. The parts of a divided entry count each.
func (j *Journal) Pending(ctx context.Context, consumer string) (int64, error) {
	c, err := j.entries.Consumer(ctx, consumer)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return j.count(ctx) // it has not begun
	}
	if err != nil {
		return 0, fmt.Errorf("ask for the lag of %s: %w", consumer, j.node.Failure(err))
	}
	info := c.CachedInfo() // just fetched
	return int64(info.NumPending) + int64(info.NumAckPending), nil
}

func (j *Journal) count(ctx context.Context) (int64, error) {
	info, err := j.entries.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the journal's state: %w", j.node.Failure(err))
	}
	return int64(info.State.Msgs), nil
}

// Rewind implements journal.Journal. A loop of the consumer that is still
// running must end first.
func (j *Journal) Rewind(ctx context.Context, consumer string, after earshot.Position) error {
	if _, err := j.entries.CreateOrUpdateConsumer(ctx, consumerConfig(consumer)); err != nil {
		return fmt.Errorf("rewind %s: %w", consumer, j.node.Failure(err))
	}
	if _, err := j.node.JetStream().ResetConsumerToSequence(ctx, entryStream, consumer, uint64(after)+1); err != nil {
		return fmt.Errorf("rewind %s: %w", consumer, j.node.Failure(err))
	}
	return nil
}
