package bluesky

import (
	"reflect"
	"testing"

	"earshot"
)

// TestBatchOrder checks that a batch, which is applied in the order deletions, then posts, has the
// effect of its events in their order.
func TestBatchOrder(t *testing.T) {
	post := func(guid, did string) *earshot.Post { return &earshot.Post{GUID: guid, PageID: did} }
	f := func(name string, events func(b *batch), posts, deleted, departed []string) {
		t.Helper()
		b := newBatch(seen)
		events(b)
		var got []string
		for _, p := range append(b.posts, b.reposts...) {
			got = append(got, p.GUID)
		}
		if !reflect.DeepEqual(got, posts) || !reflect.DeepEqual(b.deleted, deleted) || !reflect.DeepEqual(b.departed, departed) {
			t.Errorf("%s: got %v, deleted %v, %v; want %v, %v, %v", name, got, b.deleted, b.departed, posts, deleted, departed)
		}
	}
	f("a post", func(b *batch) { b.add(post("1", "a"), seen) }, []string{"1"}, nil, nil)
	f("a post twice", func(b *batch) { b.add(post("1", "a"), seen); b.add(post("2", "a"), seen); b.add(post("1", "a"), seen) }, []string{"2", "1"}, nil, nil)
	f("a deleted post", func(b *batch) { b.add(post("1", "a"), seen); b.add(post("2", "a"), seen); b.remove("1") }, []string{"2"}, []string{"1"}, nil)
	f("a post after its deletion", func(b *batch) { b.remove("1"); b.add(post("1", "a"), seen) }, []string{"1"}, []string{"1"}, nil)
	f("a deleted account", func(b *batch) {
		b.add(post("1", "a"), seen)
		b.add(post("2", "b"), seen)
		b.removeAccount("a")
		b.add(post("3", "a"), seen)
	}, []string{"2", "3"}, nil, []string{"a"})
	f("a deleted repost", func(b *batch) {
		b.add(&earshot.Post{GUID: "r", PageID: "a", Engagement: earshot.Retweet}, seen)
		b.add(post("1", "a"), seen)
		b.remove("r")
	}, []string{"1"}, []string{"r"}, nil)
}

func TestCursor(t *testing.T) {
	c := cursor{micros: 1783175888172335, host: "a.example"}
	f := func(c cursor, host string, second bool, want int64) {
		t.Helper()
		if got := c.at(host, second); got != want {
			t.Errorf("%v at %s: got %d, want %d", c, host, got, want)
		}
	}
	f(cursor{}, "a.example", false, 0)
	f(c, "a.example", false, c.micros-1e6)
	f(c, "b.example", false, c.micros-10e6)
	f(c, "a.example", true, c.micros-1e6)
	c.seq = 7
	f(c, "a.example", true, 7)
	f(c, "b.example", true, c.micros-10e6)
	f(c, "a.example", false, c.micros-1e6)
	for _, text := range []string{"x", "17", "1783175888172335.@a", "1783175888172335.x@a", "1783175888172335.-1@a", "@a"} {
		if c, err := parseCursor(text); err == nil {
			t.Errorf("%q was parsed as %+v", text, c)
		}
	}
}
