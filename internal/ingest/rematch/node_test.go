package rematch_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/pipeline"
	"earshot/internal/ingest/rematch"
	"earshot/internal/model/enrich"
	"earshot/internal/model/training"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/poststore/singlewriter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
)

// nodes are processes with their own stores and views of one catalog.
type nodes struct {
	list []*opinionWorld
	role context.CancelFunc // ends the role of the node that fits models
	done sync.WaitGroup
}

// withNodes runs a test with some nodes in a synctest bubble. The first one fits models.
func withNodes(t *testing.T, count int, test func(t *testing.T, n *nodes)) {
	t.Helper()
	withNodesOn(t, count, func() poststore.Store { return memory.New() }, test)
}

// withNodesOn is withNodes for nodes with some stores.
func withNodesOn(t *testing.T, count int, store func() poststore.Store, test func(t *testing.T, n *nodes)) {
	warm := newOpinionWorld(t, memory.New())
	warm.train(t, taste, "warm", "smooth flavour")
	warm.crash()
	synctest.Test(t, func(t *testing.T) {
		records := kv.NewMemory()
		n := &nodes{}
		for range count {
			n.list = append(n.list, n.open(t, records, store()))
		}
		n.setTrainer(0)
		defer func() {
			n.role()
			n.done.Wait()
		}()
		test(t, n)
	})
}

func (n *nodes) open(t *testing.T, records kv.Store, store poststore.Store) *opinionWorld {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(t.Context(), records, log)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Pipeline: &pipeline.Pipeline{Journal: journalmemory.New(), Enrich: enrich.New(), Catalog: c, Log: log}}
	o := &opinionWorld{world: w, monitor: 1, caller: earshot.NewCaller(&earshot.User{Username: "ann", Permissions: []earshot.Permission{earshot.AdminPermission}})}
	o.Service = &training.Service{Catalog: c, Enrich: func([]earshot.Post) {}, Log: log, Now: time.Now}
	w.options = func(options *rematch.Options) {
		options.Shared = true
		options.Others = func(_ context.Context, id earshot.MonitorID) (used []int64) {
			for _, other := range n.list {
				if other != o {
					used = append(used, other.world.InUse(id))
				}
			}
			return used
		}
	}
	if shared, ok := store.(*singlewriter.Store); ok {
		options := w.options
		w.options = func(o *rematch.Options) {
			options(o)
			o.Writes = shared.Writes
		}
	}
	w.open(t, &hooked{Store: store}, o.Service)
	t.Cleanup(func() {
		w.crash()
		c.Close()
	})
	return o
}

// setTrainer moves the role to a node.
func (n *nodes) setTrainer(i int) {
	if n.role != nil {
		n.role()
		n.done.Wait()
	}
	ctx, stop := context.WithCancel(context.Background())
	n.role = stop
	n.done.Go(func() { n.list[i].world.RunTraining(ctx) })
}

// ingest stores a post on all nodes.
func (n *nodes) ingest(t *testing.T, guid, contents string) {
	t.Helper()
	for _, o := range n.list {
		o.append(t, journal.Entry{Posts: []earshot.Post{post(guid, contents)}})
	}
	synctest.Wait()
}

// wantCounts checks the number of posts in a set on all nodes.
func (n *nodes) wantCounts(t *testing.T, when string, set poststore.SetID, want int64) {
	t.Helper()
	synctest.Wait()
	for i, o := range n.list {
		if got := o.count(t, set); got != want {
			t.Errorf("%s: set %d has %d posts on node %d, want %d", when, set, got, i, want)
		}
	}
}

// createOpinion creates the opinion monitor on a node.
func (n *nodes) createOpinion(t *testing.T, node int) {
	t.Helper()
	w := n.list[node].world
	w.create(t, 1, "machine")
	w.change(t, 1, func(m *earshot.Monitor) {
		m.Type = earshot.Opinion
		m.Categories = []earshot.Category{{ID: taste, Name: "Taste"}, {ID: price, Name: "Price"}}
	})
	synctest.Wait()
}

func (n *nodes) wantAssigned(t *testing.T, when string, ofTaste, ofPrice int64) {
	t.Helper()
	for i, o := range n.list {
		o.wantAssigned(t, fmt.Sprintf("%s, node %d", when, i), ofTaste, ofPrice)
	}
}

