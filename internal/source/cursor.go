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

// cursor returns the cursor at which a source continues, given its checkpoint.
func (s *Service) cursor(ctx context.Context, id earshot.LiveSourceID, cp *catalog.Checkpoint) (string, error) {
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
		return "", err
	}
	if last > x.to {
		for o, err := range s.Journal.Origins(ctx, x.to) {
			if err != nil {
				return "", err
			}
			x.newest[o.Source], x.to = o, o.Position
		}
		x.to = max(x.to, last)
	}
	if o, ok := x.newest[id]; ok && o.Position > cp.Position {
		return o.Cursor, nil
	}
	return cp.Cursor, nil
}
