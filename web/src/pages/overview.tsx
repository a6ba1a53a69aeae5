import { useCallback } from "preact/hooks";
import { address, get } from "../lib/api";
import { narrowedTo } from "../lib/filter";
import { range } from "../lib/format";
import { useLoad } from "../lib/load";
import { Link } from "../lib/router";
import type { Monitor, Overview } from "../lib/types";
import { useView, type View } from "../lib/view";
import { Empty, Failed, Waiting } from "../parts/basics";
import { DateRange } from "../parts/daterange";
import { FilterBar } from "../parts/filterbar";
import { MonitorFrame } from "../parts/monitorframe";
import { SubfilterSelect } from "../parts/subfilter";
import { Emotions, Feelings } from "./overview/feelings";
import { Figures } from "./overview/figures";
import { Authors, Engagement, Hashtags, Images, Interests, Languages, Sites, Sources } from "./overview/lists";
import { Ages, Genders, Hours } from "./overview/people";
import { Places } from "./overview/places";
import type { Narrow } from "./overview/props";
import { Account } from "./overview/social";
import { Volume } from "./overview/volume";
import { Words } from "./overview/words";

// All parts but the words, which take longer and come by themselves.
const parts = "days,hours,categories,emotions,previous,hashtags,sites,sources,languages,authors,places,ages,genders,clock,interests,images,engagement";

// OverviewPage shows what the posts of a monitor are, on the days and with the filter of the address.
export function OverviewPage({ id }: { id: string }) {
  const view = useView();
  const target = view.sub || id;
  const query = { start: view.start, end: view.end, filter: view.filterText };
  const path = `/manage/v1/monitors/${target}/overview`;
  const key = address(path, query);
  const main = useLoad(key, (signal) => get<Overview>(path, { ...query, parts }, signal));
  const words = useLoad(`words ${key}`, (signal) => get<Overview>(path, { ...query, parts: "words" }, signal));
  const reload = () => {
    main.reload();
    words.reload();
  };
  return (
    <MonitorFrame id={id} onDone={reload}>
      {(m) => (
        <>
          <Tools m={m} view={view} o={main.data} />
          {main.error && <Failed error={main.error} retry={main.reload} undo={view.filterText ? { name: "Remove the filter", act: () => view.setFilter({}) } : undefined} />}
          {!main.data && !main.error && <Waiting height="30rem" label="Counting posts" />}
          {main.data && !main.error && <Body m={m} o={main.data} words={words.data?.words} wordsError={words.error} view={view} loading={main.loading} />}
        </>
      )}
    </MonitorFrame>
  );
}

// Tools are the days and the filter.
function Tools({ m, view, o }: { m: Monitor; view: View; o?: Overview }) {
  const names: Record<string, string> = {};
  for (const x of o?.interests ?? []) names[`interest:${x.id}`] = x.name;
  for (const x of o?.images.classes ?? []) names[`image:${x.id}`] = x.name;
  for (const x of o?.images.brands ?? []) names[`brand:${x.id}`] = x.name;
  return (
    <>
      <div class="row" style={{ marginBottom: "0.6rem" }}>
        <DateRange start={view.start} end={view.end} counted={o} zone={m.timezone} first={o?.results.start || undefined} onChange={view.setRange} />
        <SubfilterSelect m={m} view={view} />
      </div>
      <FilterBar filter={view.filter} categories={[...m.categories, ...m.emotions]} names={names} team={m.team} onChange={view.setFilter} />
    </>
  );
}

function Body({ m, o, words, wordsError, view, loading }: { m: Monitor; o: Overview; words?: Overview["words"]; wordsError?: Error; view: View; loading: boolean }) {
  const narrow = useCallback<Narrow>((...pairs) => view.setFilter(pairs.reduce((f, [field, value]) => narrowedTo(f, field, value), view.filter)), [view]);
  if (o.posts === 0) return <Nothing m={m} o={o} view={view} />;
  const file = `${m.name.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${o.start}-${o.end}`;
  const props = { o, file, narrow };
  return (
    <div aria-busy={loading} data-loading={loading} class={loading ? "stale" : ""}>
      <p class="small muted" style={{ marginBottom: "0.75rem" }}>
        {range(o.start, o.end)} · all times in {m.timezone}
      </p>
      <Figures o={o} type={m.type} />
      <div class="columns">
        <Volume {...props} onRange={view.setRange} />
        {m.type === "SOCIAL" && <Account m={m} o={o} file={file} />}
        <Feelings {...props} monitor={m} onRange={view.setRange} />
        <Emotions {...props} onRange={view.setRange} />
        <Words words={words} error={wordsError} file={file} narrow={narrow} />
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

// Nothing says why there may be no posts, and what to try.
function Nothing({ m, o, view }: { m: Monitor; o: Overview; view: View }) {
  const narrowed = view.filterText !== "";
  return (
    <Empty
      title="No posts"
      actions={
        <>
          {narrowed && (
            <button type="button" class="button primary" onClick={() => view.setFilter({})}>
              Remove the filter
            </button>
          )}
          {o.results.start && (
            <button type="button" class="button" onClick={() => view.setRange(o.results.start, o.results.end)}>
              Show all days
            </button>
          )}
          <Link href={`/monitors/${m.id}/edit`} class="button">
            Change the search
          </Link>
        </>
      }
    >
      {!o.results.start ? "The monitor has no results yet." : o.start ? `Nothing was found from ${range(o.start, o.end)}${narrowed ? " with this filter" : ""}.` : `There are results from ${range(o.results.start, o.results.end)} only.`}
    </Empty>
  );
}
