package pipeline

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/watchlist"
)

// Rematch makes the posts of m and of its filters from a moment on those that m
// now selects. The catalog already holds m as it is now, so batches that begin
// after the barrier match against it; those before it are in the store, where
// Rematch finds them. A post is thus seen by at least one of the two, and both
// agree on it.
func (p *Pipeline) Rematch(ctx context.Context, m *earshot.Monitor, from time.Time) error {
	p.barrier()
	cond, err := watchlist.CompileMonitor(m)
	if err != nil {
		return err
	}
	if err := p.Store.Rematch(ctx, m.ID, from, cond); err != nil {
		return err
	}
	for i := range m.Filters {
		cond, err := watchlist.CompileFilter(m, &m.Filters[i])
		if err != nil {
			return err
		}
		if err := p.Store.Rematch(ctx, m.Filters[i].ID, from, cond); err != nil {
			return err
		}
	}
	return nil
}

// Forget drops the marks of a monitor or filter that is gone.
func (p *Pipeline) Forget(ctx context.Context, id earshot.MonitorID) error {
	p.barrier()
	return p.Store.Rematch(ctx, id, time.Time{}, nil)
}

// barrier returns when every batch matched against an older watchlist is stored.
func (p *Pipeline) barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}
