// Package kvtest contains the contract test for key-value stores.
package kvtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot/internal/state/kv"
)

// Run tests an implementation. open returns an empty store each time.
func Run(t *testing.T, open func(t *testing.T) kv.Store) {
	cases := []struct {
		name string
		run  func(t *testing.T, s kv.Store)
	}{
		{"an entry can be read after a put", putGet},
		{"an empty value is an entry", emptyValue},
		{"a missing key is not found", notFound},
		{"revision 0 creates an entry and nothing else", create},
		{"a write with an old revision conflicts and changes nothing", staleWrite},
		{"a deleted entry is not found and can be created again", deleteCreate},
		{"deleting needs the current revision", staleDelete},
		{"revisions always increase", revisionsGrow},
		{"set writes unconditionally", set},
		{"purge removes the entry and nothing else", purge},
		{"keys match the filter, in byte order", keys},
		{"an invalid key is rejected", invalidKeys},
		{"concurrent increments are not lost", increments},
		{"only one of many concurrent creators succeeds", race},
		{"watch reports all entries, then ready, then every change in order", watch},
		{"watch of an empty store is ready immediately", watchEmpty},
		{"watch skips entries deleted before it started", watchDeleted},
		{"a watch counts as having seen purged entries", watchPurged},
		{"nothing is unseen after the last revision", unseen},
		{"watch ends with its context", watchEnds},
		{"every call ends with its context", ends},
		{"a caller cannot change what is stored", isolation},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func putGet(t *testing.T, s kv.Store) {
	rev := put(t, s, "team.1", "red", 0)
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("red"), Revision: rev})
	rev = put(t, s, "team.1", "blue", rev)
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("blue"), Revision: rev})
}

func emptyValue(t *testing.T, s kv.Store) {
	rev := put(t, s, "team.1", "", 0)
	wantEntry(t, s, kv.Entry{Key: "team.1", Revision: rev})
}

func notFound(t *testing.T, s kv.Store) {
	put(t, s, "team.1", "red", 0)
	for _, key := range []string{"team", "team.1.x", "team.2"} {
		if _, err := s.Get(t.Context(), key); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("Get(%s): got %v, want ErrNotFound", key, err)
		}
	}
}

func create(t *testing.T, s kv.Store) {
	rev := put(t, s, "team.1", "red", 0)
	wantConflict(t, s, "team.1", 0)
	wantConflict(t, s, "team.2", rev)
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("red"), Revision: rev})
}

func staleWrite(t *testing.T, s kv.Store) {
	old := put(t, s, "team.1", "red", 0)
	rev := put(t, s, "team.1", "blue", old)
	wantConflict(t, s, "team.1", old)
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("blue"), Revision: rev})
}

func deleteCreate(t *testing.T, s kv.Store) {
	rev := put(t, s, "team.1", "red", 0)
	if err := s.Delete(t.Context(), "team.1", rev); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if _, err := s.Get(t.Context(), "team.1"); !errors.Is(err, kv.ErrNotFound) {
		t.Fatalf("Get after Delete: got %v, want ErrNotFound", err)
	}
	wantConflict(t, s, "team.1", rev)
	again := put(t, s, "team.1", "green", 0)
	wantConflict(t, s, "team.1", 0)
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("green"), Revision: again})
}

func staleDelete(t *testing.T, s kv.Store) {
	old := put(t, s, "team.1", "red", 0)
	rev := put(t, s, "team.1", "blue", old)
	for _, rev := range []uint64{0, old} {
		if err := s.Delete(t.Context(), "team.1", rev); !errors.Is(err, kv.ErrConflict) {
			t.Errorf("Delete at revision %d: got %v, want ErrConflict", rev, err)
		}
	}
	if err := s.Delete(t.Context(), "team.2", 0); !errors.Is(err, kv.ErrConflict) {
		t.Errorf("Delete of nothing: got %v, want ErrConflict", err)
	}
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("blue"), Revision: rev})
}

func revisionsGrow(t *testing.T, s kv.Store) {
	var last uint64
	for i := range 5 {
		rev := put(t, s, fmt.Sprintf("team.%d", i), "red", 0)
		if rev <= last {
			t.Fatalf("revision %d follows %d", rev, last)
		}
		last = rev
	}
}

func set(t *testing.T, s kv.Store) {
	var last uint64
	for _, value := range []string{"red", "", "blue"} {
		rev, err := s.Set(t.Context(), "team.1", []byte(value))
		if err != nil || rev <= last {
			t.Fatalf("Set: got revision %d, %v after %d", rev, err, last)
		}
		wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte(value), Revision: rev})
		last = rev
	}
	wantConflict(t, s, "team.1", 0)
}

func purge(t *testing.T, s kv.Store) {
	rev := put(t, s, "other", "stays", 0)
	if err := s.Delete(t.Context(), "deleted", put(t, s, "deleted", "red", 0)); err != nil {
		t.Fatal(err)
	}
	old := put(t, s, "team.1", "red", 0)
	for _, key := range []string{"team.1", "team.1", "deleted", "unknown"} {
		if err := s.Purge(t.Context(), key); err != nil {
			t.Errorf("Purge(%s): %v", key, err)
		}
	}
	wantKeys(t, s, ">", "other")
	wantEntry(t, s, kv.Entry{Key: "other", Value: []byte("stays"), Revision: rev})
	wantConflict(t, s, "team.1", old)
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("blue"), Revision: put(t, s, "team.1", "blue", 0)})
}

