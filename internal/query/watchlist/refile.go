package watchlist

// progress is how far a list has filed its entries by what was learnt.
type progress struct {
	lessons int    // of frequency, when the current round began
	next    uint32 // slot
	busy    bool
}

// Reindex returns a list that matches the same posts, with up to n entries filed
// anew by what the posts matched so far have shown of how rare words are. There is a
// round through all entries whenever four times as many posts were seen as at the
// one before; when none is due, Refile returns l, at no cost. Called now and then,
// it keeps matching fast without ever taking long.
func (l *List) Reindex(n int) *List {
	lessons := l.frequency.lessons()
	if !l.refiled.busy && lessons == l.refiled.lessons {
		return l
	}
	e := l.edit()
	if !l.refiled.busy {
		e.made.refiled = progress{lessons: lessons, busy: true}
	}
	end := min(e.made.refiled.next+uint32(n), l.used)
	for slot := e.made.refiled.next; slot < end; slot++ {
		e.refile(slot)
	}
	e.made.refiled.next, e.made.refiled.busy = end, end < l.used
	return e.finish()
}

// refile files an entry anew if that makes a difference.
func (e *edit) refile(slot uint32) {
	old := *e.from.entries.at(slot)
	if old.record == nil {
		return
	}
	filed := old.condition.file(e.from.frequency)
	if filed.equal(old.filing) {
		return
	}
	e.unfile(slot, old.filing)
	e.file(slot, filed)
	old.record = &record{old.upTo, filed}
	e.put(slot, old)
}
