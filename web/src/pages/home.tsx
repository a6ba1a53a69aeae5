import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { categoryColor, shortCategory } from "../lib/color";
import { compact, number, percent, percentEstimate, today, typeNames } from "../lib/format";
import { useInterval, useLoad, type LoadState } from "../lib/load";
import { Link, sameOriginPath, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import { useDark } from "../lib/theme";
import { mayManage } from "../lib/livesource";
import { attention, incidentHref, shortTitle } from "../lib/incidents";
import type { Incident, Incidents, MarkedResponse, Page, SavedView, SummaryItem, SummaryResponse } from "../lib/types";
import { Delta, EmptyState, ErrorNotice, ProgressBar, PageHeader, SegmentedControl, SelectField, Skeleton } from "../components/basics";
import { Icon } from "../components/icon";
import { IncidentList } from "../components/incidents";
import { isBusy, progressText } from "../components/monitorlayout";
import { loadViews, ViewsDialog } from "../components/savedviews";
import { Sparkline, StackedBar } from "../components/sparkline";
import { common } from "../strings/common";
import { home } from "../strings/home";
import { incidents } from "../strings/incidents";
import { marked, views as viewText } from "../strings/marks";
import { signals } from "../strings/signals";

type Order = keyof typeof home.orders;

const orderKey = "monitorOrder"; // in the browser's storage
const isOrder = (text: string | null): text is Order => text !== null && Object.hasOwn(home.orders, text);

// An Item is a monitor with its incidents, newest first, and how much attention these deserve.
interface Item extends SummaryItem {
  incidents: Incident[];
  attention: number;
}

function withIncidents(m: SummaryItem, all: Incident[]): Item {
  const incidents = all.filter((i) => [i.monitor, ...i.monitors].some((x) => x.id === m.id));
  return { ...m, incidents, attention: Math.max(0, ...incidents.map(attention)) };
}

// changeOf returns how much the number of posts has changed: 1 if it has doubled or halved. Ten posts
// are added, so that a few posts are not a large change. It is -1 if the previous period is unknown.
const changeOf = (m: SummaryItem) => (m.previous === null ? -1 : Math.abs(Math.log2((m.posts + 10) / (m.previous + 10))));

// compareBy has the orders of the monitors. Equal ones are sorted by name, as the server sends them.
const compareBy: Record<Order, (a: Item, b: Item) => number> = {
  attention: (a, b) => Number(hasFailed(b)) - Number(hasFailed(a)) || b.attention - a.attention || changeOf(b) - changeOf(a),
  change: (a, b) => changeOf(b) - changeOf(a),
  posts: (a, b) => b.posts - a.posts,
  name: () => 0,
};

const hasFailed = (m: SummaryItem) => Boolean(m.error) || m.progress?.state === "failed";

const periods = (["7", "30", "90"] as const).map((value) => ({ value: value as string, name: common.dateRange.short[`last${value}`] }));

// Home lists the monitors, each with its posts, the change from the previous period and the
// sentiment.
export function Home() {
  const user = useUser();
  const [query, change] = useQuery();
  const days = periods.some((p) => p.value === query.get("days")) ? query.get("days")! : "30";
  const team = query.get("team") ?? "";
  const tag = query.get("tag") ?? "";
  const stored = localStorage.getItem(orderKey);
  const order = isOrder(query.get("sort")) ? (query.get("sort") as Order) : isOrder(stored) ? stored : "attention";
  const chooseOrder = (order: Order) => {
    localStorage.setItem(orderKey, order);
    change({ sort: order });
  };
  const [search, setSearch] = useState("");
  const { data, error, reload } = useLoad(`summary ${days} ${team}`, () => get<SummaryResponse>("/manage/v1/summary", { days, team }));
  const happened = useLoad(`incidents ${days} ${team}`, () => get<Incidents>("/manage/v1/incidents", { days, team }));
  const views = useLoad("views of home", loadShortcuts);
  const settled = data && (views.data || views.error); // so that the views do not push the monitors down later
  useInterval(data?.items.some((m) => isBusy(m.progress)) ? 2000 : 60_000, reload);
  const term = search.trim().toLowerCase();
  const recent = happened.data?.incidents ?? [];
  const shown = (data?.items ?? [])
    .map((m) => withIncidents(m, recent))
    .filter((m) => !term || m.name.toLowerCase().includes(term) || m.tags.some((t) => t.toLowerCase().includes(term)))
    .filter((m) => !tag || m.tags.includes(tag))
    .sort(compareBy[order]);
  const isNew = data?.items.length === 0 && !team;
  return (
    <>
      <PageHeader title={common.pages.monitors} lead={data && !isNew && home.summary(data.items.length, days)}>
        {!isNew && (
          <Link href="/monitors/new" class="button primary">
            <Icon name="plus" />
            {common.pages.newMonitor}
          </Link>
        )}
      </PageHeader>
      {!isNew && (
        <div class="home-tools">
          <input type="search" aria-label={home.find} placeholder={home.find} value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
          {user.teams.length > 1 && (
            <SelectField label={common.words.team} value={team} onChange={(t) => change({ team: t })} options={[{ value: "", name: common.allTeams }, ...user.teams.map((t) => ({ value: String(t.id), name: t.name }))]} />
          )}
          <SelectField label={home.sort} value={order} onChange={(o) => chooseOrder(o as Order)} options={(Object.keys(home.orders) as Order[]).map((value) => ({ value: value as string, name: home.orders[value] }))} />
          <SegmentedControl label={home.period} value={days} options={periods} onChange={(d) => change({ days: d === "30" ? null : d })} />
          {tag && (
            <span class="chip">
              <span class="clip">
                <span class="muted">{home.tag}:</span> {tag}
              </span>
              <button type="button" aria-label={common.picker.remove(tag)} onClick={() => change({ tag: null })}>
                ×
              </button>
            </span>
          )}
        </div>
      )}
      {data && !isNew && views.data && <Shortcuts {...views.data} onChanged={views.reload} />}
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {!settled && !error && <Skeletons />}
      {data && data.items.length > 0 && !term && !tag && <Recent loaded={happened} />}
      {data && data.items.length === 0 && <NoMonitors />}
      {data && data.items.length > 0 && shown.length === 0 && <EmptyState title={home.noMatch}>{home.noMatchHint}</EmptyState>}
      <ul class="grid">
        {settled && shown.map((m) => (
          <li key={m.id}>
            <MonitorCard m={m} days={Number(days)} onTag={(tag) => change({ tag })} />
          </li>
        ))}
      </ul>
    </>
  );
}

const shownIncidents = 3;

// Recent lists the newest incidents of all monitors.
function Recent({ loaded: { data, error, reload } }: { loaded: LoadState<Incidents> }) {
  if (data?.incidents.length === 0) return null;
  return (
    <section class="card recent" aria-label={incidents.happened}>
      <div class="spread">
        <h2>{incidents.happened}</h2>
        <Link href="/signals">{incidents.all}</Link>
      </div>
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="7rem" label={incidents.loading} />}
      {data && <IncidentList list={data.incidents} limit={shownIncidents} />}
    </section>
  );
}

