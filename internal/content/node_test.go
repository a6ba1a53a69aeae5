package content_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// newNodes returns services with their own views of one catalog, and one journal.
func newNodes(t *testing.T, count int) []*world {
	t.Helper()
	records, log, journal := kv.NewMemory(), slog.New(slog.DiscardHandler), &ledger{}
	var nodes []*world
	for range count {
		c, err := catalog.Open(t.Context(), records, log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		w := &world{ledger: journal, caller: earshot.NewCaller(&earshot.User{Teams: []earshot.TeamID{1}})}
		w.Service = &content.Service{Catalog: c, Journal: w.ledger, Store: memory.New(), Now: func() time.Time { return noon }, Shared: true}
		nodes = append(nodes, w)
	}
	first := nodes[0]
	if err := first.Catalog.Teams.Add(t.Context(), 1, &earshot.Team{ID: 1, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	source, err := first.AddSource(t.Context(), first.caller, earshot.ContentSource{Team: 1, Name: "Survey"})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range nodes {
		w.source = source
		if _, err := w.Catalog.Teams.Refresh(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Catalog.Sources.Refresh(t.Context(), source.ID); err != nil {
			t.Fatal(err)
		}
	}
	return nodes
}

// TestUploadToSourceThatAnotherNodeRemoves removes a source on one node immediately before another one
// writes documents to it, so that it has not heard of the removal.
func TestUploadToSourceThatAnotherNodeRemoves(t *testing.T) {
	nodes := newNodes(t, 2)
	journal := nodes[0].ledger
	journal.before = func() {
		journal.mu.Unlock()
		defer journal.mu.Lock()
		if err := nodes[1].RemoveSource(context.Background(), nodes[1].caller, nodes[1].source.ID); err != nil {
			t.Error(err)
		}
	}
	if _, err := nodes[0].upload(document("1")); !earshot.IsKind(err, earshot.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	last := journal.entries[len(journal.entries)-1]
	if last.Deletion == nil || last.Deletion.ContentSource != nodes[0].source.ID {
		t.Errorf("the last entry is %+v, want a deletion of the source's documents", last)
	}
}

// TestAllNodesFinishRemovals has nodes start at the same time after a removal was interrupted.
func TestAllNodesFinishRemovals(t *testing.T) {
	nodes := newNodes(t, 3)
	_, err := nodes[0].Catalog.Sources.Update(t.Context(), nodes[0].source.ID, func(src *earshot.ContentSource) error {
		src.Removed = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for _, w := range nodes {
		if _, err := w.Catalog.Sources.Refresh(t.Context(), w.source.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range nodes {
		go func() { errs <- w.FinishRemovals(context.Background()) }()
	}
	for range nodes {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for _, e := range nodes[0].ledger.entries {
		if e.Deletion == nil || e.Deletion.ContentSource != nodes[0].source.ID {
			t.Errorf("got entry %+v, want only deletions", e)
		}
	}
	if _, err := nodes[2].AddSource(t.Context(), nodes[2].caller, earshot.ContentSource{Team: 1, Name: "Survey"}); err != nil {
		t.Errorf("the name is still taken: %v", err)
	}
}
