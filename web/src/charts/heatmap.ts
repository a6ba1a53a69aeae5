import { number, weekdayNames } from "../lib/format";
import type { Overview } from "../lib/types";
import { tooltip, type Colors, type Option } from "./chart";

// heatmapChart draws posts by the day of the week and the hour of the day.
export function heatmapChart(clock: Overview["clock"], c: Colors): Option {
  const largest = Math.max(1, ...clock.map((x) => x.posts));
  const hours = Array.from({ length: 24 }, (_, h) => `${h}`);
  return {
    grid: { left: 4, right: 4, top: 4, bottom: 4, containLabel: true },
    tooltip: tooltip(c, { trigger: "item", formatter: (p: { data: number[] }) => `${weekdayNames[p.data[1]]}, ${p.data[0]}:00 – ${p.data[0] + 1}:00\n${number(p.data[2])} posts` }),
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
