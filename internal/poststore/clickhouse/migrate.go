package clickhouse

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore/clickhouse/chhttp"
)

// SchemaVersion is the version of the tables that this program uses.
const SchemaVersion = 1

// A migration is a step from one version of the tables to the next. Its statements are repeatable: a
// step that was interrupted runs again from its start. Steps of released versions never change;
// TestStatements guards that.
type migration struct {
	version    uint64
	about      string
	statements func(t Topology, database string) []string
}

var migrations = []migration{
	{version: 1, about: "create the tables", statements: createTables},
}

// schemaTable records the versions of the tables.
var schemaTable = table{name: "schema", columns: "version UInt64,\n\tat Int64", order: "version"}

func createTables(t Topology, database string) []string {
	var s []string
	for _, table := range tables {
		s = append(s, t.create(database, table)...)
	}
	return s
}

// Migrate brings the tables of the client's database to [SchemaVersion]. It has no effect if they are.
// If it is interrupted, it can be repeated. If dryRun is not nil, Migrate changes nothing and writes
// the statements to it.
func Migrate(ctx context.Context, db *chhttp.Client, t Topology, dryRun io.Writer) error {
	if err := t.check(db.Database()); err != nil {
		return err
	}
	if err := CheckServer(ctx, db, t); err != nil {
		return err
	}
	version, err := Version(ctx, db)
	if err != nil {
		return err
	}
	if err := checkNewer(version, db.Database()); err != nil {
		return err
	}
	m := migrator{ctx: ctx, db: db, out: dryRun}
	if version == 0 {
		m.run(t.create(db.Database(), schemaTable)...)
	}
	for _, step := range migrations {
		if step.version > version {
			m.step(step, t)
		}
	}
	return m.err
}

// A migrator runs or prints statements until one fails.
type migrator struct {
	ctx context.Context
	db  *chhttp.Client
	out io.Writer // nil: run
	err error
}

func (m *migrator) step(step migration, t Topology) {
	if m.out != nil && m.err == nil {
		_, m.err = fmt.Fprintf(m.out, "-- Version %d: %s.\n\n", step.version, step.about)
	}
	m.run(step.statements(t, m.db.Database())...)
	at := time.Now().Unix()
	if m.out != nil {
		m.run(fmt.Sprintf("INSERT INTO schema (version, at) VALUES (%d, %d)", step.version, at))
		return
	}
	if m.err != nil {
		return
	}
	version, seconds := proto.ColUInt64{step.version}, proto.ColInt64{at}
	m.err = m.db.Insert(m.ctx, "schema", fmt.Sprintf("schema-%d", step.version),
		proto.Input{{Name: "version", Data: &version}, {Name: "at", Data: &seconds}})
}

func (m *migrator) run(statements ...string) {
	for _, sql := range statements {
		switch {
		case m.err != nil:
			return
		case m.out != nil:
			_, m.err = fmt.Fprintf(m.out, "%s;\n\n", sql)
		default:
			if err := m.db.Exec(m.ctx, chhttp.Statement{SQL: sql}); err != nil {
				m.err = fmt.Errorf("migrate the ClickHouse tables: %w\n%s", err, sql)
			}
		}
	}
}

// CheckSchema returns an error if the tables do not have [SchemaVersion].
func CheckSchema(ctx context.Context, db *chhttp.Client) error {
	version, err := Version(ctx, db)
	switch {
	case err != nil:
		return err
	case version == 0:
		return fmt.Errorf("the ClickHouse database %s has no tables of Earshot; create them with earshot store migrate", db.Database())
	case version < SchemaVersion:
		return fmt.Errorf("the tables of the ClickHouse database %s have version %d, and this program needs version %d; update them with earshot store migrate",
			db.Database(), version, SchemaVersion)
	}
	return checkNewer(version, db.Database())
}

// checkNewer returns an error if a later version of the program has changed the tables.
func checkNewer(version uint64, database string) error {
	if version > SchemaVersion {
		return fmt.Errorf("the tables of the ClickHouse database %s have version %d, and this program knows versions up to %d; use the newer Earshot that wrote them",
			database, version, SchemaVersion)
	}
	return nil
}

// Version returns the version of the tables, 0 if there are none.
func Version(ctx context.Context, db *chhttp.Client) (uint64, error) {
	var column proto.ColUInt64
	var version uint64
	err := db.Query(ctx, chhttp.Statement{SQL: "SELECT max(version) AS version FROM schema"}, proto.Results{{Name: "version", Data: &column}},
		func(int) error {
			version = column.Row(0)
			return nil
		})
	switch {
	case chhttp.IsCode(err, chhttp.CodeUnknownTable):
		return 0, nil
	case chhttp.IsCode(err, chhttp.CodeUnknownDatabase):
		return 0, missingDatabase(db.Database())
	case err != nil:
		return 0, fmt.Errorf("read the version of the ClickHouse tables: %w", err)
	}
	return version, nil
}

func missingDatabase(name string) error {
	return fmt.Errorf("the ClickHouse database %[1]s does not exist; create it, for example with CREATE DATABASE %[1]s", name)
}

// CheckEmpty returns an error if the database has tables.
func CheckEmpty(ctx context.Context, db *chhttp.Client) error {
	found, err := texts(ctx, db, "SELECT name AS text FROM system.tables WHERE database = currentDatabase() ORDER BY name LIMIT 3", nil)
	if err != nil {
		return fmt.Errorf("list the tables of the ClickHouse database %s: %w", db.Database(), err)
	}
	if len(found) > 0 {
		return fmt.Errorf("the ClickHouse database %s has tables (%s) but is not ready for use: finish an interrupted migration with earshot store migrate, or use an empty database",
			db.Database(), strings.Join(found, ", "))
	}
	return nil
}
