package jetstream

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/natsnode"
)

// silent is a consumer that delivers nothing, like one on a server that was catching up.
type silent struct{ jetstream.MessagesContext }

func (silent) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	return nil, context.DeadlineExceeded
}

func TestALoopNoticesThatItsConsumerIsSilent(t *testing.T) {
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	j, err := Open(t.Context(), node, Options{})
	if err != nil {
		t.Fatal(err)
	}
	add := func() {
		if _, err := j.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Twitter, GUID: "1"}}}); err != nil {
			t.Fatal(err)
		}
	}
	next := func(l *loop) error {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		_, err := l.next(ctx, silent{})
		return err
	}
	add()
	l := &loop{journal: j, quiet: time.Millisecond}
	if err := next(l); !errors.Is(err, errStalled) {
		t.Errorf("with an entry that is not delivered: got %v, want errStalled", err)
	}
	l.last = 1
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := l.next(ctx, silent{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at the end: got %v, want to wait", err)
	}
	add()
	if err := next(l); !errors.Is(err, errStalled) {
		t.Errorf("with another entry: got %v, want errStalled", err)
	}
}
