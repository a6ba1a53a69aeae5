package cluster

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
)

// installationRole is the role of the only process of an installation that uses an external NATS
// server and is not part of a cluster.
const installationRole = "installation"

// guardTimeout is how long another process may renew its lease until this one gives up. It is longer
// than the time after which the lease of a process that has crashed can be taken over.
const guardTimeout = 10 * time.Second

// A Guard keeps the lease of an installation that is not a cluster, but uses an external NATS server. It
// prevents two processes that do not know of each other from using the same server.
type Guard struct {
	leases  *lease.Manager
	log     *slog.Logger
	waiting time.Time // since when another process has the lease; zero: it does not
	other   string    // that process
	cancel  context.CancelFunc
}

// NewGuard returns a Guard. store has the leases, and the name identifies this process to people.
func NewGuard(store kv.Store, name string, log *slog.Logger) *Guard {
	return &Guard{leases: &lease.Manager{Store: store, NodeName: name, Log: log}, log: log}
}

// Run keeps the lease until ctx ends. It sends nil to held when it has the lease, or an error if
// another process has it. If another process takes it over later, Run sends an error to displaced.
func (g *Guard) Run(ctx context.Context, held, displaced chan<- error) {
	result := held
	for ctx.Err() == nil {
		g.waiting = time.Time{}
		attempt, cancel := context.WithCancel(ctx)
		g.cancel = cancel
		g.leases.Do(attempt, installationRole, g.wait, func(ctx context.Context) {
			if result == held {
				result <- nil
			}
			result = displaced
			<-ctx.Done()
		})
		given := attempt.Err() != nil && ctx.Err() == nil
		cancel()
		if given {
			result <- errors.New("another process uses the same NATS server: " + g.other + ". Several processes form one installation only with cluster.name (docs/cluster.md)")
			return
		}
	}
	if result == held {
		held <- ctx.Err()
	}
}

// wait is called while another process has the lease, which may have crashed.
func (g *Guard) wait(other string) {
	if g.waiting.IsZero() {
		g.waiting, g.other = time.Now(), other
		g.log.Info("another process uses the NATS server, or has crashed; waiting for its lease to end", "process", other)
	}
	if time.Since(g.waiting) > guardTimeout {
		g.cancel()
	}
}
