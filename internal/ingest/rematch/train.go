package rematch

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/sleep"
)

// Two models of a monitor exist at a time: the newest, and the one before it, which serves requests
// on nodes that are still categorizing. A model that follows within othersWait × maxHeld waits for
// them. After that, a node that is still behind has no categories until it has categorized.
const (
	othersWait = time.Second
	maxHeld    = 30

	releaseInterval = 5 * time.Second // how often models that no node uses are looked for
)

// errOthersBehind means that a new model would replace one that another node still uses.
var errOthersBehind = errors.New("other nodes are still categorizing stored posts")

// RunTraining makes this node the one that fits models until ctx ends. It also removes models that no
// node uses any more. All of its writes to the catalog have the values of ctx, which may be a fence.
func (s *Service) RunTraining(ctx context.Context) {
	s.changeRole(func() { s.role = ctx })
	defer s.changeRole(func() { s.role = nil })
	tick := time.NewTicker(releaseInterval)
	defer tick.Stop()
	for {
		s.releaseUnused(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// changeRole changes the context of RunTraining, and wakes what waits for it.
func (s *Service) changeRole(change func()) {
	s.mu.Lock()
	change()
	s.mu.Unlock()
	sleep.Notify(s.wake)
	sleep.Notify(s.reinferWake)
}

// isTrainer reports whether this node fits models.
func (s *Service) isTrainer() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.Shared || s.role != nil
}

// roleContext returns the context of RunTraining, which ends with ctx, too. It returns nil if another
// node fits models. Without several nodes it returns ctx.
func (s *Service) roleContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if !s.Shared {
		return context.WithCancel(ctx)
	}
	s.mu.Lock()
	role := s.role
	s.mu.Unlock()
	if role == nil {
		return nil, func() {}
	}
	both, cancel := context.WithCancel(role)
	stop := context.AfterFunc(ctx, cancel)
	return both, func() { stop(); cancel() }
}

// errRoleLost means that another node has begun to fit models.
var errRoleLost = errors.New("another node fits models now")

// train fits a model to the training posts of the plan's monitor.
func (s *Service) train(ctx context.Context, p plan) (*earshot.Monitor, error) {
	role, cancel := s.roleContext(ctx)
	defer cancel()
	if role == nil {
		return nil, errRoleLost
	}
	if s.othersBehind(role, p) {
		return nil, errOthersBehind
	}
	m, err := s.Trainer.Train(role, p.id, p.model)
	if err != nil && role.Err() != nil && ctx.Err() == nil {
		return nil, errRoleLost
	}
	return m, err
}

// othersBehind reports whether another node uses a model that a new one would replace. It reports
// false once that was the case for a while.
func (s *Service) othersBehind(ctx context.Context, p plan) bool {
	if s.Others == nil {
		return false
	}
	s.mu.Lock()
	held := s.last[p.id] != nil && s.last[p.id].held >= maxHeld
	s.mu.Unlock()
	return !held && slices.ContainsFunc(s.Others(ctx, p.id), func(used int64) bool {
		return used != p.model && p.monitor.Training.InUse(used).Record != 0
	})
}

// releaseUnused removes the previous models of monitors whose newest model all nodes use, and the
// models of removed monitors that have no categories on any node.
func (s *Service) releaseUnused(ctx context.Context) {
	for _, m := range s.Catalog.Monitors.List() {
		t := &m.Training
		if ctx.Err() != nil {
			return
		}
		if m.Type != earshot.Opinion || !(m.Removed && *t != (earshot.Training{}) || !m.Removed && t.Previous.Record != 0) {
			continue
		}
		newest := t.Model.Record
		if m.Removed {
			newest = 0
		}
		used := []int64{s.InUse(m.ID)}
		if s.Others != nil {
			used = append(used, s.Others(ctx, m.ID)...)
		}
		if slices.ContainsFunc(used, func(record int64) bool { return record != newest }) {
			continue
		}
		p := plan{id: m.ID, monitor: m, categorizes: s.Trainer != nil}
		s.releaseModels(ctx, p, poststore.Rules{poststore.CategorizedSet(m.ID): {Generation: newest}})
	}
}

// recategorize makes the models in use categorize all posts again, and returns when they have, or
// when ctx ends.
func (s *Service) recategorize(ctx context.Context) error {
	s.mu.Lock()
	for _, m := range s.Catalog.Monitors.List() {
		if p := s.plan(m.ID); !p.removed() && p.model != 0 {
			s.markStale(m.ID)
		}
	}
	s.mu.Unlock()
	for {
		s.mu.Lock()
		left := len(s.stale)
		s.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.unstale:
		}
	}
}

// markStale requests that the model in use categorizes all posts of a monitor again. The caller holds
// s.mu.
func (s *Service) markStale(id earshot.MonitorID) {
	s.stale[id] = true
	if j := s.request(id); j.cancel != nil {
		j.again = true // the run began before
	}
}
