import { listAll, get } from "../../lib/api";
import { number, plural } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { Link, useQuery } from "../../lib/router";
import { hasPermission, useUser } from "../../lib/session";
import type { Monitor, Stream } from "../../lib/types";
import { Card, EmptyState, ErrorNotice, Notice, PageHeader, SegmentedControl, Skeleton } from "../../components/basics";
import { Curl } from "../../components/curl";
import { Icon } from "../../components/icon";
import { PostCard } from "../../components/postcard";
import { queueLength } from "./data";
import { maxShown, useLive, type LiveFeed } from "./feed";
import type { Connection } from "./listen";
import { NoPermission } from "./nopermission";

// StreamPage shows the posts of a stream as they come in.
export function StreamPage({ id }: { id: string }) {
  return hasPermission(useUser(), "streams") ? <LiveStream id={id} /> : <NoPermission />;
}

interface StreamData {
  stream: Stream;
  monitors: Map<number, Monitor>;
  waiting: number;
}

async function load(id: string): Promise<StreamData> {
  const [stream, monitors, queue] = await Promise.all([get<Stream>(`/manage/v1/streams/${id}`), listAll<Monitor>("/manage/v1/monitors"), queueLength(id)]);
  return { stream, monitors: new Map(monitors.map((m) => [m.id, m])), waiting: queue };
}

type StartAt = "waiting" | "end";
const maxBacklog = 10_000; // of those that wait

// startAt is where the page begins when nobody has said: with what waits, unless that is more than anybody wants to see.
const startAt = (chosen: string | null, queue: number): StartAt => (chosen === "waiting" || chosen === "end" ? chosen : queue > maxBacklog ? "end" : "waiting");

function LiveStream({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`stream ${id}`, () => load(id));
  const [query, change] = useQuery();
  const begin = startAt(query.get("from"), data?.waiting ?? 0);
  const live = useLive(id, data ? (begin === "end" ? "end" : undefined) : null);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" />;
  const { stream, monitors } = data;
  const names = stream.monitors.map((m) => monitors.get(m)?.name ?? String(m));
  return (
    <>
      <PageHeader title={stream.name} badge={<State connection={live.connection} />} lead={names.length ? `New posts of ${names.join(", ")}` : "This stream has no monitors."}>
        <Link class="button" href="/streams">
          All streams
        </Link>
      </PageHeader>
      {live.connection.message && <Notice kind={live.connection.state === "ended" ? "bad" : "warn"}>{live.connection.message}</Notice>}
      {names.length === 0 && (
        <Notice kind="warn">
          Nothing comes in, because the stream has no monitors. Add some on the page <Link href="/streams">Streams</Link>.
        </Notice>
      )}
      <div class="spread" style={{ margin: "1rem 0" }}>
        <Counters live={live} waiting={data.waiting} />
        <div class="row">
          <SegmentedControl
            label="Begin with"
            value={begin}
            options={[
              { value: "waiting", name: "What waits" },
              { value: "end", name: "New posts only" },
            ]}
            onChange={(from) => change({ from }, { replace: true })}
          />
          <button type="button" class="button primary" onClick={() => live.setPaused(!live.paused)}>
            <Icon name={live.paused ? "play" : "pause"} />
            {live.paused ? `Resume (${plural(live.missed, "new post")})` : "Pause"}
          </button>
        </div>
      </div>
      <ForPrograms id={id} />
      <Posts live={live} monitors={monitors} />
    </>
  );
}

const stateNames: Record<Connection["state"], string> = { connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", ended: "Ended" };
const stateTones: Record<Connection["state"], string> = { connecting: "", live: "good", reconnecting: "warn", ended: "bad" };

// State says whether posts can come in at the moment.
function State({ connection }: { connection: Connection }) {
  return (
    <span class={`badge ${stateTones[connection.state]}`} role="status" aria-label={`Connection: ${stateNames[connection.state]}`}>
      {stateNames[connection.state]}
    </span>
  );
}

function Counters({ live, waiting }: { live: LiveFeed; waiting: number }) {
  const counters = [
    { name: "received in the last minute", value: live.perMinute },
    { name: "since you opened this page", value: live.received },
    { name: "waited in the queue then", value: waiting },
  ];
  return (
    <ul class="row" aria-label="Posts received" style={{ gap: "0.25rem 1.5rem" }}>
      {counters.map((f) => (
        <li key={f.name}>
          <span class="figure small">{number(f.value)}</span> <span class="muted small">{f.name}</span>
        </li>
      ))}
    </ul>
  );
}

// Posts are the newest ones, each with the monitor that it is there for.
function Posts({ live, monitors }: { live: LiveFeed; monitors: Map<number, Monitor> }) {
  if (!live.posts.length)
    return (
      <Card label="Posts">
        <EmptyState title={live.paused ? "Paused" : "Waiting for posts"}>They appear here within two seconds of coming in. Looking at them takes nothing from programs.</EmptyState>
      </Card>
    );
  return (
    <>
      <h2 class="sr">Posts</h2>
      <ol class="stack tight" aria-label="Posts, newest first">
        {live.posts.map((p) => (
          <li key={p.key}>
            <PostCard post={p} zone={monitors.get(p.monitorId)?.timezone}>
              <Link class="small" href={`/monitors/${p.monitorId}/posts`}>
                {monitors.get(p.monitorId)?.name ?? `Monitor ${p.monitorId}`}
              </Link>
              <span class="small muted">Time of {monitors.get(p.monitorId)?.timezone ?? "its monitor"}</span>
            </PostCard>
          </li>
        ))}
      </ol>
      {live.posts.length === maxShown && (
        <p class="muted small" style={{ marginTop: "0.5rem" }}>
          The newest {number(maxShown)} are shown.
        </p>
      )}
    </>
  );
}

// ForPrograms are the calls that give programs the same posts.
function ForPrograms({ id }: { id: string }) {
  const base = window.location.origin;
  return (
    <details class="card" style={{ marginBottom: "1rem" }}>
      <summary>For programs</summary>
      <div class="stack tight" style={{ marginTop: "0.5rem" }}>
        <span>
          Posts as they come, with <code>$TOKEN</code>, which the page <Link href="/connect">API</Link> gives you:
        </span>
        <Curl text={`curl -N "${base}/manage/v1/streams/${id}/events?auth=$TOKEN"`} name="Command for posts as they come" label="Copy the command for posts as they come" />
        <span>Up to 100 of those that wait, which takes them out of the queue:</span>
        <Curl text={`curl "${base}/api/stream/${id}/posts?auth=$TOKEN"`} name="Command for the queue" label="Copy the command for the queue" />
      </div>
    </details>
  );
}
