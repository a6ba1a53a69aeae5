package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/jetstream"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsnode"
	"earshot/internal/state/natsnode/natstest"
)

// TestNodesShareAFeed lets two nodes of a cluster take turns in appending, while both read and take.
func TestNodesShareAFeed(t *testing.T) {
	cluster := natstest.Start(t, 3)
	var nodes [2]*feedNode
	for i := range nodes {
		node := cluster.Open(t)
		nodes[i] = &feedNode{node: node, feed: openOn(t, node)}
	}
	a, b := nodes[0], nodes[1]

	followed := make(chan string, 1000) // what a follower on the second node sees
	following, stop := context.WithTimeout(t.Context(), time.Minute)
	var follower sync.WaitGroup
	follower.Go(func() {
		for page, err := range b.feed.Follow(following, 7, feed.Cursor{}) {
			if err != nil {
				t.Errorf("Follow: %v", err)
			}
			for _, item := range page.Items {
				followed <- item.Post
			}
		}
	})
	defer follower.Wait()
	defer stop()

	a.take(t, 0, 0)
	var want []string
	for round := range 6 {
		holder, other := nodes[round%2], nodes[1-round%2]
		for range 3 {
			want = append(want, fmt.Sprint(len(want)+1))
			holder.append(t, len(want), nil)
			for _, n := range nodes {
				n.wantItems(t, want)
			}
		}
		other.take(t, len(want), len(want))
		// The previous holder does not know it yet, and has cached the ends of the queues.
		holder.append(t, len(want)+1, kv.ErrFenced)
	}
	for _, post := range want {
		select {
		case got := <-followed:
			if got != post {
				t.Fatalf("the follower got %s, want %s", got, post)
			}
		case <-following.Done():
			t.Fatalf("the follower did not get %s", post)
		}
	}

	var taken []string
	for i := range want { // in turns
		page, err := nodes[i%2].feed.Take(t.Context(), 7, 1)
		if err != nil || len(page.Items) != 1 || page.Pending != int64(len(want)-i) {
			t.Fatalf("got %+v, %v", page, err)
		}
		taken = append(taken, page.Items[0].Post)
	}
	if !slices.Equal(taken, want) {
		t.Errorf("took %v, want %v", taken, want)
	}
	from, err := a.feed.Cursor(t.Context(), 7)
	if same, otherErr := b.feed.Cursor(t.Context(), 7); err != nil || otherErr != nil || same != from {
		t.Errorf("got cursors %v and %v, %v, %v", from, same, err, otherErr)
	}

	// The queue is removed on one node while the other appends to it.
	if err := b.feed.Remove(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	a.append(t, len(want)+1, nil)
	if dropped, err := b.feed.Drop(t.Context(), 7, -1); dropped != 1 || err != nil {
		t.Errorf("dropped %d, %v, want 1", dropped, err)
	}
}

// A feedNode is a feed of one node, with the context of its last term.
type feedNode struct {
	node *natsnode.Node
	feed *jetstream.Feed
	term context.Context
}

// take gives a node the right to append, and checks where the streams end. last is the end of the
// journal.
func (n *feedNode) take(t *testing.T, last, want int) {
	t.Helper()
	fence, err := n.node.RaiseFence(t.Context(), "streams", "REALTIME", "KV_streams")
	if err != nil {
		t.Fatal(err)
	}
	n.term = natsnode.WithFence(t.Context(), fence)
	if err := n.feed.Reconcile(n.term, earshot.Position(last)); err != nil {
		t.Fatal(err)
	}
	if got, _, err := n.feed.Position(n.term); err != nil || got != earshot.Position(want) {
		t.Errorf("the streams end at %d, %v, want %d", got, err, want)
	}
}

// append appends an item of an entry that has the same number.
func (n *feedNode) append(t *testing.T, number int, want error) {
	t.Helper()
	run := feed.Run{Stream: 7, Position: earshot.Position(number), Items: []feed.Item{{Post: fmt.Sprint(number)}}}
	if err := n.feed.Append(n.term, run.Position, []feed.Run{run}); !errors.Is(err, want) {
		t.Fatalf("appending %d: got %v, want %v", number, err, want)
	}
}

func (n *feedNode) wantItems(t *testing.T, want []string) {
	t.Helper()
	page, err := n.feed.Read(t.Context(), 7, feed.Cursor{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range page.Items {
		got = append(got, item.Post)
	}
	if !slices.Equal(got, want) || page.Pending != int64(len(want)) {
		t.Errorf("got %v, %d pending, want %v", got, page.Pending, want)
	}
}
