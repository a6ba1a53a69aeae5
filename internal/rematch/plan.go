package rematch

import (
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// A plan is what a run has to do to bring the posts of a monitor and of its filters up to date.
type plan struct {
	id         earshot.MonitorID
	monitor    *earshot.Monitor // as the catalog has it; nil: it does not
	generation int64            // of the matches in the store, or ownUnknown

	categorizes bool  // whether there are models at all
	model       int64 // record of the model that categorized the posts in the store; 0: none
	unreadable  bool  // the newest model cannot be read
	oldMethod   bool  // the newest model was trained by another method than today's
}

// ownUnknown stands for the generation of a SOCIAL monitor that was matched before own posts
// were told from others.
const ownUnknown = -1

// A goal identifies the state of the monitor that a run works toward. The zero goal is that it
// is removed.
type goal struct{ generation, training int64 }

// plan returns what a run would have to do now. s.mu is held.
func (s *Service) plan(id earshot.MonitorID) plan {
	m, _ := s.Catalog.Monitors.Find(id)
	p := plan{id: id, monitor: m, generation: s.generations[poststore.MonitorSet(id)], categorizes: s.Trainer != nil, model: s.generations[poststore.CategorizedSet(id)]}
	if p.removed() {
		return p
	}
	p.unreadable = s.unreadable[m.Training.Model.Record]
	p.oldMethod = p.categorizes && !s.Trainer.IsCurrent(m.Training.Model)
	if m.Type == earshot.Social && s.generations[poststore.OwnSet(id)] != p.generation {
		p.generation = ownUnknown
	}
	return p
}

// removed reports whether there is nothing left to match against.
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
	return p.matches() || p.trains() || !p.removed() && p.categorizes && p.monitor.Training.Model.Record != p.model
}

// matches reports whether stored posts must be matched.
func (p plan) matches() bool { return p.goal().generation != p.generation }

// trains reports whether the monitor needs a new model.
func (p plan) trains() bool {
	if p.removed() || !p.categorizes || p.monitor.Type != earshot.Opinion || earshot.RequireTraining(p.monitor) != nil {
		return false
	}
	t := &p.monitor.Training
	return t.Model.Changes != t.Changes || p.oldMethod || p.unreadable
}

// from returns the time from which on posts are matched. When the store lacks only the last
// change, that is where the change takes effect. A removed monitor loses all its posts.
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

// rules compiles the queries of the monitor and of its filters, and of a SOCIAL one those of
// the posts that its account wrote. Filters have generations as well, by which removed ones
// are found. What the catalog no longer has may have had own posts.
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
	case !p.matches(): // posts only have to be categorized
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

// sameRules returns one rule for a monitor, its filters and, if it is SOCIAL, their own posts.
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
