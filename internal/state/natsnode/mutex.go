package natsnode

import (
	"context"
	crand "crypto/rand"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/sleep"
)

// A Mutex is a lock in a bucket that processes hold for a short time. It is the fence of a role: the
// process that has it raised the fence last, and its writes fail once another has taken over. An empty
// fence is unlocked. Unlike a lease, a lock takes one write to get and one to release. Only one
// goroutine of a process may use it at a time.
type Mutex struct {
	bucket *Bucket
	fence  fencedStream // without a token
	left   uint64       // sequence number with which this process last released it
}

const (
	lockTimeout = 6 * time.Second // after which a lock that nobody renews is taken over
	lockRenewal = 2 * time.Second
	maxLockWait = 20 * time.Second

	// A busy lock is tried again after a random time up to a limit that doubles.
	minLockPause = 2 * time.Millisecond
	maxLockPause = 50 * time.Millisecond
)

var errLocked = &earshot.Error{Kind: earshot.Unavailable, Message: "Too many changes at the same time; try again", RetryAfter: time.Second}

// OpenMutex returns a lock in a bucket of a node with Options.Fences.
func OpenMutex(ctx context.Context, b *Bucket, role string) (*Mutex, error) {
	f := &Fence{node: b.node, role: role}
	s, err := f.open(ctx, b.streamName())
	if err != nil {
		return nil, err
	}
	return &Mutex{bucket: b, fence: *s}, nil
}

// Acquire waits for the lock. It returns a context for writes, which it derives from ctx, the revision
// with which this process got the lock, and a function that releases it.
func (l *Mutex) Acquire(ctx context.Context) (held context.Context, revision uint64, release func(), err error) {
	owner := []byte(crand.Text())
	token, err := l.raise(ctx, owner)
	if err != nil {
		return nil, 0, nil, err
	}
	s := l.hold(token)
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var renewal sync.WaitGroup
	renewal.Go(func() { s.renew(renewing, owner) })
	return WithFence(ctx, s.fence), token, func() {
		stop()
		renewal.Wait()
		l.release(ctx, s)
	}, nil
}

// hold returns the fence with a token.
func (l *Mutex) hold(token uint64) *fencedStream {
	s := l.fence
	s.fence = &Fence{node: l.bucket.node, role: l.fence.fence.role, lost: make(chan struct{})}
	s.fence.streams = []*fencedStream{&s}
	s.token, s.writing = token, make(chan struct{}, 1)
	return &s
}

// raise waits until the lock is free, locks it and returns the token.
func (l *Mutex) raise(ctx context.Context, owner []byte) (uint64, error) {
	m := &nats.Msg{Subject: l.fence.subject, Data: owner, Header: nats.Header{jetstream.MsgIDHeader: {string(owner)}}}
	var seen uint64
	var since time.Time
	expected, free := l.left, true // usually nobody has locked it since
	deadline := time.Now().Add(maxLockWait)
	for pause := minLockPause; ; pause = min(2*pause, maxLockPause) {
		if free {
			ExpectLast(m, expected)
			token, err := l.bucket.node.Publish(ctx, m)
			if !errors.Is(err, ErrConflict) {
				return token, err
			}
		}
		last, err := l.fence.last(ctx)
		switch {
		case err != nil:
			return 0, err
		case last.Sequence > 0 && last.Header.Get(jetstream.MsgIDHeader) == string(owner):
			return last.Sequence, nil // the response was lost
		case time.Now().After(deadline):
			return 0, errLocked
		}
		if last.Sequence != seen {
			seen, since = last.Sequence, time.Now()
		}
		changed := last.Sequence != expected
		expected, free = last.Sequence, len(last.Data) == 0 || time.Since(since) >= lockTimeout
		if free && changed {
			continue
		}
		if !sleep.For(ctx, rand.N(pause)) {
			return 0, ctx.Err()
		}
	}
}

// renew keeps others from taking the lock over, until ctx ends.
func (s *fencedStream) renew(ctx context.Context, owner []byte) {
	for sleep.For(ctx, lockRenewal) {
		if s.lock(ctx) != nil {
			return
		}
		err := s.replace(ctx, owner)
		s.unlock()
		if err != nil && ctx.Err() == nil {
			s.fence.node.log.Warn("renewing a lock failed", "lock", s.fence.role, "error", err)
		}
	}
}

// release unlocks. If it fails, the lock times out.
func (l *Mutex) release(ctx context.Context, s *fencedStream) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lockTimeout)
	defer cancel()
	l.left = 0
	if s.lock(ctx) != nil {
		return
	}
	defer s.unlock()
	if err := s.replace(ctx, nil); err != nil {
		s.fence.node.log.Warn("releasing a lock failed; others wait until it times out", "lock", s.fence.role, "error", err)
		return
	}
	l.left = s.token
}
