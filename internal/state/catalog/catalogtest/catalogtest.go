// Package catalogtest holds what every catalog store promises.
package catalogtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"earshot/internal/state/catalog"
)

// Run checks a kind of store. open returns an empty one each time.
func Run(t *testing.T, open func(t *testing.T) catalog.Store) {
	cases := []struct {
		name string
		run  func(t *testing.T, s catalog.Store)
	}{
		{"what was put can be read", putGet},
		{"an empty value is a record", emptyValue},
		{"a record that is not there is not found", notFound},
		{"revision 0 makes a new record and nothing else", create},
		{"a write with an old revision conflicts and changes nothing", staleWrite},
		{"a deleted record is not found and can be made again", deleteCreate},
		{"deleting needs the current revision", staleDelete},
		{"revisions only grow", revisionsGrow},
		{"a key with other characters is refused", invalidKeys},
		{"concurrent increments lose nothing", increments},
		{"of many who create the same record one succeeds", race},
		{"watch shows what there is, then ready, then every change in order", watch},
		{"watch of an empty store is ready at once", watchEmpty},
		{"watch leaves out what was deleted before it began", watchDeleted},
		{"watch ends with its context", watchEnds},
		{"a caller cannot change what is stored", isolation},
		{"a dump has every record and no deleted one, in the order of writing", dump},
		{"what was dumped fills an empty store and no other", load},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func putGet(t *testing.T, s catalog.Store) {
	rev := put(t, s, "team.1", "red", 0)
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("red"), Revision: rev})
	rev = put(t, s, "team.1", "blue", rev)
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("blue"), Revision: rev})
}

func emptyValue(t *testing.T, s catalog.Store) {
	rev := put(t, s, "team.1", "", 0)
	wantRecord(t, s, catalog.Record{Key: "team.1", Revision: rev})
}

func notFound(t *testing.T, s catalog.Store) {
	put(t, s, "team.1", "red", 0)
	for _, key := range []string{"team", "team.1.x", "team.2"} {
		if _, err := s.Get(t.Context(), key); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("Get(%s): got %v, want ErrNotFound", key, err)
		}
	}
}

func create(t *testing.T, s catalog.Store) {
	rev := put(t, s, "team.1", "red", 0)
	wantConflict(t, s, "team.1", 0)
	wantConflict(t, s, "team.2", rev)
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("red"), Revision: rev})
}

func staleWrite(t *testing.T, s catalog.Store) {
	old := put(t, s, "team.1", "red", 0)
	rev := put(t, s, "team.1", "blue", old)
	wantConflict(t, s, "team.1", old)
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("blue"), Revision: rev})
}

func deleteCreate(t *testing.T, s catalog.Store) {
	rev := put(t, s, "team.1", "red", 0)
	if err := s.Delete(t.Context(), "team.1", rev); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if _, err := s.Get(t.Context(), "team.1"); !errors.Is(err, catalog.ErrNotFound) {
		t.Fatalf("Get after Delete: got %v, want ErrNotFound", err)
	}
	wantConflict(t, s, "team.1", rev)
	again := put(t, s, "team.1", "green", 0)
	wantConflict(t, s, "team.1", 0)
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("green"), Revision: again})
}

func staleDelete(t *testing.T, s catalog.Store) {
	old := put(t, s, "team.1", "red", 0)
	rev := put(t, s, "team.1", "blue", old)
	for _, r := range []uint64{0, old} {
		if err := s.Delete(t.Context(), "team.1", r); !errors.Is(err, catalog.ErrConflict) {
			t.Errorf("Delete at revision %d: got %v, want ErrConflict", r, err)
		}
	}
	if err := s.Delete(t.Context(), "team.2", 0); !errors.Is(err, catalog.ErrConflict) {
		t.Errorf("Delete of nothing: got %v, want ErrConflict", err)
	}
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("blue"), Revision: rev})
}

func revisionsGrow(t *testing.T, s catalog.Store) {
	var last uint64
	for i := range 5 {
		rev := put(t, s, fmt.Sprintf("team.%d", i), "red", 0)
		if rev <= last {
			t.Fatalf("revision %d follows %d", rev, last)
		}
		last = rev
	}
}

func invalidKeys(t *testing.T, s catalog.Store) {
	for _, key := range []string{"", ".", "a.", ".a", "a..b", "a b", "a*", ">", "größe", "a\nb"} {
		_, getErr := s.Get(t.Context(), key)
		_, putErr := s.Put(t.Context(), key, []byte("x"), 0)
		if getErr == nil || putErr == nil || s.Delete(t.Context(), key, 1) == nil {
			t.Errorf("key %q was not refused", key)
		}
	}
}

func increments(t *testing.T, s catalog.Store) {
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
	r, err := s.Get(t.Context(), "counter")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Value); got != strconv.Itoa(workers*each) {
		t.Errorf("counter: got %s, want %d", got, workers*each)
	}
	if r.Revision < rev+workers*each {
		t.Errorf("revision: got %d, want at least %d", r.Revision, rev+workers*each)
	}
}

func increment(t *testing.T, s catalog.Store, key string) {
	for {
		r, err := s.Get(t.Context(), key)
		if err != nil {
			t.Error(err)
			return
		}
		n, _ := strconv.Atoi(string(r.Value))
		_, err = s.Put(t.Context(), key, []byte(strconv.Itoa(n+1)), r.Revision)
		if err == nil {
			return
		}
		if !errors.Is(err, catalog.ErrConflict) {
			t.Error(err)
			return
		}
	}
}

func race(t *testing.T, s catalog.Store) {
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
		case !errors.Is(err, catalog.ErrConflict):
			t.Errorf("Put: got %v, want ErrConflict", err)
		}
	}
	if won != 1 {
		t.Errorf("%d creators succeeded, want 1", won)
	}
}

func isolation(t *testing.T, s catalog.Store) {
	value := []byte("red")
	rev, err := s.Put(t.Context(), "team.1", value, 0)
	if err != nil {
		t.Fatal(err)
	}
	value[0] = 'X'
	r, err := s.Get(t.Context(), "team.1")
	if err != nil {
		t.Fatal(err)
	}
	r.Value[0] = 'Y'
	wantRecord(t, s, catalog.Record{Key: "team.1", Value: []byte("red"), Revision: rev})
}

func put(t *testing.T, s catalog.Store, key, value string, revision uint64) uint64 {
	t.Helper()
	rev, err := s.Put(t.Context(), key, []byte(value), revision)
	if err != nil {
		t.Fatalf("Put(%s, %s, %d): %v", key, value, revision, err)
	}
	return rev
}

func wantConflict(t *testing.T, s catalog.Store, key string, revision uint64) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, []byte("lost"), revision); !errors.Is(err, catalog.ErrConflict) {
		t.Errorf("Put(%s) at revision %d: got %v, want ErrConflict", key, revision, err)
	}
}

func wantRecord(t *testing.T, s catalog.Store, want catalog.Record) {
	t.Helper()
	got, err := s.Get(t.Context(), want.Key)
	if err != nil {
		t.Fatalf("Get(%s): %v", want.Key, err)
	}
	if show(got) != show(want) {
		t.Errorf("Get(%s): got %s, want %s", want.Key, show(got), show(want))
	}
}

// show spells a record out; a deletion has no value.
func show(r catalog.Record) string { return fmt.Sprintf("%s=%s@%d", r.Key, r.Value, r.Revision) }

// deadline is how long a test waits for what should come at once.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
