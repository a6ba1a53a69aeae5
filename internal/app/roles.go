package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"earshot/internal/operate"
	"earshot/internal/sleep"
	"earshot/internal/source"
	"earshot/internal/state/catalog"
	feedstore "earshot/internal/state/feed/jetstream"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
)

// openRoles returns the manager of roles, which decides which process does work that must be done once.
// Only one process uses the files of the embedded server, so its leases end with it.
func (a *App) openRoles(ctx context.Context) (*lease.Manager, error) {
	roles := &lease.Manager{Store: kv.NewMemory(), NodeName: a.config.NodeName, Log: a.log}
	if a.config.NATSURL == "" && !a.config.Clustered() {
		return roles, nil
	}
	leases, err := natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: lease.BucketName, MaxAge: time.Hour})
	if err != nil {
		return nil, fmt.Errorf("open leases: %w", err)
	}
	roles.Store = leases
	if a.config.Clustered() {
		roles.Fence = a.raiseFence
	}
	return roles, nil
}

// Streams that roles write to.
var (
	catalogStream = natsnode.BucketStream(catalog.BucketName)
	ledgerStream  = natsnode.BucketStream(ledger.BucketName)
	recordStream  = natsnode.BucketStream(source.BucketName)
)

// fencedStreams returns the streams in which a role has a fence: all to which its work writes. A role
// that is not listed has one in all streams.
func fencedStreams(name string) []string {
	switch {
	case strings.HasPrefix(name, source.RolePrefix):
		return []string{journalstore.StreamName, recordStream, catalogStream}
	case name == "streams":
		return feedstore.StreamNames()
	case name == "pictures", name == "looks", name == "retention":
		return []string{journalstore.StreamName, catalogStream}
	case name == "signals", name == "analyses":
		return []string{catalogStream, ledgerStream}
	case name == "training", name == "baseline", name == storeRole: // posts have a fence of their own
		return []string{catalogStream}
	}
	return append(feedstore.StreamNames(), journalstore.StreamName, recordStream, catalogStream, ledgerStream)
}

// raiseFence implements Fence of [lease.Manager]. The context also ends when the fence is lost.
func (a *App) raiseFence(ctx context.Context, role string) (context.Context, error) {
	fence, err := a.node.RaiseFence(ctx, role, fencedStreams(role)...)
	if err != nil {
		return nil, err
	}
	fenced, lost := context.WithCancelCause(natsnode.WithFence(ctx, fence))
	a.running.Go(func() {
		fence.Keep(ctx) // returns when the role ends or the fence is lost
		lost(lease.ErrLost)
	})
	return fenced, nil
}

// A role is work that only one process does at a time. Live sources and the streams have roles too,
// which start elsewhere.
type role struct {
	name string
	work []func(ctx context.Context)

	// caughtUp means that the work starts when the journal is processed, because posts that are not
	// stored yet would look like silence.
	caughtUp bool
}

func (a *App) listRoles() []role {
	pictures := a.Pictures.Run
	if !a.config.FetchImages {
		pictures = a.Pictures.Forget
	}
	roles := []role{
		{"signals", []func(context.Context){a.Signals.Run, a.Deliveries.Run, a.Digest.Run}, true},
		{"pictures", []func(context.Context){pictures}, true},
		{"retention", []func(context.Context){a.retention().Run, a.guessDomains}, false},
	}
	if a.looks != nil {
		roles = append(roles, role{"looks", []func(context.Context){a.looks.Run}, true})
	}
	if a.config.Clustered() { // one node alone does this anyway
		roles = append(roles,
			role{"training", []func(context.Context){a.runTraining}, true},
			role{"analyses", []func(context.Context){a.Analysis.RunRetries}, true},
		)
	}
	return roles
}

// runRoles runs each role while this process has it, until ctx ends.
func (a *App) runRoles(ctx context.Context) {
	var roles sync.WaitGroup
	for _, r := range a.listRoles() {
		roles.Go(func() {
			if r.caughtUp && !a.waitCaughtUp(ctx) {
				return
			}
			a.roles.Run(ctx, r.name, func(ctx context.Context) {
				var running sync.WaitGroup
				for _, work := range r.work {
					running.Go(func() { work(ctx) })
				}
				running.Wait()
				<-ctx.Done() // work that has nothing to do returns at once
			})
		})
	}
	roles.Wait()
}

// waitCaughtUp waits until the journal is processed. It reports whether ctx is still valid.
func (a *App) waitCaughtUp(ctx context.Context) bool {
	for a.catchUp(ctx, false, func(int64) {}) != nil {
		if !sleep.For(ctx, time.Second) {
			return false
		}
	}
	return ctx.Err() == nil
}

// guessDomains guesses the domains of content sources from documents that an earlier version stored.
func (a *App) guessDomains(ctx context.Context) {
	if err := a.Content.GuessDomains(ctx); err != nil && ctx.Err() == nil {
		a.log.Error("could not guess the domains of content sources", "error", err)
	}
}

// runTraining fits models and removes what no monitor references, until ctx ends. One of several nodes
// runs it.
func (a *App) runTraining(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { a.rematch.RunTraining(ctx) })
	running.Go(func() { a.Training.RunSweep(ctx) })
	running.Wait()
}

// retention returns the task that removes old data. One of several nodes runs it.
func (a *App) retention() *operate.Retention {
	return &operate.Retention{
		Days: a.config.RetentionJournal, Journal: a.Journal, Catalog: a.catalog, Posts: a.posts, Streams: a.Streams,
		Floor: a.cluster.Floor, Pending: a.pending, RaiseFormats: a.cluster.RaiseFormats, SweepAnswers: a.answers().Sweep,
		Notes: []operate.Notes{a.Marks, a.Signals, a.Labels, a.Corrections, a.Accounts}, Now: a.options.Now, Log: a.log,
	}
}