const shownViews = 12; // the others are in the dialog

interface ShortcutsData {
  list: SavedView[];
  assigned: number; // posts that are assigned to the user
  starred: number;
}

async function loadShortcuts(): Promise<ShortcutsData> {
  const count = async (by: string) => (await get<MarkedResponse>("/manage/v1/marked", { by, limit: 1 })).total;
  const [list, assigned, starred] = await Promise.all([loadViews(), count("assigned"), count("starred")]);
  return { list, assigned, starred };
}

// Shortcuts links to the posts that the team has marked and to the saved views of the user's teams.
function Shortcuts({ list, assigned, starred, onChanged }: ShortcutsData & { onChanged: () => void }) {
  const [managing, setManaging] = useState(false);
  const links = [
    assigned > 0 && { href: "/marked", name: marked.assigned(assigned) },
    starred > 0 && { href: "/marked?by=starred", name: marked.starred(starred) },
  ].filter((l) => l !== false);
  return (
    <>
      {links.length > 0 && (
        <nav class="row saved-views" aria-label={marked.title}>
          <span class="muted small">{marked.title}:</span>
          {links.map((l) => (
            <Link key={l.href} class="badge" href={l.href}>
              {l.name}
            </Link>
          ))}
        </nav>
      )}
      {list.length > 0 && <ViewLinks list={list} onManage={() => setManaging(true)} />}
      {managing && <ViewsDialog onClose={() => setManaging(false)} onChanged={onChanged} />}
    </>
  );
}

// ViewLinks links to saved views.
function ViewLinks({ list, onManage }: { list: SavedView[]; onManage: () => void }) {
  return (
    <nav class="row saved-views" aria-label={viewText.title}>
      <span class="muted small">{viewText.title}:</span>
      {list.slice(0, shownViews).map((v) => (
        <Link key={v.id} class="badge accent" href={sameOriginPath(v.path)}>
          {v.name}
        </Link>
      ))}
      <button type="button" class="linklike small" onClick={onManage}>
        {viewText.manage}
      </button>
    </nav>
  );
}

function Skeletons() {
  return (
    <div class="grid">
      {[0, 1, 2, 3, 4, 5].map((i) => (
        <Skeleton key={i} height="13rem" label={home.loading} />
      ))}
    </div>
  );
}

