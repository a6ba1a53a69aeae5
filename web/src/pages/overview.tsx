import { useCallback } from "preact/hooks";
import { urlOf, get } from "../lib/api";
import { refine } from "../lib/filter";
import { dateRange } from "../lib/format";
import { useLoad } from "../lib/load";
import { Link } from "../lib/router";
import type { Monitor, Overview } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { Emotions, Sentiment } from "./overview/sentiment";
import { Totals } from "./overview/totals";
import { Authors, Engagement, Hashtags, Images, Interests, Languages, Sites, Sources } from "./overview/lists";
import { Ages, Genders, Hours } from "./overview/people";
import { Places } from "./overview/places";
import type { RefineHandler } from "./overview/props";
import { AccountCounter } from "./overview/account";
import { Volume } from "./overview/volume";
import { Words } from "./overview/words";
import { common } from "../strings/common";
import { overview } from "../strings/overview";

// All parts except words, which take longer and are loaded separately.
const overviewParts = "days,hours,categories,emotions,previous,hashtags,sites,sources,languages,authors,places,ages,genders,clock,interests,images,engagement";

// OverviewPage shows charts of a monitor for the date range and filter in the URL.
export function OverviewPage({ id }: { id: string }) {
  const view = useView();
  const target = view.sub || id;
  const query = view.params;
  const path = `/manage/v1/monitors/${target}/overview`;
  const key = urlOf(path, query);
  const main = useLoad(key, (signal) => get<Overview>(path, { ...query, parts: overviewParts }, signal));
  const words = useLoad(`words ${key}`, (signal) => get<Overview>(path, { ...query, parts: "words" }, signal));
  const reload = () => {
    main.reload();
    words.reload();
  };
  return (
    <MonitorLayout id={id} onDone={reload}>
      {(m) => (
        <>
          <MonitorToolbar m={m} view={view} shown={main.data} first={main.data?.results.start || undefined} names={chartNames(main.data)} />
          {main.error && <ErrorNotice error={main.error} retry={main.reload} undo={view.filterText ? { name: common.actions.clearFilters, act: () => view.setFilter({}) } : undefined} />}
          {!main.data && !main.error && <Skeleton height="30rem" label={overview.counting} />}
          {main.data && !main.error && <OverviewCharts m={m} o={main.data} words={words.data?.words} wordsError={words.error} view={view} loading={main.loading} />}
        </>
      )}
    </MonitorLayout>
  );
}

// chartNames returns the names of the interests, images and logos in the charts by "field:id".
function chartNames(o: Overview | undefined): Record<string, string> {
  const names: Record<string, string> = {};
  for (const x of o?.interests ?? []) names[`interest:${x.id}`] = x.name;
  for (const x of o?.images.classes ?? []) names[`image:${x.id}`] = x.name;
  for (const x of o?.images.brands ?? []) names[`brand:${x.id}`] = x.name;
  return names;
}

function OverviewCharts({ m, o, words, wordsError, view, loading }: { m: Monitor; o: Overview; words?: Overview["words"]; wordsError?: Error; view: View; loading: boolean }) {
  const onRefine = useCallback<RefineHandler>((...pairs) => view.setFilter(pairs.reduce((f, [field, value]) => refine(f, field, value), view.filter)), [view]);
  if (o.posts === 0) return <NoPosts m={m} o={o} view={view} />;
  const file = `${m.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${o.start}-${o.end}`;
  const props = { o, file, onRefine };
  return (
    <div aria-busy={loading} data-loading={loading} class={loading ? "stale" : ""}>
      <p class="small muted" style={{ marginBottom: "0.75rem" }}>
        {overview.range(dateRange(o.start, o.end), m.timezone)}
      </p>
      <Totals o={o} type={m.type} />
      <div class="columns">
        <Volume {...props} onRange={view.setRange} />
        {m.type === "SOCIAL" && <AccountCounter m={m} o={o} file={file} />}
        <Sentiment {...props} monitor={m} onRange={view.setRange} />
        <Emotions {...props} onRange={view.setRange} />
        <Words words={words} error={wordsError} file={file} onRefine={onRefine} />
        <Places {...props} />
        <Hashtags {...props} />
        <Sources {...props} />
        <Sites {...props} />
        <Authors {...props} />
        <Languages {...props} />
        <Interests {...props} />
        <Hours {...props} />
        <div class="c4 stack">
          <Genders {...props} />
          <Ages {...props} />
        </div>
        <Images {...props} />
        <Engagement {...props} />
      </div>
    </div>
  );
}

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
