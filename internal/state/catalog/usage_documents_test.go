package catalog_test

import (
	"testing"
	"time"

	"earshot/internal/state/kv"
)

func TestDocumentsUsedEqualsReservations(t *testing.T) {
	store := &countingStore{Store: kv.NewMemory()}
	c := open(t, store)
	noon := time.Date(2026, 3, 15, 12, 5, 0, 0, time.UTC)
	f := func(after time.Duration, want int64) {
		t.Helper()
		if got, err := c.DocumentsUsed(t.Context(), noon.Add(after)); err != nil || got != want {
			t.Errorf("after %v: got %d, %v, want %d", after, got, err, want)
		}
	}
	f(0, 0)
	for _, after := range []time.Duration{0, 6 * time.Hour} {
		if _, err := c.ReserveDocuments(t.Context(), noon.Add(after), 10, 0); err != nil {
			t.Fatal(err)
		}
	}
	f(6*time.Hour, 20)
	f(23*time.Hour+54*time.Minute, 20)
	f(23*time.Hour+55*time.Minute, 10) // intervals of ten minutes
	f(30*time.Hour, 0)
	if store.puts != 2 {
		t.Errorf("got %d writes, want 2: asking writes nothing", store.puts)
	}
}
