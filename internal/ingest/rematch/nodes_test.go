package rematch_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/ingest/rematch"
	"earshot/internal/poststore"
	journalmemory "earshot/internal/state/journal/memory"
	"earshot/internal/state/kv"
)

// TestNodesEndUpEqual lets two nodes with stores of their own follow one journal, while posts arrive and
// monitors change on both, stores fail and nodes crash. In the end both must have the same posts in
// every set, and the same counts by every dimension.
func TestNodesEndUpEqual(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runNodes(t, seed) })
		})
	}
}

func runNodes(t *testing.T, seed uint64) {
	records, entries := kv.NewMemory(), journalmemory.New()
	var nodes []*seam
	var appender atomic.Int32 // index of the node that appends
	entries.CatalogRevision = func() uint64 { return nodes[appender.Load()].Catalog.Known() }
	for i := range uint64(2) {
		n := newSeamOn(t, 2*seed+i, records, entries)
		n.options = func(o *rematch.Options) { o.Shared = true }
		n.restart(t, n.store)
		n.service.Rematcher = n.Service
		nodes = append(nodes, n)
	}
	if err := nodes[0].Catalog.Teams.Add(t.Context(), firstTeam, &earshot.Team{ID: firstTeam, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	for round := range rounds {
		var busy sync.WaitGroup
		appender.Store(int32(round % len(nodes)))
		busy.Go(nodes[round%len(nodes)].feed)
		for _, n := range nodes {
			busy.Go(func() {
				for range changes {
					n.change()
				}
			})
		}
		busy.Wait()
		crashed := nodes[round/2%len(nodes)]
		crashed.restart(t, crashed.store)
		crashed.service.Rematcher = crashed.Service
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	wantEqual(t, nodes[0], nodes[1])
}

// wantEqual compares the posts of all monitors since their starts. Earlier ones are not shown.
func wantEqual(t *testing.T, a, b *seam) {
	t.Helper()
	selections := []poststore.Selection{{}}
	for _, m := range a.Catalog.Monitors.List() {
		from := m.Start.Start(time.UTC)
		if m.Removed {
			from = time.Time{}
		}
		ids := []earshot.MonitorID{m.ID}
		for _, f := range m.Filters {
			ids = append(ids, f.ID)
		}
		for _, id := range ids {
			selections = append(selections, poststore.Selection{Set: poststore.MonitorSet(id), From: from}, poststore.Selection{Set: poststore.OwnSet(id), From: from})
		}
	}
	tallies := []poststore.Tally{{}}
	for _, dim := range poststore.Dims {
		tallies = append(tallies, poststore.Tally{By: []poststore.Dim{dim}})
	}
	found := 0
	for _, of := range selections {
		for _, tally := range tallies {
			if got, want := count(t, a, of, tally), count(t, b, of, tally); !slices.Equal(got, want) {
				t.Errorf("set %d from %v by %v: one node counts\n%v\nthe other\n%v", of.Set, of.From, tally.By, got, want)
			}
		}
		got, want := list(t, a, of), list(t, b, of)
		if !slices.Equal(got, want) {
			t.Errorf("set %d from %v: one node has\n%v\nthe other\n%v", of.Set, of.From, got, want)
		}
		if of.Set != 0 {
			found += len(want)
		}
	}
	if found == 0 {
		t.Error("no monitor has posts, so nothing was tested")
	}
}

// count returns the rows of a tally, sorted.
func count(t *testing.T, s *seam, of poststore.Selection, tally poststore.Tally) (rows []string) {
	t.Helper()
	counted, err := poststore.TallyOne(t.Context(), s.store, of, tally)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range counted {
		rows = append(rows, fmt.Sprintf("%+v", r))
	}
	slices.Sort(rows)
	return rows
}

func list(t *testing.T, s *seam, of poststore.Selection) (guids []string) {
	t.Helper()
	posts, _, err := s.store.Posts(t.Context(), of, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range posts {
		guids = append(guids, p.GUID+" "+p.Contents)
	}
	return guids
}
