import { useState } from "preact/hooks";
import { get } from "../lib/api";
import { fieldOf, filterKeys, refine, type FilterField } from "../lib/filter";
import { maxSelected, useSelection } from "../lib/selection";
import type { Monitor, HighlightedPost } from "../lib/types";
import { Link } from "../lib/router";
import { useView, type View } from "../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../components/basics";
import { MonitorLayout } from "../components/monitorlayout";
import { MonitorToolbar } from "../components/monitortoolbar";
import { PagedPosts } from "../components/pagedposts";
import { PinButton, PinContext } from "../components/pin";
import { labelOf, PostCard } from "../components/postcard";
import { RestrictedNote } from "../components/restricted";
import { toast } from "../components/toast";
import { Copies } from "./posts/copies";
import { ExportMenu } from "./posts/export";
import { LabelPost } from "./posts/labelpost";
import { useGrouping, useOrder, usePosts, type PostList as List, type Posts } from "./posts/load";
import { DensitySwitch, GroupSwitch, OrderSelect } from "./posts/order";
import { Search } from "./posts/search";
import { SelectionBar } from "./posts/selected";
import { common } from "../strings/common";
import { label } from "../strings/label";
import { posts as text } from "../strings/posts";

// PostsPage lists the posts of a monitor.
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
  const [order, setOrder] = useOrder();
  const [group, setGroup] = useGrouping();
  const list = { id: view.sub || String(monitor.id), view, order, group };
  const posts = usePosts(list, version);
  return (
    <div class="stack">
      <MonitorToolbar m={monitor} view={view} shown={posts.first} first={monitor.start} ownExport>
        <div class="row">
          <PinContext.Provider value={{ team: monitor.team, card: { monitor: Number(list.id), filter: view.filterText }, days: view }}>
            <PinButton kind="posts" title={common.pages.posts} more={{ sort: order }} class="button not-phone" text />
          </PinContext.Provider>
          <ExportMenu id={list.id} view={view} total={posts.error ? undefined : posts.first?.total} />
        </div>
      </MonitorToolbar>
      <div class="posts-tools">
        <Search view={view} />
        <div class="row">
          <DensitySwitch />
          <GroupSwitch on={group} onChange={setGroup} />
          <OrderSelect order={order} onChange={setOrder} />
        </div>
      </div>
      {posts.error && <ErrorNotice error={posts.error} retry={posts.reload} undo={undoOf(view, group, setGroup)} />}
      {posts.first ? <PostResults list={list} monitor={monitor} posts={posts} /> : !posts.error && <Skeleton height="24rem" label={text.loading} />}
    </div>
  );
}

// undoOf returns what may lift an error: turning off grouping, which has a limit, or the filters.
function undoOf(view: View, group: boolean, setGroup: (on: boolean) => void) {
  if (group) return { name: text.ungroup, act: () => setGroup(false) };
  if (view.filterText) return { name: common.actions.clearFilters, act: () => view.setFilter({}) };
  return undefined;
}

// A correction changes which posts these fields select.
const correctable: FilterField[] = ["sentiment", "emotion", "category", "corrected"];

// PostResults lists the loaded posts, each group of similar posts once if they are grouped.
function PostResults({ list, monitor, posts }: { list: List; monitor: Monitor; posts: Posts }) {
  const { view, id } = list;
  const { total, groups } = posts.first!;
  const [, setVersion] = useState(0); // changes when several posts have changed
  const keys = posts.items.map((p) => p.key);
  const selection = useSelection(JSON.stringify([id, view.params]), keys, () => toast(text.select.atMost(maxSelected), ""));
  const onCorrected = filterKeys(view.filter).some((key) => correctable.includes(fieldOf(key))) ? posts.reload : undefined;
  if (total === 0) return <NoPosts view={view} monitor={monitor} />;
  return (
    <>
      <h2 class="sr">{common.pages.posts}</h2>
      <div class="spread muted">
        <p role="status">
          <strong class="num">{text.total(total)}</strong>
          {groups !== undefined && <span class="num">{text.inGroups(groups)}</span>}
          {text.times(monitor.timezone)}
        </p>
        <Link href={`/monitors/${monitor.id}/label`}>{label.title}</Link>
      </div>
      <RestrictedNote posts={posts.items} />
      <PagedPosts pages={posts} total={groups ?? total} label={common.pages.posts} keyOf={(p) => p.key} selection={selection} nameOf={labelOf}>
        {(post) => (
          <>
            <PostCard
              post={post}
              zone={monitor.timezone}
              marked={{ id, team: monitor.team }}
              onCorrected={onCorrected}
              days={{ ...view.params, timezone: monitor.timezone }}
              onPick={(field, value) => view.setFilter(refine(view.filter, field, value))}
              loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${id}/posts/${p.key}`)}
            >
              {monitor.type === "OPINION" && <LabelPost monitor={monitor} post={post} />}
            </PostCard>
            <Copies list={list} post={post} zone={monitor.timezone} />
          </>
        )}
      </PagedPosts>
      {!posts.hasMore && groups !== undefined && posts.items.length < groups && <p class="muted">{text.onlyFirst(posts.items.length)}</p>}
      <SelectionBar
        id={id}
        monitor={monitor}
        selection={selection}
        posts={posts.items.filter((p) => selection.has(p.key))}
        loaded={keys.length}
        reload={posts.reload}
        onChanged={({ correction }) => {
          setVersion((n) => n + 1);
          if (correction) onCorrected?.();
        }}
      />
    </>
  );
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
