import { shortCategory } from "../../lib/color";
import { compact, dateRange, daysBetween, number, percent } from "../../lib/format";
import type { MonitorType, Overview } from "../../lib/types";
import { Delta } from "../../components/basics";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

// Totals shows the key metrics.
export function Totals({ o, type }: { o: Overview; type: MonitorType }) {
  const days = Math.max(1, daysBetween(o.start, o.end));
  const leading = [...o.categories].filter((c) => !c.hidden).sort((a, b) => b.share - a.share)[0];
  return (
    <dl class="figures">
      <Total
        name={common.words.posts}
        value={o.posts}
        extra={
          o.previous && (
            <span title={overview.totals.previousPosts(o.previous.posts, dateRange(o.previous.start, o.previous.end))}>
              <Delta now={o.posts} before={o.previous.posts} plain /> <span class="muted small">{overview.totals.vsPrevious(days)}</span>
            </span>
          )
        }
      />
      <Total name={overview.totals.perDay} value={Math.round(o.posts / days)} />
      <Total name={common.words.authors} value={o.authors.count} />
      <Total name={common.words.reach} value={o.authors.impressions} extra={<span class="muted small">{o.authors.impressions === null ? overview.totals.noReach : overview.totals.reach}</span>} />
      {leading && leading.share > 0 && (
        <div class="card">
          <dt class="muted">{type === "OPINION" ? overview.totals.leadingOpinion : overview.totals.dominantSentiment}</dt>
          <dd>
            <span class="figure small">{shortCategory(leading.name)}</span> <span class="muted">{percent(leading.share)}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

// Total is one metric. null is an unknown number.
function Total({ name, value, extra }: { name: string; value: number | null; extra?: preact.ComponentChildren }) {
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd>
        <div class="figure" title={value === null ? undefined : number(value)} data-value={value}>
          {value === null ? common.unknown : compact(value)}
        </div>
        {extra}
      </dd>
    </div>
  );
}
