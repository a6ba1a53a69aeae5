package natsnode

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/sleep"
)

const (
	retryTimeout    = 20 * time.Second // a cluster may need ten seconds to elect a new leader
	firstTryTimeout = 2 * time.Second  // doubled after each attempt
	minRetryPause   = 20 * time.Millisecond
	maxRetryPause   = time.Second
)

// Retry calls try until it succeeds, fails permanently, ctx ends, or 20 seconds have passed, and
// returns its error as translated by TranslateError. Calls of try must be safe to repeat, because a
// request to a cluster may be lost when a server goes down. In a cluster, a missing stream is no
// permanent error: a server that has just become the leader may not know all streams yet.
func (n *Node) Retry(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, retryTimeout)
	defer cancel()
	timeout, pause := firstTryTimeout, minRetryPause
	for ; ; timeout, pause = 2*timeout, min(2*pause, maxRetryPause) {
		tryCtx, cancelTry := context.WithTimeout(ctx, timeout)
		err := try(tryCtx)
		cancelTry()
		again := isTransient(err) || n.replicas > 1 && errors.Is(err, jetstream.ErrStreamNotFound)
		if err == nil || !again || !sleep.For(ctx, pause) {
			return n.TranslateError(err)
		}
	}
}
