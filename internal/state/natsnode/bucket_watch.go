package natsnode

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/sleep"
	"earshot/internal/state/kv"
)

const (
	minWatchPause = 20 * time.Millisecond
	maxWatchPause = 5 * time.Second

	// readyCheck is how often a watch that is not ready checks whether it is complete. It is longer than
	// the two heartbeats after which the loss of a request for messages is noticed.
	readyCheck = 5 * time.Second

	// maxWatchBytes is the number of bytes that a watch requests at once. It exceeds the largest
	// message, but is small enough that the server does not disconnect a slow consumer.
	maxWatchBytes = MaxPayload + 1<<20
)

var errGap = errors.New("a change was lost in transit")

// Watch implements kv.Store. After the loss of a connection or a server it resumes after the last
// change that it has reported. Each interruption is logged when it starts and when it ends,
// regardless of the number of attempts in between. A watch that falls behind sees the newest write
// of a key and may miss earlier ones. It reports fences as deletions of keys that never existed, so
// that callers see their revisions.
func (b *Bucket) Watch(ctx context.Context, change func(kv.Entry), ready func(revision uint64)) error {
	w := &watch{bucket: b, change: change, ready: ready, reported: map[string]bool{}}
	for pause := minWatchPause; ; pause = min(2*pause, maxWatchPause) {
		before := w.last
		err := w.run(ctx) // whatever the error, the next run resumes
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case b.node.Conn().IsClosed():
			return b.node.TranslateError(nats.ErrConnectionClosed)
		case w.last > before:
			pause = minWatchPause
		}
		if !w.interrupted {
			b.node.Log().Warn("watch interrupted; will resume", "bucket", b.name, "error", err)
		}
		w.interrupted = true
		if !sleep.For(ctx, pause) {
			return ctx.Err()
		}
	}
}

// A watch is one call of Watch, across all of its consumers.
type watch struct {
	bucket      *Bucket
	change      func(kv.Entry)
	ready       func(revision uint64)
	isReady     bool
	interrupted bool            // and not resumed yet
	last        uint64          // newest revision reported or skipped
	reported    map[string]bool // keys reported before ready; nil afterwards
}

// run reports changes until an error occurs. Every message is delivered once, numbered from 1, so a
// gap reveals a lost message.
func (w *watch) run(ctx context.Context) error {
	config := jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     w.bucket.subject(">"),
		AckPolicy:         jetstream.AckNonePolicy,
		Replicas:          1,
		MemoryStorage:     true,
		InactiveThreshold: time.Minute, // the consumer is never removed otherwise
	}
	if w.isReady {
		config.DeliverPolicy = jetstream.DeliverByStartSequencePolicy
		config.OptStartSeq = w.last + 1
	}
	var c jetstream.Consumer
	last := uint64(0) // revision of the last write before the consumer is created
	err := w.bucket.node.Retry(ctx, func(ctx context.Context) (err error) {
		info, err := w.bucket.stream.Info(ctx)
		if err != nil {
			return err
		}
		last = info.State.LastSeq
		c, err = w.bucket.stream.CreateConsumer(ctx, config)
		return err
	})
	if err != nil {
		return err
	}
	messages, err := c.Messages(PullHeartbeat, PullExpiry, jetstream.PullMaxBytes(maxWatchBytes))
	if err != nil {
		return err
	}
	defer messages.Stop()
	if w.interrupted {
		w.bucket.node.Log().Info("watch resumed", "bucket", w.bucket.name)
	}
	w.interrupted = false

	pending := c.CachedInfo().NumPending
	for delivery := uint64(1); ; {
		if !w.isReady && (pending == 0 || w.last >= last) {
			if err := w.completeUpTo(ctx, last); err != nil {
				return err
			}
		}
		m, err := w.next(ctx, messages)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != delivery {
			return errGap
		}
		delivery++
		pending = meta.NumPending
		w.report(m, meta.Sequence.Stream)
	}
}

// next returns the next message. Before ready, it waits only for a while, and then returns nil.
func (w *watch) next(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	if w.isReady {
		return messages.Next(jetstream.NextContext(ctx))
	}
	short, cancel := context.WithTimeout(ctx, readyCheck)
	defer cancel()
	m, err := messages.Next(jetstream.NextContext(short))
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil
	}
	return m, err
}

// completeUpTo calls ready if everything up to a revision has been reported. The consumer may be on a
// server that has just started and lacks the newest writes: then it has nothing left to deliver now,
// and delivers them later.
func (w *watch) completeUpTo(ctx context.Context, revision uint64) error {
	if w.last < revision && w.bucket.node.Replicas() > 1 {
		upTo, more, err := w.bucket.Unseen(ctx, w.last)
		if err != nil || more && upTo < revision {
			return err
		}
	}
	w.complete(revision)
	return nil
}

// report passes a change on unless an earlier consumer already has. Before ready, it skips keys
// that were deleted before they could be reported.
func (w *watch) report(m jetstream.Msg, revision uint64) {
	if revision <= w.last {
		return
	}
	w.last = revision
	e := kv.Entry{Key: w.bucket.key(m.Subject()), Revision: revision}
	if !isDeletion(m.Headers()) && !isFenceKey(e.Key) { // of a fence, only the revision counts
		e.Value = append([]byte{}, m.Data()...) // non-nil, because nil means a deletion
	}
	if !w.isReady {
		if e.Value == nil && !w.reported[e.Key] {
			return
		}
		w.reported[e.Key] = true
	}
	w.change(e)
}

// complete calls ready. revision is that of the last write before the consumer was created.
func (w *watch) complete(revision uint64) {
	if !w.isReady {
		w.isReady, w.reported = true, nil
		w.last = max(w.last, revision)
		w.ready(w.last)
	}
}

// Unseen implements kv.Store.
func (b *Bucket) Unseen(ctx context.Context, after uint64) (upTo uint64, more bool, err error) {
	state, err := b.node.StreamState(ctx, b.stream)
	if err != nil {
		return after, false, err
	}
	var next *jetstream.RawStreamMsg
	err = b.node.Retry(ctx, func(ctx context.Context) (err error) {
		next, err = b.stream.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(b.subject(">")))
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return max(after, state.LastSeq), false, nil
	case err != nil:
		return after, false, err
	}
	return next.Sequence - 1, true, nil
}
