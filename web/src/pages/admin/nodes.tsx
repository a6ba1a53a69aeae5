import { Fragment } from "preact";
import { get } from "../../lib/api";
import { dateTime, number } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Cluster, ClusterNode, ClusterStream } from "../../lib/types";
import { Card, ErrorNotice, Notice, Skeleton } from "../../components/basics";
import { Rows } from "../../components/table";
import { admin } from "../../strings/admin";

// useCluster loads the state of all nodes.
export const useCluster = () => useLoad("cluster", () => get<Cluster>("/manage/v1/cluster"));

// NodesTab shows the nodes of the cluster and where their data is, updated every five seconds.
export function NodesTab() {
  const { data, error, reload } = useCluster();
  useInterval(5000, reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="24rem" label={admin.loadingNodes} />;
  return (
    <div class="stack">
      {error && <Notice kind="bad">{admin.statusStale(error.message)}</Notice>}
      {data.problem && <Notice kind="bad">{admin.clusterProblem(data.problem)}</Notice>}
      <Nodes cluster={data} />
      {data.streams.length > 0 && <Streams streams={data.streams} />}
    </div>
  );
}

function Nodes({ cluster }: { cluster: Cluster }) {
  return (
    <Card title={admin.nodes(cluster.name)} note={admin.nodesNote(cluster.journal.first, cluster.journal.last)}>
      <Rows stacked label={admin.nodeList} head={admin.nodeHead}>
        {cluster.nodes.map((n) => (
          <tr key={n.id}>
            <td class="nowrap">
              {n.name} {n.self && <span class="muted">{admin.thisNode}</span>}
            </td>
            <td class={n.live && n.ready ? "" : "bad"}>{stateOf(n)}</td>
            <td>{number(n.lag)}</td>
            <td class="break">{n.roles.join(", ") || admin.noRoles}</td>
            <td class="nowrap">{n.version}</td>
          </tr>
        ))}
      </Rows>
    </Card>
  );
}

function stateOf(n: ClusterNode) {
  if (!n.live) return admin.nodeAway(dateTime(n.seen, "UTC"));
  const name = admin.nodeStates[n.state] ?? n.state;
  return n.detail ? `${name}: ${n.detail}` : name;
}

function Streams({ streams }: { streams: ClusterStream[] }) {
  return (
    <Card title={admin.replicas} note={admin.replicasNote}>
      <Rows stacked label={admin.replicaList} head={admin.replicaHead}>
        {streams.map((s) => (
          <tr key={s.name}>
            <td class="nowrap">{s.name}</td>
            <td class={s.leader ? "nowrap" : "bad"}>{s.leader || admin.noLeader}</td>
            <td class="break">
              {s.replicas.map((r, i) => (
                <Fragment key={r.node}>
                  {i > 0 && ", "}
                  <span class={r.offline ? "bad" : ""}>{admin.replica(r)}</span>
                </Fragment>
              ))}
            </td>
          </tr>
        ))}
      </Rows>
    </Card>
  );
}
