package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/kv"
)

// appendedHeader contains the time when a message was appended, if it was stored at another time,
// as after a restore.
const appendedHeader = "Earshot-Appended"

var _ feed.Archive = (*Feed)(nil)

// State implements feed.Archive. It reads the end of the message stream last, so the messages
// include everything that the progress covers.
func (f *Feed) State(ctx context.Context) (feed.State, error) {
	p, err := f.readProgress(ctx)
	if err != nil {
		return feed.State{}, err
	}
	s := feed.State{Epoch: p.Epoch, Position: p.Position, Jumps: p.Jumps, Cursors: map[earshot.StreamID]feed.Cursor{}}
	keys, err := f.bucket.Keys(ctx, cursorPrefix+"*")
	if err != nil {
		return s, fmt.Errorf("read the cursors of streams: %w", err)
	}
	for _, key := range keys {
		e, err := f.bucket.Get(ctx, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue // the stream was removed in the meantime
		}
		if err != nil {
			return s, fmt.Errorf("read the cursors of streams: %w", err)
		}
		var cursor feed.Cursor
		id, ours := streamOf(key, cursorPrefix)
		if ours && cursor.UnmarshalText(e.Value) == nil {
			s.Cursors[id] = cursor
		}
	}
	state, err := f.node.StreamState(ctx, f.messages)
	s.Last = state.LastSeq
	return s, err
}

// Messages implements feed.Archive. It skips messages whose subject has no stream ID.
func (f *Feed) Messages(ctx context.Context, upTo uint64) iter.Seq2[feed.StoredMessage, error] {
	return func(yield func(feed.StoredMessage, error) bool) {
		for seq := uint64(1); ; {
			m, found, err := f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
				return f.messages.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(messageSubject+"*"))
			})
			if err != nil {
				yield(feed.StoredMessage{}, fmt.Errorf("read the messages of streams: %w", err))
				return
			}
			if !found || m.Sequence > upTo {
				return
			}
			id, ours := streamOf(m.Subject, messageSubject)
			if ours && !yield(feed.StoredMessage{Stream: id, Number: m.Sequence, Time: appendedAt(m), Data: m.Data}, nil) {
				return
			}
			seq = m.Sequence + 1
		}
	}
}

// streamOf returns the stream ID after a prefix of a subject or key.
func streamOf(subject, prefix string) (earshot.StreamID, bool) {
	id, err := strconv.ParseInt(strings.TrimPrefix(subject, prefix), 10, 64)
	return earshot.StreamID(id), err == nil
}

func appendedAt(m *jetstream.RawStreamMsg) time.Time {
	t, err := time.Parse(time.RFC3339Nano, m.Header.Get(appendedHeader))
	if err != nil {
		t = m.Time
	}
	return t.UTC()
}
