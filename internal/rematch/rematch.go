// Package rematch keeps stored posts up to date with the catalog and with the models. When
// the query of a monitor changes, it rematches stored posts against it; when an opinion
// monitor is trained, it makes a model and categorizes the monitor's posts; on request, it
// runs newer models on all posts (reinfer).
//
//	catalog: generation of monitor 7 is 5 ─┐
//	                                       ├─ they differ: a job for monitor 7
//	store:   generation of monitor 7 is 4 ─┘
//
// What is to be done follows from such pairs of numbers, both of which survive a crash: how
// often a monitor had to be rematched, in the catalog, and the generation of its posts, in
// the store. So the queue of jobs is in memory only. Jobs run one at a time, in the order
// requested; a change of a monitor cancels its running job, which starts over.
// docs/decisions/0030-rematching.md
//
// New posts are the business of package pipeline, which matches and categorizes them as they
// are ingested, with the monitors of that time.
package rematch

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// A Store holds the posts that are matched again.
type Store interface {
	poststore.Maintainer
	Position(ctx context.Context) (earshot.Position, error)
}

// Options are what a Service works with.
type Options struct {
	Catalog *catalog.Catalog
	Store   Store
	Enrich  *enrich.Enricher
	Trainer Trainer // nil: posts are not categorized
	Log     *slog.Logger

	// Barrier returns when every batch that was matched against an older version of the
	// catalog's monitors is stored.
	Barrier func()
}

// A Service keeps stored posts up to date.
type Service struct {
	Options

	mu          sync.Mutex
	generations map[poststore.SetID]int64  // guarded by mu; as in the store
	last        map[earshot.MonitorID]*job // guarded by mu; the last job of each monitor
	queue       []*job                     // guarded by mu; in the order requested
	version     uint64                     // guarded by mu; version of the catalog's monitors that the queue reflects
	unreadable  map[int64]bool             // guarded by mu; records of models that cannot be read
	wake        chan struct{}              // has an element when the queue may have grown

	reinferMu       sync.Mutex
	reinferProgress Progress      // guarded by reinferMu
	reinferWake     chan struct{} // has an element when there may be posts to reinfer
}

// New returns a Service. Load comes next, then Run.
func New(o Options) *Service {
	return &Service{
		Options:         o,
		generations:     map[poststore.SetID]int64{},
		last:            map[earshot.MonitorID]*job{},
		unreadable:      map[int64]bool{},
		wake:            make(chan struct{}, 1),
		reinferProgress: Progress{State: Idle},
		reinferWake:     make(chan struct{}, 1),
	}
}

// notify puts an element into a channel that has room for one.
func notify(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Load compares the store with the catalog and queues what a crash or a restored backup left
// undone: monitors whose generation in the store is not that of their record, and generations
// of what the catalog no longer has. A store that lost its posts has nothing to catch up
// with, as the entries that are replayed are matched against the monitors of today.
func (s *Service) Load(ctx context.Context) error {
	if err := s.markEmptyStore(ctx); err != nil {
		return err
	}
	generations, err := s.Store.Generations(ctx)
	if err != nil {
		return err
	}
	models, err := s.Catalog.Models(ctx)
	if err != nil {
		return fmt.Errorf("generation of the models: %w", err)
	}
	s.Enrich.SetGeneration(models.Generation)
	s.mu.Lock()
	maps.Copy(s.generations, generations)
	s.enqueueChanged()
	for _, id := range s.strays() {
		s.request(id)
	}
	s.mu.Unlock()
	for _, m := range s.Catalog.Monitors.List() {
		if !m.Removed {
			s.Categorizers(m) // queues monitors whose model cannot be read
		}
	}
	return nil
}

// markEmptyStore gives all monitors their generation in a store without posts: it has exactly
// those that each of them selects.
func (s *Service) markEmptyStore(ctx context.Context) error {
	position, err := s.Store.Position(ctx)
	if err != nil || position > 0 {
		return err
	}
	stats, err := s.Store.Stats(ctx)
	if err != nil || stats.Posts > 0 {
		return err
	}
	rules := poststore.Rules{}
	for _, m := range s.Catalog.Monitors.List() {
		if !m.Removed && m.Generation != 0 {
			maps.Copy(rules, sameRules(m, poststore.Rule{Generation: m.Generation}))
		}
		if record := m.Training.Model.Record; !m.Removed && record != 0 {
			rules[poststore.CategorizedSet(m.ID)] = poststore.Rule{Generation: record}
		}
	}
	if len(rules) == 0 {
		return nil
	}
	return s.Store.Rematch(ctx, poststore.Rematch{Rules: rules})
}

// strays returns what has a generation in the store and is neither a monitor in the catalog
// nor a filter of one. There are none while the catalog has a record that it cannot read,
// which may be their monitor: posts that lose their last monitor expire. s.mu is held.
func (s *Service) strays() []earshot.MonitorID {
	if !s.Catalog.Monitors.Complete() {
		return nil
	}
	strays := map[earshot.MonitorID]bool{}
	for set := range s.generations {
		if id, ok := set.Owner(); ok {
			strays[id] = true
		}
	}
	for _, m := range s.Catalog.Monitors.List() {
		delete(strays, m.ID)
		for _, f := range m.Filters {
			delete(strays, f.ID)
		}
	}
	return slices.Sorted(maps.Keys(strays))
}

// Run works until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var reinfer sync.WaitGroup
	defer reinfer.Wait()
	reinfer.Go(func() { s.runReinfer(ctx) })
	for {
		j := s.next(ctx)
		if j == nil {
			return
		}
		jobCtx, p := s.begin(ctx, j)
		rules, err := s.rematch(jobCtx, p, func(done, total int64) {
			s.mu.Lock()
			defer s.mu.Unlock()
			j.progress.Done, j.progress.Total = max(done, j.progress.Done), total
		})
		s.finish(ctx, j, rules, err)
		if err == nil {
			s.releaseModels(ctx, p, rules)
		}
	}
}

// rematch carries out a plan and returns the rules that are in force when it succeeds. The
// catalog has held the monitor as it is here, or newer, since before the barrier: batches that
// begin after the barrier match against that, and those before it are in the store, where
// Rematch finds them. A post is thus seen by at least one of the two, and both agree on it. If
// the monitor changes in the meantime, there will be another run of the job.
func (s *Service) rematch(ctx context.Context, p plan, progress func(done, total int64)) (rules poststore.Rules, err error) {
	defer s.catch(&err, "panic while matching stored posts", "monitor", p.id)
	if p.trains() {
		if p.monitor, err = s.Trainer.Train(ctx, p.id, p.model); err != nil {
			return nil, err
		}
	}
	r := poststore.Rematch{From: p.from(), Progress: progress}
	if r.Rules, err = p.rules(); err != nil {
		return nil, err
	}
	if r.Categorizations, err = s.categorization(ctx, p, r.Rules); err != nil {
		return nil, err
	}
	s.Barrier()
	return r.Rules, s.Store.Rematch(ctx, r)
}

// catch is deferred and turns a panic into an error. The log has its stack, with attributes.
func (s *Service) catch(err *error, message string, attributes ...any) {
	if r := recover(); r != nil {
		s.Log.Error(message, append(attributes, "panic", r, "stack", string(debug.Stack()))...)
		reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
		*err = fmt.Errorf("panic: %s", reason)
	}
}

// Bounds of the wait after a failure, which doubles each time: a passing failure costs hardly
// any time, and one that stays does not fill the log. The maximum is longer than for ingesting
// an entry because an attempt may read all posts.
const (
	minWait = 10 * time.Millisecond
	maxWait = time.Minute
)
