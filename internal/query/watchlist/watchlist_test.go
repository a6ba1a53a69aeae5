package watchlist

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/query"
)

func keywords(text string) earshot.Criteria { return earshot.Criteria{Keywords: text} }

func TestList(t *testing.T) {
	l, errs := New([]*earshot.Monitor{
		{ID: 30, Enabled: true, Criteria: keywords("apple"), Filters: []earshot.Filter{
			{ID: 31, Criteria: keywords("pie")},
			{ID: 5, Criteria: keywords("apple")},
			{ID: 32, Criteria: keywords("(")},
		}},
		{ID: 10, Enabled: true, Criteria: keywords("pie")},
		{ID: 11, Enabled: false, Criteria: keywords("pie")},
		{ID: 12, Enabled: true, Removed: true, Criteria: keywords("pie")},
		{ID: 13, Enabled: true, Criteria: keywords("pie AND"), Filters: []earshot.Filter{{ID: 14}}},
		{ID: 20, Enabled: true, Team: 2},
	}, 1)

	wantErrs := []string{
		"compile filter 32 of monitor 30: Invalid keywords at position 1: unclosed parenthesis opened at 1",
		"compile monitor 13: Invalid keywords at position 8: expected a word, a phrase or ( after AND, found the end",
	}
	if got := fmt.Sprint(errs); got != fmt.Sprint(wantErrs) {
		t.Errorf("errors:\n got %s\nwant %s", got, wantErrs)
	}
	tests := []struct {
		name string
		post earshot.Post
		want []earshot.MonitorID
	}{
		{"a monitor and its filters, in order", earshot.Post{Contents: "apple pie"}, []earshot.MonitorID{99, 5, 10, 20, 30, 31}},
		{"a filter does not match if its monitor does not", earshot.Post{Contents: "pie"}, []earshot.MonitorID{99, 10, 20}},
		{"a monitor but not its filter", earshot.Post{Contents: "apple"}, []earshot.MonitorID{99, 5, 20, 30}},
		{"only the team's monitors see its posts", earshot.Post{Team: 2, Contents: "pie"}, []earshot.MonitorID{99, 20}},
		{"a post that no monitor watches", earshot.Post{Team: 3, Contents: "pie"}, []earshot.MonitorID{99}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := l.Match(query.NewDocument(&tt.post), []earshot.MonitorID{99})
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestListIsSafeForConcurrentUse(t *testing.T) {
	l, _ := New([]*earshot.Monitor{{ID: 1, Enabled: true, Criteria: keywords(`"apple pie"`)}}, 1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			d := query.NewDocument(&earshot.Post{})
			for range 100 {
				d.Reset(&earshot.Post{Contents: "an apple pie"})
				if got := l.Match(d, nil); !slices.Equal(got, []earshot.MonitorID{1}) {
					t.Errorf("got %v, want [1]", got)
				}
			}
		})
	}
	wg.Wait()
}

func TestDisabledMonitorWatchesEarlierEntries(t *testing.T) {
	monitors := []*earshot.Monitor{{ID: 1, DisabledAt: 5, Criteria: keywords("pie")}}
	for at, want := range map[earshot.Position]int{4: 1, 5: 1, 6: 0} {
		l, _ := New(monitors, at)
		if got := l.Match(query.NewDocument(&earshot.Post{Contents: "pie"}), nil); len(got) != want {
			t.Errorf("entry %d: got %v, want %d monitors", at, got, want)
		}
	}
}