func TestEveryNodeRematches(t *testing.T) {
	withNodes(t, 3, func(t *testing.T, n *nodes) {
		n.ingest(t, "a", "coffee")
		n.ingest(t, "b", "tea")
		n.list[0].create(t, 1, "coffee") // no node is asked to rematch
		n.wantCounts(t, "new monitor", 1, 1)
		n.list[1].change(t, 1, func(m *earshot.Monitor) {
			m.Criteria.Keywords = "coffee OR tea"
			m.Filters = []earshot.Filter{{ID: 7, Criteria: earshot.Criteria{Keywords: "tea"}}}
			m.RequestRematch(earshot.Date{})
		})
		n.wantCounts(t, "changed monitor", 1, 2)
		n.wantCounts(t, "new filter", 7, 1)
		n.list[2].change(t, 1, func(m *earshot.Monitor) { m.Filters = nil })
		n.wantCounts(t, "removed filter", 7, 0)
		n.list[2].change(t, 1, func(m *earshot.Monitor) { m.Removed, m.Enabled = true, false })
		n.wantCounts(t, "removed monitor", 1, 0)
	})
}

func TestRemovedMonitorThatWasNeverRematchedLosesItsPosts(t *testing.T) {
	withNodes(t, 2, func(t *testing.T, n *nodes) {
		n.list[0].world.monitor(t, 1, "coffee") // generation 0
		synctest.Wait()
		n.ingest(t, "a", "coffee")
		n.wantCounts(t, "matched on ingest", 1, 1)
		n.list[0].change(t, 1, func(m *earshot.Monitor) { m.Removed = true })
		n.wantCounts(t, "removed", 1, 0)
	})
}

func TestRequestWaitsForTheRematchOfItsNode(t *testing.T) {
	withNodes(t, 2, func(t *testing.T, n *nodes) {
		n.ingest(t, "a", "coffee")
		proceed := make(chan struct{})
		n.list[1].world.store.(*hooked).before = func(ctx context.Context, _ int, _ poststore.Rematch) error {
			select {
			case <-proceed:
			case <-ctx.Done():
			}
			return ctx.Err()
		}
		n.list[1].create(t, 1, "coffee")
		done := n.list[1].Rematch(1)
		synctest.Wait()
		if got := n.list[0].count(t, 1); got != 1 {
			t.Errorf("got %d posts on the other node, want 1", got)
		}
		select {
		case <-done:
			t.Error("the request returned before its node had rematched")
		default:
		}
		close(proceed)
		<-done
		n.wantCounts(t, "afterward", 1, 1)
	})
}

func TestOneNodeFitsModels(t *testing.T) {
	withNodes(t, 3, func(t *testing.T, n *nodes) {
		n.createOpinion(t, 0)
		n.ingest(t, "1", "the machine has a smooth flavour")
		n.ingest(t, "2", "an expensive machine")
		n.list[1].trainBoth(t) // waits for the model of node 0
		n.wantAssigned(t, "trained on another node", 1, 1)
		record := n.list[0].training(t).Model.Record
		for i, o := range n.list {
			if got := o.training(t).Model.Record; got != record || o.world.InUse(1) != record {
				t.Errorf("node %d has model %d and uses %d, want %d", i, got, o.world.InUse(1), record)
			}
			if got := o.Progress(1).State; got != rematch.Done {
				t.Errorf("node %d: got state %s, want done", i, got)
			}
		}
		// Another node takes over.
		n.role()
		n.done.Wait()
		n.list[1].train(t, price, "taste", "smooth flavour and rich aroma")
		n.list[2].train(t, taste, "price", "expensive and costs dollars")
		synctest.Wait()
		if got := n.list[1].Progress(1); got.State != rematch.Waiting || got.Message != "Waiting for another node to train the model" {
			t.Errorf("without a node that fits models: got %+v", got)
		}
		n.wantAssigned(t, "old model", 1, 1)
		n.setTrainer(2)
		n.wantAssigned(t, "new model", 1, 1)
		if n.list[0].training(t).Model.Record == record {
			t.Error("there is no new model")
		}
	})
}

// TestNodeUsesAModelThatComesDuringARun trains a model while the job of another node runs.
func TestNodeUsesAModelThatComesDuringARun(t *testing.T) {
	withNodes(t, 2, func(t *testing.T, n *nodes) {
		n.createOpinion(t, 0)
		n.ingest(t, "1", "the machine has a smooth flavour")
		n.list[0].trainBoth(t)
		n.wantAssigned(t, "first", 1, 0)
		old := n.list[0].training(t).Model
		n.role()
		n.done.Wait()
		n.list[0].train(t, price, "taste", "smooth flavour and rich aroma")
		n.list[0].train(t, taste, "price", "expensive and costs dollars")
		synctest.Wait() // both nodes wait for a model
		proceed := make(chan struct{})
		n.list[1].world.store.(*hooked).before = func(context.Context, int, poststore.Rematch) error {
			<-proceed
			return nil
		}
		n.list[0].change(t, 1, func(m *earshot.Monitor) { m.RequestRematch(earshot.Date{}) })
		synctest.Wait()
		n.setTrainer(0)
		n.list[0].wantAssigned(t, "node with the role", 0, 1)
		n.list[1].wantAssigned(t, "node with a running job", 1, 0)
		close(proceed)
		n.wantAssigned(t, "afterward", 0, 1)
		if got := n.list[1].world.InUse(1); got == old.Record {
			t.Errorf("the node still uses model %d", got)
		}
	})
}

