import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { timeAgo, localDateTime, number } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Analysis, Page } from "../../lib/types";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../../components/basics";
import { showError } from "../../components/toast";
import { stateNames, stateTones } from "./load";

// History lists the user's own analyses of the last 30 days.
export function History() {
  const { data, error, reload } = useLoad("analyses", () => get<Page<Analysis>>("/manage/v1/analyses", { limit: 20 }));
  const [older, setOlder] = useState<Page<Analysis>>();
  useInterval(data?.items.some((a) => a.state === "WAITING") ? 5000 : 0, reload);
  const next = older ? older.next : data?.next;
  const more = () =>
    get<Page<Analysis>>("/manage/v1/analyses", { limit: 20, cursor: next })
      .then((page) => setOlder((o) => ({ items: [...(o?.items ?? []), ...page.items], next: page.next })))
      .catch(showError);
  const first = data?.items ?? [];
  const items = [...first, ...(older?.items ?? []).filter((a) => !first.some((f) => f.id === a.id))];
  return (
    <Card title="Your analyses" note="Answers are kept for 30 days.">
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && items.length === 0 && <EmptyState title="None yet">Fill in the form and choose Analyse.</EmptyState>}
      <ul class="stack tight" aria-label="Your analyses">
        {items.map((a) => (
          <li key={a.id}>
            <Item analysis={a} />
          </li>
        ))}
      </ul>
      {next && (
        <button type="button" class="button small" onClick={more}>
          Show older ones
        </button>
      )}
    </Card>
  );
}

function Item({ analysis }: { analysis: Analysis }) {
  const { request: r } = analysis;
  return (
    <div class="asked">
      <div class="spread">
        <Link class="break grow" href={`/analysis/${analysis.id}`}>
          {r.keywords.length > 120 ? `${r.keywords.slice(0, 120)}…` : r.keywords}
        </Link>
        <span class={`badge ${stateTones[analysis.state]}`}>{stateNames[analysis.state]}</span>
      </div>
      <div class="spread small muted">
        <span>
          {localDateTime(r.startDate)} – {r.startDate.slice(0, 10) === r.endDate.slice(0, 10) ? r.endDate.slice(11, 16) : localDateTime(r.endDate)}, {r.timezone}
          {analysis.posts !== null && ` · ${number(analysis.posts)} posts`} · {timeAgo(analysis.created)}
        </span>
        <Link href={`/analysis?again=${analysis.id}`} aria-label={`Run again: ${r.keywords.slice(0, 60)}`}>
          Run again
        </Link>
      </div>
    </div>
  );
}
