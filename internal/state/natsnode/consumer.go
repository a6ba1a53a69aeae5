package natsnode

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// removeTimeout is how long removing a consumer may take. Otherwise the server removes it later.
const removeTimeout = time.Second

// Follow creates a consumer of a subject that starts at a message of a stream. The server keeps it in
// memory and writes nothing for it. remove removes it.
func (n *Node) Follow(ctx context.Context, stream jetstream.Stream, subject string, from uint64) (c jetstream.Consumer, remove func(), err error) {
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		c, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
			DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
			OptStartSeq:       from,
			FilterSubject:     subject,
			AckPolicy:         jetstream.AckNonePolicy,
			Replicas:          1,
			MemoryStorage:     true,
			InactiveThreshold: time.Minute, // if remove fails
		})
		return err
	})
	return c, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		if err := stream.DeleteConsumer(ctx, c.CachedInfo().Name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			n.log.Debug("removing a consumer failed; it expires later", "error", err)
		}
	}, err
}
