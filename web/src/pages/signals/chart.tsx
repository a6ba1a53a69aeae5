import { useCallback } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart, type Series } from "../../charts/time";
import { get } from "../../lib/api";
import { hourLabel, localDateTime } from "../../lib/format";
import { useLoad } from "../../lib/load";
import type { SignalHours, SignalPage } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { common } from "../../strings/common";
import { signals } from "../../strings/signals";

const text = signals.detail;

// SignalChart shows the posts of a signal by hour, before, during and after it, with what was
// expected.
export function SignalChart({ s }: { s: SignalPage }) {
  const { data, error, reload } = useLoad(`hours of signal ${s.id}`, () => get<SignalHours>(`/manage/v1/signals/${s.id}/hours`));
  if (error) return <ErrorNotice error={error} retry={reload} />;
  if (!data) return <Skeleton height="22rem" label={signals.loading} />;
  if (data.hours.length === 0) return <Card title={text.chart}>{common.noPosts}</Card>;
  return <HoursChart s={s} data={data} />;
}

function HoursChart({ s, data }: { s: SignalPage; data: SignalHours }) {
  const { hours } = data;
  const titles = hours.map((h) => localDateTime(h.start));
  const labels = hours.map((h) => hourLabel(h.start));
  const isExpected = hours.some((h) => h.expected !== null);
  const from = Date.parse(s.from);
  const to = Date.parse(s.to);
  const within = hours.map((h) => Date.parse(h.start) < to && Date.parse(h.start) + 3_600_000 > from);
  const option = useCallback(
    (c: Colors) => {
      const series: Series[] = [{ name: text.posts, values: hours.map((h) => h.posts), color: c.accent, highlighted: within }];
      if (isExpected) {
        series.push(
          { name: text.expected, values: hours.map((h) => h.expected), color: c.ink, line: true },
          { name: text.high, values: hours.map((h) => h.high), color: c.muted, line: true, dashed: true },
        );
      }
      return timeChart({ labels, titles, series, kind: "bars", legend: isExpected }, c);
    },
    [data],
  );
  return (
    <ChartCard
      title={text.chart}
      note={isExpected ? text.chartNote : text.chartNotePlain}
      file={`signal-${s.id}-hours`}
      table={{
        dates: true,
        head: [text.hour, text.posts, ...(isExpected ? [text.expected, text.low, text.high] : [])],
        rows: hours.map((h) => [h.start.slice(0, 19), h.posts, ...(isExpected ? [h.expected ?? "", h.low ?? "", h.high ?? ""] : [])]),
      }}
    >
      <Chart label={text.chartLabel(hours.reduce((n, h) => n + h.posts, 0))} option={option} />
    </ChartCard>
  );
}
