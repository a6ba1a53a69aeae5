package natsnode

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/state/acklog"
	"earshot/internal/state/natsfile"
)

// OpenStream finds or creates a durable stream.
func (n *Node) OpenStream(ctx context.Context, config jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	config.Storage = jetstream.FileStorage
	config.Replicas = n.replicas
	config.Discard = jetstream.DiscardNew
	config.Duplicates = 2 * time.Minute // longer than any retry
	if n.fences {
		config.AllowAtomicPublish = true
		config.Subjects = withFences(config.Subjects)
	}
	config.Metadata = map[string]string{natsfile.InstallationKey: n.installation}
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		stream, err = n.js.CreateOrUpdateStream(ctx, config)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", config.Name, err)
	}
	if err := n.describe(config.Name); err != nil {
		return nil, fmt.Errorf("open stream %s: %w", config.Name, err)
	}
	return stream, nil
}

// describe records the configuration of a stream of the embedded server, so that it can be restored
// if it is damaged.
func (n *Node) describe(stream string) error {
	if n.acks == nil {
		return nil
	}
	config, properties, err := natsfile.Open(n.dir, stream).Config()
	if err != nil {
		return err
	}
	return n.acks.Describe(stream, properties, config)
}

// PurgeSubject removes the messages of a subject up to a sequence number, or all of them if the
// number is 0.
func (n *Node) PurgeSubject(ctx context.Context, s jetstream.Stream, subject string, upTo uint64) error {
	options := []jetstream.StreamPurgeOpt{jetstream.WithPurgeSubject(subject)}
	if upTo > 0 {
		options = append(options, jetstream.WithPurgeSequence(upTo+1))
	} else {
		upTo = acklog.All
	}
	name := s.CachedInfo().Config.Name
	if n.acks == nil {
		return n.purge(ctx, s, options...)
	}
	if err := n.acks.Purging(name, subject, upTo); err != nil {
		return n.TranslateError(err)
	}
	if err := n.purge(ctx, s, options...); err != nil {
		return err
	}
	return n.TranslateError(n.acks.Purged(name, subject, upTo))
}

// PurgeBefore removes all messages before a sequence number. If the stream ends before it, the next
// message gets that number.
func (n *Node) PurgeBefore(ctx context.Context, s jetstream.Stream, first uint64) error {
	if n.acks != nil && first > 0 {
		if err := n.acks.Purging(s.CachedInfo().Config.Name, "", first-1); err != nil {
			return n.TranslateError(err)
		}
	}
	return n.purge(ctx, s, jetstream.WithPurgeSequence(first))
}

func (n *Node) purge(ctx context.Context, s jetstream.Stream, options ...jetstream.StreamPurgeOpt) error {
	if err := n.checkFences(ctx, s.CachedInfo().Config.Name); err != nil {
		return err
	}
	return n.Retry(ctx, func(ctx context.Context) error { return s.Purge(ctx, options...) })
}

// DeleteMessage removes a message. A repeat has no effect.
func (n *Node) DeleteMessage(ctx context.Context, s jetstream.Stream, seq uint64) error {
	if err := n.AllowGap(s, seq, seq); err != nil {
		return err
	}
	return n.Retry(ctx, func(ctx context.Context) error {
		err := s.DeleteMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil // the response to an earlier attempt was lost
		}
		return err
	})
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

// Options of consumers that wait for messages.
const (
	PullHeartbeat = jetstream.PullHeartbeat(time.Second) // from the server while there are no messages

	// PullExpiry is how long the server answers a request for messages before the client repeats it. A
	// consumer can be on a server that is catching up with the others. That server delivers what it
	// gets this way only when the next message is written, or at the next request.
	PullExpiry = jetstream.PullExpiry(2 * time.Second)
)

// AllowGap announces that the messages of a range of sequence numbers will be deleted.
func (n *Node) AllowGap(s jetstream.Stream, first, last uint64) error {
	if n.acks == nil {
		return nil
	}
	return n.TranslateError(n.acks.Hole(s.CachedInfo().Config.Name, acklog.Range{First: first, Last: last}))
}
