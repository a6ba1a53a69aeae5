import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { categoryColor, shortCategory } from "../lib/color";
import { compact, number, percent, plural, typeNames } from "../lib/format";
import { useInterval, useLoad } from "../lib/load";
import { Link, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import { useDark } from "../lib/theme";
import type { SummaryItem, SummaryResponse } from "../lib/types";
import { Delta, EmptyState, ErrorNotice, ProgressBar, PageHeader, SegmentedControl, SelectField, Skeleton } from "../components/basics";
import { Icon } from "../components/icon";
import { isBusy, progressText } from "../components/monitorlayout";
import { Sparkline, StackedBar } from "../components/sparkline";

const periods = [
  { value: "7", name: "7 days" },
  { value: "30", name: "30 days" },
  { value: "90", name: "90 days" },
];

// Home shows the monitors: how many posts each has found, how that changed, and how people feel.
export function Home() {
  const user = useUser();
  const [query, change] = useQuery();
  const days = periods.some((p) => p.value === query.get("days")) ? query.get("days")! : "30";
  const team = query.get("team") ?? "";
  const [search, setSearch] = useState("");
  const { data, error, reload } = useLoad(`summary ${days} ${team}`, () => get<SummaryResponse>("/manage/v1/summary", { days, team }));
  useInterval(data?.items.some((m) => isBusy(m.progress)) ? 2000 : 60_000, reload);
  const term = search.trim().toLowerCase();
  const shown = (data?.items ?? []).filter((m) => !term || m.name.toLowerCase().includes(term) || m.tags.some((t) => t.toLowerCase().includes(term)));
  return (
    <>
      <PageHeader title="Monitors" lead={data && `${plural(data.items.length, "monitor")}, the last ${days} days against the ${days} before`}>
        <Link href="/monitors/new" class="button primary">
          <Icon name="plus" />
          New monitor
        </Link>
      </PageHeader>
      <div class="home-tools">
        <input type="search" aria-label="Find a monitor" placeholder="Find a monitor" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
        {user.teams.length > 1 && (
          <SelectField label="Team" value={team} onChange={(t) => change({ team: t })} options={[{ value: "", name: "All teams" }, ...user.teams.map((t) => ({ value: String(t.id), name: t.name }))]} />
        )}
        <SegmentedControl label="Period" value={days} options={periods} onChange={(d) => change({ days: d === "30" ? null : d })} />
      </div>
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeletons />}
      {data && data.items.length === 0 && <NoMonitors />}
      {data && data.items.length > 0 && shown.length === 0 && <EmptyState title="No monitor is called that">Try another name, or a tag.</EmptyState>}
      <ul class="grid">
        {shown.map((m) => (
          <li key={m.id}>
            <MonitorCard m={m} days={Number(days)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Skeletons() {
  return (
    <div class="grid">
      {[0, 1, 2, 3, 4, 5].map((i) => (
        <Skeleton key={i} height="13rem" label="Loading the monitors" />
      ))}
    </div>
  );
}

function NoMonitors() {
  return (
    <EmptyState
      title="There are no monitors yet"
      actions={
        <Link href="/monitors/new" class="button primary">
          Make the first monitor
        </Link>
      }
    >
      A monitor is a saved search. It finds posts as they come in, and those that are already there.
    </EmptyState>
  );
}

// MonitorCard is a monitor at a glance.
function MonitorCard({ m, days }: { m: SummaryItem; days: number }) {
  const dark = useDark();
  const end = `start=${m.start}&end=${m.end}`;
  return (
    <article class="card monitor-card">
      <div class="spread" style={{ flexWrap: "nowrap", alignItems: "flex-start" }}>
        <h2 class="break">
          <Link href={days === 30 ? `/monitors/${m.id}` : `/monitors/${m.id}?${end}`}>{m.name}</Link>
        </h2>
        <span class="badge">{typeNames[m.type] ?? m.type}</span>
      </div>
      <div class="spread">
        <span class="row">
          <span class="figure" title={number(m.posts)}>
            {compact(m.posts)}
          </span>
          <span class="muted">posts</span>
        </span>
        <span class="row">
          <Delta now={m.posts} before={m.previous} plain />
        </span>
      </div>
      <Sparkline values={m.spark} label={`Posts of ${m.name} by day`} />
      <State m={m} />
      {m.categories.length > 0 && !m.untaught && <Sentiment m={m} dark={dark} />}
      {m.error && <p class="small bad">{m.error}</p>}
      {m.untaught && (
        <p class="small muted">
          {m.untaught} <Link href={`/monitors/${m.id}/train`}>Train it</Link>
        </p>
      )}
    </article>
  );
}

function Sentiment({ m, dark }: { m: SummaryItem; dark: boolean }) {
  const shares = m.categories.filter((c) => !c.hidden).map((c, i) => ({ name: shortCategory(c.name), share: c.share, color: categoryColor(c.name, i, dark) }));
  const largest = [...shares].sort((a, b) => b.share - a.share).slice(0, 3);
  if (!shares.some((p) => p.share > 0)) return null;
  return (
    <div class="stack tight">
      <StackedBar label={m.type === "OPINION" ? "Opinions" : "Sentiment"} shares={shares} />
      <div class="legend">
        {(m.type === "OPINION" ? largest : shares).map((p) => (
          <span key={p.name}>
            <i class="dot" style={{ background: p.color }} />
            {p.name} {percent(p.share)}
          </span>
        ))}
      </div>
    </div>
  );
}

// State says what is unusual: that a monitor is paused, or busy with the posts that were there before it.
function State({ m }: { m: SummaryItem }) {
  if (m.progress && isBusy(m.progress)) {
    return (
      <div class="stack tight">
        <span class="badge accent">{progressText(m.progress)}</span>
        <ProgressBar share={m.progress.total ? m.progress.done / m.progress.total : 0} label={`${m.name}: ${progressText(m.progress)}`} />
      </div>
    );
  }
  if (m.progress?.state === "failed") return <span class="badge bad">{progressText(m.progress)}</span>;
  if (!m.enabled) return <span class="badge warn">Paused</span>;
  return null;
}
