import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { narrowedTo } from "../lib/filter";
import { number, plural } from "../lib/format";
import type { Monitor, HighlightedPost } from "../lib/types";
import { useView, type View } from "../lib/view";
import { Empty, Failed, Waiting } from "../parts/basics";
import { DateRange } from "../parts/daterange";
import { FilterBar } from "../parts/filterbar";
import { MonitorFrame } from "../parts/monitorframe";
import { PostCard } from "../parts/postcard";
import { SubfilterSelect } from "../parts/subfilter";
import { ExportMenu } from "./posts/export";
import { usePosts, type Posts } from "./posts/load";
import { useNames } from "./posts/names";
import { Search } from "./posts/search";
import { TeachPost } from "./posts/teachpost";

// PostsPage lists the posts of a monitor, newest first.
export function PostsPage({ id }: { id: string }) {
  const [turn, setTurn] = useState(0); // posts may be others once stored ones were matched again
  return (
    <MonitorFrame id={id} onDone={() => setTurn((n) => n + 1)}>
      {(m) => <PostList monitor={m} turn={turn} />}
    </MonitorFrame>
  );
}

function PostList({ monitor, turn }: { monitor: Monitor; turn: number }) {
  const view = useView();
  const id = view.sub || String(monitor.id);
  const posts = usePosts(id, view, turn);
  const names = useNames(id, view);
  return (
    <div class="stack">
      <div class="spread">
        <div class="row">
          <DateRange start={view.start} end={view.end} counted={posts.days} zone={monitor.timezone} first={monitor.start} onChange={view.setRange} />
          <SubfilterSelect m={monitor} view={view} />
        </div>
        <ExportMenu id={id} view={view} total={posts.total} />
      </div>
      <div class="posts-tools">
        <FilterBar filter={view.filter} categories={[...monitor.categories, ...monitor.emotions]} names={names} team={monitor.team} onChange={view.setFilter} />
        <Search view={view} />
      </div>
      {posts.error && <Failed error={posts.error} retry={posts.reload} undo={view.filterText ? { name: "Remove the filter", act: () => view.setFilter({}) } : undefined} />}
      {posts.total === undefined ? !posts.error && <Waiting height="24rem" label="Loading posts" /> : <Found id={id} monitor={monitor} view={view} posts={posts} />}
    </div>
  );
}

// Found shows the posts that were loaded, and a way to more of them.
function Found({ id, monitor, view, posts }: { id: string; monitor: Monitor; view: View; posts: Posts }) {
  const total = posts.total!;
  if (total === 0) return <None view={view} monitor={monitor} />;
  return (
    <>
      <h2 class="sr">Posts</h2>
      <p class="muted" role="status">
        <strong class="num">{plural(total, "post")}</strong>, newest first. Times are those of {monitor.timezone}.
      </p>
      <ul class="posts" aria-label="Posts" aria-busy={posts.loading}>
        {posts.items.map((post) => (
          <li key={post.key}>
            <PostCard
              post={post}
              zone={monitor.timezone}
              onPick={(field, value) => view.setFilter(narrowedTo(view.filter, field, value))}
              loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${id}/posts/${p.key}`)}
            >
              {monitor.type === "OPINION" && <TeachPost monitor={monitor} post={post} />}
            </PostCard>
          </li>
        ))}
      </ul>
      <Further posts={posts} total={total} />
    </>
  );
}

function Further({ posts, total }: { posts: Posts; total: number }) {
  if (posts.next)
    return (
      <div class="row">
        <button type="button" class="button" disabled={posts.loading} onClick={posts.more}>
          {posts.loading ? "Loading…" : "Load more"}
        </button>
        <span class="muted small num">
          {number(posts.items.length)} of {number(total)} shown
        </span>
      </div>
    );
  if (posts.items.length < total) return <p class="muted">Only the newest {number(posts.items.length)} posts are listed here. Choose fewer days or a filter to see others, or export all of them.</p>;
  return null;
}

// None says that there are no posts, and what to try.
function None({ view, monitor }: { view: View; monitor: Monitor }) {
  const narrowed = view.filterText !== "";
  return (
    <Empty
      title="No posts"
      actions={
        narrowed && (
          <button type="button" class="button" onClick={() => view.setFilter({})}>
            Clear the filter
          </button>
        )
      }
    >
      {narrowed ? "Nothing in these days matches the filter." : `Nothing was found in these days. Choose others, or look at what ${monitor.name} looks for in its settings.`}
    </Empty>
  );
}
