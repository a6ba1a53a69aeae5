import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { localDateTime, capitalize, number } from "../lib/format";
import { safeHref } from "../lib/href";
import type { ShownPost } from "../lib/post";
import { Icon } from "./icon";
import { Highlighted } from "./highlight";
import { Pickable, type PickHandler } from "./pickable";
import { PostFacts } from "./postfacts";
import { Scores } from "./scores";
import { showError } from "./toast";

interface Props {
  post: ShownPost;
  zone?: string; // in which its time is told
  onPick?: PickHandler; // refines to posts that have the same; without it nothing can be picked
  loadFull?: (post: ShownPost) => Promise<ShownPost>; // the same post with its whole text
  scores?: boolean; // false: categories and emotions are not shown
  children?: ComponentChildren; // what can be done with it
}

// PostCard shows a post: who wrote it where and when, its text with the words that matched, and what is known of it.
export function PostCard({ post, zone, onPick, loadFull, scores = true, children }: Props) {
  const [full, setFull] = useState<{ of: ShownPost; text: ShownPost }>(); // until the list is another: other words may be marked then
  const shown = full?.of === post ? full.text : post;
  return (
    <article class="card post" aria-label={labelOf(post)}>
      <PostHeader post={post} zone={zone} onPick={onPick} />
      <PostText post={shown} onFull={loadFull && (async () => setFull({ of: post, text: await loadFull(post) }))} />
      <div class="row post-facts">
        <PostFacts post={post} onPick={onPick} scores={scores} />
        {scores && <Scores post={post} />}
        {children}
      </div>
    </article>
  );
}

function labelOf(post: ShownPost): string {
  const by = authorOf(post);
  return `${post.type} post${by ? ` by ${by}` : ""}${post.date ? `, ${localDateTime(post.date)}` : ""}`;
}

const authorOf = (post: ShownPost) => post.author || post.authorUsername || "";

// PostHeader says who wrote where and when, with a link to the post itself.
function PostHeader({ post, zone, onPick }: { post: ShownPost; zone?: string; onPick?: PickHandler }) {
  const href = safeHref(post.url);
  const author = authorOf(post);
  const handle = post.authorUsername && !author.includes(post.authorUsername) ? `@${post.authorUsername}` : "";
  return (
    <header class="post-head">
      <div class="row">
        <Pickable class="badge accent" onPick={onPick} field="source" value={post.type}>
          {post.type}
        </Pickable>
        {author && (
          <Pickable class="author break" onPick={onPick} field="author" value={post.authorUsername || author}>
            {author}
          </Pickable>
        )}
        {handle && <span class="muted break">{handle}</span>}
        {post.authorsFollowers ? <span class="muted small">{number(post.authorsFollowers)} followers</span> : null}
        {post.engagementType && post.engagementType !== "POST" && (
          <Pickable class="badge" onPick={onPick} field="engagement" value={post.engagementType}>
            {capitalize(post.engagementType.toLowerCase())}
          </Pickable>
        )}
      </div>
      <div class="row small muted">
        {post.date && (
          <time dateTime={post.date} title={zone ? `Time in ${zone}` : undefined}>
            {localDateTime(post.date)}
          </time>
        )}
        {href && (
          <a href={href} target="_blank" rel="noreferrer noopener" class="row post-link" aria-label={`Open the ${post.type} post in a new tab`}>
            <Icon name="link" />
            Open
          </a>
        )}
      </div>
    </header>
  );
}

// PostText is what the post says, or why that is not shown.
function PostText({ post, onFull }: { post: ShownPost; onFull?: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    await onFull!().catch(showError);
    setBusy(false);
  };
  if (post.contents === undefined) return <p class="muted">The text of posts from {post.type} is not shown here. Open the post to read it.</p>;
  return (
    <div class="post-text" lang={post.language} dir="auto">
      {post.title && (
        <h3>
          <Highlighted text={post.title} ranges={post.marks?.title} />
        </h3>
      )}
      <p>
        <Highlighted text={post.contents} ranges={post.marks?.contents} />
      </p>
      {post.excerpt && onFull && (
        <button type="button" class="linklike small" disabled={busy} lang="en" onClick={load}>
          {busy ? "Loading…" : "Show full text"}
        </button>
      )}
    </div>
  );
}
