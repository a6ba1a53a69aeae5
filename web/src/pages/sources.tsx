import { loadSources, mayManage, recentActivity } from "../lib/livesource";
import type { Source } from "../lib/types";
import { useInterval, useLoad } from "../lib/load";
import { compact, number, timeAgo } from "../lib/format";
import { Link, useQuery } from "../lib/router";
import { useUser } from "../lib/session";
import { EmptyState, ErrorNotice, Notice, PageHeader, SelectField, Skeleton } from "../components/basics";
import { Icon } from "../components/icon";
import { NoTeam } from "../components/noteam";
import { KindIcon, SourceBadge, SourceReason } from "../components/sourcestate";
import { Sparkline } from "../components/sparkline";
import { NextStep } from "./sources/nextstep";
import { Gallery } from "./sources/gallery";
import { common } from "../strings/common";
import { sources as text } from "../strings/sources";

export { NewSourcePage } from "./sources/new";
export { SourcePage } from "./sources/detail";
export { EditSourcePage } from "./sources/edit";

const refresh = 3000; // milliseconds

// SourcesPage lists the live sources with their states. Without any, it offers the kinds to add.
export function SourcesPage() {
  const user = useUser();
  const [query, change] = useQuery();
  const team = user.teams.find((t) => String(t.id) === query.get("team"));
  const { data, error, reload } = useLoad(`sources ${team?.id ?? ""}`, () => loadSources(team?.id));
  useInterval(refresh, reload);
  const added = data?.find((s) => String(s.id) === query.get("added"));
  const manages = mayManage(user);
  if (user.teams.length === 0 && !user.admin) {
    return (
      <>
        <PageHeader title={common.pages.sources} lead={text.lead} />
        <NoTeam>{text.needsTeam}</NoTeam>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={common.pages.sources}
        lead={
          <>
            {text.lead} {manages && <Link href="/uploads">{text.uploadsLink}</Link>}
          </>
        }
      >
        {user.teams.length > 1 && (
          <SelectField label={common.words.team} value={team ? String(team.id) : ""} onChange={(id) => change({ team: id })} options={[{ value: "", name: common.allTeams }, ...user.teams.map((t) => ({ value: String(t.id), name: t.name }))]} />
        )}
        {manages && data && data.length > 0 && (
          <Link href={`/sources/new${team ? `?team=${team.id}` : ""}`} class="button primary">
            <Icon name="plus" />
            {text.add}
          </Link>
        )}
      </PageHeader>
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {error && data && <p class="small bad" style={{ marginBottom: "0.5rem" }}>{text.loadFailed(error.message)}</p>}
      {!data && !error && <Skeleton height="16rem" label={text.loading} />}
      {data && data.length > 0 && !manages && <Notice>{text.readOnly}</Notice>}
      {data && data.length === 0 && <NoSources manages={manages} team={team?.id} />}
      {added && <NextStep source={added} />}
      {data && data.length > 0 && (
        <ul class="sources" aria-label={text.list}>
          {data.map((s) => (
            <li key={s.id}>
              <SourceRow source={s} showTeam={!team && user.teams.length > 1} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function NoSources({ manages, team }: { manages: boolean; team?: number }) {
  if (!manages) return <EmptyState title={text.noSources}>{text.noSourcesReadOnly}</EmptyState>;
  return (
    <>
      <EmptyState title={text.noSources}>{text.noSourcesHint}</EmptyState>
      <Gallery team={team} />
    </>
  );
}

// SourceRow summarizes a source.
function SourceRow({ source: s, showTeam }: { source: Source; showTeam: boolean }) {
  return (
    <article class={`card source-row ${s.activity.some((n) => n > 0) ? "" : "idle"}`}>
      <KindIcon kind={s.kind} title={s.kindTitle} />
      <div class="source-name">
        <h2 class="break">
          <Link href={`/sources/${s.id}`}>{s.name}</Link>
        </h2>
        <p class="small muted">
          {s.kindTitle}
          {showTeam && ` · ${s.teamName}`}
        </p>
      </div>
      <div class="source-state">
        <SourceBadge source={s} />
        <SourceReason source={s} />
      </div>
      <Sparkline values={recentActivity(s)} label={text.activity(s.name)} per="minute" />
      <div class="source-posts">
        <p class="num" title={number(s.counters.posts)}>
          <strong>{compact(s.counters.posts)}</strong> <span class="muted">{s.counters.posts === 1 ? text.onePost : text.manyPosts}</span>
        </p>
        <p class="small muted">{s.lastPost ? text.lastPostAgo(timeAgo(s.lastPost)) : text.noPostsYet}</p>
      </div>
      <p class="source-keep small muted">{text.stores[s.keep]}</p>
    </article>
  );
}
