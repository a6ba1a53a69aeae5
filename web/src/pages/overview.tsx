import { useCallback, useMemo, useRef } from "preact/hooks";
import { urlOf, get } from "../lib/api";
import { postsWith } from "../lib/drill";
import { refine } from "../lib/filter";
import { incidentHref } from "../lib/incidents";
import { dateRange, fileDates } from "../lib/format";
import { useGrace, useLoad, useStages, type LoadState } from "../lib/load";
import { Link } from "../lib/router";
import type { ChangesResponse, Incident, Monitor, MonitorSummary, Overview, TopicsResponse } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { CaptionContext } from "../components/download";
import { chartNames } from "../components/filterchips";
import { Happened, useSummary } from "../components/incidents";
import { MonitorLayout } from "../components/monitorlayout";
import { NothingStored } from "../components/nothingstored";
import { PinContext } from "../components/pin";
import { OutdatedLabels } from "../components/reprocess";
import { MonitorToolbar } from "../components/monitortoolbar";
import { ShareButton } from "../components/sharebutton";
import { captionOf } from "./compare/rows";
import { Emotions, Sentiment } from "./overview/sentiment";
import { Totals } from "./overview/totals";
import { Authors, Engagement, Hashtags, Images, Interests, Languages, Sites, Sources } from "./overview/lists";
import { Ages, Genders, Hours } from "./overview/people";
import { Places } from "./overview/places";
import type { RefineHandler } from "./overview/props";
import { AccountCounter } from "./overview/account";
import { Rising, Topics, useChanges, useTopics } from "./overview/topics";
import { useHours, Volume } from "./overview/volume";
import { Words } from "./overview/words";
import { common } from "../strings/common";
import { overview } from "../strings/overview";

// All parts except words, which are loaded afterwards, and hours, which are many.
const overviewParts = "days,categories,emotions,previous,hashtags,sites,sources,languages,authors,places,ages,genders,clock,interests,images,engagement,unusual";

// OverviewPage shows charts of a monitor for the date range and filter in the URL.
export function OverviewPage({ id }: { id: string }) {
  const view = useView();
  const target = view.sub || id;
  const query = view.params;
  const path = `/manage/v1/monitors/${target}/overview`;
  const key = urlOf(path, query);
  const parts = useHours(view) ? `${overviewParts},hours` : overviewParts;
  const mainKey = `${key} ${parts}`;
  const main = useLoad(mainKey, (signal) => get<Overview>(path, { ...query, parts }, signal));
  const shown = useRef<View | null>(null);
  if (main.loaded === mainKey) shown.current = view;
  const words = useWords(path, shown.current);
  const topics = useTopics(`/manage/v1/monitors/${target}`, shown.current);
  const changes = useChanges(`/manage/v1/monitors/${target}`, shown.current);
  const happened = useSummary(target, main.data?.start && shown.current ? { start: main.data.start, end: main.data.end, filter: shown.current.filterText } : null);
  const ready = useGrace(Boolean(main.data), Boolean(happened.data || happened.error || (main.data && !main.data.start)));
  const reload = () => [main, words, topics, changes, happened].forEach((l) => l.reload());
  return (
    <MonitorLayout id={id} onDone={reload}>
      {(m) => (
        <>
          <MonitorToolbar m={m} view={view} shown={main.data} first={main.data?.results.start || undefined} names={chartNames(main.data)}>
            <ShareButton target={{ name: m.name, monitor: Number(target), params: view.params }} />
          </MonitorToolbar>
          {main.error && <ErrorNotice error={main.error} retry={main.reload} undo={view.filterText ? { name: common.actions.clearFilters, act: () => view.setFilter({}) } : undefined} />}
          {!(main.data && ready) && !main.error && <Skeleton height="30rem" label={overview.counting} />}
          {main.data && ready && !main.error && (
            <CaptionContext.Provider value={captionOf(m, view, main.data)}>
              <OverviewCharts m={m} o={main.data} words={words} topics={topics} changes={changes} happened={happened} view={shown.current ?? view} current={view} loading={main.loading} onAnnotated={main.reload} />
            </CaptionContext.Provider>
          )}
        </>
      )}
    </MonitorLayout>
  );
}

// useWords loads the words of a view once the other parts are there.
const useWords = (path: string, view: View | null) => useLoad(view && `words ${urlOf(path, view.params)}`, (signal) => get<Overview>(path, { ...view!.params, parts: "words" }, signal));

interface ChartsProps {
  m: Monitor;
  o: Overview;
  words: LoadState<Overview>;
  topics: LoadState<TopicsResponse>;
  changes: LoadState<ChangesResponse>;
  happened: LoadState<MonitorSummary>;
  view: View; // of o
  current: View; // of the URL
  loading: boolean;
  onAnnotated: () => void;
}

