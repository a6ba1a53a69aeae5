package operate

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"earshot/internal/config"
	"earshot/internal/state/ledger"
	"earshot/internal/state/natsnode"
)

// NATSOptions returns where NATS stores everything except the posts.
func NATSOptions(cfg config.Config, log *slog.Logger) (natsnode.Options, error) {
	o := natsnode.Options{
		Dir:         NATSDir(cfg),
		URL:         cfg.NATSURL,
		Credentials: cfg.NATSCredentials,
		Replicas:    cfg.Replicas(),
		Fences:      cfg.Clustered(),
		Log:         log,
	}
	if !cfg.Clustered() {
		return o, nil
	}
	secret, err := ClusterSecret(cfg)
	if err != nil {
		return o, err
	}
	o.Cluster = &natsnode.Cluster{Name: cfg.ClusterName, NodeName: cfg.NodeName, Listen: cfg.ClusterListen, Advertise: cfg.ClusterAdvertise, Peers: cfg.Peers, Secret: secret}
	return o, nil
}

// Support runs the NATS server of a node without the service until ctx ends.
func Support(ctx context.Context, cfg config.Config, log *slog.Logger) error {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	o, err := NATSOptions(cfg, log)
	if err != nil {
		return err
	}
	o.Cluster.Support = true
	node, err := natsnode.Open(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil // interrupted
		}
		return fmt.Errorf("open NATS: %w", err)
	}
	defer node.Close()
	log.Info("the cluster has data of an installation now; interrupt this command when the restore is complete", "installation", node.Installation())
	<-ctx.Done()
	return nil
}

// ClusterSecret returns the secret that all nodes share. Unlike the secret of a single node, it is
// never created: two nodes would create different ones.
func ClusterSecret(cfg config.Config) ([]byte, error) {
	file := SecretFile(cfg)
	if !file.Exists() {
		return nil, fmt.Errorf("token secret: %s does not exist, but all nodes of a cluster need the same secret. "+
			"Create it once with \"earshot cluster secret > secret.key\", and copy it to every node", file.Path)
	}
	secret, err := file.Load()
	if err != nil {
		return nil, fmt.Errorf("token secret: %w", err)
	}
	return secret, nil
}

// OpenLedger opens the ledger of analyses.
func OpenLedger(ctx context.Context, node *natsnode.Node) (*ledger.Ledger, error) {
	b, err := natsnode.OpenBucket(ctx, node, natsnode.BucketOptions{Name: ledger.BucketName, MaxAge: ledger.Retention})
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	return ledger.New(b), nil
}
