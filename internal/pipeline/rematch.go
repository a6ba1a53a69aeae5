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
	rules, err := rules(m)
	if err != nil {
		return err
	}
	return p.Store.Rematch(ctx, from, rules)
}

// rules compiles what a monitor and its filters select.
func rules(m *earshot.Monitor) (poststore.Rules, error) {
	where, err := watchlist.CompileMonitor(m)
	if err != nil {
		return nil, err
	}
	all := poststore.Rules{m.ID: {Where: where, UpTo: m.WatchesUpTo()}}
	for i := range m.Filters {
		where, err := watchlist.CompileFilter(m, &m.Filters[i])
		if err != nil {
			return nil, err
		}
		all[m.Filters[i].ID] = poststore.Rule{Where: where, UpTo: m.WatchesUpTo()}
	}
	return all, nil
}

// Forget drops the marks of monitors and filters that are gone.
func (p *Pipeline) Forget(ctx context.Context, ids ...earshot.MonitorID) error {
	p.rematching.Lock()
	defer p.rematching.Unlock()
	p.barrier()
	none := poststore.Rules{}
	for _, id := range ids {
		none[id] = poststore.Rule{}
	}
	return p.Store.Rematch(ctx, time.Time{}, none)
}

// barrier returns when every batch matched against an older watchlist is stored.
func (p *Pipeline) barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}
