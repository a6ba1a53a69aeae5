package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	prefetch     = 2           // messages
	heartbeat    = time.Second // of the server, while nothing comes
	firstPause   = 20 * time.Millisecond
	longestPause = 5 * time.Second
	goodbye      = time.Second // to remove a consumer; one that stays is removed by the server
)

var (
	errGap     = errors.New("a message was lost on its way")
	errStopped = errors.New("the loop was left")
	errMessage = errors.New("a message cannot be read")
)

// Follow implements feed.Feed. Each interruption is logged when it begins.
func (f *Feed) Follow(ctx context.Context, stream earshot.StreamID, from feed.Place) iter.Seq2[feed.Page, error] {
	return func(yield func(feed.Page, error) bool) {
		l := &follower{feed: f, stream: stream, at: f.stored().Jumps.Stored(from), yield: yield}
		if err := l.follow(ctx); err != nil {
			yield(feed.Page{}, fmt.Errorf("follow stream %d: %w", stream, err))
		}
	}
}

// A follower is one range over Follow, over all of its consumers.
type follower struct {
	feed   *Feed
	stream earshot.StreamID
	at     feed.Place // what comes next is after it
	yield  func(feed.Page, error) bool
}

// follow goes on until the loop stops. It returns an error when nothing can come any more.
func (l *follower) follow(ctx context.Context) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		before := l.at
		err := l.run(ctx)
		switch {
		case errors.Is(err, errStopped), ctx.Err() != nil:
			return nil
		case errors.Is(err, errMessage):
			return err
		case l.feed.node.Conn().IsClosed():
			return l.feed.node.Failure(nats.ErrConnectionClosed)
		case before.Before(l.at):
			pause = firstPause
		}
		l.feed.log.Warn("following a stream was interrupted, will go on", "stream", l.stream, "err", err)
		if !natsnode.Wait(ctx, pause) {
			return nil
		}
	}
}

// run yields what there is until something fails. Every message is delivered once, numbered
// from 1, so one that got lost shows as a gap.
func (l *follower) run(ctx context.Context) error {
	if l.at == feed.End {
		q, err := l.feed.span(ctx, l.stream, l.at)
		if err != nil {
			return err
		}
		l.at = q.from
	}
	c, err := l.consumer(ctx)
	if err != nil {
		return err
	}
	defer l.remove(ctx, c)
	messages, err := c.Messages(jetstream.PullMaxMessages(prefetch), jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for delivery := uint64(1); ; delivery++ {
		m, err := messages.Next(jetstream.NextContext(ctx))
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
		if err := l.show(m.Data(), meta.Sequence.Stream); err != nil {
			return err
		}
	}
}

// consumer begins with the message that holds the item before the follower's place: there
// may be more in it.
func (l *follower) consumer(ctx context.Context) (c jetstream.Consumer, err error) {
	err = l.feed.node.Repeat(ctx, func(ctx context.Context) (err error) {
		c, err = l.feed.messages.CreateConsumer(ctx, jetstream.ConsumerConfig{
			DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
			OptStartSeq:       max(l.at.Message, 1),
			FilterSubject:     subject(l.stream),
			AckPolicy:         jetstream.AckNonePolicy,
			Replicas:          1,
			MemoryStorage:     true,
			InactiveThreshold: time.Minute, // should nobody remove it
		})
		return err
	})
	return c, err
}

// remove tells the server that a consumer is not needed any more.
func (l *follower) remove(ctx context.Context, c jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	if err := l.feed.messages.DeleteConsumer(ctx, c.CachedInfo().Name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		l.feed.log.Debug("a consumer stays until it expires", "err", err)
	}
}

// show yields the items of a message that are after the follower's place.
func (l *follower) show(data []byte, seq uint64) error {
	m, err := feed.Decode(data)
	if err != nil {
		return fmt.Errorf("%w: %d: %w", errMessage, seq, err)
	}
	skip := 0
	if seq == l.at.Message {
		skip = min(l.at.Index, len(m.Items))
	}
	l.at = feed.Place{Message: seq, Index: len(m.Items)}
	if skip == len(m.Items) {
		return nil
	}
	if !l.yield(feed.Page{Items: m.Items[skip:], Next: l.feed.shown(l.at)}, nil) {
		return errStopped
	}
	return nil
}
