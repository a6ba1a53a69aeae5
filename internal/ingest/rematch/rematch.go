// Package rematch keeps stored posts up to date with the catalog and the models. It does three
// kinds of work: when the query of a monitor changes, it rematches stored posts; when an opinion
// monitor is trained, it fits a model and categorizes the monitor's posts; on request, it runs
// newer models on all posts (reinfer).
//
//	catalog: generation of monitor 7 is 5 ─┐
//	                                       ├─ they differ: queue a job for monitor 7
//	store:   generation of monitor 7 is 4 ─┘
//
// Pending work follows from such pairs of numbers: the catalog counts how many times a monitor had
// to be rematched, and the store records the generation that was applied last. Both survive a
// crash, so the job queue is needed only in memory. Jobs run one at a time in the order they are
// requested. If a monitor changes while its job runs, the job is canceled and starts over. See
// docs/decisions/0030-rematching.md.
//
// If several nodes have stores, every node follows the catalog and brings its own store up to date.
// Only the node that runs [Service.RunTraining] fits models; the others categorize their posts when
// the model is in the catalog. If the nodes share a store, only one of them can change it; jobs of the
// others wait until the store has the generations that the catalog demands.
//
// Package pipeline matches and categorizes new posts as they are ingested.
package rematch

import (
	"context"
	"errors"
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
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
)

// A Store is the part of the post store that a [Service] uses.
type Store interface {
	poststore.Maintainer
	Position(ctx context.Context) (earshot.Position, error)
}

// Options are the dependencies of a [Service].
type Options struct {
	Catalog *catalog.Catalog
	Store   Store
	Enrich  *enrich.Enricher
	Trainer Trainer // if nil, posts are not categorized
	Log     *slog.Logger
	Now     func() time.Time // of jobs, for people; nil: time.Now

	// Barrier waits until every batch that was matched against an older version of the catalog's
	// monitors is stored.
	Barrier func()

	// Writes reports whether this node writes to a store that several nodes share. If it does not, its
	// batches wait for another node, and there is no need to wait for them. Nil: the store is its own.
	Writes func() bool

	// Shared is set if several nodes have stores. This one then fits models only during RunTraining.
	Shared bool

	// Others returns the records of the models that categorized the stored posts of a monitor on
	// other nodes, 0 for none. It may omit nodes that cannot be reached. It may be nil.
	Others func(ctx context.Context, id earshot.MonitorID) []int64

	// Pictures looks again at pictures that an older model has looked at, in place. It may be nil.
	Pictures func(ctx context.Context, posts []earshot.Post)
}

// A Service keeps stored posts up to date.
type Service struct {
	Options

	mu          sync.Mutex
	generations map[poststore.SetID]int64  // guarded by mu; copy of the generations in the store
	last        map[earshot.MonitorID]*job // guarded by mu; the last job of each monitor
	queue       []*job                     // guarded by mu; in the order of requests
	version     uint64                     // guarded by mu; version of the catalog's monitors that the queue reflects
	unreadable  map[int64]bool             // guarded by mu; records of unreadable models
	wake        chan struct{}              // signals that the queue may have grown
	removed     map[earshot.MonitorID]bool // guarded by mu; removed monitors without posts in the store
	stale       map[earshot.MonitorID]bool // guarded by mu; monitors whose model must categorize all posts again
	unstale     chan struct{}              // signals that stale may be empty
	role        context.Context            // guarded by mu; context of RunTraining, or nil

	reinferMu       sync.Mutex
	reinferProgress Progress      // guarded by reinferMu
	reinferWake     chan struct{} // signals that there may be posts to reinfer
}

// New returns a Service. Call [Service.Load], then [Service.Run].
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{
		Options:         o,
		generations:     map[poststore.SetID]int64{},
		last:            map[earshot.MonitorID]*job{},
		unreadable:      map[int64]bool{},
		wake:            make(chan struct{}, 1),
		removed:         map[earshot.MonitorID]bool{},
		stale:           map[earshot.MonitorID]bool{},
		unstale:         make(chan struct{}, 1),
		reinferProgress: Progress{State: Idle},
		reinferWake:     make(chan struct{}, 1),
	}
}

