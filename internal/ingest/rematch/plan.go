package rematch

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// A plan is the work that a run has to do to bring the posts of a monitor and its filters up to
// date.
type plan struct {
	id         earshot.MonitorID
	monitor    *earshot.Monitor // from the catalog; nil if not found
	generation int64            // generation in the store, or ownUnknown

	categorizes bool  // whether the service has a trainer
	model       int64 // record of the model that categorized the posts in the store, or 0
	unreadable  bool  // whether this node fits models and cannot read the newest one
	oldMethod   bool  // whether the newest model was trained with an outdated method
	elsewhere   bool  // whether another node fits models
	stale       bool  // whether the model must categorize all posts again
}

// ownUnknown stands for the generation of a SOCIAL monitor that was last matched by a version that
// did not distinguish own posts.
const ownUnknown = -1

// A goal identifies the state of a monitor that a run works toward. The zero goal means that the
// monitor is removed.
type goal struct{ generation, training int64 }

// plan returns the work that a run would have to do now. The caller holds s.mu.
func (s *Service) plan(id earshot.MonitorID) plan {
	m, _ := s.Catalog.Monitors.Find(id)
	p := plan{id: id, monitor: m, generation: s.generations[poststore.MonitorSet(id)], categorizes: s.Trainer != nil, model: s.generations[poststore.CategorizedSet(id)]}
	if p.removed() {
		return p
	}
	p.elsewhere = s.Shared && s.role == nil
	// Only the node that fits models replaces one that it cannot read. A node that has just lost that
	// role, or was paused, may soon be able to read it.
	p.unreadable = s.unreadable[m.Training.Model.Record] && !p.elsewhere
	p.stale = s.stale[id]
	p.oldMethod = p.categorizes && !s.Trainer.IsCurrent(m.Training.Model)
	if m.Type == earshot.Social && s.generations[poststore.OwnSet(id)] != p.generation {
		p.generation = ownUnknown
	}
	return p
}

// removed reports whether the monitor no longer exists.
func (p plan) removed() bool { return p.monitor == nil || p.monitor.Removed }

// goal returns the state that the run works toward.
func (p plan) goal() goal {
	if p.removed() {
		return goal{}
	}
	return goal{p.monitor.Generation, p.monitor.Training.Changes}
}

// outdated reports whether the monitor's stored posts are out of date.
func (p plan) outdated() bool {
	return p.runnable() || p.needsModel()
}

// runnable reports whether this node can do something about it now, without waiting for a model that
// another node fits.
func (p plan) runnable() bool {
	return p.matches() || p.trains() || p.hasOtherModel() || !p.removed() && p.categorizes && p.stale
}

// hasOtherModel reports whether another model has categorized the stored posts than the one in the
// catalog.
func (p plan) hasOtherModel() bool {
	return !p.removed() && p.categorizes && p.monitor.Training.Model.Record != p.model
}

// matches reports whether stored posts must be rematched.
func (p plan) matches() bool { return p.goal().generation != p.generation }

// trains reports whether this node must fit a model.
func (p plan) trains() bool { return p.needsModel() && !p.elsewhere }

// needsModel reports whether the monitor needs a new model.
func (p plan) needsModel() bool {
	if p.removed() || !p.categorizes || p.monitor.Type != earshot.Opinion || earshot.RequireTraining(p.monitor) != nil {
		return false
	}
	t := &p.monitor.Training
	return t.Model.Changes != t.Changes || p.oldMethod || p.unreadable
}

// from returns the time from which posts are matched. If the store lacks only the last change, that
// is the time from which the change takes effect. A removed monitor loses all posts, so from
// returns the zero time.
func (p plan) from() time.Time {
	if p.removed() {
		return time.Time{}
	}
	m := p.monitor
	if p.generation == m.Generation-1 && m.Start.Before(m.RematchFrom) {
		return m.RematchFrom.Start(m.Location())
	}
	return m.Start.Start(m.Location())
}

// rules compiles the queries of the monitor and its filters and, for a SOCIAL monitor, those of its
// own posts. Filters have generations too, which are used to find removed ones. A monitor that is
// no longer in the catalog may have had own posts, so rules always includes their set.
func (p plan) rules() (poststore.Rules, error) {
	m := p.monitor
	switch {
	case m == nil:
		rules := poststore.Rules{poststore.MonitorSet(p.id): {}, poststore.OwnSet(p.id): {}}
		if p.model != 0 {
			rules[poststore.CategorizedSet(p.id)] = poststore.Rule{}
		}
		return rules, nil
	case m.Removed:
		return sameRules(m, poststore.Rule{}), nil
	case !p.matches(): // posts only need to be categorized
		return poststore.Rules{}, nil
	}
	rules := sameRules(m, poststore.Rule{UpTo: m.WatchesUpTo(), Generation: m.Generation})
	set := func(id earshot.MonitorID, where *watchlist.Condition) {
		rule := rules[poststore.MonitorSet(id)]
		rule.Where = where
		rules[poststore.MonitorSet(id)] = rule
		if _, social := rules[poststore.OwnSet(id)]; social {
			rule.Where = where.OwnPosts()
			rules[poststore.OwnSet(id)] = rule
		}
	}
	where, err := watchlist.CompileMonitor(m)
	if err != nil {
		return nil, err
	}
	set(m.ID, where)
	for i := range m.Filters {
		if where, err = watchlist.CompileFilter(m, &m.Filters[i]); err != nil {
			return nil, err
		}
		set(m.Filters[i].ID, where)
	}
	return rules, nil
}

// sameRules returns the same rule for a monitor, its filters and, if the monitor is SOCIAL, their
// own posts.
func sameRules(m *earshot.Monitor, rule poststore.Rule) poststore.Rules {
	ids := []earshot.MonitorID{m.ID}
	for _, f := range m.Filters {
		ids = append(ids, f.ID)
	}
	rules := poststore.Rules{}
	for _, id := range ids {
		rules[poststore.MonitorSet(id)] = rule
		if m.Type == earshot.Social {
			rules[poststore.OwnSet(id)] = rule
		}
	}
	return rules
}
