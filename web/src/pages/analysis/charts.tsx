import { useMemo } from "preact/hooks";
import { Chart } from "../../charts/chart";
import { loadWorld, mapChart } from "../../charts/map";
import { categoryColor } from "../../lib/color";
import type { Cell } from "../../lib/csv";
import { ageNames, capitalize, genderNames, number } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { AnalysisObject } from "../../lib/types";
import { Bars, type Bar } from "../../components/bars";
import { Card } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { analysis } from "../../strings/analysis";
import { common } from "../../strings/common";
import { sourceName } from "./request";

const maxBars = 15; // the table has all rows

// Charts shows all parts of a result.
export function Charts({ results, file, sources }: { results: AnalysisObject; file: string; sources: string[] }) {
  return (
    <div class="columns">
      {results.volume && <Counts title={analysis.kinds.volume} file={`${file}-sources`} what={common.words.source} bars={toBars(results.volume, (s) => sourceName(s, sources))} sorted />}
      {results.sentiment && <Shares title={analysis.kinds.sentiment} file={`${file}-sentiment`} shares={results.sentiment} kind="category" />}
      {results.emotion && <Shares title={analysis.kinds.emotion} file={`${file}-emotions`} shares={results.emotion} kind="emotion" />}
      {results.location && <Locations location={results.location} file={`${file}-locations`} />}
      {results.source && <Counts title={analysis.kinds.source} file={`${file}-sites`} what={analysis.site} note={analysis.upToSites} bars={toBars(results.source)} sorted />}
      {results.gender && <Counts title={analysis.kinds.gender} file={`${file}-gender`} what={common.words.gender} note={analysis.whereKnown} bars={toBars(results.gender, (g) => genderNames[g] ?? g)} />}
      {results.age && <Counts title={analysis.kinds.age} file={`${file}-age`} what={common.words.age} note={analysis.whereKnown} bars={toBars(results.age, (a) => ageNames[a] ?? a)} />}
      {results.ethnicity && <Counts title={analysis.kinds.ethnicity} file={`${file}-ethnicity`} what={analysis.group} note={analysis.ethnicityNote} bars={toBars(results.ethnicity)} />}
      {results.affinity && <Interests list={results.affinity} file={`${file}-interests`} />}
      {results.reach !== undefined && (
        <Card class="c4 fill" title={analysis.kinds.reach} note={analysis.reachNote}>
          <div class="figure">{number(results.reach)}</div>
        </Card>
      )}
    </div>
  );
}

const toBars = (counts: Record<string, number>, name = (key: string) => key): Bar[] => Object.entries(counts).map(([id, value]) => ({ id, name: name(id), value }));

// Counts shows the number of posts per value of a dimension, in the given order or sorted by count.
function Counts({ title, note, file, what, bars, sorted }: { title: string; note?: string; file: string; what: string; bars: Bar[]; sorted?: boolean }) {
  const list = sorted ? [...bars].sort((a, b) => b.value - a.value) : bars;
  const total = list.reduce((sum, b) => sum + b.value, 0);
  const shown = sorted ? list.filter((b) => b.value > 0).slice(0, maxBars) : list;
  const left = list.filter((b) => b.value > 0).length - shown.length;
  return (
    <ChartCard class="c4" title={title} note={note} file={file} table={{ head: [what, common.words.posts], rows: list.map((b) => [b.name, b.value]) }}>
      <Bars bars={shown} total={total} empty={analysis.unknown} />
      {sorted && left > 0 && <p class="small muted">{analysis.moreInTable(left)}</p>}
    </ChartCard>
  );
}

// Shares shows the shares of sentiments or emotions.
function Shares({ title, file, shares, kind }: { title: string; file: string; shares: Record<string, { proportion: number; count: number }>; kind: "category" | "emotion" }) {
  const dark = useDark();
  const list = Object.entries(shares).map(([id, p], i) => ({ id, name: capitalize(id), value: p.count, share: p.proportion, color: `color-mix(in srgb, ${categoryColor(id, i, dark, kind)} 30%, transparent)` }));
  const shown = kind === "emotion" ? [...list].sort((a, b) => b.value - a.value) : list;
  const total = list.reduce((sum, p) => sum + p.value, 0);
  return (
    <ChartCard class="c4" title={title} file={file} table={{ head: [title, common.words.posts, analysis.share], rows: list.map((p): Cell[] => [p.name, p.value, p.share]) }}>
      <Bars bars={shown} total={total} empty={analysis.unknown} />
    </ChartCard>
  );
}

// Locations shows the countries of the posts on a map.
function Locations({ location, file }: { location: NonNullable<AnalysisObject["location"]>; file: string }) {
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
            <Chart option={option} prepare={loadWorld} tall label={analysis.map(first)} />
          </div>
          <div class="c4">
            <Bars bars={first} total={location.totalVolume} empty={analysis.unknown} />
          </div>
        </div>
      )}
    </ChartCard>
  );
}

// Interests shows the interests of the authors of microblog posts, with an index relative to all
// microblog posts.
function Interests({ list, file }: { list: NonNullable<AnalysisObject["affinity"]>; file: string }) {
  const bars = list.slice(0, maxBars).map((a) => ({ id: a.affinity, name: a.affinity, value: a.localCount, note: analysis.index(a.relevance) }));
  const rows = list.map((a): Cell[] => [a.affinity, a.segmentName, a.localCount, a.localPercentage, a.twitterPercentage, a.relevance]);
  return (
    <ChartCard class="c8" title={analysis.kinds.affinity} note={analysis.interestsNote} file={file} table={{ head: analysis.interestsHead, rows }}>
      <Bars bars={bars} empty={analysis.noInterests} />
    </ChartCard>
  );
}
