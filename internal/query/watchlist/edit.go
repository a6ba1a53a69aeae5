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
	for _, end := range l.expiries {
		if end.lastPosition >= at {
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
	old, next       *List
	ownedChunks     map[uint32]bool            // chunks of entries that are copies
	removed         map[earshot.MonitorID]bool // removed from the old list
	postings, ids   []change
	expiries        []expiry // new ones
	expiriesRemoved bool     // some of the old ones are gone
}

func (l *List) edit() *edit {
	made := *l
	made.entries = slices.Clone(l.entries)
	return &edit{old: l, next: &made, ownedChunks: map[uint32]bool{}, removed: map[earshot.MonitorID]bool{}}
}

// remove takes a monitor out, if the old list has it.
func (e *edit) remove(id earshot.MonitorID) {
	slot, ok := e.old.findSlot(id)
	if !ok || e.removed[id] {
		return
	}
	old := e.old.entries.at(slot)
	e.removed[id] = true
	e.expiriesRemoved = e.expiriesRemoved || old.lastPosition != earshot.EndOfJournal
	e.unindex(slot, old.indexTerms)
	e.ids = append(e.ids, change{feature: idFeature(id), remove: true, posting: posting{slot: slot}})
	e.setEntry(slot, entry{})
	e.next.freeSlots = &freeSlot{slot, e.next.freeSlots}
}

// add takes a monitor in that the list does not have.
func (e *edit) add(made entry) {
	slot := e.allocateSlot()
	e.setEntry(slot, made)
	e.ids = append(e.ids, change{feature: idFeature(made.id), posting: posting{slot: slot}})
	e.index(slot, made.indexTerms)
	if made.lastPosition != earshot.EndOfJournal {
		e.expiries = append(e.expiries, expiry{made.lastPosition, made.id})
	}
}

// allocateSlot returns one that is free.
func (e *edit) allocateSlot() uint32 {
	if v := e.next.freeSlots; v != nil {
		e.next.freeSlots = v.next
		return v.slot
	}
	e.next.used++
	return e.next.used - 1
}

// setEntry changes a slot.
func (e *edit) setEntry(slot uint32, made entry) {
	chunk := slot / entriesInChunk
	if int(chunk) == len(e.next.entries) {
		e.next.entries = append(e.next.entries, new([entriesInChunk]entry))
		e.ownedChunks[chunk] = true
	}
	if !e.ownedChunks[chunk] {
		copied := *e.next.entries[chunk]
		e.next.entries[chunk] = &copied
		e.ownedChunks[chunk] = true
	}
	*e.next.entries.at(slot) = made
}

// index and unfile enter an entry into the index of words, and take it out.
func (e *edit) index(slot uint32, f indexTerms) {
	f.posting.slot = slot
	for _, n := range f.features {
		e.postings = append(e.postings, change{feature: n, posting: f.posting})
	}
	e.countKinds(f.kinds, 1)
}

func (e *edit) unindex(slot uint32, f indexTerms) {
	for _, n := range f.features {
		e.postings = append(e.postings, change{feature: n, remove: true, posting: posting{slot: slot}})
	}
	e.countKinds(f.kinds, -1)
}

// countKinds counts how many entries ask for each trait.
func (e *edit) countKinds(asked featureKinds, more int32) {
	for t := range kindCount {
		if asked.has(t) {
			e.next.kindUsers[t] += more
		}
	}
}

func (e *edit) finish() *List {
	e.next.postings = e.next.postings.apply(e.postings)
	e.next.ids = e.next.ids.apply(e.ids)
	e.finishEnding()
	e.next.kinds = e.next.usedKinds()
	return e.next
}

// finishEnding makes the new list of monitors that will stop watching, in the
// order in which they will. Few monitors do, so most edits leave it alone.
func (e *edit) finishEnding() {
	if len(e.expiries) == 0 && !e.expiriesRemoved {
		return
	}
	all := slices.DeleteFunc(slices.Clone(e.old.expiries), func(end expiry) bool { return e.removed[end.id] })
	all = append(all, e.expiries...)
	slices.SortFunc(all, func(a, b expiry) int {
		return cmp.Or(cmp.Compare(a.lastPosition, b.lastPosition), cmp.Compare(a.id, b.id))
	})
	e.next.expiries = all
}

// reindexProgress is how far a list has filed its entries by what was learnt.
type reindexProgress struct {
	epoch int    // of frequency, when the current round began
	next  uint32 // slot
	busy  bool
}

// Reindex returns a list that matches the same posts, with up to n entries filed
// anew by what the posts matched so far have shown of how rare words are. There is a
// round through all entries whenever four times as many posts were seen as at the
// one before; when none is due, Refile returns l, at no cost. Called now and then,
// it keeps matching fast without ever taking long.
func (l *List) Reindex(n int) *List {
	lessons := l.frequency.epoch()
	if !l.reindexed.busy && lessons == l.reindexed.epoch {
		return l
	}
	e := l.edit()
	if !l.reindexed.busy {
		e.next.reindexed = reindexProgress{epoch: lessons, busy: true}
	}
	end := min(e.next.reindexed.next+uint32(n), l.used)
	for slot := e.next.reindexed.next; slot < end; slot++ {
		e.reindex(slot)
	}
	e.next.reindexed.next, e.next.reindexed.busy = end, end < l.used
	return e.finish()
}

// reindex files an entry anew if that makes a difference.
func (e *edit) reindex(slot uint32) {
	old := *e.old.entries.at(slot)
	if old.entryMeta == nil {
		return
	}
	filed := old.condition.indexTerms(e.old.frequency)
	if filed.equal(old.indexTerms) {
		return
	}
	e.unindex(slot, old.indexTerms)
	e.index(slot, filed)
	old.entryMeta = &entryMeta{old.lastPosition, filed}
	e.setEntry(slot, old)
}