func TestModelsAreKeptUntilAllNodesHaveCategorized(t *testing.T) {
	withNodes(t, 2, func(t *testing.T, n *nodes) {
		n.createOpinion(t, 0)
		n.ingest(t, "1", "the machine has a smooth flavour")
		n.list[0].trainBoth(t)
		n.wantAssigned(t, "first", 1, 0)
		old := n.list[0].training(t).Model
		n.list[1].world.store.(*hooked).before = untilCanceled
		n.list[0].train(t, price, "taste", "smooth flavour and rich aroma")
		n.list[0].train(t, taste, "price", "expensive and costs dollars")
		time.Sleep(20 * time.Second)
		n.list[0].wantAssigned(t, "node that has categorized", 0, 1)
		n.list[1].wantAssigned(t, "node that has not", 1, 0)
		if got := n.list[0].training(t).Previous; got != old {
			t.Errorf("got previous model %+v, want %+v", got, old)
		}
		n.list[1].world.store.(*hooked).before = nil
		n.list[1].change(t, 1, func(m *earshot.Monitor) { m.RequestRematch(earshot.Date{}) })
		time.Sleep(20 * time.Second)
		n.wantAssigned(t, "afterward", 0, 1)
		if got := n.list[0].training(t); got.Previous.Record != 0 || got.Model.Changes != got.Changes {
			t.Errorf("afterward: got %+v", got)
		}
		n.list[1].change(t, 1, func(m *earshot.Monitor) { m.Removed, m.Enabled = true, false })
		time.Sleep(20 * time.Second)
		if got := n.list[0].training(t); got != (earshot.Training{}) {
			t.Errorf("removed monitor: got %+v", got)
		}
		if got := n.list[0].world.Catalog.ListBlobs(); len(got) > 0 {
			t.Errorf("removed monitor: blobs %v are left", got)
		}
	})
}

func TestEveryNodeReinfers(t *testing.T) {
	guessed := post("guessed", "The weather in London is very nice today, we like it a lot")
	guessed.Language, guessed.Inferred = "fr", earshot.InferredLanguage
	withNodes(t, 3, func(t *testing.T, n *nodes) {
		n.createOpinion(t, 0)
		n.ingest(t, "1", "the machine has a smooth flavour")
		n.list[0].trainBoth(t)
		n.wantAssigned(t, "before", 1, 0)
		record := n.list[0].training(t).Model.Record
		if err := n.list[1].Reinfer(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		n.wantAssigned(t, "afterward", 1, 0)
		for i, o := range n.list {
			versions, _ := o.inferred(t)
			for _, v := range versions {
				if v != enrich.ModelVersion(1) {
					t.Errorf("node %d has a post with version %d, want %d", i, v, enrich.ModelVersion(1))
				}
			}
			if o.world.Enrich.ModelVersion() != enrich.ModelVersion(1) {
				t.Errorf("node %d enriches new posts with version %d", i, o.world.Enrich.ModelVersion())
			}
			if got := o.ReinferProgress().State; got != rematch.Done {
				t.Errorf("node %d: got state %s, want done", i, got)
			}
			if got := o.training(t).Model.Record; got == record || o.world.InUse(1) != got {
				t.Errorf("node %d has model %d and uses %d, want a new one", i, got, o.world.InUse(1))
			}
		}
		models, err := n.list[0].world.Catalog.Models(t.Context())
		if err != nil || models.Done != models.Wanted {
			t.Errorf("got models %+v and error %v", models, err)
		}
		// A node that was down has its own work to do, even though the others are done.
		if err := n.list[2].Reinfer(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		n.list[2].crash()
		late := &hooked{Store: memory.New()}
		outdated(t, late, guessed)
		n.list[2].open(t, late, n.list[2].Service)
		synctest.Wait()
		if versions, languages := n.list[2].inferred(t); versions[0] != enrich.ModelVersion(1) || languages[0] != "en" {
			t.Errorf("late node: got versions %v and languages %v", versions, languages)
		}
		n.list[2].crash()
		n.list[2].open(t, late, n.list[2].Service)
		synctest.Wait()
		if got := n.list[2].ReinferProgress().State; got != rematch.Idle {
			t.Errorf("after a restart: got state %s, want idle", got)
		}
	})
}
