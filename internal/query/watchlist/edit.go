package watchlist

import (
	"cmp"
	"slices"

	"earshot"
)

// With returns the list with some monitors added or changed and others removed,
// for journal entries from at on. Of the changed ones, those that do not watch at are
// left out, and those that do not compile as New says; whoever stopped watching
// before at is left out as well. It takes time for what changes, whatever the list
// holds besides.
func (l *List) With(changed []*earshot.Monitor, removed []earshot.MonitorID, at earshot.Position) (*List, []error) {
	e := l.edit()
	for _, id := range removed {
		e.remove(id)
	}
	for _, end := range l.ending {
		if end.upTo >= at {
			break
		}
		e.remove(end.id)
	}
	latest := make(map[earshot.MonitorID]*earshot.Monitor, len(changed))
	for _, m := range changed {
		latest[m.ID] = m
		e.remove(m.ID)
	}
	var errs []error
	for _, m := range changed {
		if latest[m.ID] != m || !m.Watches(at) {
			continue
		}
		delete(latest, m.ID) // the same one may be named twice
		made, ok, failed := newEntry(m, l.frequency)
		errs = append(errs, failed...)
		if ok {
			e.add(made)
		}
	}
	return e.finish(), errs
}

// An edit makes a list of another. What the two share is copied before it is
// changed; the indexes are changed at the end, all at once.
type edit struct {
	from, made *List
	own        map[uint32]bool            // chunks of entries that are copies
	gone       map[earshot.MonitorID]bool // removed from the old list
	words, ids []change
	ending     []ending // new ones
	ended      bool     // some of the old ones are gone
}

func (l *List) edit() *edit {
	made := *l
	made.entries = slices.Clone(l.entries)
	return &edit{from: l, made: &made, own: map[uint32]bool{}, gone: map[earshot.MonitorID]bool{}}
}

// remove takes a monitor out, if the old list has it.
func (e *edit) remove(id earshot.MonitorID) {
	slot, ok := e.from.slot(id)
	if !ok || e.gone[id] {
		return
	}
	old := e.from.entries.at(slot)
	e.gone[id] = true
	e.ended = e.ended || old.upTo != earshot.EndOfJournal
	e.unfile(slot, old.filing)
	e.ids = append(e.ids, change{number: identified(id), remove: true, posting: posting{slot: slot}})
	e.put(slot, entry{})
	e.made.vacant = &vacancy{slot, e.made.vacant}
}

// add takes a monitor in that the list does not have.
func (e *edit) add(made entry) {
	slot := e.slot()
	e.put(slot, made)
	e.ids = append(e.ids, change{number: identified(made.id), posting: posting{slot: slot}})
	e.file(slot, made.filing)
	if made.upTo != earshot.EndOfJournal {
		e.ending = append(e.ending, ending{made.upTo, made.id})
	}
}

// slot returns one that is free.
func (e *edit) slot() uint32 {
	if v := e.made.vacant; v != nil {
		e.made.vacant = v.next
		return v.slot
	}
	e.made.used++
	return e.made.used - 1
}

// put changes a slot.
func (e *edit) put(slot uint32, made entry) {
	chunk := slot / entriesInChunk
	if int(chunk) == len(e.made.entries) {
		e.made.entries = append(e.made.entries, new([entriesInChunk]entry))
		e.own[chunk] = true
	}
	if !e.own[chunk] {
		copied := *e.made.entries[chunk]
		e.made.entries[chunk] = &copied
		e.own[chunk] = true
	}
	*e.made.entries.at(slot) = made
}

// file and unfile enter an entry into the index of words, and take it out.
func (e *edit) file(slot uint32, f filing) {
	f.posting.slot = slot
	for _, n := range f.numbers {
		e.words = append(e.words, change{number: n, posting: f.posting})
	}
	e.ask(f.traits, 1)
}

func (e *edit) unfile(slot uint32, f filing) {
	for _, n := range f.numbers {
		e.words = append(e.words, change{number: n, remove: true, posting: posting{slot: slot}})
	}
	e.ask(f.traits, -1)
}

// ask counts how many entries ask for each trait.
func (e *edit) ask(asked traits, more int32) {
	for t := range traitCount {
		if asked.has(t) {
			e.made.asked[t] += more
		}
	}
}

func (e *edit) finish() *List {
	e.made.words = e.made.words.with(e.words)
	e.made.ids = e.made.ids.with(e.ids)
	e.finishEnding()
	e.made.traits = e.made.asks()
	return e.made
}

// finishEnding makes the new list of monitors that will stop watching, in the
// order in which they will. Few monitors do, so most edits leave it alone.
func (e *edit) finishEnding() {
	if len(e.ending) == 0 && !e.ended {
		return
	}
	all := slices.DeleteFunc(slices.Clone(e.from.ending), func(end ending) bool { return e.gone[end.id] })
	all = append(all, e.ending...)
	slices.SortFunc(all, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.upTo, b.upTo), cmp.Compare(a.id, b.id))
	})
	e.made.ending = all
}