// Load compares the store with the catalog and queues work that a crash or a restored backup left
// undone: monitors whose generation in the store differs from their record, and generations of
// monitors that are no longer in the catalog. A store that lost all of its posts needs no work,
// because replayed entries are matched against the current monitors.
func (s *Service) Load(ctx context.Context) error {
	if err := s.markEmptyStore(ctx); err != nil && !errors.Is(err, poststore.ErrElsewhere) {
		return err
	}
	generations, err := s.Store.Generations(ctx)
	if err != nil {
		return err
	}
	models, err := s.Catalog.Models(ctx)
	if err != nil {
		return fmt.Errorf("read model generation: %w", err)
	}
	s.Enrich.SetGeneration(models.Generation)
	s.mu.Lock()
	maps.Copy(s.generations, generations)
	for _, m := range s.Catalog.Monitors.List() {
		if m.Removed {
			s.removed[m.ID] = s.generations[poststore.MonitorSet(m.ID)] == 0
		}
	}
	s.enqueueChanged()
	s.mu.Unlock()
	for _, m := range s.Catalog.Monitors.List() {
		if !m.Removed {
			s.Categorizers(m) // queues monitors with unreadable models
		}
	}
	return nil
}

// Refresh reads the generations in the store again. Call it before this node begins to write to a store
// that another one has written to.
func (s *Service) Refresh(ctx context.Context) error {
	generations, err := s.Store.Generations(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.generations = generations
	s.mu.Unlock()
	sleep.Notify(s.wake)
	sleep.Notify(s.reinferWake)
	return nil
}

// markEmptyStore records the current generation of all monitors if the store has no posts. An empty
// store is up to date with every monitor.
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

// strays returns monitors that have a generation in the store but are neither a monitor in the
// catalog nor a filter of one. It returns none if the catalog contains an unreadable record, which
// may be such a monitor: posts that lose their last monitor expire. The caller holds s.mu.
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

// Run processes jobs until ctx is done.
func (s *Service) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { s.runReinfer(ctx) })
	if s.Shared {
		running.Go(func() { s.follow(ctx) })
	}
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
		s.finish(ctx, j, p, rules, err)
		if err == nil && !s.Shared {
			s.releaseModels(ctx, p, rules)
		}
	}
}

// follow queues jobs for monitors that change, whichever node changes them, until ctx is done.
func (s *Service) follow(ctx context.Context) {
	changed := make(chan struct{}, 1)
	defer s.Catalog.Monitors.Notify(changed)()
	for {
		s.mu.Lock()
		s.enqueueChanged()
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// rematch runs a plan and returns the rules that are in effect if it succeeds. The catalog has had
// this version of the monitor, or a newer one, since before the barrier. Batches that begin after
// the barrier are matched against that version; earlier batches are in the store, where Rematch
// finds them. Every post is therefore covered by at least one of the two, and both give the same
// result. If the monitor changes in the meantime, the job runs again.
func (s *Service) rematch(ctx context.Context, p plan, progress func(done, total int64)) (rules poststore.Rules, err error) {
	defer s.catch(&err, "panic while rematching stored posts", "monitor", p.id)
	if p.trains() {
		if p.monitor, err = s.train(ctx, p); err != nil {
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
	if s.Writes == nil || s.Writes() {
		s.Barrier()
	}
	return r.Rules, s.Store.Rematch(ctx, r)
}

// catch converts a panic to an error and logs it with its stack and attributes. It must be
// deferred.
func (s *Service) catch(err *error, message string, attributes ...any) {
	if r := recover(); r != nil {
		s.Log.Error(message, append(attributes, "panic", r, "stack", string(debug.Stack()))...)
		reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
		*err = fmt.Errorf("panic: %s", reason)
	}
}

// The wait after a failure starts at minWait and doubles up to maxWait. A transient failure costs
// little time, and a persistent one does not fill the log. The maximum is longer than in package
// pipeline because an attempt may read all posts.
const (
	minWait = 10 * time.Millisecond
	maxWait = time.Minute
)
