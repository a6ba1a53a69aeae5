import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { heatmapChart } from "../../charts/heatmap";
import { ageNames, genderNames, number, percent, weekdayNames } from "../../lib/format";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";

// Genders, Ages and Hours tell of those who write.

export function Genders({ o, file, onRefine }: ChartProps) {
  const known = o.genders.reduce((n, g) => n + g.posts, 0);
  return (
    <ChartCard title="Gender" note={`Known of ${percent(known / o.posts)} of the posts`} file={`${file}-gender`} table={{ head: ["Gender", "Posts"], rows: o.genders.map((g) => [genderNames[g.id] ?? g.id, g.posts]) }}>
      <Bars total={known} bars={o.genders.map((g) => ({ id: g.id, name: genderNames[g.id] ?? g.id, value: g.posts }))} onPick={(b) => onRefine(["gender", b.id])} />
    </ChartCard>
  );
}

export function Ages({ o, file, onRefine }: ChartProps) {
  const known = o.ages.reduce((n, a) => n + a.posts, 0);
  return (
    <ChartCard title="Age" note={`Known of ${percent(known / o.posts)} of the posts`} file={`${file}-age`} table={{ head: ["Age", "Posts"], rows: o.ages.map((a) => [ageNames[a.id] ?? a.id, a.posts]) }}>
      <Bars total={known} bars={o.ages.map((a) => ({ id: a.id, name: ageNames[a.id] ?? a.id, value: a.posts }))} onPick={(b) => onRefine(["age", b.id])} />
    </ChartCard>
  );
}

export function Hours({ o, file, onRefine }: ChartProps) {
  const option = useCallback((c: Colors) => heatmapChart(o.clock, c), [o.clock]);
  const busiest = o.clock.reduce((a, b) => (b.posts > a.posts ? b : a), o.clock[0]);
  return (
    <ChartCard
      class="c8"
      title="Weekday and hour"
      note="By the clock where authors are, as far as known; else by the monitor's"
      file={`${file}-hours`}
      table={{ head: ["Weekday", "Hour", "Posts"], rows: o.clock.map((x) => [x.weekday, x.hour, x.posts]) }}
    >
      <Chart
        label={busiest ? `Posts by weekday and hour; most on ${busiest.weekday} at ${busiest.hour}:00: ${number(busiest.posts)}` : "Posts by weekday and hour"}
        option={option}
        onPick={(p) => {
          const [hour, weekday] = p.data as number[];
          onRefine(["weekday", weekdayNames[weekday]], ["hour", String(hour)]);
        }}
      />
    </ChartCard>
  );
}
