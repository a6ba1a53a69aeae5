import { number, percentEstimate } from "../lib/format";
import type { Interval } from "../lib/types";
import { common } from "../strings/common";

// Sparkline is a small line chart without axes. values are posts per day, hour, or minute. The line to
// the last one is dashed if it is not over yet.
export function Sparkline({ values, label, per = "day", partial }: { values: number[]; label: string; per?: "day" | "hour" | "minute"; partial?: boolean }) {
  const largest = Math.max(1, ...values);
  const step = values.length > 1 ? 100 / (values.length - 1) : 0;
  const points = values.map((v, i) => `${(i * step).toFixed(2)},${(38 - (v / largest) * 36).toFixed(2)}`);
  const full = partial && points.length > 2 ? points.slice(0, -1) : points;
  return (
    <svg class="spark" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={common.chart.peak(label, number(Math.max(0, ...values)), per)}>
      <polygon class="area" points={`0,40 ${full.join(" ")} ${full.at(-1)?.split(",")[0] ?? 100},40`} />
      <polyline class="line" points={full.join(" ")} />
      {full !== points && <polyline class="line partial" points={points.slice(-2).join(" ")} />}
    </svg>
  );
}

// StackedBar shows the shares of a whole as one bar.
export function StackedBar({ shares, label }: { shares: { name: string; share: number; interval?: Interval | null; color: string }[]; label: string }) {
  const shown = shares.filter((p) => p.share > 0);
  const text = shown.map((p) => `${p.name} ${percentEstimate({ share: p.share, interval: p.interval ?? null })}`).join(", ");
  return (
    <div class="split" role="img" aria-label={common.chart.shares(label, text)} title={text}>
      {shown.map((p) => (
        <div key={p.name} style={{ flexGrow: p.share, background: p.color }} />
      ))}
    </div>
  );
}
