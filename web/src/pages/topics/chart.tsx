import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { seriesColor } from "../../lib/color";
import { addDays, hourLabel, localDateTime, longDay, monthDay } from "../../lib/format";
import type { TopicsResponse } from "../../lib/types";
import { ChartCard } from "../../components/chartcard";
import { topics as text } from "../../strings/topics";
import { why } from "../../strings/why";

const charted = 5; // more lines are hard to tell apart

// TopicChart shows the posts of the largest topics over time. A click on a day, or dragging over
// several, narrows the date range to them.
export function TopicChart({ t, file, onRange }: { t: TopicsResponse; file: string; onRange: (start: string, end: string) => void }) {
  const hours = t.step === "HOURLY";
  const times = t.steps.map((s) => (hours ? s : s.slice(0, 10)));
  const top = t.topics.slice(0, charted);
  const option = useCallback(
    (c: Colors) =>
      timeChart(
        {
          labels: times.map((s) => (hours ? hourLabel(s) : monthDay(s.slice(0, 10)))),
          titles: times.map((s) => (hours ? localDateTime(s) : longDay(s))),
          series: top.map((topic, i) => ({ name: topic.name, values: topic.steps, color: seriesColor(i, c.dark) })),
          kind: "lines",
          legend: true,
          pointer: true,
        },
        c,
      ),
    [t],
  );
  return (
    <ChartCard pin="topics" title={text.overTime} note={text.overTimeNote(top.length)} file={`${file}-over-time`} table={{ dates: true, head: [hours ? why.hour : why.day, ...t.topics.map((x) => x.name)], rows: times.map((s, i) => [s, ...t.topics.map((x) => x.steps[i])]) }}>
      <Chart label={text.overTimeLabel(top.map((x) => x.name))} option={option} onBrush={(a, b) => times[a] && times[b] && onRange(times[a].slice(0, 10), addDays(times[b].slice(0, 10), 1))} />
    </ChartCard>
  );
}
