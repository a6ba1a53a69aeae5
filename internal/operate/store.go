package operate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"time"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/poststore/clickhouse"
	"earshot/internal/poststore/local"
	"earshot/internal/state/catalog"
	journalstore "earshot/internal/state/journal/jetstream"
	"earshot/internal/state/natsnode"
)

// StoreOptions say how to reach a ClickHouse database.
type StoreOptions struct {
	Password string // unless the configuration names a file
	Log      *slog.Logger
	Observe  func(kind string, code int, took time.Duration) // called after each request; may be nil
}

// A StoreDatabase is a ClickHouse database for posts.
type StoreDatabase = clickhouse.Database

// Database returns the ClickHouse database of the settings, or nil if posts are in the data directory.
// It does not connect.
func Database(cfg config.Config, o StoreOptions) (*clickhouse.Database, error) {
	db, ok := cfg.ClickHouse()
	if !ok {
		return nil, nil
	}
	password, err := config.ReadPassword("store.password_file", cfg.StorePasswordFile, o.Password)
	if err != nil {
		return nil, err
	}
	options := clickhouse.DatabaseOptions{
		URL: db.URL, User: db.User, Password: password, Name: db.Database,
		Topology:      clickhouse.Topology{Cluster: cfg.StoreCluster},
		UnmatchedDays: cfg.RetentionUnmatched,
		Limits:        clickhouse.Limits{Memory: int64(cfg.StoreMemory) << 20, Time: time.Duration(cfg.StoreTimeout) * time.Second},
		Log:           o.Log,
		Observe:       o.Observe,
	}
	if db.TLS {
		if options.TLS, err = clientTLS(cfg.StoreCAFile); err != nil {
			return nil, err
		}
	}
	return clickhouse.NewDatabase(options)
}

// clientTLS returns the settings of encrypted connections. Certificates must be signed by the
// authorities in a file, or by those of the system if it is empty.
func clientTLS(caFile string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return c, nil
	}
	certificates, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("store.ca_file: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(certificates) {
		return nil, fmt.Errorf("store.ca_file: %s has no certificate in PEM format", caFile)
	}
	return c, nil
}

// A StoreInfo is what the post store knows about the installation and its streams.
type StoreInfo struct {
	Installation    string           // empty: unknown
	Position        earshot.Position // in the journal, up to which everything is durable
	CatalogRevision uint64           // highest revision of the catalog that the store has seen
}

// InspectStore reads the state of the post store without changing anything.
func InspectStore(ctx context.Context, cfg config.Config, o StoreOptions) (StoreInfo, error) {
	db, err := Database(cfg, o)
	if err != nil {
		return StoreInfo{}, err
	}
	if db != nil {
		defer db.Close()
		info, err := db.Inspect(ctx)
		return StoreInfo{Installation: info.Installation, Position: info.Position}, err
	}
	info, err := local.Inspect(PostsDir(cfg))
	return StoreInfo(info), err
}

// PeerOf returns what the post store knows about the streams.
func PeerOf(posts StoreInfo) *natsnode.Peer {
	return &natsnode.Peer{
		Name:         "post store",
		Installation: posts.Installation,
		Positions:    map[string]uint64{journalstore.StreamName: uint64(posts.Position), natsnode.BucketStream(catalog.BucketName): posts.CatalogRevision},
	}
}
