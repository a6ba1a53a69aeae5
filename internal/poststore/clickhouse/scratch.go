package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/sleep"
)

// Scratch returns another database on the same servers, for checks and measurements. Its name is the name of
// this one with a suffix such as _check. If it exists, for example because the operator has created it
// for a user who may not create databases, it is used. If empty is set, its tables are removed.
func (d *Database) Scratch(ctx context.Context, suffix string, empty bool) (*Database, error) {
	o := d.o
	o.Name += suffix
	scratch, err := NewDatabase(o)
	if err != nil {
		return nil, err
	}
	scratch.scratch = true
	err = d.client.Exec(ctx, chhttp.Statement{SQL: "CREATE DATABASE IF NOT EXISTS " + o.Name + o.Topology.onCluster()})
	if chhttp.IsCode(err, chhttp.CodeNotEnoughGrants) { // it may be there
		err = nil
	}
	if err == nil && empty {
		err = scratch.Clear(ctx)
	}
	if err != nil {
		scratch.Close()
		return nil, fmt.Errorf("prepare the database %s. If the user may not create it, create it and let the user create, read, write and drop tables there: %w", o.Name, err)
	}
	return scratch, nil
}

// Clear removes all tables of a scratch database.
func (d *Database) Clear(ctx context.Context) error {
	if !d.scratch {
		return errors.New("this is not a database for checks") // never drop the tables of an installation
	}
	found, err := texts(ctx, d.client, "SELECT name AS text FROM system.tables WHERE database = currentDatabase() ORDER BY engine = 'Distributed' DESC, name", nil)
	if err != nil {
		return err
	}
	for _, name := range found {
		if !databaseName.MatchString(name) {
			return fmt.Errorf("it has a table %q, which is not of Earshot", name)
		}
		if err := d.client.Exec(ctx, chhttp.Statement{SQL: "DROP TABLE IF EXISTS " + d.o.Name + "." + name + d.o.Topology.onCluster() + " SYNC"}); err != nil {
			return err
		}
	}
	return nil
}

// Optimize merges the parts of the table of posts, for measurements.
func (d *Database) Optimize(ctx context.Context) error {
	name := "posts"
	if d.o.Topology.Cluster != "" {
		name = d.o.Name + ".posts_local" + d.o.Topology.onCluster()
	}
	return d.client.Exec(ctx, chhttp.Statement{SQL: "OPTIMIZE TABLE " + name + " FINAL"})
}

// CheckDeduplication inserts a row twice with one token, and another one, and returns an error unless
// the server has recognized the repetition.
func (d *Database) CheckDeduplication(ctx context.Context) error {
	for _, row := range []struct {
		date, token string
	}{{"1", "check-1"}, {"1", "check-1"}, {"2", "check-2"}} {
		var date, body proto.ColStr
		date.Append(row.date)
		body.Append("check")
		monitor, commit := proto.ColInt64{-1}, proto.ColUInt64{1 << 62} // no commit makes it visible
		err := d.client.Insert(ctx, "snapshots", row.token, proto.Input{
			{Name: "monitor", Data: &monitor}, {Name: "date", Data: &date}, {Name: "body", Data: &body}, {Name: "commit", Data: &commit},
		})
		if err != nil {
			return err
		}
	}
	found, err := texts(ctx, d.client, "SELECT date AS text FROM snapshots WHERE monitor = -1 ORDER BY date", nil)
	if err != nil {
		return err
	}
	if got := strings.Join(found, " "); got != "1 2" {
		return fmt.Errorf("a row that was inserted twice with one token, and another one, are there as %q, want \"1 2\": the server does not recognize repeated inserts", got)
	}
	return nil
}

// Replicas must have the same rows within replicaWait, because inserts wait for a majority of them.
const (
	replicaWait = 30 * time.Second
	replicaPoll = time.Second
)

// CheckReplication returns an error unless all replicas of all shards are active and have the same posts.
// It returns a line per server. It does nothing if there is only one server.
func (d *Database) CheckReplication(ctx context.Context) (servers []string, err error) {
	if d.o.Topology.Cluster == "" {
		return nil, nil
	}
	for deadline := time.Now().Add(replicaWait); ; {
		servers, err = d.replicas(ctx)
		if err == nil || time.Now().After(deadline) {
			return servers, err
		}
		if !sleep.For(ctx, replicaPoll) {
			return servers, ctx.Err()
		}
	}
}

// replicas is CheckReplication without waiting.
func (d *Database) replicas(ctx context.Context) (servers []string, err error) {
	broken, err := texts(ctx, d.client, brokenReplicas(d.o.Topology.Cluster), nil)
	if err != nil {
		return nil, fmt.Errorf("read the state of the replicas: %w", err)
	}
	if len(broken) > 0 {
		return nil, errors.New(strings.Join(broken, "; "))
	}
	if servers, err = texts(ctx, d.client, postsOfServers(d.o.Topology.Cluster, d.o.Name), nil); err != nil {
		return nil, fmt.Errorf("count the posts of each server: %w", err)
	}
	different, err := texts(ctx, d.client, differentReplicas(d.o.Topology.Cluster, d.o.Name), nil)
	if err != nil {
		return servers, fmt.Errorf("compare the replicas: %w", err)
	}
	if len(different) > 0 {
		return servers, fmt.Errorf("the replicas of shard %s have different posts", strings.Join(different, ", "))
	}
	return servers, nil
}

// The statements of CheckReplication. Names are checked by [Topology.check].

func brokenReplicas(cluster string) string {
	return "SELECT concat(hostName(), ': table ', table, ' has ', toString(active_replicas), ' of ', toString(total_replicas), ' replicas', if(is_readonly, ' and is read-only', '')) AS text" +
		" FROM clusterAllReplicas('" + cluster + "', system.replicas) WHERE database = currentDatabase() AND (active_replicas < total_replicas OR is_readonly) ORDER BY text LIMIT 20"
}

func postsOfServers(cluster, database string) string {
	return "SELECT concat('shard ', toString(_shard_num), ', ', hostName(), ': ', toString(count()), ' rows') AS text" +
		" FROM clusterAllReplicas('" + cluster + "', " + database + ".posts_local) GROUP BY _shard_num, hostName() ORDER BY _shard_num, hostName()"
}

func differentReplicas(cluster, database string) string {
	return "SELECT toString(shard) AS text FROM (SELECT _shard_num AS shard, hostName() AS host, count() AS rows, sumWithOverflow(row) AS sum" +
		" FROM clusterAllReplicas('" + cluster + "', " + database + ".posts_local) GROUP BY shard, host) GROUP BY shard HAVING uniqExact((rows, sum)) > 1 ORDER BY shard"
}
