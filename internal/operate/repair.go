package operate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/operate/backup"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
	"earshot/internal/state/ledger"
)

// A RepairPlan is what a repair will do.
type RepairPlan struct {
	Repairs     []integrity.Repair // of files that prevent a start
	DeadLetters int64              // to append to the journal again; unknown if there are Repairs
	Quarantined []string           // segments whose posts to recover; likewise
	Interrupted bool               // an earlier repair was interrupted, so this one must finish it
}

// isEmpty reports whether there is nothing to repair.
func (p *RepairPlan) isEmpty() bool {
	return len(p.Repairs) == 0 && p.DeadLetters == 0 && len(p.Quarantined) == 0 && !p.Interrupted
}

// RepairOptions control a repair.
type RepairOptions struct {
	Backup string // directory of a backup to recover posts from; may be empty

	// Open opens NATS and the post store. Nothing else runs: no pipeline and no requests.
	Open func(context.Context) (*Engines, error)

	// Confirm is called with the plan before anything is written. The repair ends with
	// [ErrNotConfirmed] if it returns false. It is not called if there is nothing to repair.
	Confirm func(*RepairPlan) (bool, error)
}

// Engines are what a repair works with.
type Engines struct {
	Journal journal.Archive
	Posts   interface {
		poststore.Store
		Durable() earshot.Position
	}
	Files   Files // of Posts; nil: they are in ClickHouse
	Catalog *catalog.Catalog
	Ledger  *ledger.Ledger
	Streams interface {
		HighestStream(context.Context) (earshot.StreamID, error)
	}
	Close func()
}

// Files are the files of the local post store.
type Files interface {
	// LostKeys returns the posts that quarantined segments had.
	LostKeys(ctx context.Context) (*local.LostKeys, error)

	// Dismiss forgets a quarantined segment.
	Dismiss(ctx context.Context, name string) error
}

// ErrIrreparable is wrapped by errors for damage that cannot be repaired, such as the loss of the
// whole catalog. Nothing was changed.
var ErrIrreparable = errors.New("this damage cannot be repaired, and nothing was changed. Please restore a backup")

// ErrNotConfirmed means that nothing was repaired, because the operator did not want it.
var ErrNotConfirmed = errors.New("nothing was changed")

// A RepairResult is what a repair has done.
type RepairResult struct {
	Plan        *RepairPlan
	Lost        []string // what could not be recovered, except for posts
	DeadLetters int      // entries that were appended to the journal again
	NextID      int64    // if IDs were skipped because the catalog lost records; else 0

	RecoveredPosts int64 // posts of quarantined segments that were appended to the journal
	LostPosts      int64 // posts of quarantined segments that are in no source
}

// Nothing reports whether there was nothing to repair.
func (r *RepairResult) Nothing() bool { return r.Plan.isEmpty() }

// Repair recovers everything that is readable in a data directory that the service does not use. It
// keeps damaged files. Until it succeeds, the service does not start if it has written anything.
// After an error or an interruption it may be called again.
func Repair(ctx context.Context, cfg config.Config, o RepairOptions) (*RepairResult, error) {
	if err := errors.Join(backup.Check(cfg.Data), checkBackup(ctx, o.Backup)); err != nil {
		return nil, err
	}
	r := &repairer{config: cfg, options: o}
	if err := r.lock(); err != nil {
		return nil, err
	}
	defer func() { r.unlock.Close() }()
	if err := r.plan(ctx); err != nil {
		return nil, err
	}
	result := &RepairResult{Plan: r.planned}
	if r.planned.isEmpty() {
		return result, nil
	}
	if ok, err := o.Confirm(r.planned); err != nil {
		return nil, err
	} else if !ok {
		return nil, ErrNotConfirmed
	}
	if err := r.apply(ctx, result); err != nil {
		return nil, err
	}
	return result, nil
}

// checkBackup returns an error if dir is not a complete and correct backup. It may be empty.
func checkBackup(ctx context.Context, dir string) error {
	if dir == "" {
		return nil
	}
	b, err := backup.Open(dir)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Verify(ctx)
}

