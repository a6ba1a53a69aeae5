package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

// Span implements journal.Archive.
func (j *Journal) Span(ctx context.Context) (journal.Span, error) {
	state, err := j.node.StreamState(ctx, j.entries)
	return journal.Span{First: max(earshot.Position(state.FirstSeq), 1), Last: earshot.Position(state.LastSeq)}, err
}

// Entries implements journal.Archive.
func (j *Journal) Entries(ctx context.Context, upTo earshot.Position) iter.Seq2[journal.StoredEntry, error] {
	return func(yield func(journal.StoredEntry, error) bool) {
		for m, err := range j.messages(ctx, j.entries, 0, uint64(upTo)) {
			if err != nil {
				yield(journal.StoredEntry{}, fmt.Errorf("read the journal: %w", err))
				return
			}
			if !yield(m.entry(earshot.Position(m.seq)), nil) {
				return
			}
		}
	}
}

// Origins implements journal.Journal. An entry that cannot be decoded has no origin.
func (j *Journal) Origins(ctx context.Context, after earshot.Position) iter.Seq2[journal.StoredOrigin, error] {
	return func(yield func(journal.StoredOrigin, error) bool) {
		more, err := j.hasEntryAfter(ctx, int64(after))
		if err != nil {
			yield(journal.StoredOrigin{}, err)
		}
		if !more {
			return
		}
		for m, err := range j.messages(ctx, j.entries, uint64(after), math.MaxUint64) {
			if err != nil {
				yield(journal.StoredOrigin{}, fmt.Errorf("read the origins of the journal: %w", err))
				return
			}
			o, err := journal.DecodeOrigin(m.Data())
			if err != nil || o == nil || !o.IsPosition() {
				continue
			}
			if !yield(journal.StoredOrigin{Origin: *o, Position: earshot.Position(m.seq)}, nil) {
				return
			}
		}
	}
}

// StoredDeadLetters implements journal.Archive. It skips messages that are not dead letters.
func (j *Journal) StoredDeadLetters(ctx context.Context, upTo earshot.Position) iter.Seq2[journal.StoredDeadLetter, error] {
	return func(yield func(journal.StoredDeadLetter, error) bool) {
		for m, err := range j.messages(ctx, j.deadLetters, 0, math.MaxUint64) {
			if err != nil {
				yield(journal.StoredDeadLetter{}, fmt.Errorf("read the dead letters: %w", err))
				return
			}
			d, ours := parseDeadLetter(&jetstream.RawStreamMsg{Subject: m.Subject(), Header: m.Headers(), Time: m.time})
			if !ours || d.Position > upTo {
				continue
			}
			if !yield(journal.StoredDeadLetter{StoredEntry: m.entry(d.Position), RejectedAt: d.Time, Reason: d.Reason}, nil) {
				return
			}
		}
	}
}

// A message is a message of a stream, with its sequence number and the time it was stored.
type message struct {
	jetstream.Msg
	seq  uint64
	time time.Time
}

// entry returns the message as the entry at p.
func (m message) entry(p earshot.Position) journal.StoredEntry {
	return journal.StoredEntry{
		Position: p,
		Time:     appendedAt(m.Headers(), m.time),
		ID:       m.Headers().Get(jetstream.MsgIDHeader),
		Data:     m.Data(),
	}
}

// messages yields the messages of a stream after one sequence number, up to and including another.
// It leaves out fences, and fails if it does not receive all others.
func (j *Journal) messages(ctx context.Context, s jetstream.Stream, after, upTo uint64) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		count, err := j.countMessages(ctx, s)
		if err != nil {
			yield(message{}, err)
			return
		}
		state, err := j.node.StreamState(ctx, s) // after the count, so that it includes all counted messages
		if err != nil {
			yield(message{}, err)
			return
		}
		first, last := max(after+1, state.FirstSeq), min(upTo, state.LastSeq)
		if count.messages == 0 || last < first {
			return
		}
		// At most LastSeq-last of the counted messages come after last. If some may come before first,
		// there is no useful lower bound.
		want := int64(count.messages) - int64(state.LastSeq-last)
		if first > count.first || state.FirstSeq > count.first {
			want = 0
		}
		got := int64(0)
		for m, err := range j.messagesFrom(ctx, s, first) {
			if err != nil {
				yield(message{}, err)
				return
			}
			if m.seq > last {
				break
			}
			if !yield(m, nil) {
				return
			}
			if got++; m.seq == last {
				break
			}
		}
		if got < want {
			yield(message{}, fmt.Errorf("read only %d of %d messages up to %d", got, want, last))
		}
	}
}

