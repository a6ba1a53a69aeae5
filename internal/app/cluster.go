package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/cluster"
	"earshot/internal/http/manage"
	"earshot/internal/state/catalog"
	"earshot/internal/state/natsnode"
)

// A membership is this process as a node of a cluster.
type membership struct {
	*cluster.Members
	lag lagWatch

	mu     sync.Mutex
	state  cluster.State // guarded by mu; Ready: see App.nodeState
	detail string        // guarded by mu
}

// enterCluster starts telling the other nodes about this one. It returns an error if this program is
// too old for what they have written. It runs before the post store is opened, so that the journal
// keeps what this node lacks.
func (a *App) enterCluster(ctx context.Context) error {
	if err := a.watchFormats(); err != nil {
		return err
	}
	if !a.config.Clustered() {
		return a.raiseFormats(ctx)
	}
	identity, err := cluster.LoadIdentity(a.config.Data, a.config.NodeName)
	if err != nil {
		return err
	}
	records, err := natsnode.OpenBucket(ctx, a.node, natsnode.BucketOptions{Name: cluster.BucketName})
	if err != nil {
		return fmt.Errorf("open the records of nodes: %w", err)
	}
	m := &membership{state: cluster.Starting}
	m.Members = cluster.New(cluster.Options{
		Store: records, Identity: identity, Version: a.options.Version, Formats: cluster.Known,
		Fill: a.fillRecord, Log: a.log, Now: time.Now,
	})
	a.members = m
	ctx, a.leave = context.WithCancel(context.WithoutCancel(ctx))
	a.member.Go(func() { m.Run(ctx) })
	a.member.Go(func() {
		select {
		case <-ctx.Done():
		case <-m.Lost():
			a.end(cluster.ErrLost)
		}
	})
	return nil
}

// end makes Run return an error.
func (a *App) end(err error) {
	select {
	case a.displaced <- err:
	default: // it ends for another reason
	}
}

// watchFormats returns an error if other nodes have written formats that this program does not know,
// and ends the process if they do so later.
func (a *App) watchFormats() error {
	a.catalog.OnFormats(func(f catalog.Formats) {
		if err := cluster.CheckFormats(f, cluster.Known); err != nil {
			a.end(err)
			a.outdated() // the pipeline must not read what it would misread
		}
	})
	return cluster.CheckFormats(a.catalog.Formats(), cluster.Known)
}

// raiseFormats records the formats that all nodes know.
func (a *App) raiseFormats(ctx context.Context) error {
	agreed, current := cluster.Known, a.catalog.Formats()
	if a.members == nil {
		current = current.AtLeast(catalog.Formats{Journal: 1, Catalog: 1, Streams: 1}) // the same as no record
	} else if f, known := a.members.Agreed(); known {
		agreed = f
	} else {
		return nil
	}
	if current.AtLeast(agreed) == current {
		return nil
	}
	return a.catalog.RaiseFormats(ctx, agreed)
}

