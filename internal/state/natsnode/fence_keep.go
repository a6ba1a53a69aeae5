package natsnode

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/sleep"
)

// Old messages of a log are removed, also those of fences. Keep therefore raises a fence again long
// before: logs retain messages for at least a day. Raising it more often would leave more gaps in the
// sequence of other messages.
const (
	fenceRefresh  = 6 * time.Hour
	fenceLifetime = 3 * fenceRefresh
)

// OldestFence returns the sequence number of the oldest fence in a stream that may be in use. A trim
// must not go further, or the writes of a live process fail, which is safe, but a disturbance. Without
// fences, it returns the highest number.
func (n *Node) OldestFence(ctx context.Context, s jetstream.Stream) (oldest uint64, err error) {
	oldest = math.MaxUint64
	if !n.fences {
		return oldest, nil
	}
	info, err := n.listFences(ctx, s, fencePrefix)
	if err != nil {
		return 0, err
	}
	for subject := range info.State.Subjects {
		var m *jetstream.RawStreamMsg
		err := n.Retry(ctx, func(ctx context.Context) (err error) {
			m, err = s.GetLastMsgForSubject(ctx, subject)
			return err
		})
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
		case err != nil:
			return 0, fmt.Errorf("read the fence %s: %w", subject, err)
		case info.TimeStamp.Sub(m.Time) < fenceLifetime: // both by the server's clock
			oldest = min(oldest, m.Sequence)
		}
	}
	return oldest, nil
}

// CountFences returns the number of messages in a stream that belong to fences.
func (n *Node) CountFences(ctx context.Context, s jetstream.Stream) (total uint64, err error) {
	if !n.fences {
		return 0, nil
	}
	for _, prefix := range []string{fencePrefix, markPrefix} {
		info, err := n.listFences(ctx, s, prefix)
		if err != nil {
			return 0, err
		}
		for _, count := range info.State.Subjects {
			total += count
		}
	}
	return total, nil
}

// listFences returns the state of a stream, with the subjects of fences or of marks.
func (n *Node) listFences(ctx context.Context, s jetstream.Stream, prefix string) (info *jetstream.StreamInfo, err error) {
	filter := fenceBase(s.CachedInfo().Config.Subjects) + prefix + ">"
	err = n.Retry(ctx, func(ctx context.Context) (err error) {
		info, err = s.Info(ctx, jetstream.WithSubjectFilter(filter))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the fences of %s: %w", s.CachedInfo().Config.Name, err)
	}
	return info, nil
}

// Keep prevents the fence from being removed together with old messages, until ctx ends or the fence
// is lost.
func (f *Fence) Keep(ctx context.Context) {
	tick := time.NewTicker(fenceRefresh)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.lost:
			return
		case <-tick.C:
			f.refresh(ctx)
		}
	}
}

func (f *Fence) refresh(ctx context.Context) {
	for _, s := range f.streams {
		if !s.expires {
			continue
		}
		if err := s.refresh(ctx); err != nil && ctx.Err() == nil {
			f.node.log.Warn("refreshing a fence failed", "role", f.role, "stream", s.name, "error", err)
		}
	}
}

// refresh replaces the message of the fence by a new one, if nobody else has raised the fence.
func (s *fencedStream) refresh(ctx context.Context) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	return s.replace(ctx, nil)
}

// replace is refresh, with data for the new message. s must be locked.
func (s *fencedStream) replace(ctx context.Context, data []byte) error {
	m := &nats.Msg{Subject: s.subject, Data: data, Header: nats.Header{jetstream.MsgIDHeader: {rand.Text()}}}
	ExpectLast(m, s.token)
	deadline := time.Now().Add(conflictTimeout)
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		token, err := s.fence.node.publish(ctx, m)
		if !errors.Is(err, ErrConflict) {
			if err == nil {
				s.token = token
			}
			return err
		}
		last, err := s.last(ctx)
		switch {
		case err != nil:
			return err
		case last.Sequence > 0 && last.Header.Get(jetstream.MsgIDHeader) == m.Header.Get(jetstream.MsgIDHeader):
			s.token = last.Sequence // the response to an earlier attempt was lost
			return nil
		case last.Sequence != s.token:
			s.fence.lose()
			return s.fence.check()
		case time.Now().After(deadline):
			return ErrConflict
		}
		if !sleep.For(ctx, pause) {
			return ctx.Err()
		}
	}
}
