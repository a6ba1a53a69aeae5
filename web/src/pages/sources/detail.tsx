import { useRef, useState } from "preact/hooks";
import { call, patch, urlOf } from "../../lib/api";
import { bytes, capitalize, compact, dateTime, number, timeAgo } from "../../lib/format";
import { loadKinds, loadSource, mayManage, recentActivity, rulesSetting } from "../../lib/livesource";
import type { Source, SourceKind } from "../../lib/types";
import { useInterval, useLoad } from "../../lib/load";
import { Link, navigate, useQuery } from "../../lib/router";
import { useUser } from "../../lib/session";
import { Bars } from "../../components/bars";
import { Card, ErrorNotice, PageHeader, Skeleton } from "../../components/basics";
import { Icon } from "../../components/icon";
import { KindIcon, SourceBadge, SourceReason } from "../../components/sourcestate";
import { Sparkline } from "../../components/sparkline";
import { Rows } from "../../components/table";
import { showError, toast } from "../../components/toast";
import { NextStep } from "./nextstep";
import { RemoveSource } from "./remove";
import { WebhookCard } from "./webhook";
import { common } from "../../strings/common";
import { duration, sources as text } from "../../strings/sources";

const refresh = 3000; // milliseconds

// SourcePage shows what a source is doing and has delivered.
export function SourcePage({ id }: { id: string }) {
  const [query] = useQuery();
  const manages = mayManage(useUser());
  const { data: s, error, reload } = useLoad(`source ${id}`, (signal) => loadSource(id, signal));
  const kinds = useLoad("source kinds", loadKinds);
  useInterval(error ? 0 : refresh, reload);
  if (error && !s) return <ErrorNotice error={error} retry={reload} undo={{ name: text.back, act: () => navigate("/sources") }} />;
  if (!s) return <Skeleton height="24rem" label={text.loading} />;
  const activity = recentActivity(s);
  return (
    <>
      <PageHeader title={s.name} lead={<Lead source={s} />} badge={<SourceBadge source={s} />}>
        {manages && <Actions source={s} onChanged={reload} />}
      </PageHeader>
      {error && <ErrorNotice error={error} retry={reload} />}
      {query.get("added") && <NextStep source={s} />}
      <div class="stack">
        <Figures source={s} />
        <div class="columns">
          <Card class="c7 fill" title={text.lastMinutes(activity.length)} note={text.perMinute}>
            <div class="spark-large">
              <Sparkline values={activity} label={text.activity(s.name)} per="minute" />
            </div>
          </Card>
          <Card class="c5 fill" title={text.skippedTitle} note={text.skippedNote}>
            <Skipped source={s} />
          </Card>
        </div>
        {s.endpoint && <WebhookCard source={s} />}
        <Gaps source={s} />
        <Settings source={s} kind={kinds.data?.find((k) => k.name === s.kind)} />
        {s.kind === "feed" && <FeedList source={s} manages={manages} onChanged={reload} />}
      </div>
    </>
  );
}

function Lead({ source: s }: { source: Source }) {
  return (
    <>
      <span class="row">
        <KindIcon kind={s.kind} title={s.kindTitle} />
        <span>
          {s.kindTitle} · {text.team(s.teamName)} · <Link href="/sources">{text.back}</Link>
        </span>
      </span>
      <SourceReason source={s} />
    </>
  );
}

