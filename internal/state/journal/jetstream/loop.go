package jetstream

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
)

const ackTimeout = 10 * time.Second

// A loop is one range over Batches. It consists of one or more runs; each starts with the first
// unacknowledged entry.
type loop struct {
	journal  *Journal
	consumer string
	yield    func(*journal.Batch) bool
	last     earshot.Position // newest entry yielded

	mu      sync.Mutex                         // guards unacked, because Ack may be called on any goroutine
	unacked map[earshot.Position]jetstream.Msg // the latest delivery of each unacknowledged entry
}

// receive yields m unless this loop already has.
func (l *loop) receive(ctx context.Context, m jetstream.Msg, meta *jetstream.MsgMetadata) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := earshot.Position(meta.Sequence.Stream)
	if p <= l.last {
		return l.redelivered(p, m)
	}
	appended := appendedAt(m.Headers(), meta.Timestamp)
	e, err := journal.Decode(m.Data())
	if err != nil {
		if err := l.journal.addDeadLetter(ctx, p, m, appended, err.Error()); err != nil {
			return err
		}
		l.last = p
		return l.journal.ack(m)
	}
	l.last = p
	l.mu.Lock()
	l.unacked[p] = m
	l.mu.Unlock()
	if !l.yield(l.batch(e, p, appended)) {
		return errStopped
	}
	return nil
}

// redelivered handles an entry that this loop has already yielded. If it is unacknowledged, the new
// delivery is the one to acknowledge; otherwise its acknowledgment was lost.
func (l *loop) redelivered(p earshot.Position, m jetstream.Msg) error {
	l.mu.Lock()
	_, unacked := l.unacked[p]
	if unacked {
		l.unacked[p] = m
	}
	l.mu.Unlock()
	if unacked {
		return nil
	}
	return l.journal.ack(m)
}

func (l *loop) batch(e journal.Entry, p earshot.Position, appended time.Time) *journal.Batch {
	return &journal.Batch{
		Entry:    e,
		Position: p,
		Time:     appended,
		Ack: func() error {
			if m, ok := l.release(p); ok {
				return l.journal.ack(m)
			}
			return nil
		},
		Reject: func(ctx context.Context, reason string) error {
			m, ok := l.peek(p)
			if !ok {
				return nil
			}
			if err := l.journal.addDeadLetter(ctx, p, m, appended, reason); err != nil {
				return err
			}
			l.release(p)
			return l.journal.ack(m)
		},
		InProgress: func() {
			if m, ok := l.peek(p); ok {
				m.InProgress() // if this is lost, a redelivery follows, which is harmless
			}
		},
	}
}

func (l *loop) peek(p earshot.Position) (jetstream.Msg, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.unacked[p]
	return m, ok
}

func (l *loop) release(p earshot.Position) (jetstream.Msg, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, ok := l.unacked[p]
	delete(l.unacked, p)
	return m, ok
}

// ack acknowledges an entry and waits for the confirmation even while the service is stopping, so a
// processed entry is not delivered again.
func (j *Journal) ack(m jetstream.Msg) error {
	ctx, cancel := context.WithTimeout(context.Background(), ackTimeout)
	defer cancel()
	if err := j.node.Retry(ctx, m.DoubleAck); err != nil {
		return fmt.Errorf("acknowledge journal entry: %w", err)
	}
	for { // max, because entries appended by an earlier process were never added
		before := j.unackedBytes.Load()
		if j.unackedBytes.CompareAndSwap(before, max(before-int64(len(m.Data())), 0)) {
			return nil
		}
	}
}
