import { shortCategory } from "../../lib/color";
import { dateRange, daysBetween, percentEstimate } from "../../lib/format";
import type { MonitorType, Overview } from "../../lib/types";
import { Delta } from "../../components/basics";
import { Figure } from "../../components/figure";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

// Totals shows the key metrics.
export function Totals({ o, type }: { o: Overview; type: MonitorType }) {
  const days = Math.max(1, daysBetween(o.start, o.end));
  const leading = [...o.categories].filter((c) => !c.hidden).sort((a, b) => b.share - a.share)[0];
  return (
    <dl class="figures">
      <Figure
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
      <Figure name={overview.totals.perDay} value={Math.round(o.posts / days)} />
      <Figure name={common.words.authors} value={o.authors.count} />
      <Figure name={common.words.reach} value={o.authors.impressions} extra={<span class="muted small">{o.authors.impressions === null ? overview.totals.noReach : overview.totals.reach}</span>} />
      {leading && leading.share > 0 && (
        <div class="card">
          <dt class="muted">{type === "OPINION" ? overview.totals.leadingOpinion : overview.totals.dominantSentiment}</dt>
          <dd>
            <span class="figure small">{shortCategory(leading.name)}</span> <span class="muted nowrap">{percentEstimate(leading)}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}
