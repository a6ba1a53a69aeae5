package clickhouse

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore/clickhouse/chhttp"
)

// minServer is the oldest supported version of ClickHouse, the first release with long-term support
// whose text index is generally available.
var minServer = [2]int{26, 3}

// CheckServer returns an error that says what to do if the server is too old or, for a cluster, not
// configured as the tables need it.
func CheckServer(ctx context.Context, db *chhttp.Client, t Topology) error {
	version, err := texts(ctx, db, "SELECT version() AS text", nil)
	if chhttp.IsCode(err, chhttp.CodeUnknownDatabase) {
		return missingDatabase(db.Database())
	}
	if err != nil {
		return fmt.Errorf("read the version of ClickHouse: %w", err)
	}
	if err := checkVersion(strings.Join(version, "")); err != nil {
		return err
	}
	if t.Cluster == "" {
		return nil
	}
	return checkCluster(ctx, db, t.Cluster)
}

// checkVersion checks a version such as "26.7.2.1".
func checkVersion(version string) error {
	var got [2]int
	parts := strings.Split(version, ".")
	for i := range got {
		n, err := strconv.Atoi(parts[min(i, len(parts)-1)])
		if err != nil {
			return fmt.Errorf("ClickHouse has the unknown version %q; Earshot needs %d.%d or newer", version, minServer[0], minServer[1])
		}
		got[i] = n
	}
	if got[0] < minServer[0] || got[0] == minServer[0] && got[1] < minServer[1] {
		return fmt.Errorf("ClickHouse has version %s; Earshot needs %d.%d or newer, please upgrade it", version, minServer[0], minServer[1])
	}
	return nil
}

// checkCluster checks the configuration of a cluster on the server that answers.
func checkCluster(ctx context.Context, db *chhttp.Client, cluster string) error {
	args := new(chhttp.Args)
	servers, err := texts(ctx, db, "SELECT toString(internal_replication) AS text FROM system.clusters WHERE cluster = "+args.String(cluster), args)
	if err != nil {
		return fmt.Errorf("read the ClickHouse cluster %s: %w", cluster, err)
	}
	if len(servers) == 0 {
		return fmt.Errorf("ClickHouse has no cluster %s; define it in remote_servers on all servers", cluster)
	}
	for _, replication := range servers {
		if replication != "1" {
			return fmt.Errorf("the shards of the ClickHouse cluster %s need <internal_replication>true</internal_replication>, because the tables replicate their rows themselves", cluster)
		}
	}
	macros, err := texts(ctx, db, "SELECT macro AS text FROM system.macros WHERE macro IN ('shard', 'replica')", nil)
	if err != nil {
		return fmt.Errorf("read the macros of ClickHouse: %w", err)
	}
	if len(macros) < 2 {
		return fmt.Errorf("define the macros shard and replica on all servers of the ClickHouse cluster %s; found: %s", cluster, strings.Join(macros, ", "))
	}
	return nil
}

// texts returns the strings that a statement selects as text.
func texts(ctx context.Context, db *chhttp.Client, sql string, args *chhttp.Args) ([]string, error) {
	var column proto.ColStr
	var all []string
	err := db.Query(ctx, chhttp.Statement{SQL: sql, Args: args}, proto.Results{{Name: "text", Data: &column}}, func(rows int) error {
		for i := range rows {
			all = append(all, column.Row(i))
		}
		return nil
	})
	return all, err
}
