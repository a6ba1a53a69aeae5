package natsnode

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
)

// Token returns the token of the fence in a stream.
func (f *Fence) Token(stream string) uint64 {
	for _, s := range f.streams {
		if s.name == stream {
			return s.token
		}
	}
	return 0
}

// Refresh does what Keep does from time to time.
func (f *Fence) Refresh(ctx context.Context) { f.refresh(ctx) }

// PublishFenced stores messages under the fences of ctx. Calling it again is what a retry does after a
// lost response.
func (n *Node) PublishFenced(ctx context.Context, messages []*nats.Msg) (uint64, error) {
	return n.publishFenced(ctx, fencesOf(ctx, messages[0].Subject), messages)
}

// Message returns a message for Write.
func (b *Bucket) Message(key string, value []byte) *nats.Msg { return b.message(key, value) }

// Write writes a message. Calling it again is what a retry does after a lost response.
func (b *Bucket) Write(ctx context.Context, m *nats.Msg, revision uint64) (uint64, error) {
	return b.write(ctx, m, revision)
}

// AcquireWithoutRenewal acquires the lock like a process that is then paused.
func (l *Mutex) AcquireWithoutRenewal(t *testing.T, ctx context.Context) (held context.Context, release func()) {
	t.Helper()
	token, err := l.raise(ctx, []byte("paused"))
	if err != nil {
		t.Fatal(err)
	}
	s := l.hold(token)
	return WithFence(ctx, s.fence), func() { l.release(ctx, s) }
}
