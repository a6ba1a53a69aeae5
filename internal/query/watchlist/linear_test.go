package watchlist

import (
	"slices"

	"earshot"
	"earshot/internal/query"
)

// A linearList is the reference for List: a loop over all monitors.
type linearList []entry

func newLinearList(monitors []*earshot.Monitor, at earshot.Position) linearList {
	var l linearList
	f := newFrequencySketch()
	for _, m := range monitors {
		if !m.Watches(at) {
			continue
		}
		if e, ok, _ := newEntry(m, f); ok {
			l = append(l, e)
		}
	}
	return l
}

func (l linearList) match(d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	start := len(into)
	for i := range l {
		into = l[i].match(d, into)
	}
	slices.Sort(into[start:])
	return into
}
