import { useCallback, useMemo, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart, type Series } from "../../charts/time";
import { categoryColor, shortCategory } from "../../lib/color";
import { percent } from "../../lib/format";
import { Link } from "../../lib/router";
import { hourlyDays, spans, sum, type Span } from "../../lib/steps";
import { useDark } from "../../lib/theme";
import type { OverviewDay, OverviewEmotion } from "../../lib/types";
import { Card, Notice, SegmentedControl } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { useAnnotations, useGaps, useStep } from "./volume";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

type Counted = Pick<OverviewDay, "categories" | "emotions">;
type Measure = "share" | "posts";
type RangeProps = ChartProps & { onRange?: (start: string, end: string) => void };

// A Breakdown is a set of categories or emotions, and the posts of a day or an hour in each of them.
interface Breakdown {
  title: string;
  id: string; // part of the names of CSV files
  kind: "category" | "emotion";
  field: "category" | "sentiment" | "emotion"; // selects posts; sentiments and emotions by name, which fits any monitor
  list: (OverviewEmotion & { hidden?: boolean })[];
  counts: (step: Counted) => number[];
}

// Sentiment shows the sentiment of posts over time, or the categories of an opinion monitor with
// their intervals. train is the page on which an opinion monitor is trained.
export function Sentiment(props: RangeProps & { train?: string }) {
  const { o, train } = props;
  if (o.untaught) {
    return (
      <Card title={common.words.opinions} class="c7 fill">
        <Notice kind="warn">
          {o.untaught} {train && <Link href={train}>{overview.sentiment.train}</Link>}
        </Notice>
      </Card>
    );
  }
  const named = o.monitor.type === "OPINION" ? ({ title: common.words.opinions, id: "opinions", field: "category" } as const) : ({ title: common.words.sentiment, id: "sentiment", field: "sentiment" } as const);
  return <CategoryChart {...props} shape={{ ...named, kind: "category", list: o.categories, counts: (d) => d.categories }} size="c7" />;
}

// Emotions shows the emotions of posts over time.
export function Emotions(props: RangeProps) {
  return <CategoryChart {...props} shape={{ title: common.words.emotions, id: "emotions", kind: "emotion", field: "emotion", list: props.o.emotions, counts: (d) => d.emotions }} size="c5" />;
}

function CategoryChart({ o, file, onRefine, onRange, shape, size }: RangeProps & { shape: Breakdown; size: string }) {
  const [requested] = useStep(o, o.days.length <= hourlyDays);
  const hourly = o.hours.length > 0 && shape.counts(o.hours[0]).length > 0; // opinions are estimated for whole days
  const step = requested === "hour" && !hourly ? "day" : requested;
  const items: Counted[] = step === "hour" ? o.hours : o.days;
  const dark = useDark();
  const [measure, setMeasure] = useState<Measure>("share");
  const steps = useMemo(() => spans(o, step), [o, step]);
  const visible = useMemo(() => shape.list.map((c, i) => ({ ...c, index: i })).filter((c) => !c.hidden), [shape.list]);
  const counted = useMemo(() => steps.map((s) => visible.map((c) => sum(items, s, (d) => shape.counts(d)[c.index]))), [steps, visible]);
  const gaps = useGaps(o, steps);
  const annotated = useAnnotations(o, steps);
  const notes = steps.map((_, i) => [annotated.notes[i], gaps.notes[i]].filter(Boolean).join("\n"));
  const banded = shape.kind === "category" && o.intervals.length > 0 && step === "day" && measure === "share";
  const relevant = (s: Span) => relevantShare(steps.indexOf(s), counted, items, s, shape);
  const option = useCallback(
    (c: Colors) => {
      const series = visible.map((cat, i): Series => {
        const values = counted.map((row) => (measure === "posts" ? row[i] : shareOf(row, i)));
        const bounds = banded ? intervals(o, steps, cat.index, relevant) : {};
        return { name: shortCategory(cat.name), values, color: categoryColor(cat.name, i, c.dark, shape.kind), counts: measure === "share" ? counted.map((row) => row[i]) : undefined, ...bounds };
      });
      return timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), notes, pins: annotated.pins, series, kind: banded ? "lines" : "areas", stacked: !banded, shares: measure === "share", pointer: Boolean(onRange) }, c);
    },
    [steps, counted, measure, banded],
  );
  const bars = visible.map((c, i) => ({ id: String(c.id), name: shortCategory(c.name), value: c.posts, note: percent(c.share), color: tint(categoryColor(c.name, i, dark, shape.kind)) }));
  const note = o.estimated && shape.kind === "category" ? [overview.sentiment.note, requested === "hour" && overview.sentiment.daily].filter(Boolean).join(" ") : undefined;
  return (
    <ChartCard
      class={size}
      pin={shape.kind === "emotion" ? "emotions" : "sentiment"}
      title={shape.title}
      note={note}
      file={`${file}-${shape.id}-${step}`}
      table={{ dates: true, head: [overview.timeColumn(step), ...visible.map((c) => shortCategory(c.name))], rows: steps.map((s, i) => [s.csv, ...counted[i]]) }}
      tools={<SegmentedControl small label={overview.sentiment.as(shape.title)} value={measure} onChange={setMeasure} options={[{ value: "share", name: overview.sentiment.share }, { value: "posts", name: common.words.posts }]} />}
    >
      <div class="stack">
        <Chart height="15rem" label={overview.sentiment.label(shape.title, bars.map((b) => overview.sentiment.category(b.name, b.value)).join(", ")) + annotated.label} option={option} bands={gaps.marks} onBrush={onRange && ((a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end))} />
        <Bars bars={bars} onPick={onRefine && ((b) => onRefine([shape.field, shape.field === "category" ? b.id : b.name.toLowerCase()]))} />
      </div>
    </ChartCard>
  );
}

// tint makes a color pale enough for text on top of it.
const tint = (color: string) => `color-mix(in srgb, ${color} 32%, transparent)`;

function shareOf(row: number[], i: number): number {
  const total = row.reduce((a, b) => a + b, 0);
  return total ? row[i] / total : 0;
}

// intervals returns the bounds of a category's share. The server's bounds are shares of all posts,
// while the chart shows shares of the posts outside of hidden categories, so the bounds are scaled
// accordingly.
function intervals(o: ChartProps["o"], steps: Span[], category: number, relevant: (s: Span) => number): { low: number[]; high: number[] } {
  const bound = (s: Span, end: "low" | "high") => Math.min(1, (o.intervals[s.from]?.categories[category]?.[end] ?? 0) / (relevant(s) || 1));
  return { low: steps.map((s) => bound(s, "low")), high: steps.map((s) => bound(s, "high")) };
}

// relevantShare returns the share of a step's posts that are not in a hidden category.
function relevantShare(step: number, counted: number[][], items: Counted[], s: Span, shape: Breakdown): number {
  const visible = counted[step].reduce((a, b) => a + b, 0);
  const all = sum(items, s, (d) => shape.counts(d).reduce((a, b) => a + b, 0));
  return all ? visible / all : 1;
}
