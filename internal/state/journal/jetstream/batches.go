package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

const (
	// The number of entries that a loop prefetches (at most 30 MB). Prefetching is not limited in
	// bytes, because a replicated server ends such a request before it has sent the messages.
	prefetchEntries = 5

	minRetryPause = 20 * time.Millisecond
	maxRetryPause = 5 * time.Second

	// How long a loop waits for a message before it checks that there is none. A consumer on a server
	// that was catching up with the others was seen to send heartbeats, but no messages.
	maxQuiet = 10 * time.Second
)

var (
	errStopped = errors.New("the loop was stopped")
	errGap     = errors.New("a message was lost in transit")
	errStalled = errors.New("there are messages, but none is delivered")
)

// Batches implements journal.Journal. Any number of loops may run at the same time. Interruptions
// are logged.
func (j *Journal) Batches(ctx context.Context, after earshot.Position) iter.Seq2[*journal.Batch, error] {
	return func(yield func(*journal.Batch, error) bool) {
		l := &loop{journal: j, last: uint64(after), quiet: maxQuiet, yield: yield}
		if err := l.follow(ctx); err != nil {
			yield(nil, err)
		}
	}
}

// A loop is one range over Batches, across all of its consumers.
type loop struct {
	journal *Journal
	last    uint64 // position after which the loop continues
	quiet   time.Duration
	absent  uint64 // there was no entry after last up to this position, so none can have been trimmed
	yield   func(*journal.Batch, error) bool
}

// follow yields entries until the loop stops. It returns an error if it cannot continue.
func (l *loop) follow(ctx context.Context) error {
	for pause := minRetryPause; ; pause = min(2*pause, maxRetryPause) {
		before := l.last
		err := l.run(ctx)
		switch {
		case errors.Is(err, errStopped), ctx.Err() != nil:
			return nil
		case errors.Is(err, journal.ErrTrimmed):
			return err
		case l.last > before:
			pause = minRetryPause
		}
		l.journal.log.Warn("reading the journal was interrupted; will resume", "after", l.last, "error", err)
		if !sleep.For(ctx, pause) {
			return nil
		}
	}
}

// run yields entries until the loop stops or an error occurs. Every message is delivered once,
// numbered from 1, so a gap reveals a lost message.
func (l *loop) run(ctx context.Context) error {
	state, err := l.journal.node.StreamState(ctx, l.journal.entries)
	if err != nil {
		return err
	}
	c, remove, err := l.journal.node.Follow(ctx, l.journal.entries, entrySubject, l.last+1)
	if err != nil {
		return fmt.Errorf("create consumer: %w", err)
	}
	defer remove()
	atEnd, err := l.journal.isAtEnd(ctx, l.journal.entries, l.last, c.CachedInfo().NumPending)
	if err != nil {
		return err
	}
	if err := l.checkTrimmed(ctx); err != nil { // after the consumer has started where it should
		return err
	}
	if atEnd {
		l.absent = state.LastSeq
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(prefetchEntries), natsnode.PullHeartbeat, natsnode.PullExpiry)
	if err != nil {
		return err
	}
	defer messages.Stop()
	for delivery := uint64(1); ; delivery++ {
		m, err := l.next(ctx, messages)
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != delivery {
			return errGap
		}
		if meta.Sequence.Stream > l.last+1 {
			if err := l.checkTrimmed(ctx); err != nil {
				return err
			}
		}
		if err := l.receive(ctx, message{m, meta.Sequence.Stream, meta.Timestamp}); err != nil {
			return err
		}
	}
}

// next returns the next message. It returns errStalled if there is one, but it is not delivered.
func (l *loop) next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	for {
		waiting, cancel := context.WithTimeout(ctx, l.quiet)
		m, err := messages.Next(jetstream.NextContext(waiting))
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return m, err
		}
		if err := l.checkTrimmed(ctx); err != nil {
			return nil, err
		}
		state, err := l.journal.node.StreamState(ctx, l.journal.entries)
		if err != nil {
			return nil, err
		}
		more, err := l.journal.hasMessageAfter(ctx, l.journal.entries, max(l.last, l.absent))
		if err != nil {
			return nil, err
		}
		if more {
			return nil, errStalled
		}
		l.absent = max(l.absent, state.LastSeq)
	}
}

// checkTrimmed returns ErrTrimmed if entries after the last one of the loop have been trimmed.
func (l *loop) checkTrimmed(ctx context.Context) error {
	trimmed, err := l.journal.Trimmed(ctx)
	if err == nil && uint64(trimmed) > max(l.last, l.absent) {
		err = journal.MissingEntries(earshot.Position(l.last+1), trimmed)
	}
	return err
}

// receive yields an entry unless this loop already has.
func (l *loop) receive(ctx context.Context, m message) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if m.seq <= l.last {
		return nil
	}
	b := &journal.Batch{Position: earshot.Position(m.seq), Time: appendedAt(m.Headers(), m.time)}
	b.Catalog, _ = strconv.ParseUint(m.Headers().Get(catalogHeader), 10, 64) // 0 without the header
	data := m.Data()
	b.Reject = func(ctx context.Context, reason string) error {
		return l.journal.addDeadLetter(ctx, b.Position, data, b.Time, reason)
	}
	var err error
	if b.Entry, err = journal.Decode(data); err != nil {
		b.Entry = journal.Entry{}
		if err := b.Reject(ctx, err.Error()); err != nil {
			return err
		}
	}
	l.last = m.seq
	if !l.yield(b, nil) {
		return errStopped
	}
	return nil
}
