import { shortCategory } from "../../lib/color";
import { compact, daysBetween, number, percent } from "../../lib/format";
import type { MonitorType, Overview } from "../../lib/types";
import { Delta } from "../../components/basics";

// Totals are the few numbers that one looks for first.
export function Totals({ o, type }: { o: Overview; type: MonitorType }) {
  const days = Math.max(1, daysBetween(o.start, o.end));
  const leading = [...o.categories].filter((c) => !c.hidden).sort((a, b) => b.share - a.share)[0];
  return (
    <dl class="figures">
      <Total name="Posts" value={o.posts} extra={o.previous && <span title={`${number(o.previous.posts)} in as many days before`}><Delta now={o.posts} before={o.previous.posts} plain /> <span class="muted small">against before</span></span>} />
      <Total name="A day" value={Math.round(o.posts / days)} />
      <Total name="Authors" value={o.authors.count} />
      <Total name="Reach" value={o.authors.impressions} extra={<span class="muted small">followers, added up</span>} />
      {leading && leading.share > 0 && (
        <div class="card">
          <dt class="muted">{type === "OPINION" ? "Leading opinion" : "Most are"}</dt>
          <dd>
            <span class="figure small">{shortCategory(leading.name)}</span> <span class="muted">{percent(leading.share)}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Total({ name, value, extra }: { name: string; value: number; extra?: preact.ComponentChildren }) {
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd>
        <div class="figure" title={number(value)} data-value={value}>
          {compact(value)}
        </div>
        {extra}
      </dd>
    </div>
  );
}
