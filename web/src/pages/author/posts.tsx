import { get, urlOf } from "../../lib/api";
import { usePages } from "../../lib/pages";
import type { AuthorInfo, AuthorPostInfo, AuthorPostsResponse, HighlightedPost } from "../../lib/types";
import { ErrorNotice, Skeleton } from "../../components/basics";
import { PagedPosts } from "../../components/pagedposts";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { useOrder } from "../posts/load";
import { OrderSelect } from "../posts/order";
import type { AuthorQuery } from "./query";
import { author as text } from "../../strings/author";
import { posts as postsText } from "../../strings/posts";

const pageSize = 20;
const listPath = "/manage/v1/author/posts";

// AuthorPosts lists the posts with the most engagement, and below them all posts in an order that
// the user chooses. If the author has few posts, it only lists them all.
export function AuthorPosts({ q, info }: { q: AuthorQuery; info: AuthorInfo }) {
  const [order, setOrder] = useOrder();
  const query = { ...q, sort: order };
  const pages = usePages<AuthorPostInfo, AuthorPostsResponse>(urlOf(listPath, query), (cursor, signal) => get<AuthorPostsResponse>(listPath, { ...query, limit: pageSize, cursor }, signal));
  const isMore = info.posts > info.top.length;
  return (
    <>
      <RestrictedNote posts={[...(isMore ? info.top : []), ...pages.items].map((p) => p.post)} />
      {isMore && (
        <section class="stack tight" aria-label={text.topPosts}>
          <h2>
            {text.topPosts} <span class="small muted">{text.topNote}</span>
          </h2>
          <ul class="posts" aria-label={text.topPosts}>
            {info.top.map((p) => (
              <li key={p.post.key} data-key={p.post.key}>
                <AuthorPostCard q={q} item={p} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section class="stack tight" aria-label={text.allPosts}>
        <div class="posts-tools">
          <h2>
            {text.allPosts} <span class="small muted num">{postsText.total(info.posts)}</span>
          </h2>
          <OrderSelect order={order} onChange={setOrder} without="relevance" />
        </div>
        {pages.error && <ErrorNotice error={pages.error} retry={pages.reload} />}
        {pages.first ? (
          <PagedPosts pages={pages} total={pages.first.total} label={text.allPosts} keyOf={(p) => p.post.key}>
            {(p) => <AuthorPostCard q={q} item={p} />}
          </PagedPosts>
        ) : (
          !pages.error && <Skeleton height="24rem" label={postsText.loading} />
        )}
      </section>
    </>
  );
}

// AuthorPostCard shows a post with the monitors that match it.
function AuthorPostCard({ q, item: { post, monitors } }: { q: AuthorQuery; item: AuthorPostInfo }) {
  const { range, start, end, timezone } = q;
  return <PostCard post={post} zone={timezone} marked={{ id: String(monitors[0].id) }} days={{ range, start, end, timezone }} monitors={monitors} loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${monitors[0].id}/posts/${p.key}`)} />;
}
