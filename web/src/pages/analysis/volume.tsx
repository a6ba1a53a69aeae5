import { useCallback, useMemo } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { get } from "../../lib/api";
import { clock, hourLabel, localDateTime } from "../../lib/format";
import { useLoad, type LoadState } from "../../lib/load";
import type { AnalysisVolume } from "../../lib/types";
import { Card, ErrorNotice, Skeleton } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { analysis } from "../../strings/analysis";
import { common } from "../../strings/common";

// A TimeSpan is a part of the time of an analysis. Both ends are instants; end is exclusive.
export interface TimeSpan {
  from: string;
  to: string;
}

export const useVolume = (id: string, filter: string): LoadState<AnalysisVolume> =>
  useLoad(`volume ${id} ${filter}`, (signal) => get<AnalysisVolume>(`/manage/v1/analyses/${id}/volume`, { filter }, signal));

// spansOf returns the steps of a curve. end is the end of the analysis.
export function spansOf(v: AnalysisVolume, end: string): (TimeSpan & { title: string })[] {
  return v.steps.map((s, i) => {
    const to = v.steps[i + 1]?.start ?? end;
    return { from: new Date(s.start).toISOString(), to: new Date(to).toISOString(), title: localDateTime(s.start) };
  });
}

// Volume shows the number of posts over time. A click on a step, or dragging over several, calls
// onPick.
export function Volume({ volume, end, file, onPick }: { volume: LoadState<AnalysisVolume>; end: string; file: string; onPick: (span: TimeSpan) => void }) {
  const { data, error, reload } = volume;
  if (!data)
    return (
      <Card class="fill" title={analysis.overTime}>
        {error ? <ErrorNotice error={error} retry={reload} /> : <Skeleton height="14.5rem" />}
      </Card>
    );
  return <VolumeChart data={data} end={end} file={file} onPick={onPick} />;
}

function VolumeChart({ data, end, file, onPick }: { data: AnalysisVolume; end: string; file: string; onPick: (span: TimeSpan) => void }) {
  const spans = useMemo(() => spansOf(data, end), [data, end]);
  const values = data.steps.map((s) => s.posts);
  const option = useCallback(
    (c: Colors) => timeChart({ labels: data.steps.map((s) => label(s.start)), titles: spans.map((s) => s.title), series: [{ name: common.words.posts, values, color: c.accent }], kind: "bars", pointer: true }, c),
    [data],
  );
  const peak = values.indexOf(Math.max(...values));
  return (
    <ChartCard
      title={analysis.overTime}
      note={data.total > 0 && analysis.peak(values[peak], spans[peak].title)}
      file={`${file}-over-time`}
      table={{ dates: true, head: [analysis.time, common.words.posts], rows: data.steps.map((s) => [s.start.slice(0, 19), s.posts]) }}
    >
      <Chart label={analysis.overTimeLabel(data.total)} option={option} onBrush={(a, b) => spans[a] && spans[b] && onPick({ from: spans[a].from, to: spans[b].to })} />
    </ChartCard>
  );
}

// label returns the label of a step on the axis: its time, or at midnight the day.
const label = (start: string) => (start.slice(14, 16) === "00" ? hourLabel(start) : clock(start.slice(11)));
