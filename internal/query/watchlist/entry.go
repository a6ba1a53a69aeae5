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
	*entryMeta // nil: there is no monitor
}

// A entryMeta is what matching does not need of an entry.
type entryMeta struct {
	lastPosition earshot.Position // the last journal entry it watches
	indexTerms
}

// A filterEntry holds its own condition only: it is asked where its monitor matched.
type filterEntry struct {
	id        earshot.MonitorID
	condition *Condition
}

// newEntry compiles a monitor and its filters. A filter that does not compile is
// left out; when the monitor itself does not, there is no entry.
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

// isSocial reports whether the monitor watches an account.
func (e *entry) isSocial() bool { return e.condition.account != nil }

// entries holds the entries by slot. A slot stays the entry's for as long as it is
// in the list. Chunks are shared between lists.
type entries []*[entriesInChunk]entry

const entriesInChunk = 64

func (e entries) at(slot uint32) *entry { return &e[slot/entriesInChunk][slot%entriesInChunk] }

// A freeSlot is a slot that can be used again, and the next one.
type freeSlot struct {
	slot uint32
	next *freeSlot
}
