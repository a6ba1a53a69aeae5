package natsnode

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAServerThatCannotStartFailsImmediately(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jetstream"), nil, 0o600); err != nil { // occupies the path of the server's directory
		t.Fatal(err)
	}
	began := time.Now()
	_, err := Open(t.Context(), Options{Dir: dir})
	if want := "not a directory"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := os.Remove(filepath.Join(dir, "jetstream")); err != nil {
		t.Fatal(err)
	}
	open(t, dir) // the first attempt has released everything
}

func TestNoServerStartsAfterTheContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Open(ctx, Options{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	open(t, dir)
}

func TestALongRecoveryIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines strings.Builder
		log := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		started := make(chan struct{})
		time.AfterFunc(35*time.Second, func() { close(started) })
		if err := awaitStart(t.Context(), started, log); err != nil {
			t.Errorf("got %v, want no error", err)
		}
		want := `level=INFO msg="nats is still recovering its files" duration=10s
level=INFO msg="nats is still recovering its files" duration=20s
level=INFO msg="nats is still recovering its files" duration=30s
`
		if got := lines.String(); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
}

func TestADirectoryStaysLockedAfterACanceledRecovery(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	recovery := &stuck{Handler: slog.DiscardHandler, reached: cancel, goOn: make(chan struct{})}
	if _, err := Open(ctx, Options{Dir: dir, Log: slog.New(recovery)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, err := Open(t.Context(), Options{Dir: dir}); !isInUse(err) {
		t.Errorf("during recovery: got %v, want an error that the directory is in use", err)
	}
	close(recovery.goOn)

	tick := time.NewTicker(10 * time.Millisecond) // the end of the server is not signaled
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-tick.C {
		n, err := Open(t.Context(), Options{Dir: dir})
		if err == nil {
			n.Close()
			return
		}
		if !isInUse(err) || time.Now().After(deadline) {
			t.Fatalf("after recovery: %v", err)
		}
	}
}

func isInUse(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), ": the directory is in use by another process")
}

// stuck is a log handler that blocks a server at its first line.
type stuck struct {
	slog.Handler
	once    sync.Once
	reached func()
	goOn    chan struct{}
}

func (s *stuck) Enabled(context.Context, slog.Level) bool { return true }

func (s *stuck) Handle(context.Context, slog.Record) error {
	s.once.Do(s.reached)
	<-s.goOn
	return nil
}
