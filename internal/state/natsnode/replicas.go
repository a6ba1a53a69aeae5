package natsnode

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// restoreReplicas gives streams that have lost a replica, because a node was removed from the cluster,
// one on another node. NATS does so only if there is another node when one is removed, and not when a
// node is added later. Each node takes care of the streams that it leads, so there is one for each
// stream. A node that is only down keeps its replicas.
func (n *Node) restoreReplicas(ctx context.Context) error {
	var lacking []*jetstream.StreamInfo
	lister := n.js.ListStreams(ctx)
	for info := range lister.Info() {
		if c := info.Cluster; c != nil && c.Leader == n.member.Server && min(1+len(c.Replicas), info.Config.Replicas) < n.replicas {
			lacking = append(lacking, info)
		}
	}
	if err := lister.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return fmt.Errorf("list the streams of the cluster: %w", n.TranslateError(err))
	}
	if len(lacking) == 0 {
		return nil
	}
	t, err := n.metaGroup(ctx, nil)
	if err != nil {
		return err
	}
	running := 0
	for _, m := range t.Members {
		if !m.Offline {
			running++
		}
	}
	if running < n.replicas {
		return nil
	}
	for _, info := range lacking {
		if err := n.addReplicas(ctx, info); err != nil {
			return fmt.Errorf("add a replica of stream %s: %w", info.Config.Name, err)
		}
		n.log.Info("a stream gets another replica, because there are enough nodes again", "stream", info.Config.Name, "replicas", n.replicas)
	}
	return nil
}

// addReplicas adds the missing replicas of a stream. NATS does nothing unless the number in the
// configuration changes, so the first update sets it to the number of replicas that exist.
func (n *Node) addReplicas(ctx context.Context, info *jetstream.StreamInfo) error {
	config := info.Config
	if exist := 1 + len(info.Cluster.Replicas); config.Replicas > exist {
		config.Replicas = exist
		if _, err := n.js.UpdateStream(ctx, config); err != nil {
			return err
		}
	}
	config.Replicas = n.replicas
	_, err := n.js.UpdateStream(ctx, config)
	return err
}
