import { navigate, Link } from "../../lib/router";
import { withValue } from "../../lib/filter";
import { EmptyState, ErrorNotice, Notice, Skeleton } from "../../components/basics";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { analysis as text } from "../../strings/analysis";
import { Charts } from "./charts";
import { postsHref } from "./filter";
import { ResultLayout, type LoadedResult } from "./layout";
import { loadPost, usePosts } from "./load";
import { useVolume, Volume } from "./volume";

// ResultPage shows the result of an analysis: posts over time, charts and the top posts. A click on a
// part of a chart lists its posts.
export function ResultPage({ id }: { id: string }) {
  return <ResultLayout id={id}>{(loaded) => <Result loaded={loaded} />}</ResultLayout>;
}

function Result({ loaded }: { loaded: LoadedResult }) {
  const { id, analysis } = loaded;
  const volume = useVolume(id, "");
  const now = volume.data?.total;
  const file = `analysis-${id}`;
  if (analysis.posts === 0 && !now)
    return (
      <div class="card" style={{ marginBottom: "1rem" }}>
        <EmptyState title={text.noPostsTitle}>{text.noPostsText}</EmptyState>
      </div>
    );
  return (
    <div class="stack">
      {now !== undefined && analysis.posts !== null && now !== analysis.posts && <Notice>{text.changed(analysis.posts, now)}</Notice>}
      <Volume volume={volume} end={analysis.end} file={file} onPick={(span) => navigate(postsHref(id, {}, span))} />
      <Charts loaded={loaded} file={file} onPick={(filter) => navigate(postsHref(id, filter))} />
      <TopPosts loaded={loaded} />
    </div>
  );
}

const topPosts = 5;

// TopPosts lists the posts with the most engagement.
function TopPosts({ loaded: { id, analysis } }: { loaded: LoadedResult }) {
  const posts = usePosts(id, { sort: "engagement", limit: topPosts });
  return (
    <section class="stack tight" aria-labelledby="top-posts">
      <div class="spread">
        <h2 id="top-posts">{text.topPosts}</h2>
        {posts.total !== undefined && <Link href={postsHref(id, {})}>{text.allPosts(posts.total)}</Link>}
      </div>
      {posts.error && <ErrorNotice error={posts.error} retry={posts.reload} />}
      {posts.total === undefined && !posts.error && <Skeleton height="30rem" />}
      <RestrictedNote posts={posts.items} />
      <ul class="posts" aria-label={text.topPosts}>
        {posts.items.map((post) => (
          <li key={post.key}>
            <PostCard post={post} zone={analysis.request.timezone} onPick={(field, value) => navigate(postsHref(id, withValue({}, field, value)))} loadFull={(p) => loadPost(id, p.key!)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
