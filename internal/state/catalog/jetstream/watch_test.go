package jetstream_test

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

	"earshot/internal/state/catalog"
	"earshot/internal/state/catalog/jetstream"
	"earshot/internal/state/natsnode"
)

func TestAnInterruptionOfAWatchIsLogged(t *testing.T) {
	node, s, log := logged(t)
	if _, err := s.Put(t.Context(), "before", nil, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	change := func(r catalog.Record) {
		if r.Key == "after" {
			cancel()
		}
	}
	ready := func() {
		removeConsumers(t, node)
		go func() { // the watch that goes on sees this
			if _, err := s.Put(t.Context(), "after", nil, 0); err != nil {
				t.Errorf("Put: %v", err)
			}
		}()
	}
	if err := s.Watch(ctx, change, ready); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch: got %v, want context.Canceled", err)
	}
	want := `level=WARN msg="catalog watching interrupted, will go on" err="nats: consumer deleted"
level=INFO msg="catalog watching goes on"
`
	if got := log.String(); got != want {
		t.Errorf("got log\n%swant\n%s", got, want)
	}
}

func TestAWatchThatCannotBeginIsLoggedOnce(t *testing.T) {
	node, s, log := logged(t)
	if err := node.JetStream().DeleteStream(t.Context(), "KV_catalog"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	attempts := 0
	watcher, err := node.Conn().Subscribe("$JS.API.CONSUMER.CREATE.KV_catalog.>", func(*nats.Msg) {
		if attempts++; attempts == 4 {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Unsubscribe()
	if err := s.Watch(ctx, func(catalog.Record) {}, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch: got %v, want context.Canceled after four attempts", err)
	}
	want := "level=WARN msg=\"catalog watching interrupted, will go on\" err=\"nats: API error: code=404 err_code=10059 description=stream not found\"\n"
	if got := log.String(); got != want {
		t.Errorf("got log\n%swant\n%s", got, want)
	}
}

func removeConsumers(t *testing.T, node *natsnode.Node) {
	t.Helper()
	stream, err := node.JetStream().Stream(t.Context(), "KV_catalog")
	if err != nil {
		t.Error(err)
		return
	}
	names := stream.ConsumerNames(t.Context())
	for name := range names.Name() {
		if err := stream.DeleteConsumer(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	if err := names.Err(); err != nil {
		t.Error(err)
	}
}

// logged opens a store and returns what is logged about watching it.
func logged(t *testing.T) (*natsnode.Node, *jetstream.Store, *watchLog) {
	t.Helper()
	log := &watchLog{}
	handler := slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir(), Log: slog.New(handler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	s, err := jetstream.Open(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	return node, s, log
}

// watchLog keeps the lines about watching; the node has its own to say.
type watchLog struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (l *watchLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(string(line), "catalog watching") {
		l.lines.Write(line)
	}
	return len(line), nil
}

func (l *watchLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

// TestLargeRecordsDoNotHoldUpAWatch has more than a server sends at once to one who is slow.
func TestLargeRecordsDoNotHoldUpAWatch(t *testing.T) {
	_, s := open(t, t.TempDir())
	const records, size = 240, 512 << 10
	value := make([]byte, size)
	for i := range records {
		if _, err := s.Put(t.Context(), fmt.Sprintf("large.%d.0", i), value, 0); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	seen := 0
	err := s.Watch(ctx, func(r catalog.Record) {
		if len(r.Value) == size {
			seen++
		}
	}, cancel)
	if !errors.Is(err, context.Canceled) || seen != records {
		t.Errorf("got %d of %d records, %v", seen, records, err)
	}
}
