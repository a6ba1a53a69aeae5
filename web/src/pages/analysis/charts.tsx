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
import { kindNames, sourceName } from "./request";

const emptyText = "No posts were found of which it is known.";
const maxBars = 15; // the table has all

// Charts shows everything that an analysis found out.
export function Charts({ results, file, sources }: { results: AnalysisObject; file: string; sources: string[] }) {
  return (
    <div class="columns">
      {results.volume && <Counts title={kindNames.volume} file={`${file}-sources`} what="Source" bars={toBars(results.volume, (s) => sourceName(s, sources))} sorted />}
      {results.sentiment && <Shares title={kindNames.sentiment} file={`${file}-sentiment`} shares={results.sentiment} kind="category" />}
      {results.emotion && <Shares title={kindNames.emotion} file={`${file}-emotions`} shares={results.emotion} kind="emotion" />}
      {results.location && <Places location={results.location} file={`${file}-places`} />}
      {results.source && <Counts title={kindNames.source} file={`${file}-sites`} what="Site" note="Up to 100 sites" bars={toBars(results.source)} sorted />}
      {results.gender && <Counts title={kindNames.gender} file={`${file}-gender`} what="Gender" note="Where it is known" bars={toBars(results.gender, (g) => genderNames[g] ?? g)} />}
      {results.age && <Counts title={kindNames.age} file={`${file}-age`} what="Age" note="Where it is known" bars={toBars(results.age, (a) => ageNames[a] ?? a)} />}
      {results.ethnicity && <Counts title={kindNames.ethnicity} file={`${file}-ethnicity`} what="Group" note="Expected numbers, going by how common surnames are in the United States" bars={toBars(results.ethnicity)} />}
      {results.affinity && <Interests list={results.affinity} file={`${file}-interests`} />}
      {results.reach !== undefined && (
        <Card class="c4 fill" title={kindNames.reach} note="Followers of the authors of microblog posts, added up over the posts">
          <div class="figure">{number(results.reach)}</div>
        </Card>
      )}
    </div>
  );
}

const toBars = (counts: Record<string, number>, name = (key: string) => key): Bar[] => Object.entries(counts).map(([id, value]) => ({ id, name: name(id), value }));

// Counts are numbers of posts by something.
function Counts({ title, note, file, what, bars, sorted }: { title: string; note?: string; file: string; what: string; bars: Bar[]; sorted?: boolean }) {
  const list = sorted ? [...bars].sort((a, b) => b.value - a.value) : bars;
  const total = list.reduce((sum, b) => sum + b.value, 0);
  const shown = sorted ? list.filter((b) => b.value > 0).slice(0, maxBars) : list;
  const left = list.filter((b) => b.value > 0).length - shown.length;
  return (
    <ChartCard class="c4" title={title} note={note} file={file} table={{ head: [what, "Posts"], rows: list.map((b) => [b.name, b.value]) }}>
      <Bars bars={shown} total={total} empty={emptyText} />
      {sorted && left > 0 && <p class="small muted">And {number(left)} more in the table.</p>}
    </ChartCard>
  );
}

// Shares are the sentiments or emotions of posts.
function Shares({ title, file, shares, kind }: { title: string; file: string; shares: Record<string, { proportion: number; count: number }>; kind: "category" | "emotion" }) {
  const dark = useDark();
  const list = Object.entries(shares).map(([id, p], i) => ({ id, name: capitalize(id), value: p.count, share: p.proportion, color: `color-mix(in srgb, ${categoryColor(id, i, dark, kind)} 30%, transparent)` }));
  const shown = kind === "emotion" ? [...list].sort((a, b) => b.value - a.value) : list;
  const total = list.reduce((sum, p) => sum + p.value, 0);
  return (
    <ChartCard class="c4" title={title} file={file} table={{ head: [title, "Posts", "Share"], rows: list.map((p): Cell[] => [p.name, p.value, p.share]) }}>
      <Bars bars={shown} total={total} empty={emptyText} />
    </ChartCard>
  );
}

// Places are the countries that posts are from, as a map.
function Places({ location, file }: { location: NonNullable<AnalysisObject["location"]>; file: string }) {
  const countries = useMemo(() => location.data.map((d) => ({ id: d.info.id, name: d.info.name, posts: d.volume })), [location]);
  const option = useMemo(() => (c: Parameters<typeof mapChart>[1]) => mapChart(countries, c), [countries]);
  const first = countries.slice(0, 8).map((c) => ({ id: c.id, name: c.name, value: c.posts }));
  return (
    <ChartCard class="c8" title={kindNames.location} note={`${number(location.totalVolume)} posts whose country is known`} file={file} table={{ head: ["Country", "Id", "Posts", "Posts per million inhabitants"], rows: location.data.map((d) => [d.info.name, d.info.id, d.volume, d.perMillion]) }}>
      {countries.length === 0 ? (
        <p class="muted">{emptyText}</p>
      ) : (
        <div class="columns">
          <div class="c8">
            <Chart option={option} prepare={loadWorld} tall label={`Map of posts by country: ${first.map((c) => `${c.name} ${c.value}`).join(", ")}`} />
          </div>
          <div class="c4">
            <Bars bars={first} total={location.totalVolume} empty={emptyText} />
          </div>
        </div>
      )}
    </ChartCard>
  );
}

// Interests are what the authors of microblog posts care about more than others do.
function Interests({ list, file }: { list: NonNullable<AnalysisObject["affinity"]>; file: string }) {
  const bars = list.slice(0, maxBars).map((a) => ({ id: a.affinity, name: a.affinity, value: a.localCount, note: `${a.relevance.toFixed(1)} ×` }));
  const rows = list.map((a): Cell[] => [a.affinity, a.segmentName, a.localCount, a.localPercentage, a.twitterPercentage, a.relevance]);
  return (
    <ChartCard class="c8" title={kindNames.affinity} note="Microblog posts, and how many times as frequent the interest is as on microblogs in general" file={file} table={{ head: ["Interest", "Group", "Posts", "% here", "% in general", "Times as frequent"], rows }}>
      <Bars bars={bars} empty="No interest has five microblog posts." />
    </ChartCard>
  );
}
