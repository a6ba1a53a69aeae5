package pipeline

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/watchlist"
)

// Rematch makes the posts of a monitor and of its filters from a moment on those
// that it now selects. The catalog already holds the monitor as it is now, so
// batches that begin after the barrier match against it; those before it are in the
// store, where Rematch finds them. A post is thus seen by at least one of the two,
// and both agree on it. One runs at a time, each with the newest version, so that of
// two changes the later one counts.
func (p *Pipeline) Rematch(ctx context.Context, id earshot.MonitorID, from time.Time) error {
	p.rematching.Lock()
	defer p.rematching.Unlock()
	p.barrier()
	m, ok := p.Catalog.Monitors.Find(id)
	if !ok || m.Removed {
		return nil // gone meanwhile, and forgotten
	}
	conditions, err := conditions(m)
	if err != nil {
		return err
	}
	return p.Store.Rematch(ctx, from, conditions)
}

// conditions compiles what a monitor and its filters select.
func conditions(m *earshot.Monitor) (poststore.Conditions, error) {
	cond, err := watchlist.CompileMonitor(m)
	if err != nil {
		return nil, err
	}
	all := poststore.Conditions{m.ID: cond}
	for i := range m.Filters {
		if all[m.Filters[i].ID], err = watchlist.CompileFilter(m, &m.Filters[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Forget drops the marks of monitors and filters that are gone.
func (p *Pipeline) Forget(ctx context.Context, ids ...earshot.MonitorID) error {
	p.rematching.Lock()
	defer p.rematching.Unlock()
	p.barrier()
	none := poststore.Conditions{}
	for _, id := range ids {
		none[id] = nil
	}
	return p.Store.Rematch(ctx, time.Time{}, none)
}

// barrier returns when every batch matched against an older watchlist is stored.
func (p *Pipeline) barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}
