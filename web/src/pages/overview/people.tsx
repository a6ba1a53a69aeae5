import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { heatmapChart } from "../../charts/heatmap";
import { ageNames, genderNames, hour, weekdayNames } from "../../lib/format";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

// Genders shows the gender of authors.
export function Genders({ o, file, onRefine, posts }: ChartProps) {
  const known = o.genders.reduce((n, g) => n + g.posts, 0);
  return (
    <ChartCard pin="genders" title={common.words.gender} note={overview.knownShare(known / o.posts)} file={`${file}-gender`} table={{ head: [common.words.gender, common.words.posts], rows: o.genders.map((g) => [genderNames[g.id] ?? g.id, g.posts]), links: posts && o.genders.map((g) => posts(["gender", g.id])) }}>
      <Bars total={known} bars={o.genders.map((g) => ({ id: g.id, name: genderNames[g.id] ?? g.id, value: g.posts, posts: posts?.(["gender", g.id]) }))} onPick={onRefine && ((b) => onRefine(["gender", b.id]))} />
    </ChartCard>
  );
}

// Ages shows the age group of authors.
export function Ages({ o, file, onRefine, posts }: ChartProps) {
  const known = o.ages.reduce((n, a) => n + a.posts, 0);
  return (
    <ChartCard pin="ages" title={common.words.age} note={overview.knownShare(known / o.posts)} file={`${file}-age`} table={{ head: [common.words.age, common.words.posts], rows: o.ages.map((a) => [ageNames[a.id] ?? a.id, a.posts]), links: posts && o.ages.map((a) => posts(["age", a.id])) }}>
      <Bars total={known} bars={o.ages.map((a) => ({ id: a.id, name: ageNames[a.id] ?? a.id, value: a.posts, posts: posts?.(["age", a.id]) }))} onPick={onRefine && ((b) => onRefine(["age", b.id]))} />
    </ChartCard>
  );
}

// Hours shows when authors post. A click filters by weekday and hour.
export function Hours({ o, file, onRefine, posts }: ChartProps) {
  const option = useCallback((c: Colors) => heatmapChart(o.clock, c), [o.clock]);
  const busiest = o.clock.reduce((a, b) => (b.posts > a.posts ? b : a), o.clock[0]);
  return (
    <ChartCard
      class="c8"
      pin="clock"
      title={overview.hours.title}
      note={overview.hours.note}
      file={`${file}-hours`}
      table={{ head: [common.words.weekday, common.words.hour, common.words.posts], rows: o.clock.map((x) => [x.weekday, x.hour, x.posts]), links: posts && o.clock.map((x) => posts(["weekday", x.weekday], ["hour", String(x.hour)])) }}
    >
      <Chart
        label={busiest ? overview.hours.peakLabel(busiest.weekday, hour(busiest.hour), busiest.posts) : overview.hours.label}
        option={option}
        onPick={(p) => {
          const [h, weekday] = p.data as number[];
          onRefine?.(["weekday", weekdayNames[weekday]], ["hour", String(h)]);
        }}
      />
    </ChartCard>
  );
}