// A messageCount is the number of messages of a stream without fences, and its first sequence number
// before they were counted.
type messageCount struct{ messages, first uint64 }

func (j *Journal) countMessages(ctx context.Context, s jetstream.Stream) (c messageCount, err error) {
	state, err := j.node.StreamState(ctx, s)
	if err != nil {
		return c, err
	}
	c = messageCount{state.Msgs, state.FirstSeq}
	if s != j.entries {
		return c, nil
	}
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(entrySubject))
		if err == nil {
			c.messages = info.State.Subjects[entrySubject]
		}
		return err
	})
	if err != nil {
		return c, fmt.Errorf("count the entries of the journal: %w", err)
	}
	return c, nil
}

// messagesFrom yields the messages from a sequence number to the end of the stream, without fences.
func (j *Journal) messagesFrom(ctx context.Context, s jetstream.Stream, seq uint64) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		messages, err := j.openReader(ctx, s, seq)
		if err != nil {
			yield(message{}, err)
			return
		}
		defer messages.Stop()
		for {
			m, err := messages.Next(jetstream.NextContext(ctx))
			if err != nil {
				yield(message{}, err)
				return
			}
			meta, err := m.Metadata()
			if err != nil {
				yield(message{}, err)
				return
			}
			if !yield(message{m, meta.Sequence.Stream, meta.Timestamp}, nil) {
				return
			}
			atEnd, err := j.isAtEnd(ctx, s, meta.Sequence.Stream, meta.NumPending)
			if err != nil {
				yield(message{}, err)
				return
			}
			if atEnd {
				return
			}
		}
	}
}

// isAtEnd reports whether there are no messages after a sequence number, apart from fences. pending is
// the number of those that a consumer has left. It may be on a server that lacks the newest ones.
func (j *Journal) isAtEnd(ctx context.Context, s jetstream.Stream, seq, pending uint64) (bool, error) {
	if pending > 0 || j.node.Replicas() == 1 {
		return pending == 0, nil
	}
	more, err := j.hasMessageAfter(ctx, s, seq)
	return !more, err
}

// hasMessageAfter reports whether there are messages after a sequence number, apart from fences.
func (j *Journal) hasMessageAfter(ctx context.Context, s jetstream.Stream, seq uint64) (bool, error) {
	err := j.node.Retry(ctx, func(ctx context.Context) error {
		_, err := s.GetMsg(ctx, seq+1, jetstream.WithGetMsgSubject(j.subjectOf(s)))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// subjectOf returns the subject of all messages of a stream, apart from fences.
func (j *Journal) subjectOf(s jetstream.Stream) string {
	if s == j.entries {
		return entrySubject
	}
	return deadLetterSubject + ">"
}

// openReader starts reading a stream at a sequence number, in order and without a durable consumer.
func (j *Journal) openReader(ctx context.Context, s jetstream.Stream, seq uint64) (messages jetstream.MessagesContext, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		c, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			DeliverPolicy:  jetstream.DeliverByStartSequencePolicy,
			OptStartSeq:    seq,
			FilterSubjects: []string{j.subjectOf(s)},
		})
		if err != nil {
			return err
		}
		messages, err = c.Messages(jetstream.PullMaxMessages(prefetchEntries), natsnode.PullHeartbeat, natsnode.PullExpiry)
		return err
	})
	return messages, err
}