// OverviewCharts draws the totals, then the cards on the screen, then the others.
function OverviewCharts({ m, o, words, topics, changes, happened, view, current, loading, onAnnotated }: ChartsProps) {
  const counted = useMemo(() => ({ o, view }), [o, view]);
  const [stage, done] = useStages(counted, 3);
  const annotated = useRef(onAnnotated);
  annotated.current = onAnnotated;
  const latest = useRef(current);
  latest.current = current;
  const onRefine = useCallback<RefineHandler>((...pairs) => latest.current.setFilter(pairs.reduce((f, [field, value]) => refine(f, field, value), latest.current.filter)), []);
  const props = ({ o, view }: { o: Overview; view: View }) => ({ o, file: fileOf(m, o), onRefine, posts: postsWith(String(m.id), view) });
  const first = stage(1);
  const second = stage(2);
  const incidents = useMemo(() => happened.data && { list: happened.data.incidents, href: (i: Incident) => incidentHref(i, String(m.id), view.filterText, view.sub) }, [m, happened.data]);
  const top = useMemo(
    () =>
      first && (
        <>
          <Volume {...props(first)} incidents={incidents} view={first.view} id={String(m.id)} onRange={first.view.setRange} editor={{ monitor: m.id, team: m.team, onChanged: () => annotated.current() }} />
          {m.type === "SOCIAL" && <AccountCounter m={m} o={first.o} file={fileOf(m, first.o)} />}
          <Sentiment {...props(first)} incidents={incidents} pages={`/monitors/${m.id}`} onRange={first.view.setRange} />
          <Emotions {...props(first)} pages={`/monitors/${m.id}`} onRange={first.view.setRange} />
        </>
      ),
    [m, first, incidents],
  );
  const bottom = useMemo(() => {
    if (!second) return undefined;
    const shared = props(second);
    return (
      <>
        <Places {...shared} />
        <Hashtags {...shared} />
        <Sources {...shared} />
        <Sites {...shared} />
        <Authors {...shared} />
        <Languages {...shared} />
        <Interests {...shared} />
        <Hours {...shared} />
        <div class="c4 stack filled">
          <Genders {...shared} />
          <Ages {...shared} />
          <Engagement {...shared} />
        </div>
        <Images {...shared} />
      </>
    );
  }, [m, second]);
  const context = useMemo(() => ({ team: m.team, card: { monitor: Number(view.sub) || m.id, filter: view.filterText }, days: view }), [m, view]);
  if (o.empty) return <NothingStored />;
  if (o.posts === 0) return <NoPosts m={m} o={o} view={view} />;
  const { file, posts } = props(counted);
  return (
    <PinContext.Provider value={context}>
      <div aria-busy={loading || !done} data-loading={loading} class={loading ? "stale" : ""}>
        <p class="small muted" style={{ marginBottom: "0.75rem" }}>
          {common.timesIn(m.timezone)}
        </p>
        {o.outdated && (
          <div style={{ marginBottom: "1rem" }}>
            <OutdatedLabels outdated={o.outdated} posts={o.posts} onStarted={onAnnotated} />
          </div>
        )}
        <Happened loaded={happened} id={String(m.id)} sub={view.sub} filter={view.filterText} />
        <Totals o={o} type={m.type} filter={view.filter} posts={posts} />
        <div class="columns">
          {top}
          {first && (
            <>
              <Words words={words.data?.words} error={words.error} file={file} onRefine={onRefine} />
              <Rising id={String(m.id)} view={view} file={file} loaded={changes} />
              <Topics id={String(m.id)} view={view} file={file} loaded={topics} />
            </>
          )}
          {bottom}
        </div>
      </div>
    </PinContext.Provider>
  );
}

// fileOf returns the prefix of the names of downloaded files.
const fileOf = (m: Monitor, o: Overview) => `${m.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${fileDates(o.start, o.end)}`;

// NoPosts explains why there may be no posts, and what to try.
function NoPosts({ m, o, view }: { m: Monitor; o: Overview; view: View }) {
  const filtered = view.filterText !== "";
  const reason = !o.results.start
    ? overview.noResults
    : !o.start
      ? overview.resultsOnly(dateRange(o.results.start, o.results.end))
      : (filtered ? overview.noPostsMatch : overview.noPostsIn)(dateRange(o.start, o.end));
  return (
    <EmptyState
      title={common.noPosts}
      actions={
        <>
          {filtered && (
            <button type="button" class="button primary" onClick={() => view.setFilter({})}>
              {common.actions.clearFilters}
            </button>
          )}
          {o.results.start && (
            <button type="button" class="button" onClick={() => view.setRange(o.results.start, o.results.end)}>
              {overview.showAll}
            </button>
          )}
          <Link href={`/monitors/${m.id}/edit`} class="button">
            {overview.editQuery}
          </Link>
        </>
      }
    >
      {reason}
    </EmptyState>
  );
}
