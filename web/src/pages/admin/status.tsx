import { type ComponentChildren } from "preact";
import { get } from "../../lib/api";
import { bytes, dateTime, number } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import type { Finding, Models, Status } from "../../lib/types";
import { Card, ErrorNotice, ProgressBar, Notice, Skeleton } from "../../components/basics";
import { isBusy } from "../../components/monitorlayout";
import { OutdatedLabels, ReprocessProgress } from "../../components/reprocess";
import { Rows } from "../../components/table";
import { admin } from "../../strings/admin";

const unknown = -1; // disk usage on systems that do not report it

// StatusTab shows the status of the service, updated every five seconds.
export function StatusTab() {
  const { data, error, reload } = useLoad("status", () => get<Status>("/manage/v1/status"));
  useInterval(5000, reload);
  const models = useLoad("models", () => get<Models>("/manage/v1/models"));
  const reprocessing = isBusy(models.data?.refresh);
  useInterval(reprocessing ? 5000 : 0, models.reload);
  if (error && !data) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="24rem" label={admin.loadingStatus} />;
  return (
    <div class="stack">
      {error && <Notice kind="bad">{admin.statusStale(error.message)}</Notice>}
      {data.integrity.findings.length > 0 && <Damage findings={data.integrity.findings} />}
      {data.store.quarantined.length > 0 && <Quarantined segments={data.store.quarantined} />}
      {models.data && reprocessing && <ReprocessProgress progress={models.data.refresh} />}
      {models.data && !reprocessing && models.data.outdated > 0 && <OutdatedLabels outdated={models.data.outdated} posts={models.data.posts} onStarted={models.reload} />}
      <Totals s={data} />
      <div class="columns">
        <div class="c6">
          <Disk s={data} />
        </div>
        <div class="c6">
          <Service s={data} />
        </div>
      </div>
      <DeadLetters letters={data.deadLetters} />
    </div>
  );
}

function Totals({ s }: { s: Status }) {
  return (
    <dl class="figures">
      <Total name={admin.storedPosts} value={number(s.store.posts)} note={admin.storedPostsNote(s.store.segments, s.store.bytes)} />
      <Total name={admin.backlog} value={number(s.pipeline.lag)} note={s.pipeline.lag === 0 ? admin.backlogEmpty : admin.backlogNote} warn={s.pipeline.lag > 1000} />
      <Total name={admin.ingested} value={number(s.pipeline.posts)} note={admin.ingestedNote} />
      <Total name={admin.streamed} value={number(s.streams.messages)} note={admin.streamedNote(s.streams.lag, s.streams.bytes)} />
      <Total name={admin.deadLetters} value={number(s.deadLetters.count)} note={s.deadLetters.count ? admin.deadLettersSome : admin.deadLettersNone} warn={s.deadLetters.count > 0} />
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
    <Card title={admin.disk} note={admin.diskNote} class="fill">
      {!known && <p class="muted">{admin.diskUnknown}</p>}
      {known && (
        <div class="stack tight">
          <ProgressBar share={used / (used + free)} label={admin.diskBar} />
          <div class="spread">
            <span>
              <strong>{bytes(used)}</strong> <span class="muted">{admin.diskUsed}</span>
            </span>
            <span>
              <strong class={low ? "bad" : ""}>{bytes(free)}</strong> <span class="muted">{admin.diskFree}</span>
            </span>
          </div>
          {low && <Notice kind="warn">{admin.diskLow}</Notice>}
        </div>
      )}
    </Card>
  );
}

function Service({ s }: { s: Status }) {
  return (
    <Card title={admin.service} class="fill">
      <dl class="facts">
        <dt>{admin.version}</dt>
        <dd>
          {s.version.earshot}
          {s.version.commit && <span class="muted"> {s.version.commit.slice(0, 12)}</span>} <span class="muted">{s.version.go}</span>
        </dd>
        <dt>{admin.runningFor}</dt>
        <dd>{admin.uptime(s.uptimeSeconds)}</dd>
        <dt>{admin.memory}</dt>
        <dd>
          {bytes(s.memory.sys)} <span class="muted">{admin.memoryInUse(s.memory.heap)}</span>
        </dd>
        <dt>{admin.postStore}</dt>
        <dd>{s.store.engine}</dd>
        <dt>{admin.journal}</dt>
        <dd>
          {number(s.pipeline.position)} <span class="muted">{admin.journalOf(s.pipeline.last)}</span>
        </dd>
        <dt>{admin.verified}</dt>
        <dd>
          {s.integrity.lastFinished ? dateTime(s.integrity.lastFinished, "UTC") : admin.verifiedNever}
          {s.integrity.running && <span class="muted"> {admin.verifying(s.integrity.bytes)}</span>}
        </dd>
      </dl>
    </Card>
  );
}

function Damage({ findings }: { findings: Finding[] }) {
  return (
    <Card title={admin.damage} note={admin.damageNote}>
      <Rows stacked label={admin.damageList} head={admin.damageHead}>
        {findings.map((f) => (
          <tr key={f.file + f.problem}>
            <td class="nowrap">{f.part}</td>
            <td class="break">{f.file}</td>
            <td class="break">{f.problem}</td>
            <td class="break">{f.effect}</td>
          </tr>
        ))}
      </Rows>
    </Card>
  );
}

function Quarantined({ segments }: { segments: Status["store"]["quarantined"] }) {
  return (
    <Card title={admin.quarantined} note={admin.quarantinedNote}>
      <Rows stacked label={admin.quarantinedList} head={admin.quarantinedHead}>
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
    <Card title={admin.deadLetters} note={admin.deadLettersNote(letters.count)}>
      <Rows stacked label={admin.deadLetterList} head={admin.deadLetterHead}>
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
