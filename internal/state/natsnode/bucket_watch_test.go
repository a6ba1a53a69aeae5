package natsnode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"earshot/internal/state/kv"
)

func TestAnInterruptionOfAWatchIsLogged(t *testing.T) {
	_, b, log := logged(t)
	if _, err := b.Put(t.Context(), "before", nil, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	change := func(e kv.Entry) {
		if e.Key == "after" {
			cancel()
		}
	}
	ready := func(uint64) {
		removeConsumers(t, b)
		go func() { // seen by the resumed watch
			if _, err := b.Put(t.Context(), "after", nil, 0); err != nil {
				t.Errorf("Put: %v", err)
			}
		}()
	}
	if err := b.Watch(ctx, change, ready); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch: got %v, want context.Canceled", err)
	}
	want := `level=WARN msg="watch interrupted; will resume" bucket=b error="nats: consumer deleted"
level=INFO msg="watch resumed" bucket=b
`
	if got := log.String(); got != want {
		t.Errorf("got log\n%swant\n%s", got, want)
	}
}

func TestAWatchThatCannotStartIsLoggedOnce(t *testing.T) {
	n, b, log := logged(t)
	if err := n.JetStream().DeleteStream(t.Context(), "KV_b"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	attempts := 0
	watcher, err := n.Conn().Subscribe("$JS.API.STREAM.INFO.KV_b", func(*nats.Msg) {
		if attempts++; attempts == 4 {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Unsubscribe()
	if err := b.Watch(ctx, func(kv.Entry) {}, func(uint64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch: got %v, want context.Canceled after four attempts", err)
	}
	want := "level=WARN msg=\"watch interrupted; will resume\" bucket=b error=\"nats: API error: code=404 err_code=10059 description=stream not found\"\n"
	if got := log.String(); got != want {
		t.Errorf("got log\n%swant\n%s", got, want)
	}
}

func removeConsumers(t *testing.T, b *Bucket) {
	t.Helper()
	names := b.stream.ConsumerNames(t.Context())
	for name := range names.Name() {
		if err := b.stream.DeleteConsumer(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if err := names.Err(); err != nil {
		t.Error(err)
	}
}

// logged opens a bucket and returns the log of its watches.
func logged(t *testing.T) (*Node, *Bucket, *watchLog) {
	t.Helper()
	log := &watchLog{}
	handler := slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	n, err := Open(t.Context(), Options{Dir: t.TempDir(), Log: slog.New(handler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n, bucket(t, n), log
}

// watchLog records the log lines about watches and ignores the others.
type watchLog struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *watchLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(string(line), "msg=\"watch ") {
		l.lines.Write(line)
	}
	return len(line), nil
}

func (l *watchLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

// TestLargeEntriesDoNotStallAWatch stores more bytes than a server sends to a slow consumer at
// once.
func TestLargeEntriesDoNotStallAWatch(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	const entries, size = 240, 512 << 10
	value := make([]byte, size)
	for i := range entries {
		if _, err := b.Put(t.Context(), fmt.Sprintf("large.%d.0", i), value, 0); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := 0
	err := b.Watch(ctx, func(e kv.Entry) {
		if len(e.Value) == size {
			seen++
		}
	}, func(uint64) { cancel() })
	if !errors.Is(err, context.Canceled) || seen != entries {
		t.Errorf("got %d of %d entries, %v", seen, entries, err)
	}
}

func TestPurgedEntriesAreNotAwaited(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	for i := range 5 {
		if _, err := b.Put(t.Context(), fmt.Sprint(i), nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"1", "2", "4"} {
		if err := b.Purge(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	for after, want := range []struct {
		upTo uint64
		more bool
	}{{0, true}, {3, true}, {3, true}, {3, true}, {5, false}, {5, false}, {6, false}} { // 1 and 4 remain
		if upTo, more, err := b.Unseen(t.Context(), uint64(after)); upTo != want.upTo || more != want.more || err != nil {
			t.Errorf("after %d: got %d, %v, %v, want %+v", after, upTo, more, err, want)
		}
	}
}
