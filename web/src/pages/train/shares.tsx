import { useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { categoryColor } from "../../lib/color";
import type { Cell } from "../../lib/csv";
import { addDays, shortDay } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { Monitor, ProportionsResponse } from "../../lib/types";
import { useView } from "../../lib/view";
import { ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { DateRange } from "../../components/daterange";
import { common } from "../../strings/common";
import { train } from "../../strings/train";
import { loadProportions } from "./data";

// Shares charts the share of each category by day, with confidence intervals. It loads them again
// when version changes.
export function Shares({ m, version }: { m: Monitor; version: string }) {
  const view = useView();
  const id = String(m.id);
  const { data, error, reload } = useLoad(`shares ${id} ${view.range} ${view.start} ${view.end} ${version}`, () => loadProportions(id, view.params));
  const shown = data?.days.length ? { start: data.days[0].date, end: addDays(data.days[data.days.length - 1].date, 1) } : undefined;
  const days = <DateRange view={view} shown={shown} zone={m.timezone} first={m.start} />;
  return (
    <div class="stack">
      {days}
      {error && !data && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton height="20rem" />}
      {data && <ShareChart data={data} m={m} />}
    </div>
  );
}

function ShareChart({ data, m }: { data: ProportionsResponse; m: Monitor }) {
  const option = useMemo(() => (c: Colors) => chartOption(data, c), [data]);
  const head = [common.words.date, common.words.posts, ...m.categories.flatMap((c) => [c.name, train.low(c.name), train.high(c.name)])];
  const rows = data.days.map((d): Cell[] => [d.date, d.posts, ...m.categories.flatMap((c) => cells(d, c.id))]);
  const note = data.method === "classifyAndCount" ? train.countedNote : train.sharesNote;
  return (
    <ChartCard title={train.shares} note={note(data.timezone)} file={`monitor-${m.id}-shares`} table={{ dates: true, head, rows }}>
      <Chart option={option} tall label={train.sharesChart} />
    </ChartCard>
  );
}

function cells(day: ProportionsResponse["days"][number], category: number): Cell[] {
  const p = day.categories.find((x) => x.categoryId === category);
  return p ? [p.proportion, p.low, p.high] : [null, null, null];
}

function chartOption(data: ProportionsResponse, c: Colors) {
  const series = (data.days[0]?.categories ?? []).map((category, i) => {
    const values = data.days.map((d) => d.categories[i]);
    return {
      name: category.category,
      color: categoryColor(category.category, i, c.dark),
      dashed: category.hidden,
      values: values.map((v) => v.proportion),
      low: values.map((v) => v.low),
      high: values.map((v) => v.high),
    };
  });
  return timeChart({ kind: "lines", shares: true, labels: data.days.map((d) => shortDay(d.date)), series, legend: true }, c);
}
