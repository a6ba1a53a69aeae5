package pipeline

import (
	"log/slog"
	"testing"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// TestWatchlistOfEarlierEntry goes back in the journal to a position at which a monitor was still
// enabled.
func TestWatchlistOfEarlierEntry(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(t.Context(), kv.NewMemory(), log)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Monitors.Add(t.Context(), 1, &earshot.Monitor{ID: 1, DisabledAt: 5, Criteria: earshot.Criteria{Keywords: "coffee"}}); err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{Catalog: c, Log: log}
	d := query.NewDocument(&earshot.Post{Contents: "coffee"})
	for _, step := range []struct {
		at   earshot.Position
		want int
	}{{3, 1}, {5, 1}, {6, 0}, {7, 0}, {4, 1}, {5, 1}, {6, 0}} {
		if got := listAt(p, step.at).Match(d, nil); len(got) != step.want {
			t.Errorf("entry %d: got %v, want %d monitors", step.at, got, step.want)
		}
	}
	if listAt(p, 8) != listAt(p, 9) {
		t.Error("watchlist was rebuilt although no monitor changed")
	}
}

func listAt(p *Pipeline, at earshot.Position) *watchlist.List {
	list, _ := p.watchlist(at)
	return list
}
