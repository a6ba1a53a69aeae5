import { useState } from "preact/hooks";
import { get } from "../../lib/api";
import { ago, clock, number } from "../../lib/format";
import { useEvery, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Analysis, Page } from "../../lib/types";
import { Card, Empty, Failed, Waiting } from "../../parts/basics";
import { failed } from "../../parts/toast";
import { stateNames, stateTones } from "./answer";

// History lists the user's own analyses of the last 30 days.
export function History() {
  const { data, error, reload } = useLoad("analyses", () => get<Page<Analysis>>("/manage/v1/analyses", { limit: 20 }));
  const [older, setOlder] = useState<Page<Analysis>>();
  useEvery(data?.items.some((a) => a.state === "WAITING") ? 5000 : 0, reload);
  const next = older ? older.next : data?.next;
  const more = () =>
    get<Page<Analysis>>("/manage/v1/analyses", { limit: 20, cursor: next })
      .then((page) => setOlder((o) => ({ items: [...(o?.items ?? []), ...page.items], next: page.next })))
      .catch(failed);
  const first = data?.items ?? [];
  const items = [...first, ...(older?.items ?? []).filter((a) => !first.some((f) => f.id === a.id))];
  return (
    <Card title="Your analyses" note="Answers are kept for 30 days.">
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Waiting />}
      {data && items.length === 0 && <Empty title="None yet">Fill in the form and choose Analyse.</Empty>}
      <ul class="stack tight" aria-label="Your analyses">
        {items.map((a) => (
          <li key={a.id}>
            <Item asked={a} />
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

function Item({ asked }: { asked: Analysis }) {
  const { request: r } = asked;
  return (
    <div class="asked">
      <div class="spread">
        <Link class="break grow" href={`/analysis/${asked.id}`}>
          {r.keywords.length > 120 ? `${r.keywords.slice(0, 120)}…` : r.keywords}
        </Link>
        <span class={`badge ${stateTones[asked.state]}`}>{stateNames[asked.state]}</span>
      </div>
      <div class="spread small muted">
        <span>
          {clock(r.startDate)} – {r.startDate.slice(0, 10) === r.endDate.slice(0, 10) ? r.endDate.slice(11, 16) : clock(r.endDate)}, {r.timezone}
          {asked.posts !== null && ` · ${number(asked.posts)} posts`} · {ago(asked.created)}
        </span>
        <Link href={`/analysis?again=${asked.id}`} aria-label={`Run again: ${r.keywords.slice(0, 60)}`}>
          Run again
        </Link>
      </div>
    </div>
  );
}
