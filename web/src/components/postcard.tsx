import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { authorNameOf, authorPath, type AuthorDays } from "../lib/author";
import { localDateTime, capitalize } from "../lib/format";
import { safeHref } from "../lib/href";
import { useCorrecting } from "../lib/correction";
import { useMarking } from "../lib/marks";
import type { MarkedIn } from "../lib/members";
import type { ShownPost } from "../lib/post";
import { Link } from "../lib/router";
import { Icon } from "./icon";
import { Highlighted } from "./highlight";
import { MonitorLabels } from "./monitorlabels";
import { Pickable, type PickHandler } from "./pickable";
import { PostFacts } from "./postfacts";
import { onMarkKey, PostMarks, PostNotes } from "./postmarks";
import { PostPictures } from "./postpictures";
import { Scores } from "./scores";
import { showError } from "./toast";
import { common } from "../strings/common";

interface Props {
  post: ShownPost;
  zone?: string; // time zone of its date
  onPick?: PickHandler; // filters by an attribute of the post; without it, attributes are plain text
  loadFull?: (post: ShownPost) => Promise<ShownPost>; // returns the post with its full text
  scores?: boolean; // whether to show categories and emotions; true by default
  monitors?: { id: number; name: string }[]; // labels: the monitors that match the post
  days?: AuthorDays; // of the page, which the page of the author then shows too
  linked?: boolean; // whether the reader is signed in, so that the author links to a page and there are thumbnails; true by default
  marked?: MarkedIn; // where the team keeps what it knows about the post; without it, nothing is shown
  onCorrected?: () => void; // runs when the sentiment, emotion or category has been corrected
  children?: ComponentChildren; // actions
}

// PostCard shows a post: its author, source and time, its text with the matches highlighted, its
// pictures, its engagement and its attributes. Pages that may show restricted posts have a RestrictedNote.
export function PostCard({ post, zone, onPick, loadFull, scores = true, monitors, days, linked = true, marked, onCorrected, children }: Props) {
  const [full, setFull] = useState<{ of: ShownPost; text: ShownPost }>(); // dropped when the list is reloaded, because the highlights may change
  const shown = full?.of === post ? full.text : post;
  const marking = useMarking(post, marked);
  const correcting = useCorrecting(post, marked, onCorrected);
  return (
    <article class="card post" aria-label={labelOf(post)} tabIndex={marked && -1} onKeyDown={marked && onMarkKey}>
      <PostHeader post={post} zone={zone} days={days} onPick={onPick} linked={linked} />
      <PostText post={shown} onFull={loadFull && (async () => setFull({ of: post, text: await loadFull(post) }))} />
      {linked && <PostPictures post={post} />}
      <div class="row post-facts">
        <PostFacts post={correcting.post} onPick={onPick} scores={scores} correcting={marked && correcting} zone={zone} />
        {scores && <Scores post={correcting.post} />}
        {monitors && <MonitorLabels monitors={monitors} />}
        {children}
      </div>
      {marked && <PostMarks where={marked} marking={marking} onPick={onPick} />}
      {marked && <PostNotes marking={marking} zone={zone} />}
    </article>
  );
}

// labelOf returns the accessible name of a post.
export function labelOf(post: ShownPost): string {
  return common.postCard.label(post.type, authorOf(post), post.date ? localDateTime(post.date) : "");
}

const authorOf = (post: ShownPost) => post.author || post.authorUsername || "";

// PostHeader shows the source, author and time of a post, with a link to the original.
function PostHeader({ post, zone, days, onPick, linked }: Pick<Props, "post" | "zone" | "days" | "onPick" | "linked">) {
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
          <span class="row nowrap-row">
            {linked ? (
              <Link class="author break" href={authorPath(authorNameOf(post), post.type, { timezone: zone, ...days })} title={common.postCard.openAuthor}>
                {author}
              </Link>
            ) : (
              <span class="author break">{author}</span>
            )}
            {onPick && (
              <button type="button" class="button quiet tiny" aria-label={common.postCard.onlyAuthor(author)} title={common.postCard.onlyAuthor(author)} onClick={() => onPick("author", authorNameOf(post))}>
                <Icon name="filter" />
              </button>
            )}
          </span>
        )}
        {handle && <span class="muted break">{handle}</span>}
        {post.authorsFollowers !== undefined && <span class="muted small num">{common.postCard.followers(post.authorsFollowers)}</span>}
        {post.engagementType && post.engagementType !== "POST" && (
          <Pickable class="badge" onPick={onPick} field="engagement" value={post.engagementType}>
            {common.postTypes[post.engagementType] ?? capitalize(post.engagementType.toLowerCase())}
          </Pickable>
        )}
      </div>
      <div class="row small muted">
        {post.date && (
          <time dateTime={post.date} title={zone ? common.postCard.timeIn(zone) : undefined}>
            {localDateTime(post.date)}
          </time>
        )}
        {href && (
          <a href={href} target="_blank" rel="noreferrer noopener" class="row post-link" aria-label={common.postCard.openLabel(post.type)}>
            <Icon name="link" />
            {common.actions.open}
          </a>
        )}
      </div>
    </header>
  );
}

// PostText shows the text of a post, or that it is hidden.
function PostText({ post, onFull }: { post: ShownPost; onFull?: () => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    await onFull!().catch(showError);
    setBusy(false);
  };
  if (post.contents === undefined) return <p class="muted small">{common.restricted.text}</p>;
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
          {busy ? common.loading : common.postCard.showFull}
        </button>
      )}
    </div>
  );
}
