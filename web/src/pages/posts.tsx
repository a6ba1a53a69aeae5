import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { refine } from "../lib/filter";
import type { Monitor, HighlightedPost } from "../lib/types";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { PostCard } from "../components/postcard";
import { ExportMenu } from "./posts/export";
import { usePosts, type Posts } from "./posts/load";
import { useNames } from "./posts/names";
import { Search } from "./posts/search";
import { LabelPost } from "./posts/labelpost";
import { common } from "../strings/common";
import { posts as text } from "../strings/posts";

// PostsPage lists the posts of a monitor, newest first.
export function PostsPage({ id }: { id: string }) {
  const [version, setVersion] = useState(0); // changes when re-matching has finished, to reload the posts
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
      <MonitorToolbar m={monitor} view={view} shown={posts.days} first={monitor.start} names={names}>
        <ExportMenu id={id} view={view} total={posts.total} />
      </MonitorToolbar>
      <Search view={view} />
      {posts.error && <ErrorNotice error={posts.error} retry={posts.reload} undo={view.filterText ? { name: common.actions.clearFilters, act: () => view.setFilter({}) } : undefined} />}
      {posts.total === undefined ? !posts.error && <Skeleton height="24rem" label={text.loading} /> : <PostResults id={id} monitor={monitor} view={view} posts={posts} />}
    </div>
  );
}

// PostResults lists the loaded posts, with a button to load more.
function PostResults({ id, monitor, view, posts }: { id: string; monitor: Monitor; view: View; posts: Posts }) {
  const total = posts.total!;
  if (total === 0) return <NoPosts view={view} monitor={monitor} />;
  return (
    <>
      <h2 class="sr">{common.pages.posts}</h2>
      <p class="muted" role="status">
        <strong class="num">{text.total(total)}</strong>
        {text.order(monitor.timezone)}
      </p>
      <ul class="posts" aria-label={common.pages.posts} aria-busy={posts.loading}>
        {posts.items.map((post) => (
          <li key={post.key}>
            <PostCard
              post={post}
              zone={monitor.timezone}
              onPick={(field, value) => view.setFilter(refine(view.filter, field, value))}
              loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${id}/posts/${p.key}`)}
            >
              {monitor.type === "OPINION" && <LabelPost monitor={monitor} post={post} />}
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
          {posts.loading ? common.loading : text.loadMore}
        </button>
        <span class="muted small num">{text.shown(posts.items.length, total)}</span>
      </div>
    );
  if (posts.items.length < total) return <p class="muted">{text.onlyNewest(posts.items.length)}</p>;
  return null;
}

// NoPosts explains why the list is empty, and what to try.
function NoPosts({ view, monitor }: { view: View; monitor: Monitor }) {
  const filtered = view.filterText !== "";
  return (
    <EmptyState
      title={common.noPosts}
      actions={
        filtered && (
          <button type="button" class="button" onClick={() => view.setFilter({})}>
            {common.actions.clearFilters}
          </button>
        )
      }
    >
      {filtered ? text.noneMatch : text.noneFound(monitor.name)}
    </EmptyState>
  );
}
