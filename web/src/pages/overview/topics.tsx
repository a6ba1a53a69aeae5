import { get } from "../../lib/api";
import { daysOf, narrow, postsHref } from "../../lib/drill";
import { dateRange, percent } from "../../lib/format";
import { useLoad, type LoadState } from "../../lib/load";
import { Link, useLocation } from "../../lib/router";
import type { ChangesResponse, TopicsResponse } from "../../lib/types";
import type { View } from "../../lib/view";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import { useFrame } from "../../components/frame";
import { DriverBars, nameOf, type DriverList } from "../../components/drivers";
import { common } from "../../strings/common";
import { topics as text } from "../../strings/topics";
import { why } from "../../strings/why";

const shownTopics = 10;

interface Props {
  id: string; // of the monitor
  view: View;
  file: string; // prefix of the names of CSV files
}

type TopicsProps = Pick<Props, "file"> & Partial<Props> & { t: TopicsResponse };

// useTopics loads the largest topics of a view, and useChanges what is new or rising. They load
// nothing while there is no view.
export const useTopics = (path: string, view: View | null) => useLoad(view && JSON.stringify(["topics", path, view.params]), (signal) => get<TopicsResponse>(`${path}/topics`, { ...view!.params, limit: shownTopics }, signal));
export const useChanges = (path: string, view: View | null) => useLoad(view && JSON.stringify(["changes", path, view.params]), (signal) => get<ChangesResponse>(`${path}/changes`, view!.params, signal));

// Topics lists the largest topics. A click on one narrows the page to it.
export function Topics({ id, view, file, loaded }: Props & { loaded: LoadState<TopicsResponse> }) {
  const { data: t, error, reload } = loaded;
  if (!t) return <Waiting title={text.title} error={error} retry={reload} label={text.loading} />;
  return <LargestTopics id={id} view={view} file={file} t={t} />;
}

// LargestTopics is the card with the largest topics. Without a view, it has no links.
export function LargestTopics({ id, view, file, t }: TopicsProps) {
  const frame = useFrame();
  const rows = t.topics.slice(0, frame?.rows);
  const href = (filter: string) => (view && id ? postsHref(id, view, daysOf(view), filter) : undefined);
  return (
    <ChartCard class="c6" pin="topics" title={text.title} note={text.summary(t.about, t.posts)} file={`${file}-topics`} table={{ head: [text.columns.topic, text.columns.posts, text.columns.share], rows: t.topics.map((x) => [x.name, x.posts, x.share]), links: t.topics.map((x) => href(x.filter)) }}>
      <div class={frame ? "" : "at-least-chart"}>
        <Bars bars={rows.map((x) => ({ id: x.filter, name: x.name, value: x.posts, note: percent(x.share), posts: href(x.filter) }))} onPick={view && ((b) => view.setFilter(narrow(view.filter, b.id)))} empty={text.none} />
      </div>
      {id && !frame && <AllTopics id={id} />}
    </ChartCard>
  );
}

// AllTopics links to the topics page with the parameters of this one.
function AllTopics({ id }: { id: string }) {
  const { query } = useLocation();
  const params = query.toString();
  return (
    <p class="card-link">
      <Link href={`/monitors/${id}/topics${params ? `?${params}` : ""}`}>{text.allRising}</Link>
    </p>
  );
}

const risingLists: { list: DriverList; rows: number }[] = [
  { list: "words", rows: 6 },
  { list: "phrases", rows: 4 },
  { list: "hashtags", rows: 4 },
];

// Rising lists words, phrases and hashtags that are new or more frequent than in the previous period.
export function Rising({ id, view, file, loaded }: Props & { loaded: LoadState<ChangesResponse> }) {
  const { data: c, error, reload } = loaded;
  if (!c) return <Waiting title={text.rising} error={error} retry={reload} label={text.loadingChanges} />;
  const lists = risingLists.filter(({ list }) => c[list].length > 0);
  const rows = risingLists.flatMap(({ list }) => c[list].map((d) => [why.lists[list], nameOf(list, d), d.posts, d.expected]));
  return (
    <ChartCard class="c6" title={text.rising} note={c.previous ? text.risingShort(dateRange(c.previous.start, c.previous.end)) : undefined} file={`${file}-rising`} table={{ head: [text.kind, common.words.name, common.words.posts, why.expected], rows }}>
      <div class="stack tight at-least-chart">
        {!c.previous && <p class="muted">{text.noPrevious}</p>}
        {c.previous && lists.length === 0 && <p class="muted">{text.noRising}</p>}
        {lists.map(({ list, rows }) => (
          <div key={list}>
            <h3 class="small muted">{why.lists[list]}</h3>
            <DriverBars list={list} entries={c[list].slice(0, rows)} rough={c.estimated && list !== "hashtags"} href={(filter) => postsHref(id, view, daysOf(view), filter)} />
          </div>
        ))}
      </div>
      <AllTopics id={id} />
    </ChartCard>
  );
}

// Waiting stands for a card that is loading or failed to load.
function Waiting({ title, error, retry, label }: { title: string; error?: Error; retry: () => void; label: string }) {
  return (
    <Card title={title} class="c6 fill">
      {error ? <ErrorNotice error={error} retry={retry} /> : <Skeleton height="26rem" label={label} />}
    </Card>
  );
}