// Actions pauses, edits and removes a source.
function Actions({ source: s, onChanged }: { source: Source; onChanged: () => void }) {
  const [removing, setRemoving] = useState(false);
  const [busy, setBusy] = useState(false);
  const toggle = async () => {
    setBusy(true);
    try {
      await patch(`/manage/v1/sources/${s.id}`, { paused: !s.paused });
      toast((s.paused ? text.resumed : text.paused)(s.name));
      onChanged();
    } catch (err) {
      showError(err);
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={busy} onClick={toggle}>
        <Icon name={s.paused ? "play" : "pause"} />
        {s.paused ? text.resume : text.pause}
      </button>
      <Link href={`/sources/${s.id}/edit`} class="button">
        <Icon name="edit" />
        {common.actions.edit}
      </Link>
      <button type="button" class="button danger" onClick={() => setRemoving(true)}>
        {text.remove}
      </button>
      {removing && <RemoveSource source={s} onClose={() => setRemoving(false)} />}
    </>
  );
}

function Figures({ source: s }: { source: Source }) {
  const c = s.counters;
  const figures = [
    { name: text.postsLabel, value: compact(c.posts), title: number(c.posts), note: text.countersSince(dateTime(s.created)) },
    { name: text.lastPost, value: s.lastPost ? timeAgo(s.lastPost) : text.never, note: s.lastPost && dateTime(s.lastPost) },
    { name: text.counters.events, value: compact(c.events), title: number(c.events), note: text.received(bytes(c.bytes)) },
    { name: text.counters.deletions, value: compact(c.deletions), title: number(c.deletions), note: text.deletionsNote },
    { name: text.counters.gapSeconds, value: c.gapSeconds ? duration(c.gapSeconds) : text.none, note: text.reconnects(c.reconnects) },
  ];
  return (
    <dl class="figures">
      {figures.map((f) => (
        <div key={f.name} class="card">
          <dt class="muted">{f.name}</dt>
          <dd class="figure small" title={"title" in f ? f.title : undefined}>
            {f.value}
          </dd>
          {f.note && <dd class="small muted">{f.note}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Skipped({ source: s }: { source: Source }) {
  const bars = Object.entries(s.counters.skipped ?? {})
    .map(([reason, value]) => ({ id: reason, name: capitalize(reason), value }))
    .sort((a, b) => b.value - a.value);
  return <Bars bars={bars} empty={text.skippedNone} />;
}

function Gaps({ source: s }: { source: Source }) {
  return (
    <Card title={text.gapsTitle} note={text.gapsNote}>
      {s.gaps.length === 0 && <p class="muted">{text.gapsNone}</p>}
      {s.gaps.length > 0 && (
        <Rows label={text.gapsList} head={text.gapsHead}>
          {s.gaps.map((g) => (
            <tr key={g.from}>
              <td class="nowrap">{dateTime(g.from)}</td>
              <td class="nowrap">{g.open ? text.gapOpen : dateTime(g.to)}</td>
              <td class="nowrap">{duration(((g.open ? Date.now() : new Date(g.to).getTime()) - new Date(g.from).getTime()) / 1000)}</td>
              <td class="break">{capitalize(g.reason)}</td>
            </tr>
          ))}
        </Rows>
      )}
    </Card>
  );
}

function Settings({ source: s, kind }: { source: Source; kind?: SourceKind }) {
  const titles = new Map(kind?.settings.map((x) => [x.name, x.title]));
  const shown = Object.entries(s.settings).filter(([name, value]) => value && name !== rulesSetting);
  return (
    <Card title={text.settingsTitle}>
      <dl class="facts">
        <dt>{text.networks}</dt>
        <dd>{s.networks.length ? s.networks.join(", ") : text.customContent}</dd>
        <dt>{text.keepLabel}</dt>
        <dd>{text.keeps[s.keep]}</dd>
        <dt>{text.retention}</dt>
        <dd>{text.retentionDays(s.retentionDays)}</dd>
        {shown.map(([name, value]) => (
          <>
            <dt key={`${name} title`}>{titles.get(name) ?? name}</dt>
            <dd key={name} class="lines">
              {value}
            </dd>
          </>
        ))}
        {s.hasSecret && <dt>{kind?.secret ? capitalize(kind.secret) : text.newSecret}</dt>}
        {s.hasSecret && <dd>{text.secretSet}</dd>}
        <dt>{text.created}</dt>
        <dd>{dateTime(s.created)}</dd>
      </dl>
    </Card>
  );
}

// FeedList exports and imports the list of feeds of a source.
function FeedList({ source: s, manages, onChanged }: { source: Source; manages: boolean; onChanged: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const path = `/manage/v1/sources/${s.id}/opml`;
  const upload = async (file: File) => {
    try {
      await call("POST", path, { body: new Blob([file], { type: "text/x-opml" }) });
      toast(text.opmlImported);
      onChanged();
    } catch (err) {
      showError(err);
    }
  };
  return (
    <Card title={text.opmlTitle} note={text.opmlNote}>
      <div class="row">
        <a class="button" href={urlOf(path)} download>
          <Icon name="download" />
          {text.opmlExport}
        </a>
        {manages && (
          <>
            <input
              ref={input}
              type="file"
              class="sr"
              tabIndex={-1}
              aria-label={text.opmlFile}
              accept=".opml,.xml"
              onChange={(e) => {
                const file = e.currentTarget.files?.[0];
                e.currentTarget.value = "";
                if (file) upload(file);
              }}
            />
            <button type="button" class="button" onClick={() => input.current?.click()}>
              <Icon name="content" />
              {text.opmlImport}
            </button>
          </>
        )}
      </div>
    </Card>
  );
}
