package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

const (
	// The number of entries that a loop prefetches (at most 30 MB) and the maximum number of
	// unacknowledged entries. Prefetching is not limited in bytes, because a replicated server ends
	// such a request before it has sent the messages.
	prefetchEntries = 5
	maxAckPending   = 16

	redeliverAfter = time.Minute     // unless Ack or InProgress is called
	heartbeat      = 2 * time.Second // from the server while there are no entries

	minRetryPause = 20 * time.Millisecond
	maxRetryPause = 5 * time.Second
)

func consumerConfig(name string) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       name,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       redeliverAfter,
		MaxAckPending: maxAckPending,
	}
}

// Batches implements journal.Journal. Only one loop per consumer may run at a time; it yields each
// entry once, in order. The next loop repeats an acknowledged entry if an older one was not
// acknowledged. At most 16 entries can be unacknowledged. Connection failures are logged and
// retried.
func (j *Journal) Batches(ctx context.Context, consumer string) iter.Seq[*journal.Batch] {
	return func(yield func(*journal.Batch) bool) {
		l := &loop{journal: j, consumer: consumer, yield: yield, unacked: map[earshot.Position]jetstream.Msg{}}
		for pause := minRetryPause; ; pause = min(2*pause, maxRetryPause) {
			before := l.last
			err := l.run(ctx)
			if errors.Is(err, errStopped) || ctx.Err() != nil {
				return
			}
			if l.last > before {
				pause = minRetryPause
			}
			j.log.Warn("reading the journal was interrupted; will resume", "consumer", consumer, "error", err)
			if !natsnode.Sleep(ctx, pause) {
				return
			}
		}
	}
}

var (
	errStopped = errors.New("the loop was stopped")
	errGap     = errors.New("a message was lost in transit")
)

// run yields entries until the loop stops or an error occurs. The server numbers deliveries from 1
// after a reset, so a gap is detected immediately.
func (l *loop) run(ctx context.Context) error {
	c, err := l.journal.resetConsumer(ctx, l.consumer)
	if err != nil {
		return err
	}
	// With a deadline, Fetch would derive its own timing from it.
	fetchCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()

	for delivery := uint64(0); ctx.Err() == nil; {
		fetched, err := c.Fetch(prefetchEntries, jetstream.FetchHeartbeat(heartbeat), jetstream.FetchContext(fetchCtx))
		if err != nil {
			return err
		}
		for m := range fetched.Messages() {
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			if delivery++; meta.Sequence.Consumer != delivery {
				return errGap
			}
			if err := l.receive(ctx, m, meta); err != nil {
				return err
			}
		}
		if err := fetched.Error(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// resetConsumer finds or creates the consumer and resets it to its first unacknowledged entry, so
// entries that an earlier loop left unacknowledged are delivered immediately and in order.
func (j *Journal) resetConsumer(ctx context.Context, name string) (c jetstream.Consumer, err error) {
	err = j.node.Retry(ctx, func(ctx context.Context) (err error) {
		c, err = j.entries.CreateOrUpdateConsumer(ctx, consumerConfig(name))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create consumer: %w", err)
	}
	if err := j.awaitExclusive(ctx, c); err != nil {
		return nil, err
	}
	err = j.node.Retry(ctx, func(ctx context.Context) error {
		_, err := j.node.JetStream().ResetConsumer(ctx, StreamName, name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reset consumer: %w", err)
	}
	return c, nil
}

// awaitExclusive waits until the consumer has no other open pull request. The last request of an
// earlier loop may still be open, and entries delivered to it would be redelivered only after
// redeliverAfter.
func (j *Journal) awaitExclusive(ctx context.Context, c jetstream.Consumer) error {
	for pause := time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := j.node.Retry(ctx, func(ctx context.Context) error {
			_, err := c.Info(ctx)
			return err
		})
		if err != nil {
			return fmt.Errorf("get consumer: %w", err)
		}
		if c.CachedInfo().NumWaiting == 0 {
			return nil
		}
		if pause == time.Second {
			j.log.Warn("another process reads the journal as the same consumer; waiting until it stops", "consumer", c.CachedInfo().Name)
		}
		if !natsnode.Sleep(ctx, pause) {
			return ctx.Err()
		}
	}
}
