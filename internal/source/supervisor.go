package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

const (
	// followInterval is how often the supervisor looks for changes by other processes. Changes by
	// this process take effect immediately.
	followInterval = time.Second

	checkpointInterval = 15 * time.Second

	// refreshInterval is how often the checkpoint of a source without activity is written, so that
	// a start does not have to read old journal entries.
	refreshInterval = time.Hour

	retentionInterval = time.Hour
)

// Run runs all sources until ctx ends, and then stops them. It finishes removals that were
// interrupted.
func (s *Service) Run(ctx context.Context) {
	s.mu.Lock()
	s.runners = map[earshot.LiveSourceID]*runner{}
	s.mu.Unlock()
	var tasks sync.WaitGroup
	tasks.Go(func() {
		for sleep.For(ctx, checkpointInterval) {
			s.Save(ctx)
		}
	})
	tasks.Go(func() { sleep.Repeat(ctx, retentionInterval, s.applyRetention) })
	s.follow(ctx)
	tasks.Wait()
	s.stopAll()
}

// follow starts, stops and changes sources according to the catalog, until ctx ends.
func (s *Service) follow(ctx context.Context) {
	var version uint64
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	again := map[earshot.LiveSourceID]bool{} // sources whose removal failed
	for ctx.Err() == nil {
		var ids []earshot.LiveSourceID
		ids, version = s.Catalog.Live.Changes(version)
		for _, id := range ids {
			again[id] = true
		}
		for id := range again {
			if err := s.apply(ctx, id); err != nil {
				if ctx.Err() == nil {
					s.Log.Error("removing a live source failed; will retry", "source", id, "error", err)
				}
				continue
			}
			delete(again, id)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-s.changed.C():
		}
	}
}

// apply starts, stops or changes the runner of a source according to its record.
func (s *Service) apply(ctx context.Context, id earshot.LiveSourceID) error {
	src, ok := s.Catalog.Live.Find(id)
	r := s.runner(id)
	if r == nil && ok {
		r = &runner{service: s, id: id, src: src}
		if cp, ok := s.Catalog.Checkpoints.Find(id); ok {
			r.restore(cp)
		}
		s.mu.Lock()
		s.runners[id] = r
		s.mu.Unlock()
	}
	switch {
	case r == nil:
	case !ok, src.Removed:
		r.halt()
		r.unload() // no checkpoint is written after the source's is removed
		if ok {
			if err := s.finishRemoval(ctx, src); err != nil {
				return err
			}
		}
		s.mu.Lock()
		delete(s.runners, id)
		s.mu.Unlock()
	case src.Paused:
		r.halt()
		r.replace(src)
		r.setState(connector.State{Phase: connector.Stopped, Reason: "Paused"})
		if err := r.load(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("finding the cursor of a paused live source failed; it is found when the source is resumed", "source", id, "error", err)
		}
	case r.isRunning():
		r.replace(src)
	default:
		r.replace(src)
		r.start(ctx)
	}
	return nil
}

// stopAll stops all sources at the same time.
func (s *Service) stopAll() {
	s.mu.Lock()
	var all []*runner
	for _, r := range s.runners {
		all = append(all, r)
	}
	s.mu.Unlock()
	var stopping sync.WaitGroup
	for _, r := range all {
		stopping.Go(func() {
			r.halt()
			r.setState(connector.State{Phase: connector.Stopped, Reason: "Earshot is stopping"})
		})
	}
	stopping.Wait()
}

// Save writes the checkpoints of the sources of this process that have changed, and of those whose
// checkpoint is old. A failure is logged. The service does so at intervals, too.
func (s *Service) Save(ctx context.Context) {
	last, err := s.Journal.Last(ctx)
	if err != nil {
		return // the pipeline reports it
	}
	s.mu.Lock()
	var due []*runner
	for _, r := range s.runners {
		if r.isDue() {
			due = append(due, r)
		}
	}
	s.mu.Unlock()
	for _, r := range due {
		if err := r.saveIfIdle(ctx, last); err != nil && ctx.Err() == nil {
			s.Log.Warn("writing the checkpoint of a live source failed; will retry", "source", r.id, "error", err)
		}
	}
}

// isDue reports whether this process should write a checkpoint.
func (r *runner) isDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loaded && (r.dirty || time.Since(r.saved) >= refreshInterval)
}

// applyRetention deletes posts that are older than the retention of their source.
func (s *Service) applyRetention(ctx context.Context) {
	for _, src := range s.Catalog.Live.List() {
		if src.RetentionDays == 0 || src.Removed {
			continue
		}
		before := s.now().AddDate(0, 0, -src.RetentionDays).UTC().Truncate(time.Second)
		for _, d := range batchDeletions(src) {
			d.Before = before
			if _, err := s.Journal.Append(ctx, journal.Entry{Deletion: &d}); err != nil {
				if ctx.Err() == nil {
					s.Log.Error("applying the retention of a live source failed; will retry", "source", src.ID, "error", err)
				}
				return
			}
		}
	}
}

// batchDeletions returns deletions of all posts of a source. A source that once delivered custom
// content may have public posts as well, if its settings have changed.
func batchDeletions(src *earshot.LiveSource) []earshot.Deletion {
	list := []earshot.Deletion{{Batch: src.ID.Batch()}}
	if src.ContentSource != 0 {
		list = append(list, earshot.Deletion{ContentSource: src.ContentSource, Batch: src.ID.Batch()})
	}
	return list
}

// RolePrefix starts the names of the roles of sources, for example source.7.
const RolePrefix = "source."

func role(id earshot.LiveSourceID) string { return RolePrefix + strconv.FormatInt(int64(id), 10) }

// finishRemoval deletes everything that belongs to a source marked as removed, and the source itself.
// It can be repeated. It requires the lease, so that no process is still delivering posts.
func (s *Service) finishRemoval(ctx context.Context, src *earshot.LiveSource) error {
	err := errors.New("another process has the lease")
	s.Roles.Do(ctx, role(src.ID), func(string) {}, func(ctx context.Context) { err = s.remove(ctx, src) })
	return cmp.Or(ctx.Err(), err)
}

// remove does what finishRemoval does, with the lease.
func (s *Service) remove(ctx context.Context, src *earshot.LiveSource) error {
	if src.RemovePosts {
		for _, d := range batchDeletions(src) {
			if _, err := s.Journal.Append(ctx, journal.Entry{Deletion: &d}); err != nil {
				return err
			}
		}
	}
	if err := s.records(src.ID).removeAll(ctx); err != nil {
		return fmt.Errorf("remove records: %w", err)
	}
	if err := s.Catalog.Checkpoints.Remove(ctx, src.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return fmt.Errorf("remove checkpoint: %w", err)
	}
	if err := s.Catalog.Live.Remove(ctx, src.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return err
	}
	return s.Catalog.ReleaseName(ctx, sourceName(src), int64(src.ID))
}

func sourceName(src *earshot.LiveSource) catalog.UniqueName {
	return catalog.UniqueName{Kind: "live." + strconv.FormatInt(int64(src.Team), 10), Text: src.Name}
}
