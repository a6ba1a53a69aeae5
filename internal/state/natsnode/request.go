package natsnode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrNoResponder means that no process serves a subject, or that the one that does is not connected.
var ErrNoResponder = errors.New("no process serves this subject")

// maxRequests is how many requests of one subject are served at the same time. Requests beyond that
// wait. It is more than one client has outstanding, and few enough for the memory of large responses.
const maxRequests = 16

// errorHeader contains the message of an error in a response.
const errorHeader = "Earshot-Error"

// A RemoteError is an error that the process which served a request returned.
type RemoteError struct{ Message string }

func (e *RemoteError) Error() string { return e.Message }

// Subject returns a subject for messages between the processes of this installation, for example
// earshot.4bf9….snapshot.b. Messages are not stored. Each part consists of letters, digits, '-' and
// '_'.
func (n *Node) Subject(parts ...string) string {
	return "earshot." + n.installation + "." + strings.Join(parts, ".")
}

// Request sends a request and waits for the response. It fails at once with [ErrNoResponder] if no
// process serves the subject, with a *[RemoteError] if the one that does returns an error, and when
// ctx ends. It does not retry: the request may have been served although it fails.
func (n *Node) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	m, err := n.conn.RequestWithContext(ctx, subject, data)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, ErrNoResponder
	case err != nil:
		return nil, fmt.Errorf("request %s: %w", subject, err)
	}
	if message := m.Header.Get(errorHeader); message != "" {
		return nil, &RemoteError{message}
	}
	return m.Data, nil
}

// Serve calls handle for each request to a subject, concurrently, until stop is called. stop waits
// for running calls, whose context it ends. A response must fit into one message: at most 1 MB with an
// external server that has the default settings.
func (n *Node) Serve(subject string, handle func(ctx context.Context, request []byte) ([]byte, error)) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var mu sync.Mutex // held to start a call, so that none starts after stop
	free := make(chan struct{}, maxRequests)
	sub, err := n.conn.Subscribe(subject, func(m *nats.Msg) {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return
		}
		running.Go(func() {
			defer func() { <-free }()
			n.answer(ctx, m, handle)
		})
	})
	if err == nil {
		err = n.conn.FlushTimeout(connectTimeout) // requests that others send from now on arrive
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("serve %s: %w", subject, err)
	}
	return func() {
		_ = sub.Unsubscribe() // fails if the connection is closed
		mu.Lock()
		cancel()
		mu.Unlock()
		running.Wait()
	}, nil
}

// answer serves one request.
func (n *Node) answer(ctx context.Context, m *nats.Msg, handle func(context.Context, []byte) ([]byte, error)) {
	began := time.Now()
	data, err := handle(ctx, m.Data)
	response := &nats.Msg{Subject: m.Reply, Data: data}
	if err != nil {
		response.Data, response.Header = nil, nats.Header{errorHeader: {oneLine(err.Error())}}
	}
	if err := n.conn.PublishMsg(response); err != nil && ctx.Err() == nil {
		n.log.Warn("a request of another node could not be answered", "subject", m.Subject, "took", time.Since(began), "error", err)
	}
}

// oneLine makes a message fit into a header.
func oneLine(s string) string {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return "unknown error"
	}
	return s
}
