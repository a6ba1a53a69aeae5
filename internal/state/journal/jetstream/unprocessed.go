package jetstream

import (
	"sync"

	"earshot"
)

// unprocessed counts the bytes of entries that this process has appended and its store does not have
// yet.
type unprocessed struct {
	mu      sync.Mutex // guards the fields below
	entries []appendedEntry
	bytes   int64            // of all entries
	upTo    earshot.Position // highest position passed to remove
}

type appendedEntry struct {
	position earshot.Position
	bytes    int64
}

func (u *unprocessed) total() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.bytes
}

// add adds an entry unless the store already has it. Concurrent appends may finish in another order
// than that of their positions.
func (u *unprocessed) add(p earshot.Position, bytes int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if p <= u.upTo {
		return
	}
	u.entries = append(u.entries, appendedEntry{p, bytes})
	u.bytes += bytes
}

// remove removes the entries up to a position.
func (u *unprocessed) remove(upTo earshot.Position) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.upTo = max(u.upTo, upTo)
	n := 0
	for n < len(u.entries) && u.entries[n].position <= upTo {
		u.bytes -= u.entries[n].bytes
		n++
	}
	if u.entries = u.entries[n:]; len(u.entries) == 0 {
		u.entries = nil
	}
}
