package natsnode

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"earshot"
)

func TestFilesOfAnEmbeddedServerArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "nats")
	open(t, dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.Mode().Perm(), fs.FileMode(0o700); got != want {
		t.Errorf("got mode %v, want %v", got, want)
	}
}

func TestASecondNodeOnTheSameDirectoryFails(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	_, err := Open(t.Context(), Options{Dir: dir})
	if want := "start NATS in " + dir + ": the directory is in use by another process"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	first.Close()
	open(t, dir)
}

func TestMessagesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	stream(t, n)
	for want := range uint64(10) {
		if seq, err := n.Publish(t.Context(), &nats.Msg{Subject: "s"}); err != nil || seq != want+1 {
			t.Fatalf("Publish: got %d, %v, want %d", seq, err, want+1)
		}
	}
	n.Close()
	n = open(t, dir)
	if got := stream(t, n).CachedInfo().State.Msgs; got != 10 {
		t.Errorf("got %d messages, want 10", got)
	}
}

func TestCloseEndsAllGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	n := open(t, t.TempDir())
	stream(t, n)
	n.Close()
	n.Close()                                     // a second call is harmless
	tick := time.NewTicker(10 * time.Millisecond) // the last goroutines may still be ending
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; <-tick.C {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestWritesToAFullDiskAreRejected(t *testing.T) {
	n := open(t, t.TempDir())
	s := stream(t, n)
	free := n.freeSpace
	n.freeSpace = func() (int64, error) { return reservedBytes - 1, nil }
	for _, parts := range [][][]byte{{{1}}, {{1}, {2}}} {
		if _, err := n.PublishParts(t.Context(), "s", nil, parts); !earshot.IsKind(err, earshot.StorageFull) {
			t.Errorf("%d parts: got %v, want a StorageFull error", len(parts), err)
		}
	}
	n.freeSpace = free
	if _, err := n.Publish(t.Context(), &nats.Msg{Subject: "s"}); err != nil {
		t.Errorf("after freeing space: %v", err)
	}
	if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 1 {
		t.Errorf("got %+v, %v, want 1 message", info, err)
	}
}

// TestACriticalWriteErrorIsReported logs what the server logs when it gives up writing.
func TestACriticalWriteErrorIsReported(t *testing.T) {
	n := open(t, t.TempDir())
	log := &logger{log: n.log, fail: n.fail}
	log.Errorf("Filestore [%s] %s: %v", "JOURNAL", "Resource not found", os.ErrNotExist)
	if err := n.Err(); err != nil {
		t.Errorf("got %v after another error, want none", err)
	}
	for range 2 {
		log.Errorf("Filestore [%s] Critical write error: %v", "JOURNAL", syscall.EMFILE)
	}
	select {
	case <-n.Failed():
	default:
		t.Error("Failed is not closed")
	}
	if err := n.Err(); err == nil || !strings.Contains(err.Error(), syscall.EMFILE.Error()) {
		t.Errorf("got %v, want the reason", err)
	}
	full := open(t, t.TempDir())
	full.freeSpace = func() (int64, error) { return 0, nil }
	if err := full.Err(); !earshot.IsKind(err, earshot.StorageFull) {
		t.Errorf("with a full disk: got %v, want StorageFull", err)
	}
}

func TestErrorsAreTranslated(t *testing.T) {
	n := &Node{}
	f := func(err error, want earshot.Kind) {
		t.Helper()
		if got := n.TranslateError(err); !earshot.IsKind(got, want) {
			t.Errorf("%v: got %v, want kind %d", err, got, want)
		}
	}
	f(nats.ErrTimeout, earshot.Unavailable)
	f(nats.ErrNoResponders, earshot.Unavailable)
	f(nats.ErrConnectionClosed, earshot.Unavailable)
	f(context.DeadlineExceeded, earshot.Unavailable)
	f(&jetstream.APIError{ErrorCode: codeNotAvailable}, earshot.Unavailable)
	f(&jetstream.APIError{ErrorCode: codeStorageFull}, earshot.StorageFull)
	f(&jetstream.APIError{ErrorCode: codeInsufficient}, earshot.StorageFull)

	n.freeSpace = func() (int64, error) { return 0, nil }
	f(nats.ErrTimeout, earshot.StorageFull)

	for _, err := range []error{nil, context.Canceled, jetstream.ErrStreamNotFound} {
		if got := n.TranslateError(err); got != err {
			t.Errorf("%v: got %v, want it unchanged", err, got)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		n, err := Open(b.Context(), Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		n.Close()
		b.StartTimer()
	}
}

func open(t testing.TB, dir string) *Node {
	t.Helper()
	n, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

func stream(t testing.TB, n *Node) jetstream.Stream {
	t.Helper()
	s, err := n.JetStream().CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, AllowAtomicPublish: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
