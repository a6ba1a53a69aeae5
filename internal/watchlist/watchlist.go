// Package watchlist knows all monitors that watch, compiled, and answers one
// question: which of them, and which of their filters, does a post match?
// Criteria are compiled once into a Condition; a List is a snapshot of all of
// them, replaced as a whole when monitors change.
package watchlist

import (
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/query"
)

// A List is the monitors that posts are matched against. It is immutable and
// safe for parallel use.
type List struct {
	entries []entry
}

// An entry is a monitor and its filters.
type entry struct {
	id        earshot.MonitorID
	condition *Condition
	filters   []filter
}

// A filter holds its own condition only: it is asked where its monitor matched.
type filter struct {
	id        earshot.MonitorID
	condition *Condition
}

// New compiles the monitors that watch the posts of a journal entry. One that does
// not compile, or a filter of one, is left out and reported; the others work.
func New(monitors []*earshot.Monitor, at earshot.Position) (*List, []error) {
	var l List
	var errs []error
	for _, m := range monitors {
		if !m.Watches(at) {
			continue
		}
		e, failed := newEntry(m)
		errs = append(errs, failed...)
		if e != nil {
			l.entries = append(l.entries, *e)
		}
	}
	return &l, errs
}

// newEntry compiles a monitor and its filters. It returns nil when the monitor
// itself does not compile.
func newEntry(m *earshot.Monitor) (*entry, []error) {
	condition, err := CompileMonitor(m)
	if err != nil {
		return nil, []error{fmt.Errorf("compile monitor %d: %w", m.ID, err)}
	}
	e := &entry{id: m.ID, condition: condition}
	var errs []error
	for _, f := range m.Filters {
		condition, err := Compile(m.Team, f.Criteria)
		if err != nil {
			errs = append(errs, fmt.Errorf("compile filter %d of monitor %d: %w", f.ID, m.ID, err))
			continue
		}
		e.filters = append(e.filters, filter{f.ID, condition})
	}
	return e, errs
}

// Match appends the ids of the monitors that d matches, and of their filters
// that it matches too, and returns the extended slice. The new ids are ascending.
func (l *List) Match(d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	start := len(into)
	for i := range l.entries {
		into = l.entries[i].match(d, into)
	}
	slices.Sort(into[start:])
	return into
}

// match appends the monitor and its filters, as far as d matches them.
func (e *entry) match(d *query.Document, into []earshot.MonitorID) []earshot.MonitorID {
	if !e.condition.Match(d) {
		return into
	}
	into = append(into, e.id)
	for _, f := range e.filters {
		if f.condition.Match(d) {
			into = append(into, f.id)
		}
	}
	return into
}
