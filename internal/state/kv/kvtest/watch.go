package kvtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"earshot/internal/state/kv"
)

const ready = "ready"

func readyAt(revision uint64) string { return fmt.Sprintf("%s@%d", ready, revision) }

// start watches s and returns the reported changes, one line each.
func start(t *testing.T, s kv.Store) (lines <-chan string, stop func() error) {
	ctx, cancel := context.WithCancel(deadline(t))
	c := make(chan string, 100)
	ended := make(chan error, 1)
	go func() {
		change := func(e kv.Entry) {
			if e.Value == nil {
				c <- fmt.Sprintf("%s deleted@%d", e.Key, e.Revision)
				return
			}
			c <- show(e)
		}
		ended <- s.Watch(ctx, change, func(revision uint64) { c <- fmt.Sprintf("%s@%d", ready, revision) })
	}()
	return c, func() error { cancel(); return <-ended }
}

func expect(t *testing.T, lines <-chan string, want ...string) {
	t.Helper()
	ctx := deadline(t)
	for _, w := range want {
		select {
		case got := <-lines:
			if got != w {
				t.Fatalf("watch: got %s, want %s", got, w)
			}
		case <-ctx.Done():
			t.Fatalf("watch: got nothing, want %s", w)
		}
	}
}

func watch(t *testing.T, s kv.Store) {
	a := put(t, s, "a", "1", 0)
	b := put(t, s, "b", "1", 0)
	a = put(t, s, "a", "2", a)

	lines, stop := start(t, s)
	expect(t, lines, fmt.Sprintf("b=1@%d", b), fmt.Sprintf("a=2@%d", a), readyAt(a))

	c := put(t, s, "c", "1", 0)
	d := put(t, s, "d", "", 0)
	expect(t, lines, fmt.Sprintf("c=1@%d", c), fmt.Sprintf("d=@%d", d))
	if err := s.Delete(t.Context(), "a", a); err != nil {
		t.Fatal(err)
	}
	e := put(t, s, "e", "1", 0)
	expect(t, lines, fmt.Sprintf("a deleted@%d", e-1), fmt.Sprintf("e=1@%d", e))
	a = put(t, s, "a", "3", 0)
	expect(t, lines, fmt.Sprintf("a=3@%d", a))

	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("Watch ended with %v, want context.Canceled", err)
	}
}

func watchEmpty(t *testing.T, s kv.Store) {
	lines, stop := start(t, s)
	expect(t, lines, readyAt(0))
	rev := put(t, s, "a", "1", 0)
	expect(t, lines, fmt.Sprintf("a=1@%d", rev))
	stop()
}

func watchDeleted(t *testing.T, s kv.Store) {
	if err := s.Delete(t.Context(), "a", put(t, s, "a", "1", 0)); err != nil {
		t.Fatal(err)
	}
	b := put(t, s, "b", "1", 0)
	lines, stop := start(t, s)
	expect(t, lines, fmt.Sprintf("b=1@%d", b), readyAt(b))
	stop()
}

func watchEnds(t *testing.T, s kv.Store) {
	put(t, s, "a", "1", 0)
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Watch(ctx, func(kv.Entry) {}, func(uint64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func watchPurged(t *testing.T, s kv.Store) {
	a := put(t, s, "a", "1", 0)
	b := put(t, s, "b", "1", 0)
	if err := s.Purge(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	lines, stop := start(t, s)
	expect(t, lines, fmt.Sprintf("a=1@%d", a), readyAt(b))
	stop()
}

// unseen follows a watch and Unseen: together they reach the last revision, even if its entry is
// purged.
func unseen(t *testing.T, s kv.Store) {
	wantUnseen(t, s, 0, false)
	a := put(t, s, "a", "1", 0)
	wantUnseen(t, s, a, false)
	if upTo, more, err := s.Unseen(t.Context(), 0); upTo >= a || !more || err != nil {
		t.Errorf("after 0: got %d, %v, %v, want less than %d and more", upTo, more, err, a)
	}
	b := put(t, s, "b", "1", 0)
	lines, stop := start(t, s)
	expect(t, lines, fmt.Sprintf("a=1@%d", a), fmt.Sprintf("b=1@%d", b), readyAt(b))
	c := put(t, s, "c", "1", 0)
	expect(t, lines, fmt.Sprintf("c=1@%d", c))
	if err := s.Purge(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	wantUnseen(t, s, c, false)
	stop()
}

func wantUnseen(t *testing.T, s kv.Store, after uint64, more bool) {
	t.Helper()
	if upTo, got, err := s.Unseen(t.Context(), after); upTo != after || got != more || err != nil {
		t.Errorf("after %d: got %d, %v, %v, want %d, %v", after, upTo, got, err, after, more)
	}
}
