package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/cluster"
	"earshot/internal/limit"
	"earshot/internal/operate"
	"earshot/internal/poststore/local"
	"earshot/internal/state/lease"
	"earshot/internal/state/natsnode"
)

// enterCluster starts telling the other nodes, if any, about this one. It returns an error if this
// program is too old for what they have written. It runs before the post store is opened, so that the
// journal keeps what this node lacks.
func (a *App) enterCluster(ctx context.Context) (err error) {
	err = cluster.WatchFormats(a.catalog, func(err error) {
		a.end(err)
		a.outdated() // the pipeline must not read what it would misread
	})
	if err != nil {
		return err
	}
	o := cluster.MembershipOptions{
		Name: a.config.ClusterName, Identity: cluster.Identity{Name: a.config.NodeName}, Version: a.options.Version, Installation: a.node.Installation(),
		Catalog: a.catalog, Journal: a.Journal, Messenger: a.node, Log: a.log, Now: a.options.Now,
		Ready: a.ready.Load, Stored: a.progress, Step: a.options.gate.Current, Roles: a.roles.Held, Streams: a.listStreams,
	}
	if a.config.NATSURL == "" {
		o.RemoveServer = a.removeServer
	}
	if !a.config.Clustered() {
		a.cluster = cluster.NewMembership(o)
		return a.cluster.RaiseFormats(ctx)
	}
	if o.Identity, err = cluster.LoadIdentity(a.config.Data, a.config.NodeName); err != nil {
		return err
	}
	if o.Records, err = natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: cluster.BucketName}); err != nil {
		return fmt.Errorf("open the records of nodes: %w", err)
	}
	a.cluster = cluster.NewMembership(o)
	ctx, a.leave = context.WithCancel(context.WithoutCancel(ctx))
	a.member.Go(func() {
		if err := a.cluster.Run(ctx); err != nil {
			a.end(err)
		}
	})
	return nil
}

// progress implements Stored of [cluster.MembershipOptions].
func (a *App) progress() cluster.Progress {
	if !a.opened.Load() {
		return cluster.Progress{}
	}
	_, at := a.pipeline.Processed()
	return cluster.Progress{Opened: true, Processed: at, Durable: a.posts.Durable()}
}

// listStreams implements Streams of [cluster.MembershipOptions].
func (a *App) listStreams(ctx context.Context) (list []cluster.StreamStatus, err error) {
	topology, err := a.node.Topology(ctx)
	for _, s := range topology.Streams {
		stream := cluster.StreamStatus{Name: s.Name, Leader: s.Leader, Replicas: []cluster.ReplicaStatus{}}
		for _, r := range s.Replicas {
			stream.Replicas = append(stream.Replicas, cluster.ReplicaStatus{Node: r.Node, Current: r.Current, Lag: int64(r.Lag), Offline: r.Offline})
		}
		list = append(list, stream)
	}
	return list, err
}

// removeServer implements RemoveServer of [cluster.MembershipOptions].
func (a *App) removeServer(ctx context.Context, node string) error {
	if err := a.node.RemovePeer(ctx, node); !errors.Is(err, natsnode.ErrNotMember) {
		return err
	}
	return nil
}

// handlers returns what answers other nodes.
func (a *App) handlers() cluster.Handlers {
	x := limit.NewExchange(a.secret)
	x.AddRate("api", a.options.limits.API)
	x.AddRate("other", a.options.limits.Other)
	a.Accounts.ShareFailures(x)
	a.Shares.ShareFailures(x)
	return cluster.Handlers{Limits: x, Model: a.rematch.InUse, Pictures: a.Pictures.Answer, Freeze: &a.freeze, Save: a.Sources.Save, Receive: a.Sources.ReceiveHere}
}

// end makes Run return an error.
func (a *App) end(err error) {
	select {
	case a.displaced <- err:
	default: // it ends for another reason
	}
}

// join copies the post store of another node if this node lacks too much. posts is its own store.
func (a *App) join(ctx context.Context, posts operate.StoreInfo) error {
	if _, remote := a.config.ClickHouse(); remote {
		return nil // a shared store has everything already
	}
	return a.cluster.Join(ctx, cluster.JoinOptions{
		Dir: a.config.Data, Posts: operate.PostsDir(a.config), Stored: posts.Position, Steps: a.options.gate,
		Inspect: func(ctx context.Context, dir string) (string, earshot.Position, error) {
			if err := local.VerifyCheckpoint(ctx, dir); err != nil {
				return "", 0, err
			}
			copied, err := local.Inspect(dir)
			return copied.Installation, copied.Position, err
		},
	})
}

// rejoin makes Run open the App again, because the journal no longer has entries that this node lacks.
// err names them.
func (a *App) rejoin(err error) {
	next := "copying the post store of another node"
	if a.files == nil {
		next = "continuing where the post store ends"
	}
	a.log.Warn("this node lacks entries that the journal no longer has; "+next, "error", err)
	a.end(errRejoin)
	close(a.trimmed)
}

// agreeOnSecret returns an error if other nodes have another secret.
func (a *App) agreeOnSecret(ctx context.Context) error {
	secret, err := operate.ClusterSecret(a.config)
	if err != nil {
		return err
	}
	return cluster.AgreeOnSecret(ctx, a.catalog, secret, a.config.SecretPath(), a.options.AcceptSecret)
}

// guardInstallation returns when this process is the only one of an installation that uses an external
// NATS server and is not part of a cluster, or with an error that names the other one. If another
// process takes over later, displaced gets an error.
func (a *App) guardInstallation(ctx context.Context) error {
	if a.config.NATSURL == "" || a.config.Clustered() {
		return nil
	}
	store, err := natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: lease.BucketName, MaxAge: time.Hour})
	if err != nil {
		return fmt.Errorf("open leases: %w", err)
	}
	g := cluster.NewGuard(store, fmt.Sprintf("%s at %s, since %s", a.config.NodeName, a.config.Listen, a.started.UTC().Format("2006-01-02 15:04:05 UTC")), a.log)
	held := make(chan error, 1)
	ctx, a.stopGuard = context.WithCancel(context.WithoutCancel(ctx))
	a.guarding.Go(func() { g.Run(ctx, held, a.displaced) })
	return <-held
}
