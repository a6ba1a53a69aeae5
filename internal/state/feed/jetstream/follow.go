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
	"earshot/internal/sleep"
	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

const (
	prefetch      = 2 // messages
	minRetryPause = 20 * time.Millisecond
	maxRetryPause = 5 * time.Second
)

var (
	errGap        = errors.New("a message was lost in transit")
	errStopped    = errors.New("the loop was stopped")
	errUnreadable = errors.New("a message cannot be read")
)

// Follow implements feed.Feed. Each interruption is logged.
func (f *Feed) Follow(ctx context.Context, stream earshot.StreamID, from feed.Cursor) iter.Seq2[feed.Page, error] {
	return func(yield func(feed.Page, error) bool) {
		l := &follower{feed: f, stream: stream, cursor: f.currentProgress().Jumps.StoredCursor(from), yield: yield}
		if err := l.follow(ctx); err != nil {
			yield(feed.Page{}, fmt.Errorf("follow stream %d: %w", stream, err))
		}
	}
}

// A follower is one range over Follow, across all of its consumers.
type follower struct {
	feed   *Feed
	stream earshot.StreamID
	cursor feed.Cursor // after the last item yielded
	yield  func(feed.Page, error) bool
}

// follow yields items until the loop stops. It returns an error if it cannot continue.
func (l *follower) follow(ctx context.Context) error {
	for pause := minRetryPause; ; pause = min(2*pause, maxRetryPause) {
		before := l.cursor
		err := l.run(ctx)
		switch {
		case errors.Is(err, errStopped), ctx.Err() != nil:
			return nil
		case errors.Is(err, errUnreadable):
			return err
		case l.feed.node.Conn().IsClosed():
			return l.feed.node.TranslateError(nats.ErrConnectionClosed)
		case before.Before(l.cursor):
			pause = minRetryPause
		}
		l.feed.log.Warn("following a stream was interrupted; will resume", "stream", l.stream, "error", err)
		if !sleep.For(ctx, pause) {
			return nil
		}
	}
}

// run yields items until an error occurs. Every message is delivered once, numbered from 1, so a
// gap reveals a lost message.
func (l *follower) run(ctx context.Context) error {
	if l.cursor == feed.End {
		q, err := l.feed.span(ctx, l.stream, l.cursor)
		if err != nil {
			return err
		}
		l.cursor = q.from
	}
	// The message with the item before the cursor may have more items.
	c, remove, err := l.feed.node.Follow(ctx, l.feed.messages, subject(l.stream), max(l.cursor.Message, 1))
	if err != nil {
		return err
	}
	defer remove()
	messages, err := c.Messages(jetstream.PullMaxMessages(prefetch), natsnode.PullHeartbeat, natsnode.PullExpiry)
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

// show yields the items of a message that are after the cursor.
func (l *follower) show(data []byte, seq uint64) error {
	m, err := feed.Decode(data)
	if err != nil {
		return fmt.Errorf("%w: %d: %w", errUnreadable, seq, err)
	}
	skip := 0
	if seq == l.cursor.Message {
		skip = min(l.cursor.Index, len(m.Items))
	}
	l.cursor = feed.Cursor{Message: seq, Index: len(m.Items)}
	if skip == len(m.Items) {
		return nil
	}
	var page feed.Page
	for _, item := range m.Items[skip:] {
		page.AddItem(m.Header, item, l.feed.publicCursor(l.cursor), l.feed.currentProgress().Epoch)
	}
	if !l.yield(page, nil) {
		return errStopped
	}
	return nil
}
