package clickhouse

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A Topology says where the tables are. The zero value is a single server.
//
// In a cluster, each table with a sharding key is two tables: x_local on each server, replicated
// within its shard, and x, which distributes inserts and queries to the shards. Rows with the same
// key are in the same shard, so distinct counts of the shards add up. Tables without a key are small
// and replicated to all servers.
type Topology struct {
	Cluster string // the name of the cluster in the servers' configuration; empty: one server

	// KeeperPath is where Keeper stores the state of replicated tables; "/clickhouse/tables" if empty.
	KeeperPath string
}

var (
	clusterName  = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	databaseName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	keeperPath   = regexp.MustCompile(`^(/[A-Za-z0-9_.{}-]+)+$`)
)

// check returns an error if a name cannot be part of a statement.
func (t Topology) check(database string) error {
	switch {
	case !databaseName.MatchString(database):
		return fmt.Errorf("the name of the ClickHouse database is %q; it must consist of letters, digits and underscores", database)
	case t.Cluster != "" && !clusterName.MatchString(t.Cluster):
		return fmt.Errorf("the name of the ClickHouse cluster is %q; it must consist of letters, digits, dots, dashes and underscores", t.Cluster)
	case t.KeeperPath != "" && !keeperPath.MatchString(t.KeeperPath):
		return errors.New("the path in Keeper must look like /clickhouse/tables")
	}
	return nil
}

// Settings returns the settings that every statement needs on such servers.
func (t Topology) Settings() map[string]string {
	if t.Cluster == "" {
		return map[string]string{}
	}
	return map[string]string{
		// An insert returns when the rows are on a majority of the replicas of each shard, and a query
		// fails instead of missing some of them. The latter requires that the quorums of a table's
		// inserts do not overlap. The majority of two replicas is both, so with two, nothing is written
		// while one is down; the journal keeps the posts until it is back.
		"distributed_foreground_insert": "1",
		"insert_quorum":                 "auto",
		"insert_quorum_parallel":        "0",
		"select_sequential_consistency": "1",
		// Subqueries run on each shard: what belongs to a post has the same sharding key.
		"distributed_product_mode": "local",
	}
}

// Rows returns the name of a table in statements that delete rows, which distributed tables do not
// support: "posts", or "posts_local ON CLUSTER c".
func (t Topology) Rows(name string) string {
	if t.Cluster == "" {
		return name
	}
	for _, table := range tables {
		if table.name == name && table.shard != "" {
			name += "_local"
		}
	}
	return name + t.onCluster()
}

func (t Topology) onCluster() string {
	if t.Cluster == "" {
		return ""
	}
	return " ON CLUSTER `" + t.Cluster + "`"
}

// Deduplication windows: how many inserted blocks a table remembers to recognize repeated inserts. One
// insert is one block per partition. A retry after an outage must find its block; replicated tables
// also forget blocks by age.
const (
	singleWindow  = "non_replicated_deduplication_window = 10000"
	replicaWindow = "replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800"
	// A single server must not lose acknowledged rows in a power failure. Replicas have each other.
	singleSync = "fsync_after_insert = 1, fsync_part_directory = 1"
)

// create returns the statements that create a table if it does not exist.
func (t Topology) create(database string, table table) []string {
	if t.Cluster == "" {
		return []string{table.statement(table.name, "", table.kind+"MergeTree", singleWindow+", "+singleSync)}
	}
	path := t.KeeperPath
	if path == "" {
		path = "/clickhouse/tables"
	}
	if table.shard == "" {
		// All servers are replicas of the same table. The names of replicas may be unique only within
		// their shard.
		engine := fmt.Sprintf("Replicated%sMergeTree('%s/%s/%s', '{shard}-{replica}')", table.kind, path, database, table.name)
		return []string{table.statement(database+"."+table.name, t.onCluster(), engine, replicaWindow)}
	}
	local := table.name + "_local"
	engine := fmt.Sprintf("Replicated%sMergeTree('%s/{shard}/%s/%s', '{replica}')", table.kind, path, database, local)
	return []string{
		table.statement(database+"."+local, t.onCluster(), engine, replicaWindow),
		fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s AS %s.%s\nENGINE = Distributed('%s', '%s', '%s', %s)",
			database, table.name, t.onCluster(), database, local, t.Cluster, database, local, table.shard),
	}
}

// statement returns the statement that creates a table with its rows.
func (t table) statement(name, on, engine, settings string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE IF NOT EXISTS %s%s (\n\t%s\n)\nENGINE = %s\n", name, on, strings.TrimSpace(t.columns), engine)
	if t.partition != "" {
		fmt.Fprintf(&b, "PARTITION BY %s\n", t.partition)
	}
	fmt.Fprintf(&b, "ORDER BY (%s)\nSETTINGS %s", t.order, settings)
	if t.settings != "" {
		b.WriteString(", " + t.settings)
	}
	return b.String()
}
