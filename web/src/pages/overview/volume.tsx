import { useCallback, useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { number } from "../../lib/format";
import { useQuery } from "../../lib/router";
import { defaultStep, spans, stepsFor, sum, type Step } from "../../lib/steps";
import { SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";

// useStep is the step of the time charts, which is part of the address.
export function useStep(o: ChartProps["o"]): [Step, (s: Step) => void, { value: Step; name: string }[]] {
  const [query, change] = useQuery();
  const options = stepsFor(o);
  const requested = query.get("by") as Step;
  const step = options.some((s) => s.value === requested) ? requested : options.some((s) => s.value === defaultStep(o.days.length)) ? defaultStep(o.days.length) : "day";
  return [step, (s) => change({ by: s }), options];
}

// Volume shows how many posts there are over time. A click or dragging over some steps shows these alone.
export function Volume({ o, file, onRange }: ChartProps & { onRange: (start: string, end: string) => void }) {
  const [step, setStep, options] = useStep(o);
  const steps = useMemo(() => spans(o, step), [o, step]);
  const values = useMemo(() => steps.map((s) => (step === "hour" ? o.hours[s.from].posts : sum(o.days, s, (d) => d.posts))), [steps]);
  const option = useCallback(
    (c: Colors) => timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), series: [{ name: "Posts", values, color: c.accent }], kind: steps.length > 200 ? "areas" : "bars", pointer: true }, c),
    [steps, values],
  );
  const largest = values.indexOf(Math.max(...values));
  return (
    <ChartCard
      title="Volume"
      note={`Most: ${number(values[largest] ?? 0)} on ${steps[largest]?.title ?? "–"}`}
      file={`${file}-volume-${step}`}
      table={{ head: [step === "hour" ? "Hour" : step === "day" ? "Day" : step === "week" ? "Week from" : "Month from", "Posts"], rows: steps.map((s, i) => [s.csv, values[i]]) }}
      tools={<SegmentedControl small label="Posts by" value={step} options={options} onChange={setStep} />}
    >
      <Chart
        label={`Posts by ${step}: ${number(o.posts)} in all`}
        option={option}
        onBrush={(a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end)}
      />
    </ChartCard>
  );
}
