import { shortCategory } from "../../lib/color";
import type { PostsHref } from "../../lib/drill";
import { categoryFields, fieldOf, filterKeys, type Filter } from "../../lib/filter";
import { dateRange, daysBetween, percent, percentEstimate } from "../../lib/format";
import type { MonitorType, Overview } from "../../lib/types";
import { Delta } from "../../components/basics";
import { Figure } from "../../components/figure";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

// Totals shows the key metrics of posts that a filter selects.
export function Totals({ o, type, filter, posts }: { o: Overview; type: MonitorType; filter: Filter; posts?: PostsHref }) {
  const days = Math.max(1, daysBetween(o.start, o.end));
  return (
    <dl class="figures">
      <Figure
        name={common.words.posts}
        value={o.posts}
        href={posts?.()}
        extra={
          o.previous && (
            <span title={overview.totals.previousPosts(o.previous.posts, dateRange(o.previous.start, o.previous.end))}>
              <Delta now={o.posts} before={o.previous.posts} plain /> <span class="muted small">{overview.totals.vsPrevious(days)}</span>
            </span>
          )
        }
      />
      <Figure name={overview.totals.perDay} value={Math.round(o.posts / daysWithPosts(o))} />
      <Figure name={common.words.authors} value={o.authors.count} />
      <Figure name={common.words.reach} value={o.authors.impressions} extra={<span class="muted small">{o.authors.impressions === null ? overview.totals.noReach : overview.totals.reach}</span>} />
      <Leading o={o} type={type} filter={filter} />
    </dl>
  );
}

// daysWithPosts returns the number of days since the first post, if there are none before the period:
// then nothing was collected until that day. Otherwise, it returns the number of all days.
function daysWithPosts({ days, previous }: Overview): number {
  const first = days.findIndex((d) => d.posts > 0);
  return Math.max(1, previous?.posts || first < 0 ? days.length : days.length - first);
}

// Leading names the category with the largest share, unless the interval of another one overlaps with
// its interval. Posts that were selected by category have none worth naming.
function Leading({ o, type, filter }: { o: Overview; type: MonitorType; filter: Filter }) {
  const [first, second] = o.categories.filter((c) => !c.hidden).sort((a, b) => b.share - a.share);
  if (!first?.share || filterKeys(filter).some((key) => categoryFields.includes(fieldOf(key)))) return null;
  const unclear = second?.interval && first.interval && second.interval.high > first.interval.low;
  const text = overview.totals;
  return (
    <div class="card">
      <dt class="muted">{type === "OPINION" ? text.leadingOpinion : text.dominantSentiment}</dt>
      <dd>
        <span class="figure small">{unclear ? text.noLeader : shortCategory(first.name)}</span>{" "}
        {unclear ? <div class="muted small">{text.contenders([first, second].map((c) => [shortCategory(c.name), percent(c.share)]))}</div> : <span class="muted nowrap">{percentEstimate(first)}</span>}
      </dd>
    </div>
  );
}
