package watchlist

import (
	"fmt"

	"earshot"
	"earshot/internal/query"
)

// An entry is a monitor and its filters. It is immutable.
type entry struct {
	id         earshot.MonitorID
	condition  Condition
	filters    []filterEntry
	*entryMeta // nil: the slot is free
}

// An entryMeta is what matching does not need of an entry, kept apart so that entries are
// small.
type entryMeta struct {
	lastPosition earshot.Position // the last journal entry it watches
	indexTerms
}

// A filterEntry has only its own condition: it is checked where its monitor matches.
type filterEntry struct {
	id        earshot.MonitorID
	condition *Condition
}

// newEntry compiles a monitor and its filters. It omits filters that do not compile; ok is
// false when the monitor itself does not.
func newEntry(m *earshot.Monitor, f *frequencySketch) (made entry, ok bool, errs []error) {
	condition, err := CompileMonitor(m)
	if err != nil {
		return entry{}, false, []error{fmt.Errorf("compile monitor %d: %w", m.ID, err)}
	}
	made = entry{id: m.ID, condition: *condition, entryMeta: &entryMeta{m.WatchesUpTo(), condition.indexTerms(f)}}
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

// match appends the ids of the monitor and its filters that d matches.
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

// entries holds the entries by slot. An entry keeps its slot for as long as it is in the
// list. Lists share chunks.
type entries []*[entriesInChunk]entry

// entriesInChunk trades the cost of copying a chunk for a change against the number of
// pointers to copy for a new list.
const entriesInChunk = 64

func (e entries) at(slot uint32) *entry { return &e[slot/entriesInChunk][slot%entriesInChunk] }

// A freeSlot is a slot without an entry, in a linked list.
type freeSlot struct {
	slot uint32
	next *freeSlot
}
