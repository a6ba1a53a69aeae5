package clickhouse

import (
	commandline "flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
)

var update = commandline.Bool("update", false, "rewrite the golden files")

// topologies are those of the golden files.
var topologies = map[string]Topology{
	"single":  {},
	"cluster": {Cluster: "three_shards"},
}

// statements returns all statements of all steps.
func statements(t Topology) []string {
	all := t.create("earshot", schemaTable)
	for _, m := range migrations {
		all = append(all, m.statements(t, "earshot")...)
	}
	return all
}

func TestStatements(t *testing.T) {
	for name, topology := range topologies {
		golden(t, name+".sql", strings.Join(statements(topology), ";\n\n")+";\n")
		golden(t, name+"_grants.sql", strings.Join(grants(topology, "earshot", "earshot"), ";\n")+";\n")
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "schema", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the statements differ from %s; if that is intended and no version with it was released, run go test -update", path)
	}
}

// openDatabase returns a client of an empty database.
func openDatabase(t *testing.T) *chhttp.Client {
	t.Helper()
	s := chtest.Open(t)
	db, err := chhttp.New(chhttp.Options{URL: s.URL, Database: s.Database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestMigrate(t *testing.T) {
	db, ctx := openDatabase(t), t.Context()
	var printed strings.Builder
	if err := Migrate(ctx, db, Topology{}, &printed); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(printed.String(), "CREATE TABLE"); got != len(tables)+1 {
		t.Errorf("a dry run prints %d tables, want %d", got, len(tables)+1)
	}
	if err := CheckSchema(ctx, db); err == nil || !strings.Contains(err.Error(), "has no tables of Earshot") {
		t.Errorf("after a dry run: %v", err)
	}
	// A step that was interrupted runs again.
	if err := db.Exec(ctx, chhttp.Statement{SQL: Topology{}.create(db.Database(), tables[0])[0]}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second has no effect
		if err := Migrate(ctx, db, Topology{}, nil); err != nil {
			t.Fatal(err)
		}
		if err := CheckSchema(ctx, db); err != nil {
			t.Error(err)
		}
	}
	rows, err := texts(ctx, db, "SELECT toString(version) AS text FROM schema", nil)
	if err != nil || len(rows) != SchemaVersion {
		t.Errorf("recorded versions: %v, %v", rows, err)
	}
	printed.Reset()
	if err := Migrate(ctx, db, Topology{}, &printed); err != nil || printed.Len() > 0 {
		t.Errorf("a dry run with current tables prints %q, %v", printed.String(), err)
	}
	if err := db.Exec(ctx, chhttp.Statement{SQL: "INSERT INTO schema VALUES (99, 0)"}); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{"Migrate": Migrate(ctx, db, Topology{}, nil), "CheckSchema": CheckSchema(ctx, db)} {
		if err == nil || !strings.Contains(err.Error(), "use the newer Earshot") {
			t.Errorf("%s with tables of a newer version: %v", name, err)
		}
	}
}

// The engine in tests has no clusters, but it parses their statements.
func TestStatementsParse(t *testing.T) {
	db := openDatabase(t)
	for name, topology := range topologies {
		all := append(statements(topology), grants(topology, "earshot", "earshot")...)
		for _, sql := range append(all, "DELETE FROM "+topology.Rows("posts")+" WHERE row IN (1, 2)") {
			if err := db.Exec(t.Context(), chhttp.Statement{SQL: "EXPLAIN AST " + sql}); err != nil {
				t.Errorf("%s: %v\n%s", name, err, sql)
			}
		}
	}
}

func TestMigrateRefuses(t *testing.T) {
	db := openDatabase(t)
	missing, err := chhttp.New(chhttp.Options{URL: chtest.Open(t).URL, Database: "missing"})
	if err != nil {
		t.Fatal(err)
	}
	invalid, err := chhttp.New(chhttp.Options{URL: "http://127.0.0.1:1", Database: "a b"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name     string
		db       *chhttp.Client
		topology Topology
		want     string
	}{
		{"a missing database", missing, Topology{}, "create it, for example with CREATE DATABASE missing"},
		{"an unknown cluster", db, Topology{Cluster: "nowhere"}, "ClickHouse has no cluster nowhere"},
		{"an invalid cluster", db, Topology{Cluster: "a`b"}, "name of the ClickHouse cluster"},
		{"an invalid path", db, Topology{Cluster: "a", KeeperPath: "x'"}, "path in Keeper"},
		{"an invalid database", invalid, Topology{}, "name of the ClickHouse database"},
	}
	for _, test := range tests {
		for _, out := range []io.Writer{nil, io.Discard} {
			if err := Migrate(t.Context(), test.db, test.topology, out); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v", test.name, err)
			}
		}
	}
}

func TestCheckVersion(t *testing.T) {
	f := func(version, want string) {
		t.Helper()
		if got := checkVersion(version); (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("%q: got %v, want %q", version, got, want)
		}
	}
	f("26.3.1.5", "")
	f("26.10.1.1", "")
	f("27.1", "")
	f("26.2.9.9", "ClickHouse has version 26.2.9.9; Earshot needs 26.3 or newer")
	f("25.12.1.1", "please upgrade it")
	f("", "unknown version")
	f("v26", "unknown version")
}

func TestRows(t *testing.T) {
	cluster := Topology{Cluster: "c"}
	for name, want := range map[string]string{"posts": "posts_local ON CLUSTER `c`", "commits": "commits ON CLUSTER `c`"} {
		if got := cluster.Rows(name); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := (Topology{}).Rows(name); got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}

// grants returns the statements that give a user the least privileges that the store needs. Of these,
// only migrations create tables.
func grants(t Topology, database, user string) []string {
	list := []string{
		"GRANT SELECT, INSERT, ALTER DELETE ON %[1]s.* TO %[2]s",
		"GRANT CREATE TABLE ON %[1]s.* TO %[2]s",
		"GRANT SELECT ON system.parts TO %[2]s",
	}
	if t.Cluster == "" {
		list = append(list, "GRANT CREATE TEMPORARY TABLE ON *.* TO %[2]s") // table functions need it; see canListWords
	} else {
		list = append(list,
			"GRANT SELECT ON system.clusters TO %[2]s",
			"GRANT SELECT ON system.macros TO %[2]s",
			"GRANT CLUSTER ON *.* TO %[2]s",
			"GRANT READ, WRITE ON REMOTE TO %[2]s")
	}
	for i, g := range list {
		on := strings.Replace(g, "GRANT", "GRANT"+t.onCluster(), 1)
		list[i] = strings.NewReplacer("%[1]s", database, "%[2]s", user).Replace(on)
	}
	return list
}
