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
	"earshot/internal/watchlist"
)

// An attempt is one try to make the posts of a monitor and of its filters those
// that it selects.
type attempt struct {
	id      earshot.MonitorID
	monitor *earshot.Monitor // as the catalog has it; nil: gone
	stamp   int64            // what the store has; unmatched: not all that it ought to have
}

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
	if rules, err = a.rules(); err != nil {
		return nil, err
	}
	p.barrier()
	return rules, p.Store.Rematch(ctx, poststore.Rematch{From: a.from(), Rules: rules, Progress: tell})
}

// barrier returns when every batch matched against an older watchlist is stored.
func (p *Pipeline) barrier() {
	p.storing.Lock()
	//lint:ignore SA2001 waiting for the readers is all there is to do
	p.storing.Unlock()
}

// gone reports whether there is nothing left to match against.
func (a attempt) gone() bool { return a.monitor == nil || a.monitor.Removed }

// target returns the stamp that it leaves.
func (a attempt) target() int64 {
	if a.gone() {
		return 0
	}
	return a.monitor.Matching
}

// from returns the moment from which on posts are matched. When the store lacks the
// last change alone, that is where the change counts from. What is gone loses all.
func (a attempt) from() time.Time {
	if a.gone() {
		return time.Time{}
	}
	m := a.monitor
	if a.stamp == m.Matching-1 && m.Start.Before(m.MatchFrom) {
		return m.MatchFrom.Start(m.Location())
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
		return poststore.Rules{a.id: {}, a.id.Own(): {}}, nil
	case m.Removed:
		return each(m, poststore.Rule{}), nil
	}
	where, err := watchlist.CompileMonitor(m)
	if err != nil {
		return nil, err
	}
	all := each(m, poststore.Rule{UpTo: m.WatchesUpTo(), Stamp: m.Matching})
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
		rule.Where = where.Own()
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
