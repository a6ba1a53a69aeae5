import { get } from "../lib/api";
import { usePages } from "../lib/pages";
import { useQuery } from "../lib/router";
import type { AuthorPostInfo, HighlightedPost, MarkedResponse } from "../lib/types";
import { EmptyState, ErrorNotice, PageHeader, SegmentedControl, Skeleton } from "../components/basics";
import { PagedPosts } from "../components/pagedposts";
import { PostCard } from "../components/postcard";
import { RestrictedNote } from "../components/restricted";
import { marked as text } from "../strings/marks";
import { posts as postsText } from "../strings/posts";

const pageSize = 50;
const path = "/manage/v1/marked";

type By = keyof typeof text.by;

// MarkedPage lists the posts of all monitors that are assigned to the user, or starred.
export function MarkedPage() {
  const [query, change] = useQuery();
  const by: By = query.get("by") === "starred" ? "starred" : "assigned";
  const pages = usePages<AuthorPostInfo, MarkedResponse & { cursor?: string }>(`marked ${by}`, async (offset, signal) => {
    const found = await get<MarkedResponse>(path, { by, limit: pageSize, offset }, signal);
    return { ...found, cursor: found.next ? String(found.next) : undefined };
  });
  return (
    <div class="stack">
      <PageHeader title={text.title} lead={text.lead} />
      <SegmentedControl label={text.show} value={by} onChange={(b) => change({ by: b === "assigned" ? null : b })} options={(Object.keys(text.by) as By[]).map((value) => ({ value, name: text.by[value] }))} />
      {pages.error && <ErrorNotice error={pages.error} retry={pages.reload} />}
      {!pages.first && !pages.error && <Skeleton height="24rem" label={postsText.loading} />}
      {pages.first?.total === 0 && <EmptyState title={text.none[by]}>{text.hint}</EmptyState>}
      {pages.first && pages.first.total > 0 && (
        <>
          <p class="muted" role="status">
            <strong class="num">{postsText.total(pages.first.total)}</strong>
          </p>
          <RestrictedNote posts={pages.items.map((p) => p.post)} />
          <PagedPosts pages={pages} total={pages.first.total} label={text.title} keyOf={(p) => p.post.key}>
            {({ post, monitors }) => <PostCard post={post} monitors={monitors} marked={{ id: String(monitors[0].id) }} loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${monitors[0].id}/posts/${p.key}`)} />}
          </PagedPosts>
        </>
      )}
    </div>
  );
}
