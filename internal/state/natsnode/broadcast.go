package natsnode

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// MaxPayload returns the maximum size of a message.
func (n *Node) MaxPayload() int64 { return n.conn.MaxPayload() }

// Tell sends a message to all processes that listen to a subject, including this one. It is not
// stored, and may get lost.
func (n *Node) Tell(subject string, data []byte) error {
	if err := n.conn.Publish(subject, data); err != nil {
		return fmt.Errorf("send to %s: %w", subject, err)
	}
	return nil
}

// Listen calls handle with each message to a subject, one at a time, until stop is called. Messages
// are dropped if handle is too slow.
func (n *Node) Listen(subject string, handle func(data []byte)) (stop func(), err error) {
	sub, err := n.conn.Subscribe(subject, func(m *nats.Msg) { handle(m.Data) })
	if err == nil {
		err = n.conn.FlushTimeout(connectTimeout) // messages that others send from now on arrive
	}
	if err != nil {
		return nil, fmt.Errorf("listen to %s: %w", subject, err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // fails if the connection is closed
}

// RequestAll sends a request to all processes that serve a subject, and calls use with each response
// that is not an error, until use returns false, there were count responses, or ctx ends. The number
// of processes may differ from count.
func (n *Node) RequestAll(ctx context.Context, subject string, data []byte, count int, use func(data []byte) (more bool)) error {
	inbox := n.conn.NewInbox()
	sub, err := n.conn.SubscribeSync(inbox)
	if err != nil {
		return fmt.Errorf("request %s: %w", subject, err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails if the connection is closed
	if err := n.conn.PublishRequest(subject, inbox, data); err != nil {
		return fmt.Errorf("request %s: %w", subject, err)
	}
	for range count {
		m, err := sub.NextMsgWithContext(ctx)
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			return ErrNoResponder
		case err != nil:
			return fmt.Errorf("request %s: %w", subject, err)
		}
		if m.Header.Get(errorHeader) == "" && !use(m.Data) {
			return nil
		}
	}
	return nil
}
