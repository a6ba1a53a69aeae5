import { get, urlOf } from "../lib/api";
import { daysOf, postsHref } from "../lib/drill";
import { dateRange, fileDates } from "../lib/format";
import { useLoad } from "../lib/load";
import type { ChangesResponse, Monitor, TopicsResponse } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { DriverCard, driverLists } from "../components/drivers";
import { CaptionContext } from "../components/download";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { PinContext } from "../components/pin";
import { captionOf } from "./compare/rows";
import { TopicChart } from "./topics/chart";
import { TopicList } from "./topics/list";
import { common } from "../strings/common";
import { topics as text } from "../strings/topics";

const maxTopics = 12;

// TopicsPage shows what the posts of a monitor are about, and what is new or rising.
export function TopicsPage({ id }: { id: string }) {
  return <MonitorLayout id={id}>{(m) => <TopicsContent m={m} />}</MonitorLayout>;
}

function TopicsContent({ m }: { m: Monitor }) {
  const view = useView();
  const target = view.sub || String(m.id);
  const path = `/manage/v1/monitors/${target}`;
  const key = urlOf(path, view.params);
  const found = useLoad(`topics ${key}`, (signal) => get<TopicsResponse>(`${path}/topics`, { ...view.params, limit: maxTopics }, signal));
  const changes = useLoad(`changes ${key}`, (signal) => get<ChangesResponse>(`${path}/changes`, view.params, signal));
  const undo = view.filterText ? { name: common.actions.clearFilters, act: () => view.setFilter({}) } : undefined;
  return (
    <div class="stack">
      <MonitorToolbar m={m} view={view} shown={found.data} first={m.start} />
      {found.error && <ErrorNotice error={found.error} retry={found.reload} undo={undo} />}
      {!found.data && !found.error && (
        <>
          <Skeleton height="24rem" label={text.loading} />
          <Skeleton height="70rem" label={text.loading} />
        </>
      )}
      {found.data && !found.error && (
        <div class={`stack ${found.loading ? "stale" : ""}`} aria-busy={found.loading}>
          <CaptionContext.Provider value={captionOf(m, view, found.data)}>
            <FoundTopics m={m} view={view} target={target} t={found.data} />
          </CaptionContext.Provider>
        </div>
      )}
      {(found.data || found.error) && <Rising m={m} view={view} loaded={changes} />}
    </div>
  );
}

const fileOf = (m: Monitor, days: { start: string; end: string }) => `${m.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${fileDates(days.start, days.end)}`;

function FoundTopics({ m, view, target, t }: { m: Monitor; view: View; target: string; t: TopicsResponse }) {
  if (t.topics.length === 0) {
    return (
      <EmptyState
        title={text.none}
        actions={
          view.filterText && (
            <button type="button" class="button" onClick={() => view.setFilter({})}>
              {common.actions.clearFilters}
            </button>
          )
        }
      >
        {t.posts > 0 ? text.noneFor(dateRange(t.start, t.end)) : text.noPosts}
      </EmptyState>
    );
  }
  return (
    <>
      <PinContext.Provider value={{ team: m.team, card: { monitor: Number(target), filter: view.filterText }, days: view }}>
        <TopicChart t={t} file={`${fileOf(m, t)}-topics`} onRange={view.setRange} />
      </PinContext.Provider>
      <TopicList m={m} view={view} target={target} t={t} file={`${fileOf(m, t)}-topics`} />
    </>
  );
}

// Rising lists what is new or more frequent than in the previous period.
function Rising({ m, view, loaded }: { m: Monitor; view: View; loaded: { data?: ChangesResponse; error?: Error; loading: boolean; reload: () => void } }) {
  const { data: c, error } = loaded;
  const lists = c ? driverLists.filter((list) => c[list].length > 0) : [];
  return (
    <section class="stack" aria-label={text.rising} aria-busy={loaded.loading}>
      <div>
        <h2>{text.rising}</h2>
        {c && <p class="muted">{!c.previous ? text.noPrevious : lists.length === 0 ? text.noRising : text.risingNote(dateRange(c.previous.start, c.previous.end))}</p>}
        {c?.previous && c.previous.coverage < 1 && <p class="muted">{text.partial(c.previous.coverage)}</p>}
      </div>
      {error && <ErrorNotice error={error} retry={loaded.reload} />}
      {!c && !error && <Skeleton height="24rem" label={text.loadingChanges} />}
      {c && (
        <div class="masonry">
          {lists.map((list) => (
            <DriverCard key={list} list={list} drivers={c} estimated={c.estimated} file={`${fileOf(m, c)}-rising`} href={(filter) => postsHref(String(m.id), view, daysOf(view), filter)} />
          ))}
        </div>
      )}
    </section>
  );
}
