package jetstream_test

import (
	"fmt"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
	"earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
)

// Fences take positions among those of entries. Nothing that reads the journal may take them for
// entries, or wait for entries at their positions.
func TestFencesLeaveGaps(t *testing.T) {
	node, err := natsnode.Open(t.Context(), natsnode.Options{Dir: t.TempDir(), Fences: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	j, err := jetstream.Open(t.Context(), node, jetstream.Options{Log: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	raise := func() *natsnode.Fence {
		t.Helper()
		f, err := node.RaiseFence(t.Context(), "source.7", jetstream.StreamName)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	entries := func() (list []string) {
		t.Helper()
		last, err := j.Last(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range j.Entries(t.Context(), last) {
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := journal.Decode(e.Data)
			if err != nil {
				t.Fatalf("position %d: %v", e.Position, err)
			}
			list = append(list, fmt.Sprint(e.Position, "=", decoded.Posts[0].GUID))
		}
		return list
	}
	want := func(list ...string) {
		t.Helper()
		if got := entries(); fmt.Sprint(got) != fmt.Sprint(list) {
			t.Errorf("got entries %q, want %q", got, list)
		}
	}

	raise()
	want()
	appendPost(t, j, "a")
	raise()
	raise()
	ctx := natsnode.WithFence(t.Context(), raise())
	origin := &journal.Origin{Source: 7, Cursor: "c"}
	if p, err := j.Append(ctx, journal.Entry{Origin: origin, Posts: []earshot.Post{{Source: earshot.Blogs, GUID: "b"}}}); err != nil || p != 6 {
		t.Errorf("got position %d, %v, want 6", p, err)
	}
	want("2=a", "6=b")
	fence := raise() // at 7
	want("2=a", "6=b")
	for o, err := range j.Origins(t.Context(), 6) {
		t.Errorf("after the last entry: got origin %+v, %v, want none", o, err)
	}
	n := 0
	for o, err := range j.Origins(t.Context(), 2) {
		if n++; err != nil || o.Position != 6 || o.Cursor != "c" {
			t.Errorf("got origin %+v, %v, want that of position 6", o, err)
		}
	}
	if n != 1 {
		t.Errorf("got %d origins, want 1", n)
	}
	next, stop := pull(t, j, 0)
	for _, guid := range []string{"a", "b"} {
		if b := next(); b.Posts[0].GUID != guid {
			t.Errorf("got post %s, want %s", b.Posts[0].GUID, guid)
		}
	}
	stop()
	for after, want := range map[earshot.Position]bool{0: true, 2: true, 5: true, 6: false, 7: false} {
		if n, err := j.Pending(t.Context(), after); err != nil || (n > 0) != want {
			t.Errorf("got %d entries after %d, %v, want some: %v", n, after, err, want)
		}
	}
	if p, err := j.LastBefore(t.Context(), time.Now().Add(time.Hour)); err != nil || p < 6 {
		t.Errorf("LastBefore: got %d, %v, want at least 6", p, err)
	}

	// A trim leaves the fence, and the holder can still append.
	if err := j.Trim(t.Context(), 7, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	want()
	if _, err := j.Append(natsnode.WithFence(t.Context(), fence), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: "c"}}}); err != nil {
		t.Errorf("append after a trim: %v", err)
	}
	want("8=c")
}
