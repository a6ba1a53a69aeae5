// Package jetstream stores the journal in two NATS streams, one for entries and one for dead
// letters. A position is the sequence number of a message.
//
// An entry is one message, or several consecutive ones if it is too large for one. The messages of
// an entry are stored atomically, but each is delivered as a batch of its own.
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

// StreamName is the name of the stream that contains the entries.
const StreamName = "JOURNAL"

const (
	entrySubject = "journal"

	deadLetterStream  = "DEADLETTERS"
	deadLetterSubject = "deadletter." // followed by the position
)

// Options of a journal.
type Options struct {
	Log *slog.Logger
}

// A Journal is a [journal.Journal] in JetStream.
type Journal struct {
	node              *natsnode.Node
	entries           jetstream.Stream
	deadLetters       jetstream.Stream
	log               *slog.Logger
	recentDeadLetters deadLetterCache
	unackedBytes      atomic.Int64 // appended by this process and not yet acknowledged
}

var _ journal.Archive = (*Journal)(nil)

// Open finds or creates the streams.
func Open(ctx context.Context, node *natsnode.Node, o Options) (_ *Journal, err error) {
	j := &Journal{node: node, log: o.Log}
	if j.log == nil {
		j.log = slog.New(slog.DiscardHandler)
	}
	if j.entries, err = node.OpenStream(ctx, jetstream.StreamConfig{Name: StreamName, Subjects: []string{entrySubject}, AllowAtomicPublish: true}); err != nil {
		return nil, err
	}
	if j.deadLetters, err = node.OpenStream(ctx, jetstream.StreamConfig{Name: deadLetterStream, Subjects: []string{deadLetterSubject + ">"}}); err != nil {
		return nil, err
	}
	return j, nil
}

// Append implements journal.Journal. If a response is lost, Append retries and the server
// deduplicates, so e is stored once.
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

// storageFactor is the maximum number of bytes, indexes included, that the post store needs on the
// same disk per byte of an entry. Append keeps that much space free for entries that are not stored
// yet.
const storageFactor = 4

// Last implements journal.Journal.
func (j *Journal) Last(ctx context.Context) (earshot.Position, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	return earshot.Position(state.LastSeq), err
}

// Pending implements journal.Journal. Each part of a split entry counts. Pending is computed from
// stored and acknowledged positions, because the server's own counters lag behind acknowledged
// writes.
func (j *Journal) Pending(ctx context.Context, consumer string) (int64, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return 0, fmt.Errorf("get the end of the journal: %w", err)
	}
	var c jetstream.Consumer
	err = j.node.Retry(ctx, func(ctx context.Context) (err error) {
		c, err = j.entries.Consumer(ctx, consumer)
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // the consumer has not started
		return int64(state.Msgs), nil
	}
	if err != nil {
		return 0, fmt.Errorf("get the lag of %s: %w", consumer, err)
	}
	floor := int64(c.CachedInfo().AckFloor.Stream) // Consumer has just fetched the info
	done := max(floor, int64(state.FirstSeq)-1)    // trimmed entries are not pending
	if done >= int64(state.LastSeq) {
		return 0, nil
	}
	if more, err := j.hasEntryAfter(ctx, done); err != nil || !more {
		return 0, err
	}
	return int64(state.LastSeq) - done, nil
}

// hasEntryAfter reports whether an entry is stored after a position. There may be none even if the
// journal ends later, because a repair that cannot recover the last entries keeps their positions.
func (j *Journal) hasEntryAfter(ctx context.Context, position int64) (more bool, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		_, err := j.entries.GetMsg(ctx, uint64(position)+1, jetstream.WithGetMsgSubject(entrySubject))
		more = err == nil
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("find an entry after position %d of the journal: %w", position, err)
	}
	return more, nil
}

// Rewind implements journal.Journal. No loop of the consumer may be running.
func (j *Journal) Rewind(ctx context.Context, consumer string, after earshot.Position) error {
	state, err := j.node.StreamState(ctx, j.entries)
	if err != nil {
		return err
	}
	if uint64(after)+1 < state.FirstSeq {
		return fmt.Errorf("rewind %s: entries %d to %d are no longer in the journal", consumer, after+1, state.FirstSeq-1)
	}
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		if _, err := j.entries.CreateOrUpdateConsumer(ctx, consumerConfig(consumer)); err != nil {
			return err
		}
		_, err := j.node.JetStream().ResetConsumerToSequence(ctx, StreamName, consumer, uint64(after)+1)
		return err
	})
	if err != nil {
		return fmt.Errorf("rewind %s: %w", consumer, err)
	}
	return nil
}
