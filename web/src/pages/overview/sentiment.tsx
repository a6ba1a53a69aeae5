import { useCallback, useMemo, useState } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart, type Series } from "../../charts/time";
import { categoryColor, shortCategory } from "../../lib/color";
import { percentEstimate } from "../../lib/format";
import { Link } from "../../lib/router";
import { hourlyDays, spans, sum, type Span } from "../../lib/steps";
import { useDark } from "../../lib/theme";
import type { DayIntervals, OverviewDay, OverviewEmotion, ShareInterval } from "../../lib/types";
import { Card, Notice, SegmentedControl } from "../../components/basics";
import { Bars, type Bar } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { useAnnotations, useGaps, useSignals, useStep } from "./volume";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

type Counted = Pick<OverviewDay, "categories" | "emotions">;
type Measure = "share" | "posts";

interface RangeProps extends ChartProps {
  onRange?: (start: string, end: string) => void;
  pages?: string; // path of the pages of the monitor, if the reader can open them
}

// A Breakdown is a set of categories or emotions, and the posts of a day or an hour in each of them.
interface Breakdown {
  title: string;
  id: string; // part of the names of CSV files
  kind: "category" | "emotion";
  field: "category" | "sentiment" | "emotion"; // selects posts; sentiments and emotions by name, which fits any monitor
  list: (OverviewEmotion & { hidden?: boolean })[];
  counts: (step: Counted) => number[];
  shares: (day: DayIntervals) => ShareInterval[]; // estimates; empty if shares are counted
}

// Sentiment shows the sentiment of posts over time, or the categories of an opinion monitor with
// their intervals.
export function Sentiment(props: RangeProps) {
  const { o, pages } = props;
  if (o.needsTraining) {
    return (
      <Card title={common.words.opinions} class="c7 fill">
        <Notice kind="warn">
          {o.needsTraining} {pages && <Link href={`${pages}/train`}>{overview.sentiment.train}</Link>}
        </Notice>
      </Card>
    );
  }
  const named = o.monitor.type === "OPINION" ? ({ title: common.words.opinions, id: "opinions", field: "category" } as const) : ({ title: common.words.sentiment, id: "sentiment", field: "sentiment" } as const);
  return <CategoryChart {...props} shape={{ ...named, kind: "category", list: o.categories, counts: (d) => d.categories, shares: (d) => d.categories }} size="c7" />;
}

// Emotions shows the emotions of posts over time.
export function Emotions(props: RangeProps) {
  return <CategoryChart {...props} shape={{ title: common.words.emotions, id: "emotions", kind: "emotion", field: "emotion", list: props.o.emotions, counts: (d) => d.emotions, shares: (d) => d.emotions }} size="c5" />;
}

