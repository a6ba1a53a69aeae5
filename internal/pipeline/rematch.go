package pipeline

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// An attempt is one try to make the posts of a monitor and of its filters those
// that it selects.
type attempt struct {
	id      earshot.MonitorID
	monitor *earshot.Monitor // as the catalog has it; nil: gone
	stamp   int64            // what the store has; unmatched: not all that it ought to have

	opinions bool  // whether there are models at all
	used     int64 // record of the model that has sorted the posts in the store; 0: none has
	lost     bool  // the newest model cannot be read
	outdated bool  // it was learnt in another way than models are learnt now
}

// A goal is what tells whether an attempt is worth finishing: the change of the monitor that
// it follows from.
type goal struct{ matching, training int64 }

// unmatched stands for a stamp of a SOCIAL monitor whose own posts were never told apart: it
// is from before they were.
const unmatched = -1

// rematch carries out an attempt and returns the rules that are in force when it
// succeeds. The catalog has held the monitor as it is here, or newer, since before
// the barrier: batches that begin after the barrier match against that, and those
// before it are in the store, where Rematch finds them. A post is thus seen by at
// least one of the two, and both agree on it. Should the monitor have changed
// meanwhile, there will be another attempt.
func (p *Pipeline) rematch(ctx context.Context, a attempt, tell func(done, total int64)) (rules poststore.Rules, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("panic while matching stored posts", "monitor", a.id, "panic", r, "stack", string(debug.Stack()))
			reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
			err = fmt.Errorf("panic: %s", reason)
		}
	}()
	if a.learns() {
		if a.monitor, err = p.Teacher.Train(ctx, a.id, a.used); err != nil {
			return nil, err
		}
	}
	r := poststore.Rematch{From: a.from(), Progress: tell}
	if r.Rules, err = a.rules(); err != nil {
		return nil, err
	}
	if r.Sortings, err = p.sorting(ctx, a, r.Rules); err != nil {
		return nil, err
	}
	p.barrier()
	if err := p.Store.Rematch(ctx, r); err != nil {
		return nil, err
	}
	return r.Rules, nil
}

// settle tells the teacher what has become of a monitor's sets. When that fails, more is kept
// and sorted than need be, until the next time.
func (p *Pipeline) settle(ctx context.Context, a attempt, rules poststore.Rules) {
	if !a.opinions || a.monitor == nil || a.monitor.Type != earshot.Opinion {
		return
	}
	var err error
	if a.gone() {
		err = p.Teacher.RemoveAll(ctx, a.id)
	} else if used := rules[a.id.Sorted()].Stamp; used != 0 {
		err = p.Teacher.ReleasePrevious(ctx, a.id, used)
	}
	if err != nil {
		p.Log.Warn("a model that is not needed any more was not removed", "monitor", a.id, "error", err)
	}
}

// barrier returns when every batch matched against an older watchlist is stored.
func (p *Pipeline) barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}

// gone reports whether there is nothing left to match against.
func (a attempt) gone() bool { return a.monitor == nil || a.monitor.Removed }

// goal returns what the attempt follows from.
func (a attempt) goal() goal {
	if a.gone() {
		return goal{}
	}
	return goal{a.monitor.Generation, a.monitor.Training.Changes}
}

// behind reports whether the store has not what it ought to have.
func (a attempt) behind() bool { return a.target() != a.stamp || a.learns() || a.sorts() }

// target returns the stamp that it leaves.
func (a attempt) target() int64 {
	if a.gone() {
		return 0
	}
	return a.monitor.Generation
}

// from returns the moment from which on posts are matched. When the store lacks the
// last change alone, that is where the change counts from. What is gone loses all.
func (a attempt) from() time.Time {
	if a.gone() {
		return time.Time{}
	}
	m := a.monitor
	if a.stamp == m.Generation-1 && m.Start.Before(m.RematchFrom) {
		return m.RematchFrom.Start(m.Location())
	}
	return m.Start.Start(m.Location())
}

// rules compiles what the monitor and its filters select, and which of that is written by
// the account of a SOCIAL one. Filters are stamped as well, so that one that is gone is
// known by its stamp; of what is gone nobody knows whether it had own posts.
func (a attempt) rules() (poststore.Rules, error) {
	m := a.monitor
	switch {
	case m == nil:
		rules := poststore.Rules{a.id: {}, a.id.Own(): {}}
		if a.used != 0 {
			rules[a.id.Sorted()] = poststore.Rule{}
		}
		return rules, nil
	case m.Removed:
		return each(m, poststore.Rule{}), nil
	case a.target() == a.stamp: // posts are to be sorted, and that is all
		return poststore.Rules{}, nil
	}
	where, err := watchlist.CompileMonitor(m)
	if err != nil {
		return nil, err
	}
	all := each(m, poststore.Rule{UpTo: m.WatchesUpTo(), Stamp: m.Generation})
	set(all, m.ID, where)
	for i := range m.Filters {
		if where, err = watchlist.CompileFilter(m, &m.Filters[i]); err != nil {
			return nil, err
		}
		set(all, m.Filters[i].ID, where)
	}
	return all, nil
}

// set gives the rule of an id its condition, and that of its own posts, if there is one.
func set(all poststore.Rules, id earshot.MonitorID, where *watchlist.Condition) {
	rule := all[id]
	rule.Where = where
	all[id] = rule
	if _, social := all[id.Own()]; social {
		rule.Where = where.OwnPosts()
		all[id.Own()] = rule
	}
}

// each gives a monitor and its filters the same rule, and the own posts of a SOCIAL one.
func each(m *earshot.Monitor, rule poststore.Rule) poststore.Rules {
	all := poststore.Rules{m.ID: rule}
	for _, f := range m.Filters {
		all[f.ID] = rule
	}
	if m.Type == earshot.Social {
		for _, id := range slices.Collect(maps.Keys(all)) {
			all[id.Own()] = rule
		}
	}
	return all
}
