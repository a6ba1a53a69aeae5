import { useCallback, useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { gapNotes, gapRange, markGaps, type GapMark } from "../../lib/gaps";
import { Link, useQuery } from "../../lib/router";
import { defaultStep, spans, stepsFor, sum, type Dated, type Span, type Step } from "../../lib/steps";
import type { OverviewGap } from "../../lib/types";
import { SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

// useStep returns the step of the time charts, a function that sets it, and the steps to choose
// from. The step is part of the URL.
export function useStep(o: Dated): [Step, (s: Step) => void, { value: Step; name: string }[]] {
  const [query, change] = useQuery();
  const options = stepsFor(o);
  const requested = query.get("by") as Step;
  const step = options.some((s) => s.value === requested) ? requested : options.some((s) => s.value === defaultStep(o.days.length)) ? defaultStep(o.days.length) : "day";
  return [step, (s) => change({ by: s }), options];
}

// Volume shows the number of posts over time. A click on a step, or dragging over several, narrows
// the date range to them.
export function Volume({ o, file, onRange }: ChartProps & { onRange: (start: string, end: string) => void }) {
  const [step, setStep, options] = useStep(o);
  const steps = useMemo(() => spans(o, step), [o, step]);
  const values = useMemo(() => steps.map((s) => (step === "hour" ? o.hours[s.from].posts : sum(o.days, s, (d) => d.posts))), [steps]);
  const gaps = useGaps(o, steps);
  const option = useCallback(
    (c: Colors) => timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), notes: gaps.notes, series: [{ name: common.words.posts, values, color: c.accent }], kind: steps.length > 200 ? "areas" : "bars", pointer: true }, c),
    [steps, values],
  );
  const largest = values.indexOf(Math.max(...values));
  return (
    <ChartCard
      title={common.words.volume}
      note={steps[largest] && overview.volume.peak(values[largest], step, steps[largest].title)}
      file={`${file}-volume-${step}`}
      table={{ dates: true, head: [overview.timeColumn(step), common.words.posts], rows: steps.map((s, i) => [s.csv, values[i]]) }}
      tools={<SegmentedControl small label={overview.volume.groupBy} value={step} options={options} onChange={setStep} />}
    >
      <Chart
        label={overview.volume.label(step, o.posts)}
        option={option}
        bands={gaps.marks}
        onBrush={(a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end)}
      />
      <GapNote gaps={gaps.marks.map((m) => m.gap)} zone={o.monitor.timezone} />
    </ChartCard>
  );
}

// useGaps returns where the steps of a chart have gaps, and what tooltips say about them.
export function useGaps(o: ChartProps["o"], steps: Span[]): { marks: GapMark[]; notes: string[] } {
  return useMemo(() => {
    const marks = markGaps(o.gaps, steps, o.monitor.timezone);
    return { marks, notes: gapNotes(marks, steps, o.monitor.timezone) };
  }, [o, steps]);
}

const namedGaps = 3; // gaps that the note describes; the others it counts

// GapNote says in words which sources were down, newest first.
function GapNote({ gaps, zone }: { gaps: OverviewGap[]; zone: string }) {
  if (gaps.length === 0) return null;
  const newest = [...gaps].reverse();
  return (
    <p class="small muted gap-note">
      <i aria-hidden="true" />
      <span>
        {overview.gaps.lead}{" "}
        {newest.slice(0, namedGaps).map((g) => (
          <span key={`${g.source} ${g.from}`}>
            <Link href={`/sources/${g.source}`}>{g.name}</Link>
            {overview.gaps.sentence(gapRange(g, zone), g.reason, g.open)}{" "}
          </span>
        ))}
        {gaps.length > namedGaps && overview.gaps.more(gaps.length - namedGaps)}
      </span>
    </p>
  );
}
