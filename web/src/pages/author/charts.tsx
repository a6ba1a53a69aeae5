import { useCallback, useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { longDay, monthDay } from "../../lib/format";
import { spans, sum } from "../../lib/steps";
import type { AuthorInfo } from "../../lib/types";
import { SegmentedControl } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { useStep } from "../overview/volume";
import { author as text } from "../../strings/author";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

interface Props {
  info: AuthorInfo;
  file: string; // prefix of the names of CSV files
}

// followerDays returns the days with a stated number of followers. There are none if the posts are
// of several networks, because each has its own followers.
const followerDays = (info: AuthorInfo) => (info.sources.length === 1 ? info.days.filter((d) => d.followers !== null) : []);

// Activity shows the author's posts over time, and highlights the days of mark. A click on a step, or
// dragging over several, narrows the date range to them.
export function Activity({ info, file, mark, onRange }: Props & { mark: string; onRange: (start: string, end: string) => void }) {
  const dated = useMemo(() => ({ days: info.days, hours: [] }), [info]);
  const [step, setStep, options] = useStep(dated);
  const steps = useMemo(() => spans(dated, step), [dated, step]);
  const values = useMemo(() => steps.map((s) => sum(info.days, s, (d) => d.posts)), [steps]);
  const [from, to] = mark.split("..");
  const highlighted = useMemo(() => steps.map((s) => !!to && s.start < to && from < s.end), [steps, from, to]);
  const option = useCallback(
    (c: Colors) => timeChart({ labels: steps.map((s) => s.label), titles: steps.map((s) => s.title), series: [{ name: common.words.posts, values, highlighted, color: c.accent }], kind: steps.length > 200 ? "areas" : "bars", pointer: true }, c),
    [steps, values, highlighted],
  );
  const largest = values.indexOf(Math.max(...values));
  return (
    <ChartCard
      class={followerDays(info).length > 1 ? "c7" : ""}
      title={text.activity.title}
      note={overview.volume.peak(values[largest], step, steps[largest].title)}
      file={`${file}-activity-${step}`}
      table={{ dates: true, head: [overview.timeColumn(step), common.words.posts], rows: steps.map((s, i) => [s.csv, values[i]]) }}
      tools={<SegmentedControl small label={text.activity.groupBy} value={step} options={options} onChange={setStep} />}
    >
      <Chart label={text.activity.label(info.posts)} option={option} onBrush={(a, b) => steps[a] && steps[b] && onRange(steps[a].start, steps[b].end)} />
    </ChartCard>
  );
}

// Followers shows the number of followers that the author's posts state, if at least two days have
// one.
export function Followers({ info, file }: Props) {
  const days = useMemo(() => followerDays(info), [info]);
  const option = useCallback(
    (c: Colors) =>
      timeChart({ labels: info.days.map((d) => monthDay(d.date)), titles: info.days.map((d) => longDay(d.date)), series: [{ name: text.figures.followers, values: info.days.map((d) => d.followers), color: c.accent, sparse: true }], kind: "lines", cropped: true }, c),
    [info],
  );
  if (days.length < 2) return null;
  return (
    <ChartCard class="c5" title={text.followerChart.title} note={text.followerChart.note} file={`${file}-followers`} table={{ dates: true, head: [common.words.day, text.figures.followers], rows: days.map((d) => [d.date, d.followers!]) }}>
      <Chart label={text.followerChart.label(days[0].followers!, days.at(-1)!.followers!)} option={option} />
    </ChartCard>
  );
}
