import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import type { Period } from "../../lib/drill";
import { hourLabel, localDateTime, longDay, monthDay } from "../../lib/format";
import { periodName, periodOf } from "../../lib/period";
import type { BaselinePeriod, Explanation } from "../../lib/types";
import { AnnotateButton, type AnnotationEditor } from "../../components/annotations";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import { stepPeriod } from "./period";
import { common } from "../../strings/common";
import { why } from "../../strings/why";

// ExpectationChart shows the posts of each hour or day and how many were expected. A click explains
// a step of the chart.
export function ExpectationChart({ e, file, editor, onPeriod }: { e: Explanation; file: string; editor: AnnotationEditor; onPeriod: (p: Period) => void }) {
  const hours = e.step === "HOURLY";
  const times = e.steps.map((s) => (hours ? s.time : s.time.slice(0, 10)));
  const option = useCallback(
    (c: Colors) =>
      timeChart(
        {
          labels: times.map((t) => (hours ? hourLabel(t) : monthDay(t.slice(0, 10)))),
          titles: times.map((t) => (hours ? localDateTime(t) : longDay(t))),
          series: [
            { name: common.words.posts, values: e.steps.map((s) => s.posts), color: c.accent },
            { name: why.expected, values: e.steps.map((s) => s.expected), color: c.muted, dashed: true, line: true },
          ],
          kind: "bars",
          pointer: e.steps.length > 1,
          legend: true,
        },
        c,
      ),
    [e],
  );
  return (
    <ChartCard class="c8" title={why.chartTitle} tools={<AnnotateButton editor={editor} days={daysOf(e)} />} note={why.chartNote(hours)} file={`${file}-expectation`} table={{ dates: true, head: [hours ? why.hour : why.day, common.words.posts, why.expected], rows: e.steps.map((s, i) => [times[i], s.posts, s.expected]) }}>
      <Chart label={why.chartLabel(e.posts, e.expected ? why.rounded(e.expected.posts) : why.unknownExpected)} option={option} onBrush={e.steps.length > 1 ? (a, b) => e.steps[a] && e.steps[b] && onPeriod(stepPeriod(e, a, b)) : undefined} />
    </ChartCard>
  );
}

// daysOf returns the explained days.
const daysOf = (e: Explanation) => ({ start: periodOf(e).start!, end: periodOf(e).end! });

// EarlierWeeks shows the periods that the expected number is based on.
export function EarlierWeeks({ e, file, href }: { e: Explanation; file: string; href: (p: Period) => string }) {
  const nameOf = (b: Pick<BaselinePeriod, "from" | "to">) => periodName(periodOf(b));
  const rows = e.baseline.map((b) => ({ b, name: nameOf(b) }));
  return (
    <ChartCard
      class="c4"
      title={why.weeks}
      note={why.weeksNote}
      file={`${file}-weeks`}
      table={{ head: [why.periodColumn, common.words.posts, why.usedColumn], rows: [[why.thisPeriod, e.posts, ""], ...rows.map(({ b, name }) => [name, b.posts, b.used ? why.yes : why.no])], links: [href(periodOf(e)), ...e.baseline.map((b) => href(periodOf(b)))] }}
    >
      <Bars
        wordy
        bars={[
          { id: "this", name: why.thisPeriod, value: e.posts, posts: href(periodOf(e)), color: "color-mix(in srgb, var(--accent) 35%, transparent)" },
          ...rows.map(({ b, name }) => ({ id: b.from, name, value: b.posts, posts: href(periodOf(b)), text: b.coverage > 0 ? undefined : common.unknown, note: noteOf(b), color: b.used ? undefined : "var(--sunken)" })),
        ]}
      />
    </ChartCard>
  );
}

// noteOf says how well an earlier period is covered, and why it is not used.
function noteOf(b: BaselinePeriod): string | undefined {
  if (b.coverage === 0) return why.uncovered;
  if (b.coverage < 0.999) return why.partlyCovered(b.coverage, b.used);
  return b.used ? undefined : why.exceptional;
}
