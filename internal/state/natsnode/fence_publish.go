package natsnode

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/sleep"
)

// publishFenced stores messages of one stream consecutively, all or none, if the fences still have
// their tokens, and returns the sequence number of the last. It fails with kv.ErrFenced otherwise,
// and with ErrConflict if a message does not find the last message that it expects itself.
func (n *Node) publishFenced(ctx context.Context, fences []*fencedStream, messages []*nats.Msg) (uint64, error) {
	for _, s := range fences { // in the same order everywhere: the outermost first
		if err := s.lock(ctx); err != nil {
			return 0, err
		}
		defer s.unlock()
	}
	own := slices.ContainsFunc(messages, hasExpectation)
	deadline := time.Now().Add(retryTimeout)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, maxRetryPause) {
		seq, err := n.tryFenced(ctx, fences, messages, own)
		if !errors.Is(err, ErrConflict) {
			return seq, err
		}
		for _, s := range fences {
			if err := s.verify(ctx); err != nil {
				return 0, err
			}
		}
		// The fences stand. Either the conflict is the caller's, or the server has rejected the
		// check because an earlier attempt, whose response was lost, is still in progress.
		switch {
		case own:
			return 0, ErrConflict
		case time.Now().After(deadline):
			return 0, n.TranslateError(context.DeadlineExceeded)
		case !sleep.For(ctx, pause):
			return 0, ctx.Err()
		}
	}
}

// tryFenced is publishFenced without a second look at conflicts. own means that a message has an
// expectation of its own.
func (n *Node) tryFenced(ctx context.Context, fences []*fencedStream, messages []*nats.Msg, own bool) (uint64, error) {
	checked := withChecks(fences, messages)
	var a ack
	err := n.Retry(ctx, func(ctx context.Context) (err error) {
		a, err = n.sendBatch(ctx, checked)
		return err
	})
	if !hasCode(err, codeBatchIsDuplicate) {
		seq, err := n.acknowledge(a, err, checked...)
		return seq - min(seq, uint64(len(checked)-len(messages))), err
	}
	if own {
		return 0, ErrConflict // as without a fence; the caller finds out by the IDs
	}
	// An earlier attempt was stored and its response lost. The last message alone is a duplicate, and
	// the response to it contains its sequence number.
	last := clone(messages[len(messages)-1])
	fences[0].require(last)
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		a, err = n.request(ctx, last)
		return err
	})
	return n.acknowledge(a, err, messages...)
}

// withChecks returns copies of messages with the checks of fences. A check goes to a message without
// an expectation, or to a mark at the end if there is none.
func withChecks(fences []*fencedStream, messages []*nats.Msg) []*nats.Msg {
	checked := make([]*nats.Msg, len(messages), len(messages)+len(fences))
	for i, m := range messages {
		checked[i] = clone(m)
	}
	free := 0
	for _, s := range fences {
		for free < len(checked) && hasExpectation(checked[free]) {
			free++
		}
		if free == len(checked) {
			checked = append(checked, &nats.Msg{Subject: s.mark, Header: nats.Header{}})
		}
		s.require(checked[free])
	}
	return checked
}

// clone returns a copy of m with headers of its own.
func clone(m *nats.Msg) *nats.Msg {
	c := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: maps.Clone(m.Header)}
	if c.Header == nil {
		c.Header = nats.Header{}
	}
	return c
}

// hasExpectation reports whether m expects a certain last message of a subject or of the stream.
func hasExpectation(m *nats.Msg) bool {
	return m.Header.Get(jetstream.ExpectedLastSubjSeqHeader) != "" || m.Header.Get(jetstream.ExpectedLastSeqHeader) != ""
}

// checkFences returns kv.ErrFenced if a fence of ctx in a stream was raised again.
func (n *Node) checkFences(ctx context.Context, stream string) error {
	for _, s := range findFences(ctx, func(s *fencedStream) bool { return s.name == stream }) {
		if err := s.lock(ctx); err != nil {
			return err
		}
		err := s.verify(ctx)
		s.unlock()
		if err != nil {
			return err
		}
	}
	return nil
}
