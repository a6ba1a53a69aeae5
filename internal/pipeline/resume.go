package pipeline

import (
	"context"
	"maps"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// resume asks for what was cut off before the start: monitors whose stamp in the
// store is not the one of their record, and stamps of what is gone. A store that
// forgets has nothing to catch up with, as entries that are replayed are matched
// against the monitors of today.
func (p *Pipeline) resume(ctx context.Context, at earshot.Position) error {
	if at == 0 {
		if err := p.stampEmpty(ctx); err != nil {
			return err
		}
	}
	stamps, err := p.Store.Stamps(ctx)
	if err != nil {
		return err
	}
	p.backfills.mu.Lock()
	defer p.backfills.mu.Unlock()
	p.backfills.stamps = map[earshot.MonitorID]int64{}
	maps.Copy(p.backfills.stamps, stamps)
	p.catchUp()
	for _, id := range p.strays() {
		p.ask(id)
	}
	return nil
}

// readModels reads the models of all monitors, so that those that are lost are known.
func (p *Pipeline) readModels() {
	for _, m := range p.Catalog.Monitors.List() {
		if !m.Removed {
			p.sortersOf(m)
		}
	}
}

// stampEmpty stamps all monitors in a store without posts: it has exactly those that
// each of them selects. Nothing needs to be compiled for that, nor looked at.
func (p *Pipeline) stampEmpty(ctx context.Context) error {
	stats, err := p.Store.Stats(ctx)
	if err != nil || stats.Posts > 0 {
		return err
	}
	rules := poststore.Rules{}
	for _, m := range p.Catalog.Monitors.List() {
		if !m.Removed && m.Generation != 0 {
			maps.Copy(rules, each(m, poststore.Rule{Stamp: m.Generation}))
		}
		if record := m.Training.Model.Record; !m.Removed && record != 0 {
			rules[m.ID.Sorted()] = poststore.Rule{Stamp: record}
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return p.Store.Rematch(ctx, poststore.Rematch{Rules: rules})
}

// catchUp asks for the monitors that have changed since it last looked, where the
// store is behind. The lock is held.
func (p *Pipeline) catchUp() {
	b := &p.backfills
	ids, version := p.Catalog.Monitors.Changes(b.seen)
	b.seen = version
	for _, id := range ids {
		if p.behind(id) {
			p.ask(id)
		}
	}
}

// strays returns what has a stamp and is neither a monitor in the catalog nor a filter
// of one. There are none while the catalog has a record that it cannot read, which may
// be their monitor: posts that lose their last monitor expire. The lock is held.
func (p *Pipeline) strays() []earshot.MonitorID {
	if !p.Catalog.Monitors.Complete() {
		return nil
	}
	strays := map[earshot.MonitorID]bool{}
	for id := range p.backfills.stamps {
		if m, ok := earshot.SortedOf(id); ok {
			id = m
		}
		strays[max(id, id.Own())] = true // they go together
	}
	for _, m := range p.Catalog.Monitors.List() {
		delete(strays, m.ID)
		for _, f := range m.Filters {
			delete(strays, f.ID)
		}
	}
	return slices.Sorted(maps.Keys(strays))
}
