package jetstream

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
)

// appendedHeader tells when a message was appended, where that is not when it was stored:
// after a restore.
const appendedHeader = "Earshot-Appended"

var _ feed.Archive = (*Feed)(nil)

// Records implements feed.Archive. The messages are looked at last, so that they have
// everything that the records claim.
func (f *Feed) Records(ctx context.Context) (feed.Records, error) {
	p, err := f.readProgress(ctx)
	if err != nil {
		return feed.Records{}, err
	}
	r := feed.Records{Epoch: p.Epoch, Position: p.Position, Jumps: p.Jumps, Places: map[earshot.StreamID]feed.Place{}}
	prefix := recordSubject + "place."
	for m, err := range f.all(ctx, f.records, prefix+"*") {
		if err != nil {
			return r, fmt.Errorf("read the places of streams: %w", err)
		}
		var at feed.Place
		id, ours := streamOf(m.Subject, prefix)
		if ours && at.UnmarshalText(m.Data) == nil {
			r.Places[id] = at
		}
	}
	state, err := f.state(ctx, f.messages)
	r.Last = state.LastSeq
	return r, err
}

// Messages implements feed.Archive. What someone else has put among them is left out.
func (f *Feed) Messages(ctx context.Context, upTo uint64) iter.Seq2[feed.Stored, error] {
	return func(yield func(feed.Stored, error) bool) {
		for m, err := range f.all(ctx, f.messages, messageSubject+"*") {
			if err != nil {
				yield(feed.Stored{}, fmt.Errorf("read the messages of streams: %w", err))
				return
			}
			if m.Sequence > upTo {
				return
			}
			id, ours := streamOf(m.Subject, messageSubject)
			if ours && !yield(feed.Stored{Stream: id, Number: m.Sequence, Time: appendedAt(m), Data: m.Data}, nil) {
				return
			}
		}
	}
}

// all yields the messages of a stream with subjects that match.
func (f *Feed) all(ctx context.Context, s jetstream.Stream, subjects string) iter.Seq2[*jetstream.RawStreamMsg, error] {
	return func(yield func(*jetstream.RawStreamMsg, error) bool) {
		for seq := uint64(1); ; {
			m, found, err := f.get(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
				return s.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(subjects))
			})
			if err != nil {
				yield(nil, err)
				return
			}
			if !found || !yield(m, nil) {
				return
			}
			seq = m.Sequence + 1
		}
	}
}

// streamOf returns the id that a subject ends with.
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
