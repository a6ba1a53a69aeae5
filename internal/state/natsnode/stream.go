package natsnode

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// OpenStream finds or creates a durable stream.
func (n *Node) OpenStream(ctx context.Context, config jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	config.Storage = jetstream.FileStorage
	config.Replicas = n.replicas
	config.Discard = jetstream.DiscardNew
	config.Duplicates = 2 * time.Minute // longer than any retry
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		stream, err = n.js.CreateOrUpdateStream(ctx, config)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", config.Name, err)
	}
	return stream, nil
}

// StreamState returns the state of a stream, such as its number of messages.
func (n *Node) StreamState(ctx context.Context, s jetstream.Stream) (state jetstream.StreamState, err error) {
	err = n.Retry(ctx, func(ctx context.Context) error {
		info, err := s.Info(ctx)
		if err == nil {
			state = info.State
		}
		return err
	})
	if err != nil {
		return state, fmt.Errorf("read the state of stream %s: %w", s.CachedInfo().Config.Name, err)
	}
	return state, nil
}
