package natsnode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"earshot/internal/operate/integrity"
	"earshot/internal/sleep"
	"earshot/internal/state/acklog"
	"earshot/internal/state/kv"
	"earshot/internal/state/natsfile"
)

// installationStream is an empty stream. Several nodes may start a new cluster at the same time; the
// node that creates this stream determines the ID of the installation.
const installationStream = "INSTALLATION"

// agreeOnInstallation returns the ID of the installation. The first node of a cluster without
// streams determines it.
func (n *Node) agreeOnInstallation(ctx context.Context, o Options) (string, error) {
	found, err := n.findInstallation(ctx)
	for ; err == nil && found == "" && o.Cluster.Support; found, err = n.findInstallation(ctx) {
		if !sleep.For(ctx, waitingPoll) {
			return "", ctx.Err()
		}
	}
	if err != nil || found != "" {
		return found, err
	}
	if err := n.refuseNewInstallation(o); err != nil {
		return "", err
	}
	id := cmp.Or(o.Installation, acklog.NewInstallation())
	config := jetstream.StreamConfig{
		Name:     installationStream,
		Subjects: []string{"earshot.installation"},
		Storage:  jetstream.FileStorage,
		Replicas: n.replicas,
		Metadata: map[string]string{natsfile.InstallationKey: id},
	}
	for {
		err := n.Retry(ctx, func(ctx context.Context) error {
			_, err := n.js.CreateStream(ctx, config)
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return nil // another node, or a request whose response was lost
			}
			return err
		})
		if err != nil {
			return "", fmt.Errorf("agree on the ID of the installation: %w", err)
		}
		if found, err = n.findInstallation(ctx); err != nil || found != "" {
			return found, err
		}
		if !sleep.For(ctx, leaderPoll) { // a stream that is being created is in use, but not found
			return "", ctx.Err()
		}
	}
}

// refuseNewInstallation returns an error if this node has data, but the cluster has none.
func (n *Node) refuseNewInstallation(o Options) error {
	known := ""
	if n.member != nil {
		known = n.member.Installation
	}
	if known == "" && o.Peer != nil {
		known = o.Peer.Installation
	}
	if known == "" || known == o.Installation {
		return nil
	}
	return fmt.Errorf("this node has data of installation %s, but the cluster has none: a majority of the nodes started with an empty directory. "+
		"Start the nodes that have the data, or restore a backup", known)
}

// compareMember returns an error if the cluster lacks streams that this node has. The server would
// delete them.
func (n *Node) compareMember(ctx context.Context) error {
	if known := n.member.Installation; known != "" && known != n.installation {
		return fmt.Errorf("%s belongs to installation %s, but the cluster to %s", n.dir, known, n.installation)
	}
	local := n.member.localStreams()
	if len(local) == 0 {
		return nil
	}
	var names []string
	err := n.Retry(ctx, func(ctx context.Context) error {
		names = nil
		lister := n.js.StreamNames(ctx)
		for name := range lister.Name() {
			names = append(names, name)
		}
		return lister.Err()
	})
	if err != nil {
		return fmt.Errorf("list the streams of the cluster: %w", err)
	}
	for _, name := range local {
		if !slices.Contains(names, name) && natsfile.Part(name) != integrity.Streams {
			return fmt.Errorf("this node has the stream %s, but the cluster does not: a majority of the nodes has lost its data. "+
				"Start the nodes that have the data, or restore a backup", name)
		}
	}
	return nil
}

// joining returns what a node of a cluster must compare. A node whose store ends before the journal
// begins gets a copy of the store from another node, so only the end of the streams matters.
func (p *Peer) joining() *Peer {
	joining := *p
	joining.mayLag = true
	return &joining
}

// membersBucket is the bucket with the name of the server of each node, by the name of the node. It
// also has the names of servers that wait for their removal.
const membersBucket = "members"

const nameListSeparator = ","

