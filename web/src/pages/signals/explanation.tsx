import { useState } from "preact/hooks";
import { ApiError, get } from "../../lib/api";
import { safeHref } from "../../lib/href";
import { reloadAll, useLoad } from "../../lib/load";
import { Link } from "../../lib/router";
import { signalDays, signalPosts } from "../../lib/signals";
import type { HighlightedPost, SignalPage } from "../../lib/types";
import { Card, ProgressBar, Skeleton } from "../../components/basics";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { signals } from "../../strings/signals";

const text = signals.detail;

// Explanation says what a signal is about: stories, words that stand out, and some posts.
export function Explanation({ s }: { s: SignalPage }) {
  const e = s.explanation;
  return (
    <Card title={text.why}>
      <div class="stack">
        {!e && (
          <p class="muted">
            {text.noWhy}. {s.state === "firing" && text.noWhyHint}
          </p>
        )}
        {e?.sentence && <p class="signal-sentence">{e.sentence}</p>}
        {e && e.stories.length > 0 && (
          <ul class="stack tight">
            {e.stories.map((story) => (
              <li key={story.name} class="signal-story">
                <div class="spread">
                  <strong class="break">{story.name}</strong>
                  <Link class="button small" href={signalPosts(s, story.filter)} aria-label={text.viewStory(story.name)}>
                    {text.viewPosts}
                  </Link>
                </div>
                <ProgressBar share={story.share} label={text.story(story.posts, story.share)} />
                <span class="small muted">{text.story(story.posts, story.share)}</span>
                {story.link && (
                  <a class="small break" href={safeHref(`https://${story.link}`)} target="_blank" rel="noreferrer noopener">
                    {story.link}
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
        {e && e.words.length > 0 && (
          <p class="row" role="group" aria-label={text.words}>
            <span class="small muted">{text.words}:</span>
            {e.words.map((word) => (
              <Link key={word} class="badge" href={signalPosts(s, `keywords:"${word}"`)}>
                {word}
              </Link>
            ))}
          </p>
        )}
        {s.newcomers.length > 0 && (
          <p>
            <span class="small muted">{text.newcomers}: </span>
            {s.newcomers.map((n) => text.newcomer(n.label, n.posts)).join(", ")}
          </p>
        )}
        {e && e.posts.length > 0 && <Posts s={s} keys={e.posts} title={text.examples} />}
      </div>
    </Card>
  );
}

const shownMatches = 10;

// Matches shows the posts that a rule about posts found, newest first.
export function Matches({ s }: { s: SignalPage }) {
  const [all, setAll] = useState(shownMatches);
  const keys = [...s.posts].reverse();
  return (
    <Card title={text.matches}>
      <div class="stack">
        <Posts s={s} keys={keys.slice(0, all)} />
        {keys.length > all && (
          <button type="button" class="button small" onClick={() => setAll(all + shownMatches)}>
            {text.moreMatches(keys.length - all)}
          </button>
        )}
      </div>
    </Card>
  );
}

// Posts shows posts by their keys. It leaves out those that were deleted.
function Posts({ s, keys, title }: { s: SignalPage; keys: string[]; title?: string }) {
  const id = s.monitor.id;
  const path = (key: string) => `/manage/v1/monitors/${id}/posts/${key}`;
  const unique = [...new Set(keys)];
  const { data } = useLoad(`posts of signal ${s.id}: ${unique.join()}`, async (signal) => {
    const found = await Promise.all(
      unique.map((key) =>
        get<HighlightedPost>(path(key), undefined, signal).catch((err) => {
          if (err instanceof ApiError && err.status === 404) return null;
          throw err;
        }),
      ),
    );
    return found.filter((p) => p !== null);
  });
  if (!data) return <Skeleton height={`${Math.min(3, unique.length) * 9}rem`} label={signals.loading} />;
  if (data.length === 0) return null;
  return (
    <section class="stack tight" aria-label={title ?? text.matches}>
      {title && <h3>{title}</h3>}
      <RestrictedNote posts={data} />
      <ul class="posts">
        {data.map((p) => (
          <li key={p.key}>
            <PostCard post={p} zone={s.timezone} marked={{ id: String(id) }} days={{ ...signalDays(s), timezone: s.timezone }} onCorrected={reloadAll} loadFull={(shown) => get<HighlightedPost>(path(shown.key ?? p.key))} />
          </li>
        ))}
      </ul>
    </section>
  );
}
