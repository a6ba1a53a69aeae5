package watchlist

import (
	"cmp"
	"slices"

	"earshot"
)

// With returns a list with some monitors added or changed and others removed. The list is for
// journal entries starting at position at. With omits changed monitors that do not watch that
// position and, like [New], monitors that do not compile. It also removes monitors that stopped
// watching before that position. The time depends on the number of changes, not on the size of the
// list.
func (l *List) With(changed []*earshot.Monitor, removed []earshot.MonitorID, at earshot.Position) (*List, []error) {
	e := l.edit()
	for _, id := range removed {
		e.remove(id)
	}
	for _, x := range l.expiries {
		if x.lastPosition >= at {
			break
		}
		e.remove(x.id)
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
		delete(latest, m.ID) // the same monitor may be listed twice
		made, ok, failed := newEntry(m, l.frequency)
		errs = append(errs, failed...)
		if ok {
			e.add(made)
		}
	}
	return e.finish(), errs
}

// An edit derives a list from another. It copies chunks of entries before it changes them (copy on
// write), and applies all changes to the indexes at the end.
type edit struct {
	old, next       *List
	ownedChunks     map[uint32]bool            // chunks of entries that are already copies
	removed         map[earshot.MonitorID]bool // monitors removed from the old list
	postings, ids   []change
	expiries        []expiry // added expiries
	expiriesRemoved bool     // whether any expiry was removed
}

func (l *List) edit() *edit {
	made := *l
	made.entries = slices.Clone(l.entries)
	return &edit{old: l, next: &made, ownedChunks: map[uint32]bool{}, removed: map[earshot.MonitorID]bool{}}
}

// remove removes a monitor, if it exists.
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

// add adds a monitor that the list does not have.
func (e *edit) add(made entry) {
	slot := e.allocateSlot()
	e.setEntry(slot, made)
	e.ids = append(e.ids, change{feature: idFeature(made.id), posting: posting{slot: slot}})
	e.index(slot, made.indexTerms)
	if made.lastPosition != earshot.EndOfJournal {
		e.expiries = append(e.expiries, expiry{made.lastPosition, made.id})
	}
}

func (e *edit) allocateSlot() uint32 {
	if v := e.next.freeSlots; v != nil {
		e.next.freeSlots = v.next
		return v.slot
	}
	e.next.used++
	return e.next.used - 1
}

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

// index adds the postings of an entry.
func (e *edit) index(slot uint32, t indexTerms) {
	t.posting.slot = slot
	for _, f := range t.features {
		e.postings = append(e.postings, change{feature: f, posting: t.posting})
	}
	e.countKinds(t.kinds, 1)
}

// unindex removes the postings of an entry.
func (e *edit) unindex(slot uint32, t indexTerms) {
	for _, f := range t.features {
		e.postings = append(e.postings, change{feature: f, remove: true, posting: posting{slot: slot}})
	}
	e.countKinds(t.kinds, -1)
}

// countKinds adds delta to the number of users of each of the kinds.
func (e *edit) countKinds(kinds featureKinds, delta int32) {
	for k := range kindCount {
		if kinds.has(k) {
			e.next.kindUsers[k] += delta
		}
	}
}

func (e *edit) finish() *List {
	e.next.postings = e.next.postings.apply(e.postings)
	e.next.ids = e.next.ids.apply(e.ids)
	if len(e.expiries) > 0 || e.expiriesRemoved { // few monitors have one
		all := slices.DeleteFunc(slices.Clone(e.old.expiries), func(x expiry) bool { return e.removed[x.id] })
		all = append(all, e.expiries...)
		slices.SortFunc(all, func(a, b expiry) int {
			return cmp.Or(cmp.Compare(a.lastPosition, b.lastPosition), cmp.Compare(a.id, b.id))
		})
		e.next.expiries = all
	}
	e.next.kinds = 0
	for k, users := range e.next.kindUsers {
		if users > 0 {
			e.next.kinds |= 1 << k
		}
	}
	return e.next
}

// reindexProgress is the progress of one pass over all entries.
type reindexProgress struct {
	epoch int    // epoch of the frequency sketch when the pass started
	next  uint32 // the next slot to reindex
	busy  bool
}

// Reindex returns a list that matches the same posts, with up to n entries indexed again by the
// word frequencies observed so far. A pass over all entries starts whenever four times as many
// posts have been observed as at the start of the previous pass. If no pass is due, Reindex returns
// l at no cost. Call it regularly: each call is short, and it keeps matching fast.
func (l *List) Reindex(n int) *List {
	epoch := l.frequency.epoch()
	if !l.reindexed.busy && epoch == l.reindexed.epoch {
		return l
	}
	e := l.edit()
	if !l.reindexed.busy {
		e.next.reindexed = reindexProgress{epoch: epoch, busy: true}
	}
	end := min(e.next.reindexed.next+uint32(n), l.used)
	for slot := e.next.reindexed.next; slot < end; slot++ {
		e.reindex(slot)
	}
	e.next.reindexed.next, e.next.reindexed.busy = end, end < l.used
	return e.finish()
}

// reindex indexes an entry by the current frequencies if its index terms change.
func (e *edit) reindex(slot uint32) {
	old := *e.old.entries.at(slot)
	if old.entryMeta == nil {
		return
	}
	terms := old.condition.indexTerms(e.old.frequency)
	if slices.Equal(terms.features, old.features) && terms.posting == old.posting {
		return
	}
	e.unindex(slot, old.indexTerms)
	e.index(slot, terms)
	old.entryMeta = &entryMeta{old.lastPosition, terms, old.spent}
	e.setEntry(slot, old)
}