// A repairer is one call of Repair.
type repairer struct {
	config  config.Config
	options RepairOptions
	planned *RepairPlan
	unlock  io.Closer // of the data directory
}

// lock makes sure that no service is using the data directory.
func (r *repairer) lock() error {
	unlock, err := lockIfStopped(r.config)
	switch {
	case err != nil:
		return err
	case unlock == nil:
		return fmt.Errorf("the service is running in %s. Please stop it first", r.config.Data)
	}
	r.unlock = unlock
	return nil
}

// plan finds out what to repair.
func (r *repairer) plan(ctx context.Context) error {
	r.planned = &RepairPlan{Interrupted: checkRepaired(r.config.Data) != nil}
	for _, p := range checkables(r.config) {
		repairs, err := p.plan(ctx, p.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		r.planned.Repairs = append(r.planned.Repairs, repairs...)
	}
	if len(r.planned.Repairs) > 0 {
		return nil // the engines cannot be opened yet
	}
	err := r.withEngines(ctx, func(e *Engines) error {
		letters, err := e.Journal.DeadLetters(ctx)
		if err != nil {
			return err
		}
		stats, err := e.Posts.Stats(ctx)
		if err != nil {
			return err
		}
		r.planned.DeadLetters = letters.Count
		for _, q := range stats.Quarantined {
			r.planned.Quarantined = append(r.planned.Quarantined, q.Name)
		}
		return nil
	})
	if damage, ok := errors.AsType[*integrity.DamageError](err); ok {
		return fmt.Errorf("%w: %w", ErrIrreparable, damaged(damage.Findings, nil))
	}
	return err
}

// apply repairs the files, and then recovers what needs the engines.
func (r *repairer) apply(ctx context.Context, result *RepairResult) error {
	interrupted, err := markRepair(r.config.Data)
	if err != nil {
		return err
	}
	mayReuseIDs := interrupted
	for _, repair := range r.planned.Repairs {
		if err := repair.Apply(ctx); err != nil {
			return fmt.Errorf("%s: %w", repair.Summary, err)
		}
		mayReuseIDs = mayReuseIDs || repair.Part == integrity.Catalog || repair.Part == integrity.Acknowledgments
		result.Lost = append(result.Lost, repair.Lost...)
	}
	err = r.withEngines(ctx, func(e *Engines) error {
		if mayReuseIDs {
			if err := skipIDs(ctx, e, result); err != nil {
				return err
			}
		}
		if result.RecoveredPosts, result.LostPosts, err = recoverPosts(ctx, e, r.config, r.options.Backup); err != nil {
			return err
		}
		result.DeadLetters, err = e.Journal.RetryDeadLetters(ctx, e.Posts.Durable())
		return err
	})
	if err != nil {
		return err
	}
	return unmarkRepair(r.config.Data)
}

// withEngines opens NATS and the post store while do runs. Nothing else runs: no pipeline and no
// requests. The embedded NATS server locks the data directory by itself.
func (r *repairer) withEngines(ctx context.Context, do func(*Engines) error) (err error) {
	r.unlock.Close()
	defer func() {
		if lockErr := r.lock(); lockErr != nil {
			r.unlock, err = io.NopCloser(nil), errors.Join(err, lockErr)
		}
	}()
	e, err := r.options.Open(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	return do(e)
}

// skipIDs makes sure that IDs that were assigned before the catalog lost records are not assigned
// again, because a new team would see the data of a former one.
func skipIDs(ctx context.Context, e *Engines, result *RepairResult) error {
	seen, err := e.Ledger.HighestID(ctx)
	if err != nil {
		return err
	}
	stream, err := e.Streams.HighestStream(ctx)
	if err != nil {
		return err
	}
	seen = max(seen, int64(stream))
	sets, err := e.Posts.Generations(ctx)
	if err != nil {
		return err
	}
	for set := range sets {
		if owner, ok := set.Owner(); ok {
			seen = max(seen, int64(owner))
		}
	}
	result.NextID, err = e.Catalog.SkipIDs(ctx, seen)
	return err
}
