package watchlist

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
