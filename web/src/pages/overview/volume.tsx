import { useCallback, useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { useQuery } from "../../lib/router";
import { defaultStep, spans, stepsFor, sum, type Step } from "../../lib/steps";
import { SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

// useStep returns the step of the time charts, a function that sets it, and the steps to choose
// from. The step is part of the URL.
export function useStep(o: ChartProps["o"]): [Step, (s: Step) => void, { value: Step; name: string }[]] {
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
  const option = useCallback(
    (c: Colors) => timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), series: [{ name: common.words.posts, values, color: c.accent }], kind: steps.length > 200 ? "areas" : "bars", pointer: true }, c),
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
        onBrush={(a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end)}
      />
    </ChartCard>
  );
}
