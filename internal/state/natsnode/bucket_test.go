package natsnode

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

func TestARepeatedWriteIsRecognised(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	m := b.message("k", []byte("mine"))
	first, err := b.write(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	// As after a lost answer: the same write again.
	if again, err := b.write(t.Context(), m, 0); err != nil || again != first {
		t.Errorf("repeat: got revision %d, %v, want %d", again, err, first)
	}
	// The same bytes from someone else are not the same write.
	if _, err := b.Put(t.Context(), "k", []byte("mine"), 0); !errors.Is(err, ErrConflict) {
		t.Errorf("another writer: got %v, want ErrConflict", err)
	}
}

func TestARecordIsWrittenAtItsRevision(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	first := put(t, b, "k", "a", 0)
	for _, wrong := range []uint64{0, first + 1} {
		if _, err := b.Put(t.Context(), "k", []byte("x"), wrong); !errors.Is(err, ErrConflict) {
			t.Errorf("Put at revision %d: got %v, want ErrConflict", wrong, err)
		}
	}
	wantRecord(t, b, "k", "a")
	second := put(t, b, "k", "b", first)
	if err := b.Delete(t.Context(), "k", first); !errors.Is(err, ErrConflict) {
		t.Errorf("Delete at an old revision: got %v, want ErrConflict", err)
	}
	if err := b.Delete(t.Context(), "k", second); err != nil {
		t.Fatal(err)
	}
	wantNoRecord(t, b, "k")
	put(t, b, "k", "c", 0)
	wantRecord(t, b, "k", "c")
}

func TestSetWritesWhateverWasThere(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	for _, value := range []string{"a", "b"} {
		if _, err := b.Set(t.Context(), "k", []byte(value)); err != nil {
			t.Fatal(err)
		}
		wantRecord(t, b, "k", value)
	}
}

func TestPurgeLeavesNothingBehind(t *testing.T) {
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
	wantNoRecord(t, b, "k")
	wantRecord(t, b, "other", "stays")
	if info, err := b.Stream().Info(t.Context()); err != nil || info.State.Msgs != 1 {
		t.Errorf("got %+v, %v, want 1 message", info, err)
	}
	put(t, b, "k", "b", 0)
	wantRecord(t, b, "k", "b")
}

func TestKeysMatchTheFilterInByteOrder(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	for _, key := range []string{"open.9", "result.1", "open.10", "open.2.deep", "opened.1"} {
		put(t, b, key, "", 0)
	}
	f := func(filter string, want ...string) {
		t.Helper()
		if got, err := b.Keys(t.Context(), filter); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", filter, got, err, want)
		}
	}
	f("open.*", "open.10", "open.9")
	f("open.>", "open.10", "open.2.deep", "open.9")
	f("closed.*")
}

func TestHowLongRecordsAreKeptMayChange(t *testing.T) {
	n := open(t, t.TempDir())
	for _, kept := range []time.Duration{0, time.Hour, 30 * 24 * time.Hour} {
		b, err := OpenBucket(t.Context(), n, BucketOptions{Name: "b", Kept: kept})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Stream().CachedInfo().Config.MaxAge; got != kept {
			t.Errorf("got %v, want %v", got, kept)
		}
	}
}

func TestAKeyWithOtherCharactersIsRefused(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	for _, key := range []string{"", ".", "a.", "a..b", "a b", "a*", ">", "größe"} {
		want := fmt.Sprintf("bucket b: invalid key %q", key)
		_, _, get := b.Get(t.Context(), key)
		_, put := b.Put(t.Context(), key, nil, 0)
		_, set := b.Set(t.Context(), key, nil)
		for _, err := range []error{get, put, set, b.Delete(t.Context(), key, 1), b.Purge(t.Context(), key)} {
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

func TestATooLargeRecordIsNamed(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	_, err := b.Put(t.Context(), "k", make([]byte, MaxPayload+1), 0)
	want := "bucket b: k has 8388609 bytes, the NATS server takes 8388608 (max_payload)"
	if !errors.Is(err, nats.ErrMaxPayload) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOfManyWritersOneSucceeds(t *testing.T) {
	b := bucket(t, open(t, t.TempDir()))
	var wg sync.WaitGroup
	won := make(chan string, 8)
	for i := range cap(won) {
		wg.Go(func() {
			value := fmt.Sprint(i)
			_, err := b.Put(t.Context(), "k", []byte(value), 0)
			switch {
			case err == nil:
				won <- value
			case !errors.Is(err, ErrConflict):
				t.Errorf("got %v, want ErrConflict", err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d writers succeeded, want 1", len(won))
	}
	wantRecord(t, b, "k", <-won)
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

func wantRecord(t *testing.T, b *Bucket, key, want string) {
	t.Helper()
	if got, _, err := b.Get(t.Context(), key); err != nil || string(got) != want {
		t.Errorf("Get(%s): got %s, %v, want %s", key, got, err, want)
	}
}

func wantNoRecord(t *testing.T, b *Bucket, key string) {
	t.Helper()
	if got, _, err := b.Get(t.Context(), key); !errors.Is(err, ErrNotFound) {
		t.Errorf("Get(%s): got %s, %v, want ErrNotFound", key, got, err)
	}
}
