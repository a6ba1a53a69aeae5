import { number, percent } from "../lib/format";
import { Link } from "../lib/router";
import { Icon } from "./icon";
import { common } from "../strings/common";

export interface Bar {
  id: string;
  name: string;
  value: number;
  text?: string; // shown instead of the value
  note?: string;
  title?: string; // shown when the pointer is over it
  color?: string;
  href?: string; // makes the bar a link
  posts?: string; // URL of the posts that the value counts
  page?: { href: string; label: string }; // a page about it, to which an icon beside the bar links
}

// Bars is a horizontal bar chart made of HTML. A click on a bar calls onPick. If it is wordy, its notes
// are sentences, which wrap so that they do not shorten the names.
export function Bars({ bars, total, onPick, empty = common.chart.noData, pickLabel, wordy }: { bars: Bar[]; total?: number; onPick?: (bar: Bar) => void; empty?: string; pickLabel?: (bar: Bar) => string; wordy?: boolean }) {
  if (bars.length === 0 || bars.every((b) => b.value === 0)) return <p class="muted">{empty}</p>;
  const largest = Math.max(...bars.map((b) => b.value));
  return (
    <ul class={`bars ${wordy ? "wordy" : ""}`}>
      {bars.map((b) => {
        const linked = b.posts !== undefined && b.value > 0;
        const size = <span class="size" style={{ width: `${(b.value / largest) * 100}%`, background: b.color }} />;
        const shown = b.text ?? number(b.value);
        const note = b.note ?? (total ? percent(b.value / total) : "");
        const value = (
          <>
            {shown}
            {note && <span class="muted"> {note}</span>}
          </>
        );
        const inside = (
          <>
            {!linked && size}
            <span class="label">{b.name}</span>
            {!linked && <span class="value">{value}</span>}
          </>
        );
        return (
          <li key={b.id} class={`${b.page ? "with-page" : ""} ${linked ? "with-posts" : ""}`}>
            {linked && size}
            {b.href ? (
              <Link class="bar" href={b.href} title={b.title}>
                {inside}
              </Link>
            ) : onPick ? (
              <button type="button" title={pickLabel?.(b) ?? common.filter.showOnly(b.name)} onClick={() => onPick(b)}>
                {inside}
              </button>
            ) : (
              <div class="bar" title={b.title}>{inside}</div>
            )}
            {linked && (
              <Link class="value" href={b.posts!} aria-label={common.chart.postsOf(`${shown} ${note}`.trim(), b.name)} title={common.chart.viewPosts}>
                {value}
              </Link>
            )}
            {b.page && (
              <Link class="button quiet tiny" href={b.page.href} aria-label={b.page.label} title={b.page.label}>
                <Icon name="person" />
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
