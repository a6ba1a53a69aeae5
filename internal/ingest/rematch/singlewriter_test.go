package rematch_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/rematch"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/singlewriter"
	"earshot/internal/state/journal"
)

// TestOneNodeWritesToASharedStore lets three nodes use one store. Node 0 fits models; the writer
// changes from node 1 to node 2.
func TestOneNodeWritesToASharedStore(t *testing.T) {
	var engine poststore.Store
	var shared []*singlewriter.Store
	open := func() poststore.Store {
		if engine == nil {
			engine = memory.New()
		}
		shared = append(shared, singlewriter.New(engine))
		return shared[len(shared)-1]
	}
	withNodesOn(t, 3, open, func(t *testing.T, n *nodes) {
		var writing sync.WaitGroup
		stop := func() {}
		setWriter := func(i int) {
			stop()
			writing.Wait()
			if err := n.list[i].world.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			stop = cancel
			writing.Go(func() { shared[i].Write(ctx, engine, n.list[i].world.Pipeline.Barrier) })
			synctest.Wait()
		}
		defer func() { stop(); writing.Wait() }()
		ingest := func(guid, contents string) {
			t.Helper()
			var all sync.WaitGroup
			for _, o := range n.list { // nodes that do not write wait for the one that does
				all.Go(func() { o.append(t, journal.Entry{Posts: []earshot.Post{post(guid, contents)}}) })
			}
			all.Wait()
		}
		settle := func() { time.Sleep(time.Minute); synctest.Wait() }
		setWriter(1)
		n.createOpinion(t, 2)
		settle()
		ingest("1", "the machine has a smooth flavour")
		n.list[0].trainBoth(t)
		settle()
		n.wantCounts(t, "new monitor", 1, 1)
		n.wantAssigned(t, "a model of node 0", 1, 0)
		for i, o := range n.list {
			if got := o.Progress(1).State; got != rematch.Done {
				t.Errorf("node %d: got state %s, want done", i, got)
			}
		}
		setWriter(2)
		n.list[0].change(t, 1, func(m *earshot.Monitor) {
			m.Filters = []earshot.Filter{{ID: 7, Criteria: earshot.Criteria{Keywords: "flavour"}}}
			m.RequestRematch(earshot.Date{})
		})
		settle()
		n.wantCounts(t, "new filter", 7, 1)
		if err := n.list[1].Reinfer(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		settle()
		n.wantAssigned(t, "after the models ran again", 1, 0)
		for i, o := range n.list {
			versions, _ := o.inferred(t)
			for _, v := range versions {
				if v != enrich.ModelVersion(1) {
					t.Errorf("node %d has a post with version %d, want %d", i, v, enrich.ModelVersion(1))
				}
			}
			if got := o.ReinferProgress().State; got != rematch.Done {
				t.Errorf("node %d: got state %s, want done", i, got)
			}
		}
	})
}
