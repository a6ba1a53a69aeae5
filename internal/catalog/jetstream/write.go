package jetstream

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"earshot/internal/catalog"
	"earshot/internal/natsnode"
)

// doubt is how long a conflict is doubted that the records do not show.
const doubt = 2 * time.Second

// message returns an empty record for key, with an id to know it by.
func message(key string) *nats.Msg {
	return &nats.Msg{Subject: subject + key, Header: nats.Header{jetstream.MsgIDHeader: {nuid.Next()}}}
}

// write stores m if the key's last message is the one with that revision.
//
// A refusal needs a second look. After a lost answer Publish repeats m, and the
// message in its way may be m itself. And a cluster refuses more than it must:
// while another write of the key is under way, and while a new leader has not
// caught up.
func (s *Store) write(ctx context.Context, m *nats.Msg, revision uint64) (uint64, error) {
	expected := revision
	giveUp := time.Now().Add(doubt)
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(expected, 10))
		seq, err := s.node.Publish(ctx, m)
		if !errors.Is(err, natsnode.ErrConflict) {
			return seq, err
		}
		last, err := s.last(ctx, m.Subject)
		switch {
		case errors.Is(err, catalog.ErrNotFound):
			last = &jetstream.RawStreamMsg{}
		case err != nil:
			return 0, err
		}
		switch {
		case last.Sequence > 0 && id(last.Header) == id(m.Header):
			return last.Sequence, nil
		case revision == 0 && isDeletion(last.Header):
			expected = last.Sequence // there was a record once
		case last.Sequence > revision || s.node.Replicas() == 1 || time.Now().After(giveUp):
			return 0, catalog.ErrConflict
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func id(h nats.Header) string { return h.Get(jetstream.MsgIDHeader) }
