import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { timeAgo } from "../../lib/format";
import { useInterval, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Analysis, Page } from "../../lib/types";
import { Card, EmptyState, ErrorNotice, Skeleton } from "../../components/basics";
import { showError } from "../../components/toast";
import { analysis as text } from "../../strings/analysis";
import { stateTones } from "./load";

// History lists the user's analyses of the last 30 days.
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
    <Card title={text.yourAnalyses} note={text.kept}>
      {error && <ErrorNotice error={error} retry={reload} />}
      {!data && !error && <Skeleton />}
      {data && items.length === 0 && <EmptyState title={text.noneTitle}>{text.noneText}</EmptyState>}
      <ul class="stack tight" aria-label={text.yourAnalyses}>
        {items.map((a) => (
          <li key={a.id}>
            <Item analysis={a} />
          </li>
        ))}
      </ul>
      {next && (
        <button type="button" class="button small" onClick={more}>
          {text.showOlder}
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
        <span class={`badge ${stateTones[analysis.state]}`}>{text.states[analysis.state]}</span>
      </div>
      <div class="spread small muted">
        <span>{text.request(r.startDate, r.endDate, r.timezone, analysis.posts, timeAgo(analysis.created))}</span>
        <Link href={`/analysis?again=${analysis.id}`} aria-label={text.runAgainFor(r.keywords.slice(0, 60))}>
          {text.runAgain}
        </Link>
      </div>
    </div>
  );
}