function CategoryChart({ o, file, onRefine, posts, onRange, pages, shape, size, incidents }: RangeProps & { shape: Breakdown; size: string }) {
  const [requested] = useStep(o, o.days.length <= hourlyDays);
  const dark = useDark();
  const [measure, setMeasure] = useState<Measure>("share");
  const hasEstimates = o.intervals.length > 0 && shape.shares(o.intervals[0]).length > 0;
  const hourly = o.hours.length > 0 && shape.counts(o.hours[0]).length > 0; // opinions are estimated for whole days
  const step = requested === "hour" && !hourly ? "day" : requested;
  const estimated = hasEstimates && measure === "share" && step !== "hour";
  const items: Counted[] = step === "hour" ? o.hours : o.days;
  const steps = useMemo(() => spans(o, step), [o, step]);
  const visible = useMemo(() => shape.list.map((c, i) => ({ ...c, index: i })).filter((c) => !c.hidden), [shape.list]);
  const counted = useMemo(() => steps.map((s) => visible.map((c) => sum(items, s, (d) => shape.counts(d)[c.index]))), [steps, visible]);
  const estimates = useMemo(() => (hasEstimates && step !== "hour" ? steps.map((s) => stepEstimates(o, s, shape, visible)) : []), [steps, visible]);
  const gaps = useGaps(o, steps);
  const annotated = useAnnotations(o, steps);
  const signaled = useSignals(o, steps, incidents);
  const notes = steps.map((_, i) => [annotated.notes[i], signaled.notes[i], gaps.notes[i]].filter(Boolean).join("\n"));
  const banded = estimated && shape.kind === "category"; // the bands of seven emotions would hide each other
  const option = useCallback(
    (c: Colors) => {
      const series = visible.map((cat, i): Series => {
        const values = counted.map((row, at) => (measure === "posts" ? row[i] : estimated ? estimates[at][i].share : shareOf(row, i)));
        const bounds = estimated ? { low: estimates.map((row) => row[i].low), high: estimates.map((row) => row[i].high) } : {};
        return { name: shortCategory(cat.name), values, color: categoryColor(cat.name, i, c.dark, shape.kind), counts: measure === "share" ? counted.map((row) => row[i]) : undefined, ...bounds };
      });
      return timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), notes, pins: annotated.pins, series, kind: banded ? "lines" : "areas", stacked: !banded, shares: measure === "share", pointer: Boolean(onRange) }, c);
    },
    [steps, counted, measure, estimates, signaled],
  );
  const bars = visible.map((c, i) => ({ id: String(c.id), name: shortCategory(c.name), value: c.posts, note: percentEstimate(c), color: tint(categoryColor(c.name, i, dark, shape.kind)) }));
  const note = (hasEstimates || (o.estimated && shape.kind === "category")) && (
    <>
      <Method o={o} shape={shape} pages={pages} /> {requested === "hour" && (hourly ? overview.sentiment.hourly : overview.sentiment.daily)}
    </>
  );
  const names = visible.map((c) => shortCategory(c.name));
  const valueOf = (b: Bar) => (shape.field === "category" ? b.id : b.name.toLowerCase());
  return (
    <ChartCard
      class={size}
      pin={shape.kind === "emotion" ? "emotions" : "sentiment"}
      title={shape.title}
      note={note}
      file={`${file}-${shape.id}-${step}`}
      table={{
        dates: true,
        head: [overview.timeColumn(step), ...names, ...(estimates.length ? names.flatMap(overview.sentiment.shareColumns) : [])],
        rows: steps.map((s, i) => [s.csv, ...counted[i], ...(estimates[i] ?? []).flatMap((e) => [e.share, e.low, e.high].map(round4))]),
      }}
      tools={<SegmentedControl small label={overview.sentiment.as(shape.title)} value={measure} onChange={setMeasure} options={[{ value: "share", name: overview.sentiment.share }, { value: "posts", name: common.words.posts }]} />}
    >
      <div class="stack">
        <Chart height="15rem" label={overview.sentiment.label(shape.title, bars.map((b) => overview.sentiment.category(b.name, b.value)).join(", ")) + annotated.label} option={option} bands={gaps.marks} marks={signaled.marks} onBrush={onRange && ((a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end))} />
        <Bars bars={bars.map((b) => ({ ...b, posts: posts?.([shape.field, valueOf(b)]) }))} onPick={onRefine && ((b) => onRefine([shape.field, valueOf(b)]))} />
      </div>
    </ChartCard>
  );
}

// Method says how shares were estimated, and where labels improve them.
function Method({ o, shape, pages }: { o: ChartProps["o"]; shape: Breakdown; pages?: string }) {
  const text = overview.sentiment;
  const isEmotion = shape.kind === "emotion";
  const labels = isEmotion ? o.emotionLabels : o.labels;
  if (shape.field === "category") return <>{labels > 0 ? text.calibratedOpinions(labels) : text.opinionNote}</>;
  const calibrated = isEmotion ? text.calibratedEmotions(labels) : text.calibrated(labels);
  const estimated =
    pages && o.monitor.type !== "OPINION" ? (
      <>
        {text.notCalibrated}
        <Link href={`${pages}/label`}>{text.labelPosts}</Link>
        {isEmotion ? text.intervals : text.bands}
      </>
    ) : isEmotion ? (
      text.emotionNote
    ) : (
      text.note
    );
  return (
    <>
      {labels > 0 ? calibrated : estimated} {text.counts}
    </>
  );
}

// tint makes a color pale enough for text on top of it.
const tint = (color: string) => `color-mix(in srgb, ${color} 32%, transparent)`;

function shareOf(row: number[], i: number): number {
  const total = row.reduce((a, b) => a + b, 0);
  return total ? row[i] / total : 0;
}

const round4 = (x: number) => Math.round(x * 1e4) / 1e4;

// stepEstimates returns the estimated shares of the visible categories among their posts in a step.
// Over several days, shares and bounds are means: the errors of a model repeat every day, so they do
// not cancel out.
function stepEstimates(o: ChartProps["o"], s: Span, shape: Breakdown, visible: { index: number }[]): ShareInterval[] {
  const days = o.days.slice(s.from, s.to).map((d, i) => ({ posts: d.posts, shares: shape.shares(o.intervals[s.from + i]) }));
  const mean = (category: number, key: keyof ShareInterval) => days.reduce((total, d) => total + d.posts * d.shares[category][key], 0);
  const all = visible.reduce((total, c) => total + mean(c.index, "share"), 0) || 1;
  return visible.map((c) => ({ share: mean(c.index, "share") / all, low: mean(c.index, "low") / all, high: Math.min(1, mean(c.index, "high") / all) }));
}
