package catalog

import (
	"log/slog"
	"testing"

	"earshot"
	"earshot/internal/state/kv"
)

func TestAnIndexFollowsItsTable(t *testing.T) {
	c, err := Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x := Index[earshot.FeedLinkID, earshot.FeedLink]{Of: func(l *earshot.FeedLink) string { return string(l.TokenHash) }}
	f := func(value string, want earshot.FeedLinkID) {
		t.Helper()
		l, ok := x.Find(c.FeedLinks, value)
		if ok != (want != 0) || ok && l.ID != want {
			t.Errorf("%q: got %v, %v, want %d", value, l, ok, want)
		}
	}
	f("a", 0)
	for id, hash := range map[earshot.FeedLinkID]string{1: "a", 2: "b"} {
		if err := c.FeedLinks.Add(t.Context(), id, &earshot.FeedLink{ID: id, TokenHash: []byte(hash)}); err != nil {
			t.Fatal(err)
		}
	}
	f("a", 1)
	f("b", 2)
	if _, err := c.FeedLinks.Update(t.Context(), 1, func(l *earshot.FeedLink) error { l.TokenHash = []byte("c"); return nil }); err != nil {
		t.Fatal(err)
	}
	f("a", 0)
	f("c", 1)
	if err := c.FeedLinks.Remove(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	f("b", 0)
	if len(x.ids) != 1 || len(x.values) != 1 {
		t.Errorf("got %v and %v, want one record", x.ids, x.values)
	}
}