// NoMonitors says what to do first: add a source, so that there are posts, and then create a
// monitor, which selects some of them.
function NoMonitors() {
  const user = useUser();
  const sources = useLoad("first source", () => get<Page<unknown>>("/manage/v1/sources", { limit: 1 }));
  const create = (primary: boolean) => (
    <Link href="/monitors/new" class={`button ${primary ? "primary" : ""}`}>
      {home.createFirst}
    </Link>
  );
  if (sources.loading && !sources.data) return <Skeleton height="10rem" label={home.loading} />;
  if (sources.data?.items.length === 0 && mayManage(user)) {
    return (
      <EmptyState
        title={home.noSources}
        actions={
          <>
            <Link href="/sources/new" class="button primary">
              <Icon name="plus" />
              {home.addSource}
            </Link>
            <Link href="/uploads" class="button">
              {home.upload}
            </Link>
            {create(false)}
          </>
        }
      >
        {home.noSourcesHint}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={home.empty} actions={create(true)}>
      {sources.data?.items.length ? home.emptyWithSources : home.emptyHint}
    </EmptyState>
  );
}

// MonitorCard summarizes a monitor.
function MonitorCard({ m, days, onTag }: { m: Item; days: number; onTag: (tag: string) => void }) {
  const dark = useDark();
  const dates = `start=${m.start}&end=${m.end}`;
  return (
    <article class="card monitor-card">
      <div class="spread monitor-head">
        <h2 class="break">
          <Link href={days === 30 ? `/monitors/${m.id}` : `/monitors/${m.id}?${dates}`}>{m.name}</Link>
        </h2>
        <span class="row">
          {m.firing > 0 && (
            <Link class="badge warn nowrap" href={`/signals?monitor=${m.id}&state=firing`} aria-label={signals.homeTitle(m.name, m.firing)}>
              <Icon name="bell" />
              {signals.home(m.firing)}
            </Link>
          )}
          <span class="badge nowrap">{typeNames[m.type] ?? m.type}</span>
        </span>
      </div>
      <div class="spread">
        <span class="row">
          <Link class="figure" href={`/monitors/${m.id}/posts?${dates}`} title={number(m.posts)} aria-label={common.chart.postsOf(compact(m.posts), m.name)}>
            {compact(m.posts)}
          </Link>
          <span class="muted">{home.posts}</span>
        </span>
        {m.previous !== null && (
          <span title={home.previous(m.previous, days)}>
            <Delta now={m.posts} before={m.previous} />
            <span class="sr">{home.previous(m.previous, days)}</span>
          </span>
        )}
      </div>
      <Sparkline values={m.spark} label={home.sparkline(m.name)} partial={m.end > today(m.timezone)} />
      <Latest m={m} />
      <State m={m} />
      {m.categories.length > 0 && !m.needsTraining && <Sentiment m={m} dark={dark} />}
      {m.error && <p class="small bad">{m.error}</p>}
      {m.needsTraining && (
        <p class="small muted">
          {m.needsTraining} <Link href={`/monitors/${m.id}/train`}>{home.train}</Link>
        </p>
      )}
      {m.tags.length > 0 && (
        <div class="row monitor-tags" role="group" aria-label={home.tags(m.name)}>
          {m.tags.map((tag) => (
            <button key={tag} type="button" class="pickable badge" title={home.showTag(tag)} onClick={() => onTag(tag)}>
              {tag}
            </button>
          ))}
        </div>
      )}
    </article>
  );
}

// Latest links the newest incident of a monitor to its explanation.
function Latest({ m }: { m: Item }) {
  const [latest, ...others] = m.incidents;
  if (!latest) return null;
  return (
    <p class="small">
      <Link class="badge warn" href={incidentHref(latest, String(m.id))}>
        {latest.monitor.id === m.id ? shortTitle(latest) : latest.title}
      </Link>
      {others.length > 0 && (
        <Link class="muted" href={`/monitors/${m.id}`}>
          {" "}
          {home.moreIncidents(others.length)}
        </Link>
      )}
    </p>
  );
}

const namedOpinions = 3; // the others are one part of the bar

function Sentiment({ m, dark }: { m: SummaryItem; dark: boolean }) {
  const shares = m.categories.filter((c) => !c.hidden).map((c, i) => ({ name: shortCategory(c.name), share: c.share, interval: c.interval, color: categoryColor(c.name, i, dark) }));
  if (!shares.some((p) => p.share > 0)) return null;
  const largest = [...shares].sort((a, b) => b.share - a.share);
  const rest = largest.splice(namedOpinions).reduce((sum, p) => sum + p.share, 0);
  const opinions = rest > 0 ? [...largest, { name: home.otherOpinions, share: rest, interval: null, color: "var(--neutral)" }] : largest;
  const shown = m.type === "OPINION" ? opinions : shares;
  return (
    <div class="stack tight">
      <StackedBar label={m.type === "OPINION" ? common.words.opinions : common.words.sentiment} shares={shown} />
      <div class="legend">
        {shown.map((p) => (
          <span key={p.name} title={percentEstimate(p)}>
            <i class="dot" style={{ background: p.color }} />
            {p.name} {percent(p.share)}
          </span>
        ))}
      </div>
    </div>
  );
}

// State shows that a monitor is paused, or busy with stored posts, or that this work has failed.
function State({ m }: { m: SummaryItem }) {
  if (m.progress && isBusy(m.progress)) {
    return (
      <div class="stack tight">
        <span class="badge accent">{progressText(m.progress)}</span>
        <ProgressBar share={m.progress.total ? m.progress.done / m.progress.total : 0} label={home.progress(m.name, progressText(m.progress))} />
      </div>
    );
  }
  if (m.progress?.state === "failed") return <span class="badge bad">{progressText(m.progress)}</span>;
  if (!m.enabled) return <span class="badge warn">{common.paused}</span>;
  return null;
}
