import { hour, weekdayNames } from "../lib/format";
import type { Overview } from "../lib/types";
import { tooltip, type Colors, type Option } from "./chart";
import { common } from "../strings/common";

// heatmapChart draws posts by weekday and hour.
export function heatmapChart(clock: Overview["clock"], c: Colors): Option {
  const largest = Math.max(1, ...clock.map((x) => x.posts));
  const hours = Array.from({ length: 24 }, (_, h) => hour(h));
  return {
    grid: { left: 4, right: 4, top: 4, bottom: 4, containLabel: true },
    tooltip: tooltip(c, { trigger: "item", formatter: (p: { data: number[] }) => common.chart.hour(weekdayNames[p.data[1]], hour(p.data[0]), hour(p.data[0] + 1), p.data[2]) }),
    xAxis: { type: "category", data: hours, axisLine: { show: false }, axisTick: { show: false }, axisLabel: { color: c.muted, fontSize: 11, hideOverlap: true } },
    yAxis: { type: "category", data: weekdayNames.map((n) => n.slice(0, 3)), inverse: true, axisLine: { show: false }, axisTick: { show: false }, axisLabel: { color: c.muted, fontSize: 11 } },
    visualMap: { type: "continuous", show: false, min: 0, max: largest, inRange: { color: c.dark ? ["#1e2635", "#33508f", "#9bb6ff"] : ["#f0f3fa", "#9db5ee", "#2347ad"] } },
    series: [
      {
        type: "heatmap",
        progressive: 0,
        animation: false,
        data: clock.map((x) => [x.hour, weekdayNames.indexOf(x.weekday), x.posts]),
        itemStyle: { borderColor: c.surface, borderWidth: 2, borderRadius: 4 },
        emphasis: { itemStyle: { borderColor: c.ink, borderWidth: 1 } },
      },
    ],
  };
}
