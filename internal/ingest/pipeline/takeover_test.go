package pipeline_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/feed"
	feedmemory "earshot/internal/state/feed/memory"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
	"earshot/internal/stream"
)

// TestEveryPostIsInItsStreamOnceInOrder moves the role of feeding the streams between two nodes at
// random times: because a node stops, because it loses the role, and while it still believes to have
// it.
func TestEveryPostIsInItsStreamOnceInOrder(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { moveStreams(t, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

// A cluster is two nodes on one journal, one catalog and one feed.
type cluster struct {
	journal *journalmemory.Journal
	feed    *feedmemory.Feed
	fence   atomic.Int64 // token of the last node that got the role
	nodes   [2]*node
}

type node struct {
	*pipeline.Pipeline
	streams *stream.Service
	end     context.CancelCauseFunc // ends the current term
	ended   chan struct{}           // closed when it has ended
}

const streamID, posts = 7, 60

func moveStreams(t *testing.T, r *rand.Rand) {
	c := newCluster(t)
	holder := 0
	c.take(t, holder)
	moves := 0
	for i := range posts {
		p := post(fmt.Sprint(i), "coffee")
		if r.IntN(4) == 0 {
			p.Images = []earshot.Image{{URL: "http://x/1"}} // waits in the outbox
		}
		if _, err := c.journal.Append(t.Context(), journal.Entry{Posts: []earshot.Post{p}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		switch r.IntN(8) {
		case 0: // the node stops
			c.nodes[holder].end(context.Canceled)
			<-c.nodes[holder].ended
		case 1: // the node notices that it has lost the role
			c.nodes[holder].end(lease.ErrLost)
		case 2: // the node does not notice
		default:
			continue
		}
		moves++
		holder = 1 - holder
		c.take(t, holder)
	}
	time.Sleep(time.Minute)
	for _, n := range c.nodes {
		n.end(context.Canceled)
		<-n.ended
	}
	page, err := c.feed.Take(t.Context(), streamID, 10*posts)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, item := range page.Items {
		var p earshot.Post
		if err := journal.ReadPost(&p, item.Post); err != nil {
			t.Fatal(err)
		}
		got = append(got, p.GUID)
	}
	for i := range posts {
		want = append(want, fmt.Sprint(i))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("after %d moves, the stream has the posts\n%v", moves, got)
	}
	if moves < 5 {
		t.Errorf("the role moved only %d times", moves)
	}
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{journal: journalmemory.New(), feed: feedmemory.New()}
	records := kv.NewMemory()
	log := slog.New(slog.DiscardHandler)
	for i := range c.nodes {
		records, err := catalog.Open(t.Context(), records, log)
		if err != nil {
			t.Fatal(err)
		}
		n := &node{
			streams:  &stream.Service{Catalog: records, Feed: c.feed, Journal: c.journal, Now: time.Now, Log: log, Unseen: func(*earshot.Post) bool { return true }},
			Pipeline: &pipeline.Pipeline{Journal: c.journal, Enrich: enrich.New(), Catalog: records, Store: memory.New(), Log: log},
		}
		n.Streams = n.streams
		c.nodes[i] = n
		if err := n.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Run(ctx) }()
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			records.Close()
		})
	}
	first := c.nodes[0].Catalog
	m := &earshot.Monitor{ID: 1, Type: earshot.Buzz, Enabled: true, Timezone: "UTC", Criteria: earshot.Criteria{Keywords: "coffee"}}
	s := &earshot.Stream{ID: streamID, Monitors: []earshot.StreamMonitor{{ID: 1}}}
	if err := first.Monitors.Add(t.Context(), 1, m); err != nil {
		t.Fatal(err)
	}
	if err := first.Streams.Add(t.Context(), streamID, s); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return c
}

// take gives a node the role.
func (c *cluster) take(t *testing.T, i int) {
	n := c.nodes[i]
	if n.end != nil { // a node that did not notice does so before it gets the role again
		n.end(lease.ErrLost)
		<-n.ended
	}
	n.streams.Feed = &fencedFeed{c.feed, &c.fence, c.fence.Add(1)}
	ctx, end := context.WithCancelCause(context.Background())
	n.end, n.ended = end, make(chan struct{})
	go func() {
		defer close(n.ended)
		if err := n.FeedStreams(ctx, nil); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}()
}

// A fencedFeed admits writes only while its token is the last one, as the server does.
type fencedFeed struct {
	feed.Feed
	last  *atomic.Int64
	token int64
}

func (f *fencedFeed) Append(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	if f.last.Load() != f.token {
		return kv.ErrFenced
	}
	return f.Feed.Append(ctx, upTo, runs)
}