// runMembership measures how far this node is behind the journal, until ctx ends. It also removes the
// record of the machine that this one replaces.
func (a *App) runMembership(ctx context.Context) {
	if a.members == nil {
		return
	}
	tick := time.NewTicker(cluster.Interval)
	defer tick.Stop()
	for {
		attempt, cancel := context.WithTimeout(ctx, cluster.Interval)
		last, processed, err := a.journalEnd(attempt)
		cancel()
		if err == nil { // without a majority of nodes, nothing new arrives, and reading continues
			a.members.lag.add(time.Now(), last, processed)
			if err := a.members.RemoveReplaced(ctx); err != nil && ctx.Err() == nil {
				a.log.Warn("removing the record of a replaced node failed; will retry", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// setState sets what this node does until it is ready.
func (m *membership) setState(s cluster.State, detail string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.detail = s, detail
}

// isBehind reports whether this node is too far behind the journal to answer requests.
func (m *membership) isBehind() bool {
	if m == nil {
		return false
	}
	_, behind := m.lag.get()
	return behind
}

// nodeState returns what this node does.
func (a *App) nodeState() (cluster.State, string) {
	if a.ready.Load() {
		if a.members.isBehind() || a.members.CutOff() {
			return cluster.Behind, ""
		}
		return cluster.Ready, ""
	}
	a.members.mu.Lock()
	defer a.members.mu.Unlock()
	if a.members.state == cluster.Starting {
		return cluster.Starting, a.options.startup.current()
	}
	return a.members.state, a.members.detail
}

// fillRecord sets what changes in the record of this node.
func (a *App) fillRecord(r *cluster.Record) {
	r.State, r.Detail = a.nodeState()
	r.Catalog = a.catalog.Revision()
	if !a.opened.Load() {
		return // the journal must be kept until it is known what this node has
	}
	_, r.Position = a.pipeline.Processed()
	r.Durable = a.posts.Durable()
	r.Roles = a.roles.Held()
}

// clusterTimeout limits how long the state of a cluster may take, which is needed most when its parts
// do not respond.
const clusterTimeout = 3 * time.Second

// showCluster implements Cluster of [manage.API].
func (a *App) showCluster(ctx context.Context) (manage.Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	c := manage.Cluster{Name: a.config.ClusterName, Nodes: []manage.ClusterNode{}, Streams: []manage.ClusterStream{}}
	err := a.showJournal(ctx, &c.Journal)
	if a.members == nil {
		_, at := a.pipeline.Processed()
		c.Nodes = append(c.Nodes, manage.ClusterNode{
			ID: a.config.NodeName, Name: a.config.NodeName, Version: a.options.Version, Self: true, Live: true, Ready: a.ready.Load(),
			State: string(cluster.Ready), Seen: a.options.Now().UTC(), Position: at, Lag: int64(max(c.Journal.Last, at) - at), Roles: append([]string{}, a.roles.Held()...),
		})
		return c, err
	}
	members := a.members.List()
	lag := a.lagOf(ctx)
	for _, m := range members { // without a majority, this is the best known end of the journal
		c.Journal.Last = max(c.Journal.Last, m.Position)
	}
	for _, m := range members {
		if !m.Live {
			m.Roles = nil // others have them, or will
		}
		c.Nodes = append(c.Nodes, manage.ClusterNode{
			ID: m.ID, Name: m.Name, Version: m.Version, Self: m.Self, Live: m.Live, Ready: m.Live && m.State == cluster.Ready,
			State: string(m.State), Detail: m.Detail, Seen: m.Seen.UTC(), Position: m.Position, Lag: lag(m.Position, c.Journal.Last),
			Roles: append([]string{}, m.Roles...),
		})
	}
	topology, topologyErr := a.node.Topology(ctx)
	for _, s := range topology.Streams {
		stream := manage.ClusterStream{Name: s.Name, Leader: s.Leader, Replicas: []manage.ClusterReplica{}}
		for _, r := range s.Replicas {
			stream.Replicas = append(stream.Replicas, manage.ClusterReplica{Node: r.Node, Current: r.Current, Lag: int64(r.Lag), Offline: r.Offline})
		}
		c.Streams = append(c.Streams, stream)
	}
	if err := errors.Join(err, topologyErr); err != nil {
		a.log.Debug("the state of the cluster is incomplete", "error", err)
		c.Problem = clusterProblem(members, a.config.NATSURL == "")
	}
	return c, nil
}

// clusterProblem says why NATS does not respond, as far as the nodes tell. embedded means that the NATS
// servers run in the nodes.
func clusterProblem(members []cluster.Member, embedded bool) string {
	live := 0
	for _, m := range members {
		if m.Live {
			live++
		}
	}
	if !embedded || 2*live > len(members) {
		return "The storage service does not respond. This is normal for some seconds after a server has stopped"
	}
	return fmt.Sprintf("Only %d of %d nodes are running, which is no majority. Nothing can be stored until another one is back", live, len(members))
}

// showJournal sets which entries the journal has.
func (a *App) showJournal(ctx context.Context, j *manage.ClusterJournal) (err error) {
	if j.Last, err = a.Journal.Last(ctx); err != nil {
		return err
	}
	trimmed, err := a.Journal.Trimmed(ctx)
	j.First = trimmed + 1
	return err
}

// removeNode implements RemoveNode of [manage.API].
func (a *App) removeNode(ctx context.Context, node string) error {
	if a.members == nil {
		return earshot.Errorf(earshot.Invalid, "This installation is not a cluster, so no node can be removed")
	}
	member, err := a.members.Find(node)
	if err != nil {
		return err
	}
	if member.Live {
		return earshot.Errorf(earshot.Conflict, "Node %s is running, or was until a few seconds ago. Please stop it, wait 10 seconds and try again", member.Name)
	}
	if a.config.NATSURL == "" {
		err := a.node.RemovePeer(ctx, member.Name)
		if err != nil && !errors.Is(err, natsnode.ErrNotMember) {
			return err
		}
	}
	return a.members.Remove(ctx, member.ID)
}
