package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"earshot/internal/config"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse"
	"earshot/internal/poststore/local"
	"earshot/internal/poststore/storecopy"
	"earshot/internal/state/acklog"
)

// StoreCopyOptions control a copy of all posts.
type StoreCopyOptions struct {
	ToLocal       bool   // copy from ClickHouse to the data directory; otherwise the other way
	StorePassword string // of ClickHouse, unless the configuration names a file
	Log           *slog.Logger

	// Report is called occasionally with a phrase such as "copying posts" and the number of posts or
	// sets that are done. It may be nil.
	Report func(stage string, done, total int64)
}

// copyTimeout is the maximum time of a query in seconds: some read all posts.
const copyTimeout = 3600

// CopyStore copies all posts between the data directory and the ClickHouse database of the settings, and
// compares both. The service must not be running. It returns the number of posts. After an error or an
// interruption it may be called again, and continues.
func CopyStore(ctx context.Context, cfg config.Config, o StoreCopyOptions) (posts int64, err error) {
	unlock, err := lockIfStopped(cfg)
	switch {
	case err != nil:
		return 0, err
	case unlock == nil:
		return 0, fmt.Errorf("the service is running in %s. Please stop it first", cfg.Data)
	}
	defer unlock.Close()
	if err := damaged(checkDirectory(cfg), nil); err != nil {
		return 0, err
	}
	cfg.StoreTimeout = copyTimeout
	db, err := Database(cfg, StoreOptions{Password: o.StorePassword, Log: o.Log})
	if err == nil && db == nil {
		err = errors.New("the settings name no ClickHouse database")
	}
	if err != nil {
		return 0, err
	}
	defer db.Close()
	c := &storeCopy{config: cfg, options: o, db: db}
	if o.ToLocal {
		err = c.openToLocal(ctx)
	} else {
		err = c.openToClickHouse(ctx)
	}
	if err == nil {
		posts, err = storecopy.Copy(ctx, storecopy.Options{Source: c.source, Target: c.target, Installation: c.installation, Report: c.report})
	}
	for _, open := range c.opened {
		err = errors.Join(err, open.Close())
	}
	return posts, err
}

// A storeCopy is one call of CopyStore.
type storeCopy struct {
	config  config.Config
	options StoreCopyOptions
	db      *clickhouse.Database

	installation string
	source       poststore.Exporter
	target       poststore.Importer
	opened       []io.Closer
}

// openToClickHouse opens both stores for a copy to ClickHouse.
func (c *storeCopy) openToClickHouse(ctx context.Context) error {
	source, err := local.OpenExport(ctx, local.Options{Dir: PostsDir(c.config), Installation: c.expected(), Log: c.options.Log})
	if err != nil {
		return err
	}
	c.source, c.opened = source, append(c.opened, source)
	if c.installation = source.Installation(); c.installation == "" {
		return fmt.Errorf("the installation of %s is unknown. Please start and stop the service once", c.config.Data)
	}
	target, err := c.db.OpenImport(ctx, c.installation)
	if err != nil {
		return err
	}
	c.target, c.opened = target, append(c.opened, target)
	return nil
}

// openToLocal opens both stores for a copy to the data directory.
func (c *storeCopy) openToLocal(ctx context.Context) error {
	source, err := c.db.OpenExport(ctx)
	if err != nil {
		return err
	}
	c.source, c.opened = source, append(c.opened, source)
	info, err := c.db.Inspect(ctx)
	if err != nil {
		return err
	}
	if c.installation = info.Installation; c.expected() != "" && c.expected() != info.Installation {
		return fmt.Errorf("the ClickHouse database %s has the posts of installation %s, but %s is installation %s", c.db.Name(), info.Installation, c.config.Data, c.expected())
	}
	target, err := local.OpenImport(ctx, local.Options{Dir: PostsDir(c.config), Installation: c.installation, Log: c.options.Log})
	if err != nil {
		return err
	}
	c.target, c.opened = target, append(c.opened, target)
	return nil
}

// expected returns the installation of the data directory, or "" if it is unknown because NATS is
// elsewhere.
func (c *storeCopy) expected() string {
	if acknowledged, err := acklog.Read(NATSDir(c.config)); err == nil && c.config.NATSURL == "" {
		return acknowledged.Installation
	}
	return ""
}

func (c *storeCopy) report(p storecopy.Progress) {
	if c.options.Report != nil {
		c.options.Report(p.Stage, p.Done, p.Total)
	}
}
