import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { refine } from "../lib/filter";
import { number, plural } from "../lib/format";
import type { Monitor, HighlightedPost } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { DateRange } from "../components/daterange";
import { FilterBar } from "../components/filterbar";
import { MonitorLayout } from "../components/monitorlayout";
import { PostCard } from "../components/postcard";
import { SubfilterSelect } from "../components/subfilter";
import { ExportMenu } from "./posts/export";
import { usePosts, type Posts } from "./posts/load";
import { useNames } from "./posts/names";
import { Search } from "./posts/search";
import { TeachPost } from "./posts/teachpost";

// PostsPage lists the posts of a monitor, newest first.
export function PostsPage({ id }: { id: string }) {
  const [version, setVersion] = useState(0); // posts may be others once stored ones were matched again
  return (
    <MonitorLayout id={id} onDone={() => setVersion((n) => n + 1)}>
      {(m) => <PostList monitor={m} version={version} />}
    </MonitorLayout>
  );
}

function PostList({ monitor, version }: { monitor: Monitor; version: number }) {
  const view = useView();
  const id = view.sub || String(monitor.id);
  const posts = usePosts(id, view, version);
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
      {posts.error && <ErrorNotice error={posts.error} retry={posts.reload} undo={view.filterText ? { name: "Remove the filter", act: () => view.setFilter({}) } : undefined} />}
      {posts.total === undefined ? !posts.error && <Skeleton height="24rem" label="Loading posts" /> : <PostResults id={id} monitor={monitor} view={view} posts={posts} />}
    </div>
  );
}

// PostResults shows the posts that were loaded, and a way to more of them.
function PostResults({ id, monitor, view, posts }: { id: string; monitor: Monitor; view: View; posts: Posts }) {
  const total = posts.total!;
  if (total === 0) return <NoPosts view={view} monitor={monitor} />;
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
              onPick={(field, value) => view.setFilter(refine(view.filter, field, value))}
              loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${id}/posts/${p.key}`)}
            >
              {monitor.type === "OPINION" && <TeachPost monitor={monitor} post={post} />}
            </PostCard>
          </li>
        ))}
      </ul>
      <LoadMore posts={posts} total={total} />
    </>
  );
}

function LoadMore({ posts, total }: { posts: Posts; total: number }) {
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

// NoPosts says that there are no posts, and what to try.
function NoPosts({ view, monitor }: { view: View; monitor: Monitor }) {
  const filtered = view.filterText !== "";
  return (
    <EmptyState
      title="No posts"
      actions={
        filtered && (
          <button type="button" class="button" onClick={() => view.setFilter({})}>
            Clear the filter
          </button>
        )
      }
    >
      {filtered ? "Nothing in these days matches the filter." : `Nothing was found in these days. Choose others, or look at what ${monitor.name} looks for in its settings.`}
    </EmptyState>
  );
}
