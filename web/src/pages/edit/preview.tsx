import { useCallback, useMemo, useRef } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { call } from "../../lib/api";
import { number, plural, shortDay } from "../../lib/format";
import { useLater, useLoad } from "../../lib/load";
import type { HighlightedPost, PreviewResponse } from "../../lib/types";
import { Card, Failed, Notice, Waiting } from "../../parts/basics";
import { PostCard } from "../../parts/postcard";
import { selectingBody, type Draft } from "./draft";

// Preview shows what the monitor would have found in the last thirty days, a moment after the draft was changed. While the
// query is not right the last preview stays, and says so.
export function Preview({ draft, ready }: { draft: Draft; ready: boolean }) {
  const last = useRef("");
  const settled = useLater(ready ? JSON.stringify({ team: draft.team, type: draft.type, ...selectingBody(draft) }) : "", 600);
  if (settled || isEmpty(draft)) last.current = settled;
  const wanted = last.current;
  const stale = settled === "" && wanted !== "";
  const { data, error, loading, reload } = useLoad(wanted || null, (signal) => call<PreviewResponse>("POST", "/manage/v1/monitors/preview", { body: JSON.parse(wanted), signal }));
  const found = useMemo(() => data && <Results found={data} zone={draft.timezone || "UTC"} />, [data]); // not drawn again at each key
  return (
    <Card title="Preview" note="Stored posts of the last 30 days" class="preview">
      {error ? (
        <Failed error={error} retry={reload} />
      ) : data ? (
        <div aria-busy={loading} class="stack tight">
          {stale && <Notice kind="warn">The query is not right yet. This is what the one before finds.</Notice>}
          <p role="status">
            <span class="figure small">{number(data.total)}</span> {data.total === 1 ? "post" : "posts"}
          </p>
          {found}
        </div>
      ) : loading ? (
        <Waiting height="14rem" label="Loading the preview" />
      ) : (
        <p class="muted">{draft.type === "SOCIAL" ? "Enter an account to see what would be found." : "Write a query to see what would be found."}</p>
      )}
    </Card>
  );
}

const isEmpty = (d: Draft) => !d.keywords.trim() && d.type !== "SOCIAL";

function Results({ found, zone }: { found: PreviewResponse; zone: string }) {
  return (
    <>
      <Days found={found} />
      <Samples posts={found.posts} zone={zone} total={found.total} />
    </>
  );
}

function Days({ found }: { found: PreviewResponse }) {
  const option = useCallback(
    (c: Colors) => timeChart({ kind: "bars", labels: found.days.map((d) => shortDay(d.date)), series: [{ name: "Posts", values: found.days.map((d) => d.count), color: c.accent }] }, c),
    [found],
  );
  return <Chart option={option} height="9rem" label={`Posts per day: ${plural(found.total, "post")} in ${plural(found.days.length, "day")}`} />;
}

function Samples({ posts, zone, total }: { posts: HighlightedPost[]; zone: string; total: number }) {
  if (!posts.length) return <p class="muted">No stored post of these days is selected. Try fewer words or other spellings.</p>;
  return (
    <>
      <h3>{posts.length < total ? `The newest ${posts.length}` : "All of them"}</h3>
      <ul class="posts samples" tabIndex={0} aria-label="Sample posts">
        {posts.map((post, i) => (
          <li key={i}>
            <PostCard post={post} zone={zone} scores={false} />
          </li>
        ))}
      </ul>
    </>
  );
}
