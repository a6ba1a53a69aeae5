package natsnode

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

// conflictTimeout is how long a write is retried if a cluster rejects it although the stored
// revision is the expected one. A longer time would delay real conflicts; a shorter one would
// report false conflicts.
const conflictTimeout = 2 * time.Second

// write stores m if the last message of its key has the given revision, and returns kv.ErrConflict
// otherwise.
//
// A rejection needs a second look. After a lost response Publish repeats m, so the conflicting
// message may be m itself. A cluster also rejects valid writes while another write of the key is in
// progress, and while a new leader has not caught up.
func (b *Bucket) write(ctx context.Context, m *nats.Msg, revision uint64) (uint64, error) {
	expected := revision
	deadline := time.Now().Add(conflictTimeout)
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		ExpectLast(m, expected)
		seq, err := b.publish(ctx, m)
		if !errors.Is(err, ErrConflict) {
			return seq, err
		}
		last, err := b.last(ctx, m.Subject)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			last = &jetstream.RawStreamMsg{}
		case err != nil:
			return 0, err
		}
		switch {
		case last.Sequence > 0 && last.Header.Get(jetstream.MsgIDHeader) == m.Header.Get(jetstream.MsgIDHeader):
			return b.node.acknowledge(ack{Stream: b.streamName(), Sequence: last.Sequence}, nil, m)
		case revision == 0 && isDeletion(last.Header):
			expected = last.Sequence // the key has a tombstone
		case last.Sequence > revision || b.node.Replicas() == 1 || time.Now().After(deadline):
			return 0, kv.ErrConflict
		}
		if !sleep.For(ctx, pause) {
			return 0, ctx.Err()
		}
	}
}

// publish stores m. If m is too large, the error says so, because an external server may accept
// less than the embedded one.
func (b *Bucket) publish(ctx context.Context, m *nats.Msg) (uint64, error) {
	seq, err := b.node.Publish(ctx, m)
	if errors.Is(err, nats.ErrMaxPayload) {
		return 0, fmt.Errorf("bucket %s: %s has %d bytes, but the NATS server accepts at most %d (max_payload): %w",
			b.name, b.key(m.Subject), len(m.Data), b.node.conn.MaxPayload(), err)
	}
	return seq, err
}

// last returns the newest message of a subject, which may be a tombstone, or kv.ErrNotFound.
func (b *Bucket) last(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = b.node.Retry(ctx, func(ctx context.Context) (err error) {
		m, err = b.stream.GetLastMsgForSubject(ctx, subject)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, kv.ErrNotFound
	}
	return m, err
}
