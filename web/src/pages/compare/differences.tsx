import { shortCategory } from "../../lib/color";
import { percent } from "../../lib/format";
import type { Estimate } from "../../lib/types";
import { compare } from "../../strings/compare";

type Named = Estimate & { name: string };

// Differences says for which categories the rows differ: where the intervals of the highest and the
// lowest share do not overlap. Without intervals, it says nothing.
export function Differences({ rows }: { rows: { label: string; list: Named[] }[] }) {
  const estimated = rows.filter((r) => r.list.some((c) => c.interval));
  if (estimated.length < 2) return null;
  const names = [...new Set(estimated.flatMap((r) => r.list.map((c) => c.name)))];
  const clear = names.flatMap((name) => difference(name, estimated));
  return (
    <div class="small" data-differences>
      {clear.length === 0 && <p class="muted">{compare.noDifference}</p>}
      {clear.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

// difference describes the largest difference of a category, if it is clear.
function difference(name: string, rows: { label: string; list: Named[] }[]): string[] {
  const shares = rows.flatMap((r) => r.list.filter((c) => c.name === name && c.interval).map((c) => ({ label: r.label, ...c })));
  if (shares.length < 2) return [];
  const sorted = shares.sort((a, b) => b.share - a.share);
  const [high, low] = [sorted[0], sorted[sorted.length - 1]];
  if (high.interval!.low <= low.interval!.high) return [];
  return [compare.difference(shortCategory(name), high.label, percent(high.share), low.label, percent(low.share))];
}
