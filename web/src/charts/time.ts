import type { Pin } from "../lib/annotations";
import { compact, number, plural } from "../lib/format";
import { tooltip, type Colors, type Option } from "./chart";

export interface Series {
  name: string;
  values: (number | null)[];
  color: string;
  low?: number[]; // bounds of an interval, drawn as a band
  high?: number[];
  dashed?: boolean;
  sparse?: boolean; // some values are missing; connect the others, and mark each
  highlighted?: ("more" | "fewer" | boolean | undefined)[]; // bars of unusual days; those with fewer posts are outlined
  line?: boolean; // a line even if the other series are bars
  counts?: number[]; // shown in the tooltip beside the value
}

export interface TimeOptions {
  labels: string[]; // of the steps, on the axis
  titles?: string[]; // of the steps, in the tooltip
  series: Series[];
  kind: "bars" | "lines" | "areas";
  stacked?: boolean;
  shares?: boolean; // values are shares from 0 to 1
  pointer?: boolean; // show a hand cursor, because a click does something
  notes?: string[]; // of the steps, below the values in the tooltip; "" for none
  pins?: Pin[]; // annotations
  cropped?: boolean; // the vertical axis need not begin at 0
  legend?: boolean; // leave out if another element of the page explains the colors
}

// timeChart draws one or more series over time.
export function timeChart(o: TimeOptions, c: Colors): Option {
  const write = o.shares ? (v: number) => `${Math.round(v * 1000) / 10}%` : number;
  return {
    grid: { left: 8, right: 8, top: o.pins?.length ? 24 : 14, bottom: o.legend ? 34 : 8, containLabel: true },
    legend: o.legend ? { bottom: 0, left: 0, right: 0, type: "scroll", icon: "roundRect", itemWidth: 10, itemHeight: 10, itemGap: 14, textStyle: { color: c.muted }, inactiveColor: c.line, data: o.series.map((s) => s.name) } : undefined,
    tooltip: tooltip(c, {
      trigger: "axis",
      axisPointer: { type: o.kind === "bars" ? "shadow" : "line", shadowStyle: { color: c.line, opacity: 0.35 }, lineStyle: { color: c.muted } },
      formatter: (items: { dataIndex: number; seriesName: string }[]) => {
        const at = items[0]?.dataIndex ?? 0;
        const lines = o.series.map((s) => {
          const v = s.values[at];
          if (v === null || v === undefined) return "";
          const bounds = s.low && s.high ? ` (${write(s.low[at])} – ${write(s.high[at])})` : "";
          const count = s.counts ? `  ${plural(s.counts[at], "post")}` : "";
          return `${s.name}: ${write(v)}${bounds}${count}`;
        });
        return [(o.titles ?? o.labels)[at], ...lines, o.notes?.[at]].filter(Boolean).join("\n");
      },
    }),
    xAxis: {
      type: "category",
      data: o.labels,
      boundaryGap: o.kind === "bars",
      axisLine: { lineStyle: { color: c.line } },
      axisTick: { show: false },
      axisLabel: { color: c.muted, hideOverlap: true, fontSize: 11 },
    },
    yAxis: {
      type: "value",
      minInterval: o.shares ? undefined : 1,
      scale: o.cropped,
      max: o.shares && o.stacked ? 1 : undefined,
      axisLabel: { color: c.muted, fontSize: 11, formatter: (v: number) => (o.shares ? `${Math.round(v * 100)}%` : compact(v)) },
      splitLine: { lineStyle: { color: c.line, opacity: 0.7 } },
    },
    series: o.series.flatMap((s, i) => [{ ...line(s, o, c), ...(i === 0 && o.pins?.length ? pinned(o.pins, c) : {}) }, ...band(s, o)]),
  };
}

function line(s: Series, o: TimeOptions, c: Colors): object {
  if (o.kind === "bars" && !s.line) {
    const data = s.values.map((value, i) => {
      const unusual = s.highlighted?.[i];
      return unusual ? { value, itemStyle: unusual === "fewer" ? { color: c.surface, borderColor: c.unusual, borderWidth: 2 } : { color: c.unusual } } : value;
    });
    return { type: "bar", name: s.name, data, stack: o.stacked ? "all" : undefined, itemStyle: { color: s.color, borderRadius: o.stacked ? 0 : [3, 3, 0, 0] }, barMaxWidth: 42, cursor: o.pointer ? "pointer" : "default" };
  }
  return {
    type: "line",
    name: s.name,
    data: s.values,
    stack: o.stacked ? "all" : undefined,
    symbol: "circle",
    symbolSize: 5,
    showSymbol: s.sparse || s.values.length === 1,
    connectNulls: s.sparse,
    lineStyle: { width: o.kind === "areas" ? 1 : 2, color: s.color, type: s.dashed ? "dashed" : "solid" },
    itemStyle: { color: s.color },
    areaStyle: o.kind === "areas" ? { color: s.color, opacity: o.stacked ? 0.75 : 0.15 } : undefined,
    cursor: o.pointer ? "pointer" : "default",
  };
}

// pinned draws a line with a numbered pin above the plot for each annotation, and shades the days of
// longer ones.
function pinned(pins: Pin[], c: Colors): object {
  const quiet = { silent: true, animation: false, tooltip: { show: false } };
  const long = pins.filter((p) => p.to > p.at);
  return {
    markLine: { ...quiet, symbol: "none", label: { show: false }, lineStyle: { color: c.ink, width: 1, type: "dashed", opacity: 0.7 }, data: pins.map((p) => ({ xAxis: p.at })) },
    markPoint: {
      ...quiet,
      symbol: "roundRect",
      itemStyle: { color: c.ink },
      label: { color: c.surface, fontSize: 10, fontWeight: 600 },
      data: pins.map((p) => ({ coord: [p.at, 0], y: 12, value: p.label, symbolSize: [10 + 6 * p.label.length, 15] })),
    },
    markArea: { ...quiet, itemStyle: { color: c.ink, opacity: 0.06 }, data: long.map((p) => [{ xAxis: p.at }, { xAxis: p.to }]) },
  };
}

// band draws the bounds of a line as two stacked areas, of which only the upper one is visible.
// They have the same name as the line, so that the legend toggles them too. z puts them below the
// lines.
function band(s: Series, o: TimeOptions): object[] {
  if (!s.low || !s.high || o.stacked) return [];
  const shape = { type: "line", name: s.name, z: 1, symbol: "none", lineStyle: { opacity: 0 }, silent: true, tooltip: { show: false } };
  return [
    { ...shape, stack: `band-${s.name}`, data: s.low },
    { ...shape, stack: `band-${s.name}`, data: s.high.map((h, i) => h - s.low![i]), areaStyle: { color: s.color, opacity: 0.15 } },
  ];
}