// join makes this server the one of its node. A server that the node had before, with files that are
// lost, is removed from the cluster.
func (n *Node) join(ctx context.Context) error {
	bucket, err := OpenBucket(ctx, n, BucketOptions{Name: membersBucket})
	if err != nil {
		return fmt.Errorf("open the list of members: %w", err)
	}
	n.members = bucket
	old, revision, err := n.replaced(ctx)
	if err != nil {
		return err
	}
	if revision == 0 && len(n.member.Streams) > 0 {
		return fmt.Errorf("this node was removed from the cluster, which no longer accepts its files. To add it again, remove the directory %s "+
			"and start it; it then gets everything from the others", n.dir)
	}
	for _, name := range old {
		if err := n.awaitOffline(ctx, name); err != nil {
			return err
		}
	}
	if len(old) > 0 {
		n.log.Warn("this node has a new NATS directory; the others replace the member with the old one", "old", old, "new", n.member.Server)
	}
	names := strings.Join(append(slices.Clone(old), n.member.Server), nameListSeparator)
	if _, err := bucket.Put(ctx, n.cluster.NodeName, []byte(names), revision); err != nil {
		return fmt.Errorf("register this node: %w", err)
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stopMember = stop
	n.running.Go(func() { n.maintain(background, old) })
	return nil
}

// offlineTimeout is how long a server that has ended may count as running.
const offlineTimeout = 30 * time.Second

// awaitOffline waits until the old server of this node is offline. If it stays online, another node
// has the same name.
func (n *Node) awaitOffline(ctx context.Context, serverName string) error {
	for began := time.Now(); ; {
		p, found, err := n.findPeer(ctx, serverName)
		if err == nil && (!found || p.Offline) {
			return nil
		}
		if time.Since(began) > offlineTimeout {
			return errors.Join(fmt.Errorf("another node with the name %q is running: node_name must be unique", n.cluster.NodeName), err)
		}
		if n.cluster.Waiting != nil {
			n.cluster.Waiting("waiting for the others to notice that the old server of this node has ended")
		}
		if !sleep.For(ctx, waitingPoll) {
			return ctx.Err()
		}
	}
}

// replaced returns the names of servers that this node had before, and the revision of its record.
func (n *Node) replaced(ctx context.Context) (old []string, revision uint64, err error) {
	e, err := n.members.Get(ctx, n.cluster.NodeName)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the list of members: %w", err)
	}
	old = slices.DeleteFunc(strings.Split(string(e.Value), nameListSeparator), func(name string) bool { return name == n.member.Server })
	return old, e.Revision, nil
}

const (
	recordInterval = 10 * time.Second
	removeInterval = 2 * time.Second
)

// maintain removes old members of this node, restores the replicas of streams, and records which streams
// have one here.
func (n *Node) maintain(ctx context.Context, old []string) {
	next := time.NewTimer(removeInterval)
	defer next.Stop()
	for {
		if len(old) > 0 {
			old = n.removeOld(ctx, old)
		}
		attempt, cancel := context.WithTimeout(ctx, recordInterval)
		if err := n.restoreReplicas(attempt); err != nil && ctx.Err() == nil {
			n.log.Debug("restoring the replicas of streams failed; will retry", "error", err) // without a majority, too
		}
		cancel()
		if err := n.recordReplicas(); err != nil {
			n.log.Warn("recording the replicas of this node failed", "error", err)
		}
		wait := recordInterval
		if len(old) > 0 {
			wait = removeInterval
		}
		next.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}

// removeOld removes members and returns those that remain.
func (n *Node) removeOld(ctx context.Context, old []string) (remaining []string) {
	for _, name := range old {
		if err := n.removeServer(ctx, name); err != nil {
			if ctx.Err() == nil {
				n.log.Warn("removing the old member of this node failed; will retry", "member", name, "error", err)
			}
			remaining = append(remaining, name)
			continue
		}
		n.log.Info("removed the old member of this node", "member", name)
	}
	if len(remaining) > 0 {
		return remaining
	}
	e, err := n.members.Get(ctx, n.cluster.NodeName)
	if err == nil {
		_, err = n.members.Put(ctx, n.cluster.NodeName, []byte(n.member.Server), e.Revision)
	}
	if err != nil {
		return old // removing them again is harmless
	}
	return nil
}

// listMembers returns the servers of each node.
func (n *Node) listMembers(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	keys, err := n.members.Keys(ctx, ">")
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		e, err := n.members.Get(ctx, key)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all[key] = strings.Split(string(e.Value), nameListSeparator)
	}
	return all, nil
}

// serverNames returns the names of all servers by their peer IDs.
func (n *Node) serverNames(ctx context.Context) (map[string]string, error) {
	members, err := n.listMembers(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for servers := range maps.Values(members) {
		for _, name := range servers {
			names[peerID(name)] = name
		}
	}
	return names, nil
}