func keys(t *testing.T, s kv.Store) {
	wantKeys(t, s, ">")
	for _, key := range []string{"open.9", "result.1", "open.10", "open.2.deep", "opened.1", "open"} {
		put(t, s, key, "", 0)
	}
	wantKeys(t, s, "open.*", "open.10", "open.9")
	wantKeys(t, s, "open.>", "open.10", "open.2.deep", "open.9")
	wantKeys(t, s, "*.1", "opened.1", "result.1")
	wantKeys(t, s, "open.*.*", "open.2.deep")
	wantKeys(t, s, "open", "open")
	wantKeys(t, s, "closed.*")
}

func invalidKeys(t *testing.T, s kv.Store) {
	for _, key := range []string{"", ".", "a.", ".a", "a..b", "a b", "a*", ">", "größe", "a\nb"} {
		want := fmt.Sprintf("invalid key %q", key)
		_, getErr := s.Get(t.Context(), key)
		_, putErr := s.Put(t.Context(), key, []byte("x"), 0)
		_, setErr := s.Set(t.Context(), key, []byte("x"))
		for i, err := range []error{getErr, putErr, setErr, s.Delete(t.Context(), key, 1), s.Purge(t.Context(), key)} {
			if err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("method %d: got %v, want %s", i, err, want)
			}
		}
	}
}

func ends(t *testing.T, s kv.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, getErr := s.Get(ctx, "k")
	_, putErr := s.Put(ctx, "k", nil, 0)
	_, setErr := s.Set(ctx, "k", nil)
	_, keysErr := s.Keys(ctx, ">")
	for i, err := range []error{getErr, putErr, setErr, keysErr, s.Delete(ctx, "k", 1), s.Purge(ctx, "k")} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("method %d: got %v, want context.Canceled", i, err)
		}
	}
}

func increments(t *testing.T, s kv.Store) {
	const workers, each = 4, 25
	rev := put(t, s, "counter", "0", 0)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				increment(t, s, "counter")
			}
		})
	}
	wg.Wait()
	e, err := s.Get(t.Context(), "counter")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(e.Value); got != strconv.Itoa(workers*each) {
		t.Errorf("counter: got %s, want %d", got, workers*each)
	}
	if e.Revision < rev+workers*each {
		t.Errorf("revision: got %d, want at least %d", e.Revision, rev+workers*each)
	}
}

func increment(t *testing.T, s kv.Store, key string) {
	for {
		e, err := s.Get(t.Context(), key)
		if err != nil {
			t.Error(err)
			return
		}
		n, _ := strconv.Atoi(string(e.Value))
		_, err = s.Put(t.Context(), key, []byte(strconv.Itoa(n+1)), e.Revision)
		if err == nil {
			return
		}
		if !errors.Is(err, kv.ErrConflict) {
			t.Error(err)
			return
		}
	}
}

func race(t *testing.T, s kv.Store) {
	results := make(chan error, 8)
	for i := range cap(results) {
		go func() {
			_, err := s.Put(t.Context(), "name", []byte{byte('a' + i)}, 0)
			results <- err
		}()
	}
	won := 0
	for range cap(results) {
		switch err := <-results; {
		case err == nil:
			won++
		case !errors.Is(err, kv.ErrConflict):
			t.Errorf("Put: got %v, want ErrConflict", err)
		}
	}
	if won != 1 {
		t.Errorf("%d creators succeeded, want 1", won)
	}
}

func isolation(t *testing.T, s kv.Store) {
	value := []byte("red")
	rev, err := s.Put(t.Context(), "team.1", value, 0)
	if err != nil {
		t.Fatal(err)
	}
	value[0] = 'X'
	e, err := s.Get(t.Context(), "team.1")
	if err != nil {
		t.Fatal(err)
	}
	e.Value[0] = 'Y'
	wantEntry(t, s, kv.Entry{Key: "team.1", Value: []byte("red"), Revision: rev})
}

func put(t *testing.T, s kv.Store, key, value string, revision uint64) uint64 {
	t.Helper()
	rev, err := s.Put(t.Context(), key, []byte(value), revision)
	if err != nil {
		t.Fatalf("Put(%s, %s, %d): %v", key, value, revision, err)
	}
	return rev
}

func wantConflict(t *testing.T, s kv.Store, key string, revision uint64) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, []byte("conflict"), revision); !errors.Is(err, kv.ErrConflict) {
		t.Errorf("Put(%s) at revision %d: got %v, want ErrConflict", key, revision, err)
	}
}

func wantEntry(t *testing.T, s kv.Store, want kv.Entry) {
	t.Helper()
	got, err := s.Get(t.Context(), want.Key)
	if err != nil {
		t.Fatalf("Get(%s): %v", want.Key, err)
	}
	if show(got) != show(want) {
		t.Errorf("Get(%s): got %s, want %s", want.Key, show(got), show(want))
	}
}

func wantKeys(t *testing.T, s kv.Store, filter string, want ...string) {
	t.Helper()
	if got, err := s.Keys(t.Context(), filter); err != nil || !slices.Equal(got, want) {
		t.Errorf("Keys(%s): got %v, %v, want %v", filter, got, err, want)
	}
}

func show(e kv.Entry) string { return fmt.Sprintf("%s=%s@%d", e.Key, e.Value, e.Revision) }

// deadline bounds the wait for a report that should arrive immediately.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
