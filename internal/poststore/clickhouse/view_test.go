package clickhouse

import (
	"context"
	"errors"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// TestQueriesWaitForACommit checks that they see it, and that they do not wait if the client is gone or
// the server does not answer.
func TestQueriesWaitForACommit(t *testing.T) {
	client, err := chhttp.New(chhttp.Options{URL: "http://127.0.0.1:1"}) // nothing answers there
	if err != nil {
		t.Fatal(err)
	}
	committed := make(chan struct{})
	s := &Store{db: client, state: &view{commit: 1}, committed: committed}
	seen := make(chan *view)
	go func() {
		v, err := s.view(t.Context())
		if err != nil {
			t.Error(err)
		}
		seen <- v
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.view(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
	s.mu.Lock()
	s.state, s.committed = &view{commit: 2}, nil
	close(committed)
	s.mu.Unlock()
	if v := <-seen; v == nil || v.commit != 2 {
		t.Errorf("got %+v, want commit 2", v)
	}

	s.committed = make(chan struct{}) // of a commit that hangs
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	go client.Watch(watching, time.Millisecond)
	if _, err := s.view(t.Context()); !earshot.IsKind(err, earshot.Unavailable) {
		t.Errorf("got %v, want that ClickHouse is not available", err)
	}
}
