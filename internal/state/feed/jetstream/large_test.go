package jetstream

import (
	"strings"
	"testing"

	"earshot/internal/state/feed"
	"earshot/internal/state/natsnode"
)

func TestAnOversizedPostDoesNotBlockOthers(t *testing.T) {
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	f, err := Open(t.Context(), node, Options{})
	if err != nil {
		t.Fatal(err)
	}
	items := []feed.Item{{Monitor: 1, Post: "a"}, {Monitor: 1, Post: strings.Repeat("x", natsnode.MaxPayload)}, {Monitor: 1, Post: "b"}}
	if err := f.Append(t.Context(), 1, []feed.Run{{Stream: 7, Position: 1, Items: items}}); err != nil {
		t.Fatal(err)
	}
	page, err := f.Take(t.Context(), 7, 10)
	if err != nil || len(page.Items) != 2 || page.Items[1].Post != "b" || page.Pending != 2 {
		t.Errorf("got %d items of %d, %v; want a and b", len(page.Items), page.Pending, err)
	}
}
