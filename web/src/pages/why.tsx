import { get, urlOf } from "../lib/api";
import { daysAround } from "../lib/author";
import { postsHref, whyHref, type Period } from "../lib/drill";
import { daysBetween, fileDates } from "../lib/format";
import { useGrace, useLoad } from "../lib/load";
import { periodOf } from "../lib/period";
import { navigate } from "../lib/router";
import type { Explanation, Monitor } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { DriverCard, driverLists } from "../components/drivers";
import { Happened, useSummary } from "../components/incidents";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { toast } from "../components/toast";
import { EarlierWeeks, ExpectationChart } from "./why/expectation";
import { Headline } from "./why/headline";
import { isTooLong, requestOf, usePeriod } from "./why/period";
import { Stories } from "./why/stories";
import { UnusualDays, useUnusual } from "./why/unusual";
import { WhoDroveIt } from "./why/voices";
import { common } from "../strings/common";
import { annotations } from "../strings/marks";
import { why } from "../strings/why";

// WhyPage explains why a monitor has more or fewer posts than expected in the period in the URL.
// Without a period, it suggests the most unusual days.
export function WhyPage({ id }: { id: string }) {
  return <MonitorLayout id={id}>{(m) => <WhyContent m={m} />}</MonitorLayout>;
}

function WhyContent({ m }: { m: Monitor }) {
  const view = useView();
  const target = view.sub || String(m.id);
  const period = usePeriod(view);
  const explained = period && !isTooLong(period) ? period : null;
  const single = explained && (explained.from || explained.range === "yesterday" || (explained.start && daysBetween(explained.start, explained.end!) === 1));
  const unusual = useUnusual(target, view, !single);
  const happened = useSummary(target, explained && { ...requestOf(explained), filter: view.filterText });
  const path = `/manage/v1/monitors/${target}/explanation`;
  const query = explained && { ...requestOf(explained), filter: view.filterText };
  const { data, error, loading, reload } = useLoad(query && urlOf(path, query), (signal) => get<Explanation>(path, query!, signal));
  const ready = useGrace(Boolean(data), Boolean(happened.data || happened.error));
  return (
    <div class="stack">
      <MonitorToolbar m={m} view={view} shown={explained && data && data.from !== data.to ? { start: periodOf(data).start!, end: periodOf(data).end! } : unusual.data} first={m.start} />
      {!single && <UnusualDays id={String(m.id)} view={view} loaded={unusual} lead={period ? (explained ? "" : why.tooLong) : why.chooseDay} />}
      {error && explained && <ErrorNotice error={error} retry={reload} undo={view.filterText ? { name: common.actions.clearFilters, act: () => view.setFilter({}) } : undefined} />}
      {explained && data && ready && !error && <Happened loaded={happened} id={String(m.id)} sub={view.sub} filter={view.filterText} />}
      {explained && !(data && ready) && !error && <ExplanationSkeleton />}
      {explained && data && ready && !error && (
        <div class={`stack ${loading ? "stale" : ""}`} aria-busy={loading}>
          <ExplanationView m={m} view={view} target={target} e={data} period={explained} />
        </div>
      )}
    </div>
  );
}

// ExplanationSkeleton reserves the space of an explanation.
function ExplanationSkeleton() {
  return (
    <>
      <Skeleton height="7rem" label={why.loading} />
      <Skeleton height="24rem" label={why.loading} />
      <Skeleton height="30rem" label={why.loading} />
    </>
  );
}

function ExplanationView({ m, view, target, e, period }: { m: Monitor; view: View; target: string; e: Explanation; period: Period }) {
  const id = String(m.id);
  if (e.from === e.to) return <EmptyState title={common.noPosts}>{why.noResults}</EmptyState>;
  const shown = periodOf(e);
  const file = `${m.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${fileDates(shown.start!, shown.end!)}-why`;
  const href = (filter: string) => postsHref(id, view, shown, filter);
  const lists = driverLists.filter((list) => e[list].length > 0);
  return (
    <>
      <Headline e={e} period={period} zone={m.timezone} href={href("")} />
      <div class="columns">
        <ExpectationChart e={e} file={file} editor={{ monitor: m.id, team: m.team, onChanged: () => toast(annotations.added) }} onPeriod={(p) => navigate(whyHref(id, view, p))} />
        <EarlierWeeks e={e} file={file} href={(p) => postsHref(id, view, p, "")} />
      </div>
      <Stories e={e} target={target} zone={m.timezone} href={href} />
      <WhoDroveIt target={target} query={{ ...requestOf(period), filter: view.filterText }} shown={shown} zone={m.timezone} file={file} href={href} />
      {e.expected && (
        <section class="stack" aria-label={why.over}>
          <div>
            <h2>{why.over}</h2>
            <p class="muted">{lists.length > 0 ? why.overNote(e.change === "fewer") : why.nothingOver}</p>
          </div>
          <div class="masonry">
            {lists.map((list) => (
              <DriverCard key={list} list={list} drivers={e} estimated={e.estimated} file={file} href={href} days={daysAround(shown.start!, shown.end!, m.timezone)} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}
