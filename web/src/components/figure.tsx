import { type ComponentChildren } from "preact";
import { compact, number } from "../lib/format";
import { Link } from "../lib/router";
import { common } from "../strings/common";

// Figure is one metric of a list with the class figures. null is an unknown number. href leads to the
// posts that it counts.
export function Figure({ name, value, extra, href }: { name: string; value: number | null; extra?: ComponentChildren; href?: string }) {
  const shown = value === null ? common.unknown : compact(value);
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd>
        <div class="figure" title={value === null ? undefined : number(value)} data-value={value}>
          {href && value ? (
            <Link href={href} aria-label={common.chart.postsOf(shown)}>
              {shown}
            </Link>
          ) : (
            shown
          )}
        </div>
        {extra}
      </dd>
    </div>
  );
}
