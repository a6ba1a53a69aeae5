package watchlist

import (
	"fmt"
	"sync/atomic"

	"earshot"
	"earshot/internal/query"
)

// An entry is a monitor and its filters. It is immutable.
type entry struct {
	id         earshot.MonitorID
	condition  Condition
	filters    []filterEntry
	*entryMeta // nil if the slot is free
}

// An entryMeta is the part of an entry that matching does not need. It is separate so that entries
// are small.
type entryMeta struct {
	lastPosition earshot.Position // the last journal entry that the monitor watches
	indexTerms
	spent *atomic.Int64 // estimated nanoseconds of matching; see [List.Times]
}

// A filterEntry contains only the filter's own condition, because it is checked only if its monitor
// matches.
type filterEntry struct {
	id        earshot.MonitorID
	condition *Condition
}

// newEntry compiles a monitor and its filters. It omits filters that do not compile. ok is false if
// the monitor itself does not compile.
func newEntry(m *earshot.Monitor, f *frequencySketch) (made entry, ok bool, errs []error) {
	condition, err := CompileMonitor(m)
	if err != nil {
		return entry{}, false, []error{fmt.Errorf("compile monitor %d: %w", m.ID, err)}
	}
	made = entry{id: m.ID, condition: *condition, entryMeta: &entryMeta{m.WatchesUpTo(), condition.indexTerms(f), new(atomic.Int64)}}
	for _, f := range m.Filters {
		condition, err := Compile(m.Team, f.Criteria)
		if err != nil {
			errs = append(errs, fmt.Errorf("compile filter %d of monitor %d: %w", f.ID, m.ID, err))
			continue
		}
		made.filters = append(made.filters, filterEntry{f.ID, condition})
	}
	return made, true, errs
}

// match appends the IDs of the monitor and its filters that d matches.
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

// isSocial reports whether the monitor watches an account.
func (e *entry) isSocial() bool { return e.condition.account != nil }

// entries stores the entries by slot, in chunks. An entry keeps its slot for as long as it is in
// the list. Lists share chunks.
type entries []*[entriesInChunk]entry

// entriesInChunk trades the cost of copying a chunk for each change against the number of chunk
// pointers to copy for a new list.
const entriesInChunk = 64

func (e entries) at(slot uint32) *entry { return &e[slot/entriesInChunk][slot%entriesInChunk] }

// A freeSlot is an element of the linked list of slots without an entry.
type freeSlot struct {
	slot uint32
	next *freeSlot
}
