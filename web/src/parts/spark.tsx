import { number } from "../lib/format";

// Spark is a line of numbers without axes.
export function Spark({ values, label }: { values: number[]; label: string }) {
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

// Split is how a whole is divided, as one bar.
export function Split({ parts, label }: { parts: { name: string; share: number; color: string }[]; label: string }) {
  const shown = parts.filter((p) => p.share > 0);
  const text = shown.map((p) => `${p.name} ${Math.round(p.share * 100)} %`).join(", ");
  return (
    <div class="split" role="img" aria-label={`${label}: ${text || "none"}`} title={text}>
      {shown.map((p) => (
        <div key={p.name} style={{ flexGrow: p.share, background: p.color }} />
      ))}
    </div>
  );
}
