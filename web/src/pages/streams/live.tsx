import { listAll, get } from "../../lib/api";
import { number } from "../../lib/format";
import { useLoad } from "../../lib/load";
import { Link, useQuery } from "../../lib/router";
import { hasPermission, useUser } from "../../lib/session";
import type { Monitor, Stream, StreamQueue } from "../../lib/types";
import { Card, EmptyState, ErrorNotice, Notice, PageHeader, SegmentedControl, Skeleton } from "../../components/basics";
import { Curl } from "../../components/curl";
import { Icon } from "../../components/icon";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { common } from "../../strings/common";
import { streams } from "../../strings/streams";
import { loadQueue } from "./data";
import { maxShown, useLive, type LiveFeed } from "./feed";
import type { Connection } from "./listen";
import { NoPermission } from "./nopermission";

// StreamPage shows the posts of a stream as they arrive.
export function StreamPage({ id }: { id: string }) {
  return hasPermission(useUser(), "streams") ? <LiveStream id={id} /> : <NoPermission />;
}

interface StreamData {
  stream: Stream;
  monitors: Map<number, Monitor>;
  queue: StreamQueue; // when the page was opened
}

async function load(id: string): Promise<StreamData> {
  const [stream, monitors, queue] = await Promise.all([get<Stream>(`/manage/v1/streams/${id}`), listAll<Monitor>("/manage/v1/monitors"), loadQueue(id)]);
  return { stream, monitors: new Map(monitors.map((m) => [m.id, m])), queue };
}

type StartAt = "waiting" | "end";
const maxBacklog = 10_000; // posts; a longer backlog is skipped by default

// startAt returns where the page starts: as chosen, or with the backlog unless it is too long.
const startAt = (chosen: string | null, queue: number): StartAt => (chosen === "waiting" || chosen === "end" ? chosen : queue > maxBacklog ? "end" : "waiting");

function LiveStream({ id }: { id: string }) {
  const { data, error, reload } = useLoad(`stream ${id}`, () => load(id));
  const [query, change] = useQuery();
  const begin = startAt(query.get("from"), data?.queue.waiting ?? 0);
  const live = useLive(id, data ? (begin === "end" ? "end" : undefined) : null, data?.queue.end ?? "");
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="20rem" />;
  const { stream, monitors } = data;
  const names = stream.monitors.map((m) => monitors.get(m)?.name ?? String(m));
  return (
    <>
      <PageHeader title={stream.name} badge={<State connection={live.connection} />} lead={names.length ? streams.newPostsFrom(names) : streams.leadWithoutMonitors}>
        <Link class="button" href="/streams">
          {streams.allStreams}
        </Link>
      </PageHeader>
      {live.connection.message && <Notice kind={live.connection.state === "ended" ? "bad" : "warn"}>{live.connection.message}</Notice>}
      {names.length === 0 && <Notice kind="warn">{streams.addMonitors()}</Notice>}
      <div class="spread" style={{ margin: "1rem 0" }}>
        <Counters live={live} queued={begin === "end" ? data.queue.waiting : undefined} />
        <div class="row">
          <SegmentedControl
            label={streams.startWith}
            value={begin}
            options={[
              { value: "waiting", name: streams.includeBacklog },
              { value: "end", name: streams.newOnly },
            ]}
            onChange={(from) => change({ from }, { replace: true })}
          />
          <button type="button" class="button primary" onClick={() => live.setPaused(!live.paused)}>
            <Icon name={live.paused ? "play" : "pause"} />
            {live.paused ? streams.resume(live.missed) : streams.pause}
          </button>
        </div>
      </div>
      <ApiCalls id={id} />
      <Posts live={live} monitors={monitors} />
    </>
  );
}

const stateTones: Record<Connection["state"], string> = { connecting: "", live: "good", reconnecting: "warn", ended: "bad" };

// State shows whether the page is connected to the stream.
function State({ connection }: { connection: Connection }) {
  const name = streams.states[connection.state];
  return (
    <span class={`badge ${stateTones[connection.state]}`} role="status" aria-label={streams.connection(name)}>
      {name}
    </span>
  );
}

// Counters shows how many posts arrived, apart from those that were already in the queue. If the page
// skips the backlog, queued is its length; it counts a post once for each monitor.
function Counters({ live, queued }: { live: LiveFeed; queued?: number }) {
  const counters = [
    { name: streams.lastMinute, value: live.perMinute },
    { name: streams.sinceOpened, value: live.arrived },
    queued === undefined ? { name: streams.fromBacklog, value: live.backlog } : { name: streams.skippedBacklog, value: queued },
  ];
  return (
    <ul class="row" aria-label={streams.counters} style={{ gap: "0.25rem 1.5rem" }}>
      {counters.map((f) => (
        <li key={f.name}>
          <span class="figure small">{number(f.value)}</span> <span class="muted small">{f.name}</span>
        </li>
      ))}
    </ul>
  );
}

// Posts lists the newest posts, each with the monitors that matched it.
function Posts({ live, monitors }: { live: LiveFeed; monitors: Map<number, Monitor> }) {
  if (!live.posts.length)
    return (
      <Card label={common.words.posts}>
        <EmptyState title={live.paused ? streams.pausedTitle : streams.waitingTitle}>{streams.waitingText}</EmptyState>
      </Card>
    );
  return (
    <>
      <h2 class="sr">{common.words.posts}</h2>
      <RestrictedNote posts={live.posts.map((p) => p.post)} />
      <ol class="stack tight" aria-label={streams.newestFirst}>
        {live.posts.map(({ key, post, monitors: ids }) => (
          <li key={key}>
            <PostCard post={post} zone={monitors.get(ids[0])?.timezone} monitors={ids.map((id) => ({ id, name: monitors.get(id)?.name ?? streams.monitor(id) }))}>
              <span class="small muted">{streams.timeIn(monitors.get(ids[0])?.timezone)}</span>
            </PostCard>
          </li>
        ))}
      </ol>
      {live.posts.length === maxShown && (
        <p class="muted small" style={{ marginTop: "0.5rem" }}>
          {streams.truncated(maxShown)}
        </p>
      )}
    </>
  );
}

// ApiCalls shows the API calls that return the same posts.
function ApiCalls({ id }: { id: string }) {
  const base = window.location.origin;
  return (
    <details class="card" style={{ marginBottom: "1rem" }}>
      <summary>{streams.apiCalls}</summary>
      <div class="stack tight" style={{ marginTop: "0.5rem" }}>
        <span>{streams.pushIntro()}</span>
        <Curl text={`curl -N "${base}/manage/v1/streams/${id}/events?auth=$TOKEN"`} name={streams.pushCommand} label={streams.copyPushCommand} />
        <span>{streams.pullIntro}</span>
        <Curl text={`curl "${base}/api/stream/${id}/posts?auth=$TOKEN"`} name={streams.pullCommand} label={streams.copyPullCommand} />
      </div>
    </details>
  );
}
