package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"earshot/internal/operate"
	"earshot/internal/state/kv"
	"earshot/internal/state/lease"
	"earshot/internal/state/natsnode"
)

// agreeOnSecret returns an error if other nodes have another secret. Their tokens and sessions would
// be invalid on this node.
func (a *App) agreeOnSecret(ctx context.Context) error {
	if !a.config.Clustered() {
		return nil
	}
	secret, err := operate.ClusterSecret(a.config)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("earshot secret fingerprint"))
	fingerprint := hex.EncodeToString(mac.Sum(nil)[:16])
	if a.options.AcceptSecret {
		return a.catalog.SetSecretFingerprint(ctx, fingerprint)
	}
	agreed, err := a.catalog.AgreeOnSecret(ctx, fingerprint)
	if err != nil {
		return fmt.Errorf("compare the token secret with that of other nodes: %w", err)
	}
	if agreed != fingerprint {
		return fmt.Errorf("the token secret in %s is not the one of the other nodes: copy the file from another node. "+
			"If you have replaced it on all nodes, start one of them once with --accept-secret", a.config.SecretPath())
	}
	return nil
}

// installationRole is the role of the only process of an installation that uses an external NATS
// server and is not part of a cluster.
const installationRole = "installation"

// guardTimeout is how long another process may renew its lease until this one gives up. It is longer
// than the time after which the lease of a process that has crashed can be taken over.
const guardTimeout = 10 * time.Second

// guardInstallation prevents two processes that do not know of each other from using the same external
// NATS server. It returns when this process has the lease of the installation, or with an error that
// names the process that has it. If this process loses it to another one later, displaced gets an
// error.
func (a *App) guardInstallation(ctx context.Context) error {
	if a.config.NATSURL == "" || a.config.Clustered() {
		return nil
	}
	store, err := natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: lease.BucketName, MaxAge: time.Hour})
	if err != nil {
		return fmt.Errorf("open leases: %w", err)
	}
	g := newGuard(store, fmt.Sprintf("%s at %s, since %s", a.config.NodeName, a.config.Listen, a.started.UTC().Format("2006-01-02 15:04:05 UTC")), a.log)
	held := make(chan error, 1)
	ctx, a.stopGuard = context.WithCancel(context.WithoutCancel(ctx))
	a.guarding.Go(func() { g.run(ctx, held, a.displaced) })
	return <-held
}

// A guard keeps the lease of an installation.
type guard struct {
	leases  *lease.Manager
	log     *slog.Logger
	waiting time.Time // since when another process has the lease; zero: it does not
	other   string    // that process
	cancel  context.CancelFunc
}

func newGuard(store kv.Store, name string, log *slog.Logger) *guard {
	return &guard{leases: &lease.Manager{Store: store, NodeName: name, Log: log}, log: log}
}

// run keeps the lease until ctx ends. It sends nil to held when it has the lease, or an error if
// another process has it. If another process takes it over later, run sends an error to displaced.
func (g *guard) run(ctx context.Context, held, displaced chan<- error) {
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
func (g *guard) wait(other string) {
	if g.waiting.IsZero() {
		g.waiting, g.other = time.Now(), other
		g.log.Info("another process uses the NATS server, or has crashed; waiting for its lease to end", "process", other)
	}
	if time.Since(g.waiting) > guardTimeout {
		g.cancel()
	}
}
