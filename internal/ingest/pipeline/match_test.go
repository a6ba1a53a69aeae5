package pipeline

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
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

// TestMatchesDoesNotDisturbIngestion matches posts that are not in the journal yet while the pipeline
// is at an earlier entry.
func TestMatchesDoesNotDisturbIngestion(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(t.Context(), kv.NewMemory(), log)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	add := func(id earshot.MonitorID, m earshot.Monitor) {
		t.Helper()
		m.ID = id
		if err := c.Monitors.Add(t.Context(), id, &m); err != nil {
			t.Fatal(err)
		}
	}
	add(1, earshot.Monitor{DisabledAt: 5, Criteria: earshot.Criteria{Keywords: "coffee"}})
	add(2, earshot.Monitor{Enabled: true, Criteria: earshot.Criteria{Keywords: "#tea"}})
	p := &Pipeline{Catalog: c, Log: log, Enrich: enrich.Facts()}
	posts := make([]earshot.Post, 200)
	for i := range posts {
		posts[i].Contents = []string{"water", "some #tea", "a cup of juice"}[i%3]
	}
	want := func(juice bool) {
		t.Helper()
		got := p.Matches(t.Context(), posts)
		for i := range posts {
			if got[i] != (i%3 == 1 || juice && i%3 == 2) {
				t.Fatalf("%s: got %v", posts[i].Contents, got[i])
			}
			if posts[i].Hashtags != nil {
				t.Fatal("Matches changed a post")
			}
		}
	}
	want(false)
	early := listAt(p, 4)
	want(false)
	if listAt(p, 4) != early {
		t.Error("the watchlist was compiled again")
	}
	add(3, earshot.Monitor{Enabled: true, Criteria: earshot.Criteria{Keywords: "juice"}})
	want(true)
	if got := listAt(p, 4).Match(query.NewDocument(&earshot.Post{Contents: "coffee"}), nil); len(got) != 1 {
		t.Errorf("an entry before the monitor was disabled: got %v, want the monitor", got)
	}
	listAt(p, 9)
	want(true)
}

// BenchmarkMatches measures how many posts a second a live source can select.
func BenchmarkMatches(b *testing.B) {
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.Open(b.Context(), kv.NewMemory(), log)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for i := range earshot.MonitorID(100) {
		m := &earshot.Monitor{ID: i + 1, Enabled: true, Criteria: earshot.Criteria{Keywords: fmt.Sprintf(`(brand%d OR "product %d") AND NOT spam`, i, i)}}
		if err := c.Monitors.Add(b.Context(), m.ID, m); err != nil {
			b.Fatal(err)
		}
	}
	p := &Pipeline{Catalog: c, Log: log, Enrich: enrich.New()}
	posts := make([]earshot.Post, 1000)
	for i := range posts {
		posts[i] = earshot.Post{Source: earshot.Bluesky, GUID: fmt.Sprint(i), Time: time.Now(),
			Contents: fmt.Sprintf("I had a wonderful morning in the park with my friends, we talked about movie %d and brand%d. #weekend", i, i*7)}
	}
	for b.Loop() {
		p.Matches(b.Context(), posts)
	}
	b.ReportMetric(float64(len(posts)*b.N)/b.Elapsed().Seconds(), "posts/s")
}

func listAt(p *Pipeline, at earshot.Position) *watchlist.List {
	list, _ := p.watchlist(at)
	return list
}
