import { type ComponentChildren } from "preact";
import { get } from "../../lib/api";
import { bytes, dateTime, number, plural } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Status } from "../../lib/types";
import { Card, ErrorNotice, ProgressBar, Notice, Skeleton } from "../../components/basics";
import { Rows } from "../../components/table";

const unknown = -1;

// uptime writes how long something has run.
function uptime(seconds: number): string {
  if (seconds < 120) return plural(seconds, "second");
  if (seconds < 7200) return plural(Math.floor(seconds / 60), "minute");
  if (seconds < 172_800) return plural(Math.floor(seconds / 3600), "hour");
  return plural(Math.floor(seconds / 86_400), "day");
}

// StatusTab tells how Earshot is doing, every five seconds.
export function StatusTab() {
  const { data, error, reload } = useLoad("status", () => get<Status>("/manage/v1/status"));
  useInterval(5000, reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="24rem" label="Loading the status" />;
  return (
    <div class="stack">
      {error && <Notice kind="bad">{error.message} What is shown is of before; it is asked again every five seconds.</Notice>}
      {data.store.setAside.length > 0 && <Quarantined segments={data.store.setAside} />}
      <Totals s={data} />
      <div class="columns">
        <div class="c6">
          <Disk s={data} />
        </div>
        <div class="c6">
          <Program s={data} />
        </div>
      </div>
      <DeadLetters letters={data.deadLetters} />
    </div>
  );
}

function Totals({ s }: { s: Status }) {
  return (
    <dl class="figures">
      <Total name="Posts" value={number(s.store.posts)} note={`in ${plural(s.store.segments, "file")}, ${bytes(s.store.bytes)}`} />
      <Total name="Waiting to be taken in" value={number(s.pipeline.lag)} note={s.pipeline.lag === 0 ? "all entries are processed" : "entries of the journal"} warn={s.pipeline.lag > 1000} />
      <Total name="Taken in since the start" value={number(s.pipeline.posts)} note="posts" />
      <Total name="Kept in streams" value={number(s.streams.messages)} note={s.streams.lag ? `${plural(s.streams.lag, "entry waits", "entries wait")}` : bytes(s.streams.bytes)} />
      <Total name="Dead letters" value={number(s.deadLetters.count)} note={s.deadLetters.count ? "could not be processed" : "everything could be processed"} warn={s.deadLetters.count > 0} />
    </dl>
  );
}

function Total({ name, value, note, warn }: { name: string; value: string; note: ComponentChildren; warn?: boolean }) {
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd>
        <div class={`figure ${warn ? "bad" : ""}`}>{value}</div>
        <div class="muted small">{note}</div>
      </dd>
    </div>
  );
}

function Disk({ s }: { s: Status }) {
  const { used, free } = s.disk;
  const known = used !== unknown && free !== unknown;
  const low = known && free < 1e9;
  return (
    <Card title="Disk" note="Where the data are." class="fill">
      {!known && <p class="muted">How much is used is not known here.</p>}
      {known && (
        <div class="stack tight">
          <ProgressBar share={used / (used + free)} label="Used by Earshot of what it could use" />
          <div class="spread">
            <span>
              <strong>{bytes(used)}</strong> <span class="muted">used by Earshot</span>
            </span>
            <span>
              <strong class={low ? "bad" : ""}>{bytes(free)}</strong> <span class="muted">free</span>
            </span>
          </div>
          {low && <Notice kind="warn">Little is free. Earshot takes nothing in when the disk is full.</Notice>}
        </div>
      )}
    </Card>
  );
}

function Program({ s }: { s: Status }) {
  return (
    <Card title="Program" class="fill">
      <dl class="facts">
        <dt>Version</dt>
        <dd>
          {s.version.earshot}
          {s.version.commit && <span class="muted"> {s.version.commit.slice(0, 12)}</span>} <span class="muted">{s.version.go}</span>
        </dd>
        <dt>Running for</dt>
        <dd>{uptime(s.uptimeSeconds)}</dd>
        <dt>Memory</dt>
        <dd>
          {bytes(s.memory.sys)} <span class="muted">of which {bytes(s.memory.heap)} are in use</span>
        </dd>
        <dt>Post store</dt>
        <dd>{s.store.engine}</dd>
        <dt>Journal</dt>
        <dd>
          {number(s.pipeline.position)} <span class="muted">of {number(s.pipeline.last)} entries</span>
        </dd>
      </dl>
    </Card>
  );
}

function Quarantined({ segments }: { segments: Status["store"]["setAside"] }) {
  return (
    <Card title="Files that cannot be read" note="Answers lack their posts. The operations manual says how to mend them.">
      <Rows label="List of files" head={["File", "Posts", "Since (UTC)", "Why"]}>
        {segments.map((p) => (
          <tr key={p.name}>
            <td class="break">{p.name}</td>
            <td>{number(p.posts)}</td>
            <td class="nowrap">{dateTime(p.since, "UTC")}</td>
            <td class="break">{p.reason}</td>
          </tr>
        ))}
      </Rows>
    </Card>
  );
}

function DeadLetters({ letters }: { letters: Status["deadLetters"] }) {
  if (letters.count === 0) return null;
  return (
    <Card title="Dead letters" note={`The newest of ${number(letters.count)}. They are kept; the operations manual says how to look at them.`}>
      <Rows label="List of dead letters" head={["Entry", "When (UTC)", "Why"]}>
        {letters.recent.map((l) => (
          <tr key={l.position}>
            <td>{number(l.position)}</td>
            <td class="nowrap">{dateTime(l.time, "UTC")}</td>
            <td class="break">{l.reason}</td>
          </tr>
        ))}
      </Rows>
    </Card>
  );
}
