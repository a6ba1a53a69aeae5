package clickhouse

import (
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"maps"
	"time"

	"earshot"
	"earshot/internal/poststore/clickhouse/chhttp"
)

// A Database is a ClickHouse database for posts.
type Database struct {
	// Now is the clock of stores that are opened from now on; nil means time.Now.
	Now func() time.Time

	client  *chhttp.Client
	o       DatabaseOptions
	scratch bool // see [Database.Scratch]
}

// DatabaseOptions describe how to reach a database.
type DatabaseOptions struct {
	URL            string // of the HTTP interface, for example "https://clickhouse:8443"
	User, Password string
	Name           string
	TLS            *tls.Config // nil: the defaults
	Topology       Topology
	Limits         Limits       // of each query
	UnmatchedDays  int          // see [Options]
	Log            *slog.Logger // nil: none

	// Observe is called after every request, for metrics: its kind is exec, query or insert, and its code
	// that of ClickHouse's error, 0 for success, or -1 for another error. It may be nil.
	Observe func(kind string, code int, took time.Duration)
}

// statementTimeout ends statements that hang. Queries have a shorter limit of their own, but matching
// all stored posts against a changed monitor takes as long as there are posts to read.
const statementTimeout = 6 * time.Hour

// NewDatabase returns a database. It does not connect.
func NewDatabase(o DatabaseOptions) (*Database, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := o.Topology.check(o.Name); err != nil {
		return nil, err
	}
	observe := func(r chhttp.Observation) {
		if o.Observe != nil {
			o.Observe(r.Kind, r.Code, r.Duration)
		}
	}
	client, err := chhttp.New(chhttp.Options{
		Observe: observe,
		URL:     o.URL, User: o.User, Password: o.Password, Database: o.Name, TLS: o.TLS,
		Timeout: statementTimeout, Settings: maps.Clone(o.Topology.Settings()), Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	return &Database{client: client, o: o}, nil
}

// Close closes idle connections.
func (d *Database) Close() { d.client.Close() }

// Watch is [chhttp.Client.Watch] for this database. An interval of 0 means the default.
func (d *Database) Watch(ctx context.Context, interval time.Duration) {
	d.client.Watch(ctx, cmp.Or(interval, chhttp.ProbeInterval))
}

// Err returns why the database cannot be used now, or nil; see [chhttp.Client.Err].
func (d *Database) Err() error { return d.client.Err() }

// Name returns the name of the database.
func (d *Database) Name() string { return d.o.Name }

// Open opens the store. If fence is nil, it is read-only. Otherwise the caller must make sure that no
// other process writes while fence returns nil; see [Options].
func (d *Database) Open(ctx context.Context, fence func(context.Context) error) (*Store, error) {
	return Open(ctx, d.options(fence))
}

func (d *Database) options(fence func(context.Context) error) Options {
	return Options{Client: d.client, Topology: d.o.Topology, Log: d.o.Log, Now: d.Now, UnmatchedDays: d.o.UnmatchedDays, ReadOnly: fence == nil, Fence: fence, Limits: d.o.Limits}
}

// Migrate is [Migrate] for this database. It returns the versions of the tables before and after it.
func (d *Database) Migrate(ctx context.Context, dryRun io.Writer) (before, after uint64, err error) {
	if err := CheckServer(ctx, d.client, d.o.Topology); err != nil {
		return 0, 0, err
	}
	if before, err = Version(ctx, d.client); err != nil {
		return 0, 0, err
	}
	return before, SchemaVersion, Migrate(ctx, d.client, d.o.Topology, dryRun)
}

// Info describes the installation that uses a database.
type Info struct {
	Installation string           // empty: unknown
	Position     earshot.Position // in the journal
}

// Inspect reads what the database knows about the installation, without changing anything. It returns
// an error if this program cannot use the database. For a database without tables, the Info is empty.
func (d *Database) Inspect(ctx context.Context) (info Info, err error) {
	if err := CheckServer(ctx, d.client, d.o.Topology); err != nil {
		return info, err
	}
	if version, err := Version(ctx, d.client); err != nil || version == 0 {
		return info, err
	}
	if err := CheckSchema(ctx, d.client); err != nil {
		return info, err
	}
	if info.Installation, err = Installation(ctx, d.client); err != nil {
		return info, err
	}
	store, err := d.Open(ctx, nil)
	if err != nil {
		return info, err
	}
	defer store.Close()
	info.Position, err = store.Position(ctx)
	return info, err
}

// Prepare creates the tables in an empty database, and records the installation that uses it.
func (d *Database) Prepare(ctx context.Context, installation string) error {
	if err := d.create(ctx); err != nil {
		return err
	}
	return Claim(ctx, d.client, installation, time.Now())
}

// create creates the tables in an empty database.
func (d *Database) create(ctx context.Context) error {
	version, err := Version(ctx, d.client)
	if err != nil {
		return err
	}
	if version == 0 {
		if err := CheckEmpty(ctx, d.client); err != nil {
			return err
		}
		d.o.Log.Info("creating the tables in the ClickHouse database", "database", d.o.Name)
		if err := Migrate(ctx, d.client, d.o.Topology, nil); err != nil {
			return err
		}
	}
	return CheckSchema(ctx, d.client)
}

// CheckServer is [CheckServer] for the servers of this database.
func (d *Database) CheckServer(ctx context.Context) error {
	return CheckServer(ctx, d.client, d.o.Topology)
}
