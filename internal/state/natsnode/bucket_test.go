package natsnode

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"earshot/internal/state/kv"
	"earshot/internal/state/kv/kvtest"
)

func TestBucket(t *testing.T) {
	kvtest.Run(t, func(t *testing.T) kv.Store { return bucket(t, open(t, t.TempDir())) })
}

func TestARepeatedWriteIsRecognized(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	m := b.message("k", []byte("mine"))
	first, err := b.write(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The same write again, as after a lost response.
	if again, err := b.write(t.Context(), m, 0); err != nil || again != first {
		t.Errorf("repeat: got revision %d, %v, want %d", again, err, first)
	}
	// The same bytes from another writer are not the same write.
	if _, err := b.Put(t.Context(), "k", []byte("mine"), 0); !errors.Is(err, kv.ErrConflict) {
		t.Errorf("another writer: got %v, want ErrConflict", err)
	}
}

func TestPurgeLeavesNoTombstone(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	put(t, b, "other", "stays", 0)
	put(t, b, "k", "a", 0)
	if err := b.Delete(t.Context(), "gone", put(t, b, "gone", "a", 0)); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"k", "k", "gone", "unknown"} {
		if err := b.Purge(t.Context(), key); err != nil {
			t.Errorf("Purge(%s): %v", key, err)
		}
	}
	if info, err := b.stream.Info(t.Context()); err != nil || info.State.Msgs != 1 {
		t.Errorf("got %+v, %v, want 1 message", info, err)
	}
}

func TestTheMaxAgeOfABucketCanChange(t *testing.T) {
	n := open(t, t.TempDir())
	for _, maxAge := range []time.Duration{0, time.Hour, 30 * 24 * time.Hour} {
		b, err := OpenBucket(t.Context(), n, BucketOptions{Name: "b", MaxAge: maxAge})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.stream.CachedInfo().Config.MaxAge; got != maxAge {
			t.Errorf("got %v, want %v", got, maxAge)
		}
	}
}

func TestErrorsNameTheKeyOfALargeValue(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	_, err := b.Put(t.Context(), "k", make([]byte, MaxPayload+1), 0)
	want := "bucket b: k has 8388609 bytes, but the NATS server accepts at most 8388608 (max_payload)"
	if !errors.Is(err, nats.ErrMaxPayload) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestEntriesSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	n := open(t, dir)
	b := bucket(t, n)
	var revisions []uint64
	for i := range 10 {
		rev, err := b.Put(t.Context(), fmt.Sprintf("k.%d", i), fmt.Appendf(nil, "v%d", i), 0)
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, rev)
	}
	if err := b.Delete(t.Context(), "k.0", revisions[0]); err != nil {
		t.Fatal(err)
	}
	n.Close()

	b = bucket(t, open(t, dir))
	if _, err := b.Get(t.Context(), "k.0"); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("k.0: got %v, want ErrNotFound", err)
	}
	for i := 1; i < 10; i++ {
		e, err := b.Get(t.Context(), fmt.Sprintf("k.%d", i))
		if want := fmt.Sprintf("v%d", i); err != nil || string(e.Value) != want || e.Revision != revisions[i] {
			t.Errorf("k.%d: got %s@%d, %v, want %s@%d", i, e.Value, e.Revision, err, want, revisions[i])
		}
	}
	if rev, err := b.Put(t.Context(), "k.0", nil, 0); err != nil || rev != revisions[9]+2 {
		t.Errorf("create after restart: got revision %d, %v, want %d", rev, err, revisions[9]+2)
	}
}

func BenchmarkPut(b *testing.B) {
	bk := bucket(b, open(b, b.TempDir()))
	value := make([]byte, 1000)
	var revision uint64
	for b.Loop() {
		var err error
		if revision, err = bk.Put(b.Context(), "k", value, revision); err != nil {
			b.Fatal(err)
		}
	}
}

func bucket(t testing.TB, n *Node) *Bucket {
	t.Helper()
	b, err := OpenBucket(t.Context(), n, BucketOptions{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(t *testing.T, b *Bucket, key, value string, revision uint64) uint64 {
	t.Helper()
	revision, err := b.Put(t.Context(), key, []byte(value), revision)
	if err != nil {
		t.Fatalf("Put(%s): %v", key, err)
	}
	return revision
}
