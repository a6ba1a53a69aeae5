import { get, urlOf } from "../lib/api";
import { browserZone } from "../lib/author";
import { dateRange, fileDates, localDateTime } from "../lib/format";
import { useLoad } from "../lib/load";
import { Link, useQuery } from "../lib/router";
import type { AuthorInfo } from "../lib/types";
import { useView, type View } from "../lib/view";
import { ApiLink } from "../components/apilink";
import { EmptyState, ErrorNotice, PageHeader, Skeleton } from "../components/basics";
import { DateRange } from "../components/daterange";
import { Figure } from "../components/figure";
import { Activity, Followers } from "./author/charts";
import { AuthorLists } from "./author/lists";
import { AuthorPosts } from "./author/posts";
import type { AuthorQuery } from "./author/query";
import { author as text } from "../strings/author";
import { common } from "../strings/common";

// AuthorPage shows who an author is and what they wrote, in all monitors of the user's teams.
export function AuthorPage() {
  const [query] = useQuery();
  const view = useView();
  const { range, start, end } = view.params;
  const q = { name: (query.get("name") ?? "").trim().replace(/^@/, ""), source: query.get("source") ?? "", range, start, end, timezone: query.get("timezone") || browserZone() };
  if (!q.name)
    return (
      <>
        <PageHeader title={common.pages.author} />
        <EmptyState title={text.noName} actions={<Link class="button" href="/">{common.layout.goToMonitors}</Link>}>
          {text.noNameText}
        </EmptyState>
      </>
    );
  return <Author q={q} view={view} />;
}

function Author({ q, view }: { q: AuthorQuery; view: View }) {
  const path = "/manage/v1/author";
  const { data, error, loading, reload } = useLoad(urlOf(path, { ...q }), (signal) => get<AuthorInfo>(path, { ...q }, signal));
  const info = data?.name.toLowerCase() === q.name.toLowerCase() ? data : undefined; // not that of the previous author
  return (
    <>
      <PageHeader title={info?.displayName || q.name} lead={<Lead q={q} info={info} />}>
        <ApiLink />
      </PageHeader>
      <div class="toolbar">
        <div class="row" style={{ marginBottom: "0.6rem" }}>
          <DateRange view={view} shown={info} zone={q.timezone} />
        </div>
      </div>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!info && !error && <AuthorSkeleton />}
      {info && !error && (
        <div aria-busy={loading} class={loading ? "stale" : ""}>
          {info.posts === 0 ? <NoPosts q={q} info={info} view={view} /> : <AuthorView q={q} info={info} view={view} />}
        </div>
      )}
    </>
  );
}

// Lead shows the author's username, networks and followers.
function Lead({ q, info }: { q: AuthorQuery; info?: AuthorInfo }) {
  const sources = q.source ? [q.source] : (info?.sources ?? []).map((s) => s.name);
  return <span>{[text.handle(q.name), text.on(sources), info && info.posts > 0 && text.followers(info.followers)].filter(Boolean).join(" · ")}</span>;
}

// AuthorSkeleton reserves the space of the figures and the first chart.
function AuthorSkeleton() {
  return (
    <div class="stack">
      <Skeleton height="7.5rem" label={text.loading} />
      <Skeleton height="23rem" label={text.loading} />
      <Skeleton height="40rem" label={text.loading} />
    </div>
  );
}

function NoPosts({ q, info, view }: { q: AuthorQuery; info: AuthorInfo; view: View }) {
  return (
    <EmptyState
      title={text.none(q.name)}
      actions={
        <>
          {view.range !== "last365" && (
            <button type="button" class="button primary" onClick={() => view.setRolling("last365")}>
              {text.longer}
            </button>
          )}
          <Link class="button" href="/">
            {common.layout.goToMonitors}
          </Link>
        </>
      }
    >
      {text.noneText(dateRange(info.start, info.end))}
    </EmptyState>
  );
}

function AuthorView({ q, info, view }: { q: AuthorQuery; info: AuthorInfo; view: View }) {
  const [query] = useQuery();
  const mark = query.get("mark") ?? "";
  const file = `${q.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${fileDates(info.start, info.end)}`;
  return (
    <div class="stack">
      <p class="small muted">{text.scope(dateRange(info.start, info.end), q.timezone)}</p>
      <Figures info={info} />
      <div class="columns">
        <Activity info={info} file={file} mark={mark} onRange={view.setRange} />
        <Followers info={info} file={file} />
        <AuthorLists q={q} info={info} file={file} />
      </div>
      <AuthorPosts q={q} info={info} />
    </div>
  );
}

function Figures({ info }: { info: AuthorInfo }) {
  const note = (words: string) => <span class="muted small">{words}</span>;
  return (
    <dl class="figures">
      <Figure name={common.words.posts} value={info.posts} extra={info.last && note(text.figures.latest(localDateTime(info.last)))} />
      <Figure name={text.figures.followers} value={info.followers} extra={note(info.followers === null ? text.figures.unknown : text.figures.newest)} />
      <Figure name={common.words.reach} value={info.impressions} extra={note(info.impressions === null ? text.figures.unknown : text.figures.reach)} />
      <Figure name={common.words.engagement} value={info.engagement} extra={note(common.engagementNote)} />
      <Figure name={text.figures.monitors} value={info.monitors.length} />
    </dl>
  );
}
