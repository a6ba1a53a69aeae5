package natsnode

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// doubt is how long a conflict is doubted that the records do not show.
const doubt = 2 * time.Second

// write stores m if the key's last message is the one with that revision.
//
// A refusal needs a second look. After a lost answer Publish repeats m, and the
// message in its way may be m itself. And a cluster refuses more than it must:
// while another write of the key is under way, and while a new leader has not
// caught up.
func (b *Bucket) write(ctx context.Context, m *nats.Msg, revision uint64) (uint64, error) {
	expected := revision
	giveUp := time.Now().Add(doubt)
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(expected, 10))
		seq, err := b.publish(ctx, m)
		if !errors.Is(err, ErrConflict) {
			return seq, err
		}
		last, err := b.last(ctx, m.Subject)
		switch {
		case errors.Is(err, ErrNotFound):
			last = &jetstream.RawStreamMsg{}
		case err != nil:
			return 0, err
		}
		switch {
		case last.Sequence > 0 && id(last.Header) == id(m.Header):
			return last.Sequence, nil
		case revision == 0 && IsDeletion(last.Header):
			expected = last.Sequence // there was a record once
		case last.Sequence > revision || b.node.Replicas() == 1 || time.Now().After(giveUp):
			return 0, ErrConflict
		}
		if !Wait(ctx, pause) {
			return 0, ctx.Err()
		}
	}
}

// publish stores m. Of a message that is too large it says so: an external server may
// take less than the embedded one.
func (b *Bucket) publish(ctx context.Context, m *nats.Msg) (uint64, error) {
	seq, err := b.node.Publish(ctx, m)
	if errors.Is(err, nats.ErrMaxPayload) {
		return 0, fmt.Errorf("bucket %s: %s has %d bytes, the NATS server takes %d (max_payload): %w",
			b.name, b.Key(m.Subject), len(m.Data), b.node.conn.MaxPayload(), err)
	}
	return seq, err
}

// last returns the newest message of a key's subject, which may be its deletion.
func (b *Bucket) last(ctx context.Context, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = b.node.Repeat(ctx, func(ctx context.Context) (err error) {
		m, err = b.stream.GetLastMsgForSubject(ctx, subject)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, ErrNotFound
	}
	return m, err
}

func id(h nats.Header) string { return h.Get(jetstream.MsgIDHeader) }
