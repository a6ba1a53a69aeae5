package mastodon

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"earshot/internal/connector"
	"earshot/internal/fetch"
)

const (
	// deadAfter is how long a stream may be silent. Servers send a heartbeat every 15 seconds.
	deadAfter = time.Minute

	// healthyAfter is how long a stream must live to count as a success.
	healthyAfter = time.Minute
)

// reconnectWaits is how long to wait before each attempt to open a stream again. If the last attempt
// also fails, Run returns and the supervisor takes over.
var reconnectWaits = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second}

// An event is a message of a stream, or a change of its connection.
type event struct {
	stream *stream
	kind   eventKind
	message
	err   error         // opening or reading the stream failed
	after time.Duration // time until the next attempt
}

type eventKind int

const (
	opened   eventKind = iota // messages follow
	received                  // a message
	closed                    // the stream is lost, and will be opened again
	failed                    // the stream is lost permanently
)

// follow keeps a stream of the server at address open, and sends what happens to events, until ctx
// ends or the stream failed.
func (r *reader) follow(ctx context.Context, s *stream, address string, events chan<- event) {
	send := func(e event) {
		e.stream = s
		select {
		case events <- e:
		case <-ctx.Done():
		}
	}
	for failures := 0; ctx.Err() == nil; {
		began := r.Now()
		err := r.listen(ctx, address+s.events, send)
		if r.Now().Sub(began) > healthyAfter {
			failures = 0
		}
		var retry *connector.RetryError
		if errors.As(err, &retry) || errors.Is(err, connector.ErrAttention) || errors.Is(err, fetch.ErrRefused) || failures == len(reconnectWaits) {
			send(event{kind: failed, err: err})
			return
		}
		wait := reconnectWaits[failures]
		failures++
		send(event{kind: closed, err: err, after: wait})
		_ = r.Wait(ctx, wait) // the loop ends with ctx
	}
}

var errDead = errors.New("the server stopped sending")

// listen opens a stream and sends its messages until it ends.
func (r *reader) listen(ctx context.Context, address string, send func(event)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := r.open(ctx, address)
	if err != nil {
		return err
	}
	if err := r.responseError(resp); err != nil {
		return err
	}
	defer resp.Body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		return fmt.Errorf("%s did not return a stream", r.base)
	}

	var last atomic.Int64 // when something was received, in Unix nanoseconds
	alive := func() { last.Store(r.Now().UnixNano()) }
	alive()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for r.Wait(ctx, deadAfter/4) == nil {
			if r.Now().Sub(time.Unix(0, last.Load())) > deadAfter {
				cancel(errDead)
			}
		}
	}()
	defer func() { cancel(nil); <-done }()

	send(event{kind: opened})
	messages := newScanner(resp.Body, alive)
	for {
		m, err := messages.next()
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return fmt.Errorf("read the stream: %w", err)
		}
		send(event{kind: received, message: m})
		alive() // it may have waited for us
	}
}
