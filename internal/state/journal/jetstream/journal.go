// Package jetstream stores the journal in two NATS streams: the entries, and the dead letters. A
// position is the sequence number of a message.
//
// An entry is one message, or several consecutive ones if it is too large for one; those are stored
// atomically, and each is delivered as a batch of its own.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

const (
	entryStream  = "JOURNAL"
	entrySubject = "journal"

	deadLetterStream  = "DEADLETTERS"
	deadLetterSubject = "deadletter." // followed by the position
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
	unackedBytes      atomic.Int64 // appended by this process and not acknowledged yet
}

var _ journal.Archive = (*Journal)(nil)

// Open finds or creates the streams.
func Open(ctx context.Context, node *natsnode.Node, o Options) (_ *Journal, err error) {
	j := &Journal{node: node, log: o.Log}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	if j.entries, err = node.OpenStream(ctx, jetstream.StreamConfig{Name: entryStream, Subjects: []string{entrySubject}, AllowAtomicPublish: true}); err != nil {
		return nil, err
	}
	if j.deadLetters, err = node.OpenStream(ctx, jetstream.StreamConfig{Name: deadLetterStream, Subjects: []string{deadLetterSubject + ">"}}); err != nil {
		return nil, err
	}
	return j, nil
}

// Append implements journal.Journal. The server recognizes a retry after a lost response, so e is
// stored once.
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

// storageFactor is the most bytes that the post store needs on the same disk for a byte of an entry,
// index included. Append leaves that much free for entries that are not stored yet.
const storageFactor = 4

// Last implements journal.Journal.
func (j *Journal) Last(ctx context.Context) (earshot.Position, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	return earshot.Position(state.LastSeq), err
}

// Pending implements journal.Journal. Each part of a divided entry counts. It is computed from the
// stored and the acknowledged positions: the server's own counters lag behind acknowledged writes.
func (j *Journal) Pending(ctx context.Context, consumer string) (int64, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return 0, fmt.Errorf("ask for the end of the journal: %w", err)
	}
	var c jetstream.Consumer
	err = j.node.Retry(ctx, func(ctx context.Context) (err error) {
		c, err = j.entries.Consumer(ctx, consumer)
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // it has not started
		return int64(state.Msgs), nil
	}
	if err != nil {
		return 0, fmt.Errorf("ask for the lag of %s: %w", consumer, err)
	}
	floor := int64(c.CachedInfo().AckFloor.Stream) // just fetched
	done := max(floor, int64(state.FirstSeq)-1)    // trimmed entries are not pending
	return max(int64(state.LastSeq)-done, 0), nil
}

// Rewind implements journal.Journal. A running loop of the consumer must end first.
func (j *Journal) Rewind(ctx context.Context, consumer string, after earshot.Position) error {
	state, err := j.node.StreamState(ctx, j.entries)
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
