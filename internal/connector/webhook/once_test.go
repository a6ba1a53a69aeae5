package webhook

import (
	"log/slog"
	"testing"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/state/kv"
)

// The server goes on after a panic, and the sender tries again.
func TestARequestCanBeRepeatedAfterAPanic(t *testing.T) {
	w := Kind().New(connector.Env{
		Source: &earshot.LiveSource{ID: 1}, Store: kv.NewMemory(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}).(*webhook)
	func() {
		defer func() { _ = recover() }()
		_, _ = w.once(t.Context(), "a", func() (answer, error) { panic("a bug") })
	}()
	if len(w.flights) != 0 {
		t.Fatal("the request is still in progress")
	}
	got, err := w.once(t.Context(), "a", func() (answer, error) { return answer{Accepted: 1}, nil })
	if err != nil || got.Accepted != 1 {
		t.Errorf("got %+v, %v, want one accepted post", got, err)
	}
}
