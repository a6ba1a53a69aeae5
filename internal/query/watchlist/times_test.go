package watchlist

import (
	"testing"

	"earshot"
	"earshot/internal/query"
)

// TestTimes checks that the monitors that are checked get a time, which survives changes of other
// monitors, and that the others do not.
func TestTimes(t *testing.T) {
	checked := &earshot.Monitor{ID: 1, Enabled: true, Criteria: keywords("coffee AND NOT tea")}
	unchecked := &earshot.Monitor{ID: 2, Enabled: true, Criteria: keywords("juice")}
	l, errs := New([]*earshot.Monitor{checked, unchecked}, 1)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	d := query.NewDocument(&earshot.Post{Contents: "coffee"})
	for range 100 * timedInterval {
		l.Match(d, nil)
	}
	before := l.Times()
	if before[1] <= 0 || len(before) != 1 {
		t.Fatalf("got %v, want a time of monitor 1 only", before)
	}
	l, _ = l.With([]*earshot.Monitor{unchecked}, nil, 1)
	if after := l.Times(); after[1] != before[1] {
		t.Errorf("got %v after a change of another monitor, want %v", after, before)
	}
	l, _ = l.With([]*earshot.Monitor{checked}, nil, 1)
	if after := l.Times(); len(after) > 0 {
		t.Errorf("got %v after the monitor was changed, want none", after)
	}
}
