import { type ComponentChildren } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { seriesColor } from "../../lib/color";
import { addDays, day, daysBetween, longDay, monthDay } from "../../lib/format";
import type { DayPosts } from "../../lib/types";
import { SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./label";
import { earlierStart, type Earlier } from "./rows";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

// A Curve has the posts per day of a row or of its earlier period.
interface Curve {
  name: string;
  posts: (number | null)[]; // of each day since the first requested one; null: no results
  total: number;
  row: number;
  dashed: boolean; // the earlier period
}

const maxEarlierCurves = 4; // more rows would make the chart unreadable

// onDays returns the posts of each day from a first one on.
function onDays(first: string, days: DayPosts[]): (number | null)[] {
  const missing = days.length ? daysBetween(first, days[0].date) : 0;
  return [...Array<null>(missing).fill(null), ...days.map((d) => d.posts)];
}

// Volumes draws the posts per day of all rows. Different periods are aligned by their first day.
// children are shown above the chart.
export function Volumes({ rows, file, earlier, children }: ChartProps & { earlier: Earlier; children?: ComponentChildren }) {
  const [measure, setMeasure] = useState<"posts" | "share">("posts");
  const curves = useMemo(() => {
    const current = rows.map((r, i): Curve => ({ name: r.label, posts: onDays(r.requested.start, r.days), total: r.posts, row: i, dashed: false }));
    if (rows.length > maxEarlierCurves) return current;
    return rows.flatMap((r, i): Curve[] => {
      if (!r.earlier) return [current[i]];
      const first = earlierStart(earlier, r.requested);
      const name = compare.earlierSeries(r.label, compare.earlierNames[earlier] ?? compare.earlierFrom(day(first)));
      return [current[i], { name, posts: onDays(first, r.earlier.days), total: r.earlier.posts, row: i, dashed: true }];
    });
  }, [rows]);
  const sameDays = rows.every((r) => r.requested.start === rows[0].requested.start);
  const days = useMemo(() => {
    const length = Math.max(...curves.map((c) => c.posts.length));
    return Array.from({ length }, (_, i) => {
      const date = addDays(rows[0].requested.start, i);
      const name = compare.volume.day(i + 1);
      return sameDays ? { label: monthDay(date), title: longDay(date), csv: date } : { label: name, title: name, csv: name };
    });
  }, [curves]);
  const option = useCallback(
    (c: Colors) => {
      const value = (curve: Curve, i: number) => {
        const posts = curve.posts[i] ?? null;
        return posts === null || measure === "posts" ? posts : curve.total ? posts / curve.total : 0;
      };
      const series = curves.map((curve) => ({ name: curve.name, values: days.map((_, i) => value(curve, i)), color: seriesColor(curve.row, c.dark), dashed: curve.dashed }));
      return timeChart({ labels: days.map((d) => d.label), titles: days.map((d) => d.title), series, kind: "lines", shares: measure === "share", legend: !children }, c);
    },
    [curves, days, measure],
  );
  const table = { dates: sameDays, head: [common.words.day, ...curves.map((c) => c.name)], rows: days.map((d, i) => [d.csv, ...curves.map((c) => c.posts[i] ?? null)]) };
  return (
    <ChartCard
      class="c8"
      pin="comparison"
      title={common.words.volume}
      note={sameDays && curves.length === rows.length ? undefined : compare.volume.aligned}
      file={`${file}-volume`}
      table={table}
      tools={<SegmentedControl small label={compare.volume.as} value={measure} onChange={setMeasure} options={[{ value: "posts", name: common.words.posts }, { value: "share", name: compare.volume.ownShare }]} />}
    >
      {children}
      <Chart label={compare.volume.label(curves.map((c) => c.name))} option={option} />
    </ChartCard>
  );
}
