import { listAll, urlOf } from "../../lib/api";
import { formatFilter, withValue } from "../../lib/filter";
import { useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { ContentSourceInfo, Monitor } from "../../lib/types";
import { uploads } from "../../strings/uploads";

const maxNamed = 8; // monitors that are named; the others are counted

// useCountingMonitors returns the monitors of a team that count documents of a source if these match
// their other criteria: those with this source and those with all sources.
export function useCountingMonitors(team: number, source: ContentSourceInfo): Monitor[] | undefined {
  const { data } = useLoad(`monitors ${team}`, () => listAll<Monitor>("/manage/v1/monitors", { team }));
  return data?.filter((m) => m.type !== "SOCIAL" && m.enabled && (m.sources.length === 0 || m.sources.includes(source.name)));
}

const postsHref = (m: Monitor, source: ContentSourceInfo) => urlOf(`/monitors/${m.id}/posts`, { filter: formatFilter(withValue({}, "source", source.name)) });

// CountingMonitors says which monitors count the documents of a source.
export function CountingMonitors({ monitors, source }: { monitors: Monitor[] | undefined; source: ContentSourceInfo }) {
  if (!monitors) return null;
  if (monitors.length === 0) return <p class="small muted">{uploads.noMonitors}</p>;
  return (
    <p class="small muted">
      {uploads.countedBy}{" "}
      {monitors.slice(0, maxNamed).map((m, i) => (
        <span key={m.id}>
          {i > 0 && ", "}
          <Link href={postsHref(m, source)}>{m.name}</Link>
        </span>
      ))}
      {monitors.length > maxNamed && uploads.moreMonitors(monitors.length - maxNamed)}.
    </p>
  );
}

// NextSteps offers to view uploaded documents, or to create a monitor for them. start is the day of
// the first one.
export function NextSteps({ monitors, source, team, start }: { monitors: Monitor[] | undefined; source: ContentSourceInfo; team: number; start: string }) {
  const own = monitors?.find((m) => m.sources.length === 1); // a monitor for this source alone
  return (
    <section class="stack tight" aria-label={uploads.nextSteps}>
      <div class="row">
        {own && (
          <Link class="button primary" href={`/monitors/${own.id}/posts`}>
            {uploads.viewDocuments}
          </Link>
        )}
        {monitors && !own && (
          <Link class="button primary" href={urlOf("/monitors/new", { source: source.name, team, start })}>
            {uploads.createMonitor}
          </Link>
        )}
      </div>
      {monitors && !own && <p class="small muted">{uploads.createMonitorNote}</p>}
      <CountingMonitors monitors={monitors} source={source} />
    </section>
  );
}
