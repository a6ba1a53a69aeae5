import { number } from "../lib/format";

// Sparkline is a line of numbers without axes.
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const largest = Math.max(1, ...values);
  const step = values.length > 1 ? 100 / (values.length - 1) : 0;
  const points = values.map((v, i) => `${(i * step).toFixed(2)},${(38 - (v / largest) * 36).toFixed(2)}`);
  return (
    <svg class="spark" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={`${label}: largest day ${number(largest)}`}>
      <polygon class="area" points={`0,40 ${points.join(" ")} 100,40`} />
      <polyline class="line" points={points.join(" ")} />
    </svg>
  );
}

// StackedBar is how a whole is divided, as one bar.
export function StackedBar({ shares, label }: { shares: { name: string; share: number; color: string }[]; label: string }) {
  const shown = shares.filter((p) => p.share > 0);
  const text = shown.map((p) => `${p.name} ${Math.round(p.share * 100)} %`).join(", ");
  return (
    <div class="split" role="img" aria-label={`${label}: ${text || "none"}`} title={text}>
      {shown.map((p) => (
        <div key={p.name} style={{ flexGrow: p.share, background: p.color }} />
      ))}
    </div>
  );
}
