import { get, urlOf } from "../../lib/api";
import { daysOf } from "../../lib/drill";
import { refine } from "../../lib/filter";
import { usePicturePosts } from "../../lib/pictures";
import { Link } from "../../lib/router";
import type { HighlightedPost, Monitor } from "../../lib/types";
import { useView } from "../../lib/view";
import { EmptyState, ErrorNotice, Skeleton } from "../../components/basics";
import { MonitorToolbar } from "../../components/monitortoolbar";
import { PagedPosts } from "../../components/pagedposts";
import { PostCard } from "../../components/postcard";
import { common } from "../../strings/common";
import { pictures as text } from "../../strings/pictures";

// PictureDetail lists the posts with a picture or a copy of it, newest first.
export function PictureDetail({ monitor, hash, version }: { monitor: Monitor; hash: string; version: number }) {
  const view = useView();
  const id = view.sub || String(monitor.id);
  const posts = usePicturePosts(id, view, hash, version);
  const back = urlOf(`/monitors/${monitor.id}/pictures`, { ...daysOf(view), filter: view.filterText, sub: view.sub });
  return (
    <div class="stack">
      <MonitorToolbar m={monitor} view={view} shown={posts.first} first={monitor.start} />
      <div class="spread">
        <h2>{text.detail}</h2>
        <Link class="button" href={back}>
          {text.back}
        </Link>
      </div>
      {posts.error && <ErrorNotice error={posts.error} retry={posts.reload} />}
      {!posts.first && !posts.error && <Skeleton height="24rem" label={text.loading} />}
      {posts.first?.total === 0 && <EmptyState title={text.gone}>{text.goneText}</EmptyState>}
      {posts.first && posts.first.total > 0 && (
        <>
          <p class="muted" role="status">
            <strong class="num">{text.posts(posts.first.total)}</strong>
          </p>
          <PagedPosts pages={posts} total={posts.first.total} label={common.pages.posts} keyOf={(p) => p.key}>
            {(post) => (
              <PostCard
                post={post}
                zone={monitor.timezone}
                marked={{ id, team: monitor.team }}
                days={{ ...view.params, timezone: monitor.timezone }}
                onPick={(field, value) => view.setFilter(refine(view.filter, field, value))}
                loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${id}/posts/${p.key}`)}
              />
            )}
          </PagedPosts>
        </>
      )}
    </div>
  );
}
