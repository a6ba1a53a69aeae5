import { get, urlOf } from "../lib/api";
import { useInterval, useLoad } from "../lib/load";
import { usePages } from "../lib/pages";
import { Link, useQuery } from "../lib/router";
import type { Incidents, Page, SignalInfo } from "../lib/types";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { IncidentList } from "../components/incidents";
import { FilterBar, isFiltered, paramsOf, useSignalFilter } from "./signals/filters";
import { SignalsLayout } from "./signals/layout";
import { SignalList } from "./signals/list";
import { Timeline } from "./signals/timeline";
import { common } from "../strings/common";
import { incidents } from "../strings/incidents";
import { signals as text } from "../strings/signals";

export { SignalPage } from "./signals/detail";

const path = "/manage/v1/signals";
const pageSize = 50;
const timelineSize = 500;
const refreshEvery = 60_000; // milliseconds

// SignalsPage lists what is unusual about the monitors, and what rules found.
export function SignalsPage() {
  return (
    <SignalsLayout title={text.title} lead={text.lead}>
      <Signals />
    </SignalsLayout>
  );
}

function Signals() {
  const [query] = useQuery();
  const [filter, change] = useSignalFilter();
  const params = paramsOf(filter, query.get("rule"));
  const timeline = useLoad(urlOf(path, { ...params, limit: timelineSize }), (signal) => get<Page<SignalInfo>>(path, { ...params, limit: timelineSize }, signal));
  const pages = usePages<SignalInfo, Page<SignalInfo> & { cursor?: string }>(`signals ${urlOf(path, params)}`, async (cursor, signal) => {
    const found = await get<Page<SignalInfo>>(path, { ...params, limit: pageSize, cursor }, signal);
    return { ...found, cursor: found.next };
  });
  useInterval(refreshEvery, () => {
    timeline.reload();
    if (pages.items.length <= pageSize) pages.reload();
  });
  const empty = pages.first && pages.items.length === 0;
  return (
    <div class="stack">
      <Recent days={filter.days} monitor={filter.monitor} />
      <FilterBar filter={filter} change={change} />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.reload} undo={isFiltered(filter) ? { name: common.actions.clearFilters, act: () => change(cleared) } : undefined} />}
      {!timeline.data && !timeline.error && <Skeleton height="10rem" label={text.loading} />}
      {timeline.data && timeline.data.items.length > 0 && <Timeline list={timeline.data.items} days={filter.days} capped={timeline.data.next !== undefined} />}
      {!pages.first && !pages.error && <Skeleton height="24rem" label={text.loading} />}
      {empty && <Nothing filtered={isFiltered(filter)} onClear={() => change(cleared)} />}
      {pages.items.length > 0 && (
        <>
          <p class="muted" role="status">
            <strong class="num">{text.total(pages.items.length, pages.hasMore)}</strong>
          </p>
          <SignalList list={pages.items} />
          {pages.hasMore && (
            <button type="button" class="button" disabled={pages.loading} onClick={pages.more}>
              {text.showMore}
            </button>
          )}
        </>
      )}
    </div>
  );
}

// Recent lists the incidents of the days and the monitor that the list of signals shows.
function Recent({ days, monitor }: { days: number; monitor: string }) {
  const { data, error, reload } = useLoad(`incidents ${days}`, (signal) => get<Incidents>("/manage/v1/incidents", { days }, signal));
  const list = data?.incidents.filter((i) => !monitor || [i.monitor, ...i.monitors].some((m) => String(m.id) === monitor));
  return (
    <Card title={incidents.title} note={incidents.lead}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!list && !error && <Skeleton height="6rem" label={incidents.loading} />}
      {list?.length === 0 && <p class="muted">{data!.learning ? incidents.learning : incidents.none}</p>}
      {list && <IncidentList list={list} limit={5} />}
    </Card>
  );
}

const cleared = { monitor: null, state: null, severity: null, kind: null, assigned: null, rule: null };

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState
        title={text.noMatch}
        actions={
          <button type="button" class="button" onClick={onClear}>
            {common.actions.clearFilters}
          </button>
        }
      >
        {text.noMatchHint}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={text.none}
      actions={
        <Link href="/signals/rules/new" class="button primary">
          {text.makeRule}
        </Link>
      }
    >
      {text.noneHint}
    </EmptyState>
  );
}
