package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	// A removed queue leaves a gap in the sequence. Load fills the gap with messages of this
	// subject and purges them.
	gapSubject = messageSubject + "gap"
	maxGap     = 10_000_000
)

// Load implements feed.Archive.
func (f *Feed) Load(ctx context.Context, s feed.State, messages iter.Seq2[feed.StoredMessage, error]) error {
	state, err := f.node.StreamState(ctx, f.messages)
	if err != nil {
		return err
	}
	if state.LastSeq > 0 || f.currentProgress().Epoch > 0 || f.currentProgress().Position != nil {
		return errors.New("load streams: they already have messages")
	}
	l := &loader{feed: f, state: s, now: time.Now()}
	if err := l.load(ctx, messages); err != nil {
		return fmt.Errorf("load streams: %w", err)
	}
	if err := f.loadState(ctx, s); err != nil {
		return fmt.Errorf("load the cursors of streams: %w", err)
	}
	return nil
}

// A loader fills the stream. Each batch expects the last message of the previous batch.
type loader struct {
	feed  *Feed
	state feed.State
	now   time.Time
	next  uint64 // sequence number of the next message; 0 before the first
	batch []*nats.Msg
	bytes int
}

func (l *loader) load(ctx context.Context, messages iter.Seq2[feed.StoredMessage, error]) error {
	for m, err := range messages {
		if err == nil {
			err = l.state.CheckNext(max(l.next, 1), m.Number)
		}
		if err == nil && !m.Expired(l.now) {
			err = l.put(ctx, m)
		}
		if err != nil {
			return err
		}
	}
	if err := l.skip(ctx, l.state.Last+1); err != nil {
		return err
	}
	if err := l.send(ctx); err != nil {
		return err
	}
	return l.feed.node.PurgeSubject(ctx, l.feed.messages, gapSubject, 0)
}

// put adds a message with its remaining lifetime.
func (l *loader) put(ctx context.Context, m feed.StoredMessage) error {
	if err := l.skip(ctx, m.Number); err != nil {
		return err
	}
	left := feed.Retention - max(l.now.Sub(m.Time), 0)
	return l.add(ctx, &nats.Msg{
		Subject: subject(m.Stream),
		Data:    m.Data,
		Header: nats.Header{
			appendedHeader:         {m.Time.Format(time.RFC3339Nano)},
			jetstream.MsgTTLHeader: {strconv.Itoa(int(left/time.Second)+1) + "s"},
		},
	})
}

// skip leaves the sequences before end without a message.
func (l *loader) skip(ctx context.Context, end uint64) error {
	if l.next == 0 {
		l.next = end
		return l.feed.node.PurgeBefore(ctx, l.feed.messages, end)
	}
	if end-l.next > maxGap {
		return fmt.Errorf("the messages %d to %d are missing", l.next, end-1)
	}
	if l.next < end {
		if err := l.feed.node.AllowGap(l.feed.messages, l.next, end-1); err != nil {
			return err
		}
	}
	for l.next < end {
		if err := l.add(ctx, &nats.Msg{Subject: gapSubject, Header: nats.Header{}}); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) add(ctx context.Context, m *nats.Msg) error {
	if len(l.batch) == natsnode.MaxBatch || len(l.batch) > 0 && l.bytes+len(m.Data) > maxBatchBytes {
		if err := l.send(ctx); err != nil {
			return err
		}
	}
	l.batch = append(l.batch, m)
	l.bytes += len(m.Data)
	l.next++
	return nil
}

// send stores the batch. A conflict is not an error if the batch is stored, because then a response
// was lost.
func (l *loader) send(ctx context.Context) error {
	if len(l.batch) == 0 {
		return nil
	}
	if err := l.feed.node.CheckFreeSpace(int64(l.bytes)); err != nil {
		return err
	}
	before := l.next - 1 - uint64(len(l.batch))
	l.batch[0].Header.Set(jetstream.ExpectedLastSeqHeader, strconv.FormatUint(before, 10))
	seq, err := l.feed.node.PublishBatch(ctx, l.batch)
	if errors.Is(err, natsnode.ErrConflict) {
		state, stateErr := l.feed.node.StreamState(ctx, l.feed.messages)
		if stateErr != nil {
			return stateErr
		}
		seq, err = state.LastSeq, nil
	}
	if err == nil && seq != l.next-1 {
		err = fmt.Errorf("message %d got the number %d; another process may be writing", l.next-1, seq)
	}
	l.batch, l.bytes = nil, 0
	return err
}

// loadState writes the cursors and then the progress.
func (f *Feed) loadState(ctx context.Context, s feed.State) error {
	for id, cursor := range s.Cursors {
		if _, err := f.bucket.Put(ctx, cursorKey(id), []byte(cursor.String()), 0); err != nil {
			return err
		}
	}
	f.mu.Lock()
	clear(f.tails)
	f.mu.Unlock()
	return f.writeProgress(ctx, progress{Epoch: s.Epoch, Position: s.Position, Jumps: s.Jumps.Add(s.Last, time.Now())})
}
