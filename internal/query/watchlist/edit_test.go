package watchlist

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func matches(l *List, contents string) []earshot.MonitorID {
	return l.Match(query.NewDocument(&earshot.Post{Contents: contents}), nil)
}

func watching(id earshot.MonitorID, query string) *earshot.Monitor {
	return &earshot.Monitor{ID: id, Enabled: true, Criteria: keywords(query)}
}

func TestWith(t *testing.T) {
	first, _ := New([]*earshot.Monitor{watching(1, "apple"), watching(2, "apple"), watching(3, "pie")}, 1)
	second, errs := first.With([]*earshot.Monitor{watching(2, "pie"), watching(4, "pie"), watching(3, "pie AND"), watching(5, "tart"), watching(5, "pie")},
		[]earshot.MonitorID{1, 1, 99}, 1)

	if got, want := fmt.Sprint(errs), "[compile monitor 3: Invalid keywords at position 8: expected a word, a phrase or ( after AND, found the end]"; got != want {
		t.Errorf("errors: got %s, want %s", got, want)
	}
	tests := []struct {
		name string
		list *List
		post string
		want []earshot.MonitorID
	}{
		{"the old list is unchanged", first, "apple pie tart", []earshot.MonitorID{1, 2, 3}},
		{"removed monitors and old queries do not match", second, "apple tart", nil},
		{"changed and new monitors match, with the last of two that share an id", second, "pie", []earshot.MonitorID{2, 4, 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := matches(tt.list, tt.post); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	check(t, second)
}

func TestExpiredMonitorsAreRemoved(t *testing.T) {
	stops := func(id earshot.MonitorID, at earshot.Position) *earshot.Monitor {
		return &earshot.Monitor{ID: id, DisabledAt: at, Criteria: keywords("pie")}
	}
	l, _ := New([]*earshot.Monitor{watching(1, "pie"), stops(2, 9), stops(3, 5), stops(4, 2)}, 3)
	steps := []struct {
		at      earshot.Position
		changed []*earshot.Monitor
		want    []earshot.MonitorID
		validTo earshot.Position
	}{
		{3, nil, []earshot.MonitorID{1, 2, 3}, 5},
		{5, nil, []earshot.MonitorID{1, 2, 3}, 5},
		{6, nil, []earshot.MonitorID{1, 2}, 9},
		{7, []*earshot.Monitor{watching(2, "pie"), stops(1, 8), stops(5, 6)}, []earshot.MonitorID{1, 2}, 8},
		{9, nil, []earshot.MonitorID{2}, earshot.EndOfJournal},
	}
	for _, step := range steps {
		l, _ = l.With(step.changed, nil, step.at)
		if got := matches(l, "pie"); !slices.Equal(got, step.want) || l.ValidTo() != step.validTo {
			t.Errorf("entry %d: got %v up to %d, want %v up to %d", step.at, got, l.ValidTo(), step.want, step.validTo)
		}
		check(t, l)
	}
}

// TestOldListsMatchDuringEdits is for the race detector: memory that a new list shares with
// an old one must not be written.
func TestOldListsMatchDuringEdits(t *testing.T) {
	const n = 3 * chunkSize // so that the postings of one word fill several chunks
	const other = 10 * n
	var monitors []*earshot.Monitor
	for id := range earshot.MonitorID(n) {
		monitors = append(monitors, watching(id+1, "pie"))
	}
	l, _ := New(monitors, 1)
	var wait sync.WaitGroup
	for range 20 {
		old, want := l, len(matches(l, "pie"))
		wait.Go(func() {
			d := query.NewDocument(&earshot.Post{Contents: "apple pie"})
			for range 20 {
				if got := len(old.Match(d, nil)); got != want {
					t.Errorf("got %d matches, want %d", got, want)
				}
			}
		})
		wait.Go(func() { // another list derived from the same one
			branch, _ := old.With([]*earshot.Monitor{watching(1, "tart"), watching(other, "pie")}, []earshot.MonitorID{3}, 1)
			if got := len(matches(branch.Reindex(n), "pie")); got != want-1 {
				t.Errorf("another list derived from it: got %d matches, want %d", got, want-1)
			}
		})
		id := earshot.MonitorID(len(monitors) + 1)
		monitors = append(monitors, watching(id, "pie"))
		l, _ = l.With([]*earshot.Monitor{watching(2, "pie"), watching(other, "tart"), monitors[id-1]}, nil, 1)
	}
	wait.Wait()
}
