package catalog_test

import (
	"log/slog"
	"testing"

	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

func TestFormats(t *testing.T) {
	store := kv.NewMemory()
	open := func() *catalog.Catalog {
		t.Helper()
		c, err := catalog.Open(t.Context(), store, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	a, b := open(), open()
	if got := a.Formats(); got != (catalog.Formats{}) {
		t.Errorf("got %+v before any was recorded, want none", got)
	}
	notified := make(chan catalog.Formats, 1)
	b.OnFormats(func(f catalog.Formats) { notified <- f })
	f := func(raise, want catalog.Formats) {
		t.Helper()
		if err := a.RaiseFormats(t.Context(), raise); err != nil {
			t.Fatal(err)
		}
		if got := <-notified; got != want {
			t.Errorf("after %+v, another process got %+v, want %+v", raise, got, want)
		}
		if got := open().Formats(); got != want {
			t.Errorf("after %+v, a new process got %+v, want %+v", raise, got, want)
		}
	}
	f(catalog.Formats{Journal: 1, Catalog: 1, Streams: 1}, catalog.Formats{Journal: 1, Catalog: 1, Streams: 1})
	f(catalog.Formats{Journal: 2, Catalog: 1, Streams: 1}, catalog.Formats{Journal: 2, Catalog: 1, Streams: 1})
	f(catalog.Formats{Journal: 1, Catalog: 1, Streams: 3}, catalog.Formats{Journal: 2, Catalog: 1, Streams: 3})
}
