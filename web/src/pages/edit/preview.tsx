import { useCallback, useMemo, useRef } from "preact/hooks";
import { Chart, type Colors } from "../../charts/chart";
import { timeChart } from "../../charts/time";
import { call } from "../../lib/api";
import { number, shortDay } from "../../lib/format";
import { useDebounced, useLoad } from "../../lib/load";
import type { HighlightedPost, PreviewResponse } from "../../lib/types";
import { Card, ErrorNotice, Notice, Skeleton } from "../../components/basics";
import { NothingStored } from "../../components/nothingstored";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { common } from "../../strings/common";
import { edit } from "../../strings/edit";
import { criteriaBody, hasAccount, type Draft } from "./draft";

// Preview shows the posts of the last 30 days that the draft would match, 600 ms after the last
// edit. While the query is invalid, the last preview remains with a notice.
export function Preview({ draft, ready }: { draft: Draft; ready: boolean }) {
  const last = useRef("");
  const settled = useDebounced(ready ? JSON.stringify({ team: draft.team, type: draft.type, ...criteriaBody(draft) }) : "", 600);
  if (settled || isEmpty(draft)) last.current = settled;
  const request = last.current;
  const stale = settled === "" && request !== "";
  const { data, error, loading, reload } = useLoad(request || null, (signal) => call<PreviewResponse>("POST", "/manage/v1/monitors/preview", { body: JSON.parse(request), signal }));
  const results = useMemo(() => data && <Results preview={data} zone={draft.timezone || "UTC"} />, [data]); // not rendered again on every keystroke
  return (
    <Card title={edit.previewTitle} note={edit.previewNote} class="preview">
      {error ? (
        <ErrorNotice error={error} retry={reload} />
      ) : data ? (
        <div aria-busy={loading} class="stack tight">
          {stale && <Notice kind="warn">{edit.previewStale}</Notice>}
          <p role="status">
            <span class="figure small">{number(data.total)}</span> {edit.previewPosts(data.total)}
          </p>
          {results}
        </div>
      ) : loading || (ready && !settled) ? (
        <Skeleton height="14rem" label={edit.previewLoading} />
      ) : (
        <p class="muted">{draft.type === "SOCIAL" ? edit.previewEmptyAccount : edit.previewEmptyQuery}</p>
      )}
    </Card>
  );
}

const isEmpty = (d: Draft) => (d.type === "SOCIAL" ? !hasAccount(d) : !d.keywords.trim());

function Results({ preview, zone }: { preview: PreviewResponse; zone: string }) {
  return (
    <>
      {!preview.empty && <Days preview={preview} />}
      {preview.empty ? <NothingStored /> : <Samples posts={preview.posts} zone={zone} total={preview.total} />}
    </>
  );
}

function Days({ preview }: { preview: PreviewResponse }) {
  const option = useCallback(
    (c: Colors) => timeChart({ kind: "bars", labels: preview.days.map((d) => shortDay(d.date)), series: [{ name: common.words.posts, values: preview.days.map((d) => d.count), color: c.accent }] }, c),
    [preview],
  );
  return <Chart option={option} height="9rem" label={edit.previewChart(preview.total, preview.days.length)} />;
}

function Samples({ posts, zone, total }: { posts: HighlightedPost[]; zone: string; total: number }) {
  if (!posts.length) return <p class="muted">{edit.previewNone}</p>;
  return (
    <>
      <h3>{posts.length < total ? edit.previewNewest(posts.length) : edit.previewAll}</h3>
      <RestrictedNote posts={posts} />
      <ul class="posts samples" tabIndex={0} aria-label={edit.previewSamples}>
        {posts.map((post, i) => (
          <li key={i}>
            <PostCard post={post} zone={zone} scores={false} />
          </li>
        ))}
      </ul>
    </>
  );
}
