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

// A loop is one range over Batches. It may take several runs, between which the
// server starts over from the first entry without an Ack.
type loop struct {
	journal  *Journal
	consumer string
	yield    func(*journal.Batch) bool
	last     earshot.Position // newest entry handed out

	mu      sync.Mutex                         // Ack may be called from anywhere
	unacked map[earshot.Position]jetstream.Msg // handed out, not acknowledged: the newest delivery of each
}

// receive hands m out, unless this loop has done so before.
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
	l.hold(p, m)
	if !l.yield(l.batch(e, p, appended)) {
		return errStopped
	}
	return nil
}

// redelivered deals with an entry that this loop has handed out before. When it is
// still in hand the new delivery is the one to acknowledge; when it is not, its
// acknowledgement got lost.
func (l *loop) redelivered(p earshot.Position, m jetstream.Msg) error {
	l.mu.Lock()
	_, held := l.unacked[p]
	if held {
		l.unacked[p] = m
	}
	l.mu.Unlock()
	if held {
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
				m.InProgress() // when it gets lost the entry is delivered again, which does no harm
			}
		},
	}
}

func (l *loop) hold(p earshot.Position, m jetstream.Msg) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unacked[p] = m
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

// ack waits until the server has noted it. It does so also while the service is
// stopping: a finished entry should not come again.
func (j *Journal) ack(m jetstream.Msg) error {
	ctx, cancel := context.WithTimeout(context.Background(), ackTimeout)
	defer cancel()
	if err := j.node.Retry(ctx, m.DoubleAck); err != nil {
		return fmt.Errorf("acknowledge journal entry: %w", err)
	}
	j.done(len(m.Data()))
	return nil
}
