package source

import (
	"context"
	"sync"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// A cursorIndex finds the newest cursor of each source in the journal. It reads each entry once for
// all sources.
type cursorIndex struct {
	mu     sync.Mutex // guards the fields below
	known  bool
	from   earshot.Position // entries in (from, to] were read
	to     earshot.Position
	newest map[earshot.LiveSourceID]journal.StoredOrigin
}

// A storedCounters is connector.Counters as a journal entry has them, next to the cursor.
type storedCounters struct {
	Events     int64            `json:"events,omitempty"`
	Posts      int64            `json:"posts,omitempty"`
	Deletions  int64            `json:"deletions,omitempty"`
	Skipped    map[string]int64 `json:"skipped,omitempty"`
	Bytes      int64            `json:"bytes,omitempty"`
	Reconnects int64            `json:"reconnects,omitempty"`
}

// newest returns the newest origin of a source after its checkpoint, or one without a cursor and
// counters.
func (s *Service) newest(ctx context.Context, id earshot.LiveSourceID, cp *catalog.Checkpoint) (journal.Origin, error) {
	x := &s.cursors
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.known || cp.Position < x.from {
		x.from = cp.Position
		for _, src := range s.Catalog.Live.List() {
			if other, ok := s.Catalog.Checkpoints.Find(src.ID); ok {
				x.from = min(x.from, other.Position)
			}
		}
		x.to, x.newest, x.known = x.from, map[earshot.LiveSourceID]journal.StoredOrigin{}, true
	}
	last, err := s.Journal.Last(ctx)
	if err != nil {
		return journal.Origin{}, err
	}
	if last > x.to {
		for o, err := range s.Journal.Origins(ctx, x.to) {
			if err != nil {
				return journal.Origin{}, err
			}
			x.newest[o.Source], x.to = o, o.Position
		}
		x.to = max(x.to, last)
	}
	if o, ok := x.newest[id]; ok && o.Position > cp.Position {
		return o.Origin, nil
	}
	return journal.Origin{}, nil
}
