import { useCallback, useMemo, useRef } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { call } from "../../lib/api";
import { number, plural, shortDay } from "../../lib/format";
import { useDebounced, useLoad } from "../../lib/load";
import type { HighlightedPost, PreviewResponse } from "../../lib/types";
import { Card, ErrorNotice, Notice, Skeleton } from "../../components/basics";
import { PostCard } from "../../components/postcard";
import { criteriaBody, type Draft } from "./draft";

// Preview shows what the monitor would have found in the last thirty days, a moment after the draft was changed. While the
// query is not right the last preview stays, and says so.
export function Preview({ draft, ready }: { draft: Draft; ready: boolean }) {
  const last = useRef("");
  const settled = useDebounced(ready ? JSON.stringify({ team: draft.team, type: draft.type, ...criteriaBody(draft) }) : "", 600);
  if (settled || isEmpty(draft)) last.current = settled;
  const request = last.current;
  const stale = settled === "" && request !== "";
  const { data, error, loading, reload } = useLoad(request || null, (signal) => call<PreviewResponse>("POST", "/manage/v1/monitors/preview", { body: JSON.parse(request), signal }));
  const results = useMemo(() => data && <Results preview={data} zone={draft.timezone || "UTC"} />, [data]); // not drawn again at each key
  return (
    <Card title="Preview" note="Stored posts of the last 30 days" class="preview">
      {error ? (
        <ErrorNotice error={error} retry={reload} />
      ) : data ? (
        <div aria-busy={loading} class="stack tight">
          {stale && <Notice kind="warn">The query is not right yet. This is what the one before finds.</Notice>}
          <p role="status">
            <span class="figure small">{number(data.total)}</span> {data.total === 1 ? "post" : "posts"}
          </p>
          {results}
        </div>
      ) : loading ? (
        <Skeleton height="14rem" label="Loading the preview" />
      ) : (
        <p class="muted">{draft.type === "SOCIAL" ? "Enter an account to see what would be found." : "Write a query to see what would be found."}</p>
      )}
    </Card>
  );
}

const isEmpty = (d: Draft) => !d.keywords.trim() && d.type !== "SOCIAL";

function Results({ preview, zone }: { preview: PreviewResponse; zone: string }) {
  return (
    <>
      <Days preview={preview} />
      <Samples posts={preview.posts} zone={zone} total={preview.total} />
    </>
  );
}

function Days({ preview }: { preview: PreviewResponse }) {
  const option = useCallback(
    (c: Colors) => timeChart({ kind: "bars", labels: preview.days.map((d) => shortDay(d.date)), series: [{ name: "Posts", values: preview.days.map((d) => d.count), color: c.accent }] }, c),
    [preview],
  );
  return <Chart option={option} height="9rem" label={`Posts per day: ${plural(preview.total, "post")} in ${plural(preview.days.length, "day")}`} />;
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
