import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../charts/chart";
import { loadWorld, mapChart } from "../../charts/map";
import { categoryColor } from "../../lib/color";
import type { Cell } from "../../lib/csv";
import { withValue, type Filter, type FilterField } from "../../lib/filter";
import { ageNames, capitalize, genderNames, number } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { AnalysisObject } from "../../lib/types";
import { Bars, type Bar } from "../../components/bars";
import { Card, SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { analysis } from "../../strings/analysis";
import { common } from "../../strings/common";
import { categoryFilter, interestFilter } from "./filter";
import type { LoadedResult } from "./layout";
import { sourceName } from "./request";

const maxBars = 15; // the table has all rows
const pickLabel = (b: Bar) => analysis.showPosts(b.name);

interface ChartsProps {
  loaded: LoadedResult;
  file: string; // prefix of the names of CSV files
  onPick: (filter: Filter) => void; // shows the posts of a bar
}

// Charts shows all parts of a result. A click on a bar or a country calls onPick. Ethnicity has
// expected counts and no posts of its own.
export function Charts({ loaded, file, onPick }: ChartsProps) {
  const { analysis: detail, choices } = loaded;
  const results = loaded.result.analysis!;
  const pick = (field: FilterField) => (b: Bar) => onPick(withValue({}, field, b.id));
  const source = (code: string) => sourceName(code, choices.sources);
  return (
    <div class="columns">
      {results.volume && <Counts title={analysis.kinds.volume} file={`${file}-sources`} what={common.words.source} bars={toBars(results.volume, source)} sorted onPick={(b) => onPick(withValue({}, "source", b.name))} />}
      {results.sentiment && <Shares title={analysis.kinds.sentiment} file={`${file}-sentiment`} shares={results.sentiment} kind="category" onPick={(b) => onPick(categoryFilter(detail.categories, b.id))} />}
      {results.emotion && <Shares title={analysis.kinds.emotion} file={`${file}-emotions`} shares={results.emotion} kind="emotion" onPick={(b) => onPick(categoryFilter(detail.emotions, b.id))} />}
      {results.location && <Locations location={results.location} file={`${file}-locations`} onPick={(id) => onPick({ geolocation: [id] })} />}
      {results.source && <Counts title={analysis.kinds.source} file={`${file}-sites`} what={analysis.site} note={analysis.upToSites} bars={toBars(results.source)} sorted onPick={pick("site")} />}
      {results.gender && <Counts title={analysis.kinds.gender} file={`${file}-gender`} what={common.words.gender} note={analysis.whereKnown} bars={toBars(results.gender, (g) => genderNames[g] ?? g)} onPick={pick("gender")} />}
      {results.age && <Counts title={analysis.kinds.age} file={`${file}-age`} what={common.words.age} note={analysis.whereKnown} bars={toBars(results.age, (a) => ageNames[a] ?? a)} onPick={pick("age")} />}
      {results.reach !== undefined && (
        <Card class="c4 fill" title={analysis.kinds.reach} note={analysis.reachNote}>
          <div class="figure">{number(results.reach)}</div>
        </Card>
      )}
      {results.affinity && <Interests list={results.affinity} file={`${file}-interests`} onPick={(b) => onPick(interestFilter(loaded, b.id))} />}
    </div>
  );
}

const toBars = (counts: Record<string, number>, name = (key: string) => key): Bar[] => Object.entries(counts).map(([id, value]) => ({ id, name: name(id), value }));

// Counts shows the number of posts per value of a dimension, in the given order or sorted by count.
function Counts({ title, note, file, what, bars, sorted, onPick }: { title: string; note?: string; file: string; what: string; bars: Bar[]; sorted?: boolean; onPick?: (b: Bar) => void }) {
  const list = sorted ? [...bars].sort((a, b) => b.value - a.value) : bars;
  const total = list.reduce((sum, b) => sum + b.value, 0);
  const shown = sorted ? list.filter((b) => b.value > 0).slice(0, maxBars) : list;
  const left = list.filter((b) => b.value > 0).length - shown.length;
  return (
    <ChartCard class="c4" title={title} note={note} file={file} table={{ head: [what, common.words.posts], rows: list.map((b) => [b.name, b.value]) }}>
      <Bars bars={shown} total={total} empty={analysis.unknown} onPick={onPick} pickLabel={pickLabel} />
      {sorted && left > 0 && <p class="small muted">{analysis.moreInTable(left)}</p>}
    </ChartCard>
  );
}

// Shares shows the shares of sentiments or emotions.
function Shares({ title, file, shares, kind, onPick }: { title: string; file: string; shares: Record<string, { proportion: number; count: number }>; kind: "category" | "emotion"; onPick: (b: Bar) => void }) {
  const dark = useDark();
  const list = Object.entries(shares).map(([id, p], i) => ({ id, name: capitalize(id), value: p.count, share: p.proportion, color: `color-mix(in srgb, ${categoryColor(id, i, dark, kind)} 30%, transparent)` }));
  const shown = kind === "emotion" ? [...list].sort((a, b) => b.value - a.value) : list;
  const total = list.reduce((sum, p) => sum + p.value, 0);
  return (
    <ChartCard class="c4" title={title} file={file} table={{ head: [title, common.words.posts, analysis.share], rows: list.map((p): Cell[] => [p.name, p.value, p.share]) }}>
      <Bars bars={shown} total={total} empty={analysis.unknown} onPick={onPick} pickLabel={pickLabel} />
    </ChartCard>
  );
}

// Locations shows the countries of the posts on a map.
function Locations({ location, file, onPick }: { location: NonNullable<AnalysisObject["location"]>; file: string; onPick: (id: string) => void }) {
  const countries = useMemo(() => location.data.map((d) => ({ id: d.info.id, name: d.info.name, posts: d.volume })), [location]);
  const option = useMemo(() => (c: Parameters<typeof mapChart>[1]) => mapChart(countries, c), [countries]);
  const first = countries.slice(0, 8).map((c) => ({ id: c.id, name: c.name, value: c.posts }));
  return (
    <ChartCard class="c8" title={analysis.kinds.location} note={analysis.locationsNote(location.totalVolume)} file={file} table={{ head: [common.words.country, common.words.id, common.words.posts, analysis.perMillion], rows: location.data.map((d) => [d.info.name, d.info.id, d.volume, d.perMillion]) }}>
      {countries.length === 0 ? (
        <p class="muted">{analysis.unknown}</p>
      ) : (
        <div class="columns">
          <div class="c8">
            <Chart option={option} prepare={loadWorld} tall label={analysis.map(first)} onPick={(p) => countries.some((c) => c.id === p.name) && onPick(p.name)} />
          </div>
          <div class="c4">
            <Bars bars={first} total={location.totalVolume} empty={analysis.unknown} onPick={(b) => onPick(b.id)} pickLabel={pickLabel} />
          </div>
        </div>
      )}
    </ChartCard>
  );
}

// Interests shows the interests of the authors of microblog posts, by their number of posts or by
// their index relative to all microblog posts. The bars show what they are sorted by.
function Interests({ list, file, onPick }: { list: NonNullable<AnalysisObject["affinity"]>; file: string; onPick: (b: Bar) => void }) {
  const [by, setBy] = useState<"posts" | "index">("posts");
  const value = (a: (typeof list)[number]) => (by === "posts" ? a.localCount : a.relevance);
  const sorted = [...list].sort((a, b) => value(b) - value(a));
  const bars = sorted.slice(0, maxBars).map((a): Bar => {
    const count = number(a.localCount);
    const index = analysis.index(a.relevance);
    const [text, note] = by === "posts" ? [count, analysis.withIndex(index)] : [index, analysis.withPosts(a.localCount)];
    return { id: a.affinity, name: a.affinity, value: value(a), text, note };
  });
  const rows = sorted.map((a): Cell[] => [a.affinity, a.segmentName, a.localCount, a.localPercentage, a.twitterPercentage, a.relevance]);
  return (
    <ChartCard
      class="c8"
      title={analysis.kinds.affinity}
      note={analysis.interestsNote}
      file={file}
      table={{ head: analysis.interestsHead, rows }}
      tools={<SegmentedControl small label={analysis.sortInterests} value={by} onChange={setBy} options={[{ value: "posts", name: common.words.posts }, { value: "index", name: analysis.indexName }]} />}
    >
      <Bars bars={bars} empty={analysis.noInterests} onPick={onPick} pickLabel={pickLabel} />
      {list.length > maxBars && <p class="small muted">{analysis.moreInTable(list.length - maxBars)}</p>}
    </ChartCard>
  );
}
