import { useCallback, useMemo, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart, type Series } from "../../charts/time";
import { categoryColor, shortCategory } from "../../lib/color";
import { number, percent } from "../../lib/format";
import { Link } from "../../lib/router";
import { spans, sum, type Span } from "../../lib/steps";
import { useDark } from "../../lib/theme";
import type { Monitor, OverviewEmotion } from "../../lib/types";
import { Card, Notice, SegmentedControl } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { useStep } from "./volume";

type Measure = "share" | "posts";
type RangeProps = ChartProps & { onRange: (start: string, end: string) => void };

interface Breakdown {
  title: string;
  kind: "category" | "emotion";
  list: (OverviewEmotion & { hidden?: boolean })[];
  counts: (day: ChartProps["o"]["days"][number]) => number[];
}

// Sentiment shows the sentiment of posts over time, or the categories of an opinion monitor with their intervals.
export function Sentiment(props: RangeProps & { monitor: Monitor }) {
  const { o, monitor: m } = props;
  if (o.untaught) {
    return (
      <Card title="Opinions" class="c7 fill">
        <Notice kind="warn">
          {o.untaught} <Link href={`/monitors/${m.id}/train`}>Train it</Link>
        </Notice>
      </Card>
    );
  }
  const title = m.type === "OPINION" ? "Opinions" : "Sentiment";
  return <CategoryChart {...props} shape={{ title, kind: "category", list: o.categories, counts: (d) => d.categories }} size="c7" />;
}

// Emotions shows which emotions posts have over time.
export function Emotions(props: RangeProps) {
  return <CategoryChart {...props} shape={{ title: "Emotions", kind: "emotion", list: props.o.emotions, counts: (d) => d.emotions }} size="c5" />;
}

function CategoryChart({ o, file, onRefine, onRange, shape, size }: RangeProps & { shape: Breakdown; size: string }) {
  const [requested] = useStep(o);
  const step = requested === "hour" ? "day" : requested; // hours know nothing of feelings
  const dark = useDark();
  const [measure, setMeasure] = useState<Measure>("share");
  const steps = useMemo(() => spans(o, step), [o, step]);
  const visible = useMemo(() => shape.list.map((c, i) => ({ ...c, index: i })).filter((c) => !c.hidden), [shape.list]);
  const counted = useMemo(() => steps.map((s) => visible.map((c) => sum(o.days, s, (d) => shape.counts(d)[c.index]))), [steps, visible]);
  const banded = shape.kind === "category" && o.intervals.length > 0 && step === "day" && measure === "share";
  const relevant = (s: Span) => relevantShare(steps.indexOf(s), counted, o.days, s, shape);
  const option = useCallback(
    (c: Colors) => {
      const series = visible.map((cat, i): Series => {
        const values = counted.map((row) => (measure === "posts" ? row[i] : shareOf(row, i)));
        const bounds = banded ? intervals(o, steps, cat.index, relevant) : {};
        return { name: shortCategory(cat.name), values, color: categoryColor(cat.name, i, c.dark, shape.kind), counts: measure === "share" ? counted.map((row) => row[i]) : undefined, ...bounds };
      });
      return timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), series, kind: banded ? "lines" : "areas", stacked: !banded, shares: measure === "share", pointer: true }, c);
    },
    [steps, counted, measure, banded],
  );
  const bars = visible.map((c, i) => ({ id: String(c.id), name: shortCategory(c.name), value: c.posts, note: percent(c.share), color: tint(categoryColor(c.name, i, dark, shape.kind)) }));
  const note = o.estimated && shape.kind === "category" ? "Estimated shares, without hidden categories; bands hold the true share with a probability of 95 %" : undefined;
  return (
    <ChartCard
      class={size}
      title={shape.title}
      note={note}
      file={`${file}-${shape.title.toLowerCase()}-${step}`}
      table={{ head: [step === "day" ? "Day" : step === "week" ? "Week from" : "Month from", ...visible.map((c) => shortCategory(c.name))], rows: steps.map((s, i) => [s.csv, ...counted[i]]) }}
      tools={<SegmentedControl small label={`${shape.title} as`} value={measure} onChange={setMeasure} options={[{ value: "share", name: "%" }, { value: "posts", name: "Posts" }]} />}
    >
      <div class="stack">
        <Chart height="15rem" label={`${shape.title} over time: ${bars.map((b) => `${b.name} ${number(b.value)} posts`).join(", ")}`} option={option} onBrush={(a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end)} />
        <Bars bars={bars} onPick={(b) => onRefine(["category", b.id])} />
      </div>
    </ChartCard>
  );
}

// tint is a colour thin enough for text to stand on it.
const tint = (color: string) => `color-mix(in srgb, ${color} 32%, transparent)`;

function shareOf(row: number[], i: number): number {
  const total = row.reduce((a, b) => a + b, 0);
  return total ? row[i] / total : 0;
}

// intervals returns the bounds of a category's share. The server tells them of all posts, the chart shows shares of those that
// are in no hidden category, so bounds grow as the shares do.
function intervals(o: ChartProps["o"], steps: Span[], category: number, relevant: (s: Span) => number): { low: number[]; high: number[] } {
  const bound = (s: Span, end: "low" | "high") => Math.min(1, (o.intervals[s.from]?.categories[category]?.[end] ?? 0) / (relevant(s) || 1));
  return { low: steps.map((s) => bound(s, "low")), high: steps.map((s) => bound(s, "high")) };
}

// relevantShare is how much of a step's posts is in no hidden category.
function relevantShare(step: number, counted: number[][], days: ChartProps["o"]["days"], s: Span, shape: Breakdown): number {
  const visible = counted[step].reduce((a, b) => a + b, 0);
  const all = sum(days, s, (d) => shape.counts(d).reduce((a, b) => a + b, 0));
  return all ? visible / all : 1;
}
