import { get } from "../../lib/api";
import { daysAround } from "../../lib/author";
import { safeHref } from "../../lib/href";
import { addDays, number } from "../../lib/format";
import { reloadAll } from "../../lib/load";
import { Link } from "../../lib/router";
import type { Explanation, HighlightedPost, Story } from "../../lib/types";
import { Card, ProgressBar } from "../../components/basics";
import { Icon } from "../../components/icon";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { Sparkline } from "../../components/sparkline";
import { why } from "../../strings/why";

interface Props {
  e: Explanation;
  target: string; // id of the monitor or of its saved filter
  zone: string;
  href: (filter: string) => string; // of the posts that a filter selects
}

// Stories shows the groups of words that explain why there are more posts.
export function Stories({ e, target, zone, href }: Props) {
  if (e.stories.length === 0) return null;
  return (
    <section class="stack" aria-label={why.stories}>
      <RestrictedNote posts={e.stories.flatMap((s) => [s.earliest, s.top]).filter((p) => p !== null)} />
      {e.stories.map((s) => (
        <StoryCard key={s.filter} s={s} e={e} target={target} zone={zone} href={href} />
      ))}
    </section>
  );
}

// lastDay returns the last day of the period, whose end is exclusive.
const lastDay = (e: Explanation) => (e.to.slice(11, 19) === "00:00:00" ? addDays(e.to.slice(0, 10), -1) : e.to.slice(0, 10));

function StoryCard({ s, e, target, zone, href }: Props & { s: Story }) {
  const same = s.earliest && s.top && s.earliest.key === s.top.key;
  const posts: [string, HighlightedPost | null][] = same ? [[why.earliestAndTop, s.earliest]] : [
    [why.earliest, s.earliest],
    [why.top, s.top],
  ];
  const days = daysAround(e.from.slice(0, 10), addDays(lastDay(e), 1), zone);
  return (
    <Card
      title={s.name}
      note={why.storyPosts(s.posts, s.expected)}
      tools={
        <Link class="button" href={href(s.filter)} aria-label={why.viewPostsOf(s.name)}>
          {why.viewPosts}
        </Link>
      }
    >
      <div class="story">
        <div class="stack tight">
          <ProgressBar share={s.share} label={why.storyShare(s.share)} />
          <strong>{why.storyShare(s.share)}</strong>
          <Sparkline values={curveOf(s, e)} label={why.storyCurve} per={e.step === "HOURLY" ? "hour" : "day"} />
        </div>
        <dl class="facts">
          <dt>{why.words}</dt>
          <dd>{s.terms.join(", ")}</dd>
          {s.links.length > 0 && (
            <>
              <dt>{why.links}</dt>
              <dd>
                <ul>
                  {s.links.map((l) => (
                    <li key={l.name}>
                      <Link href={href(l.filter)} title={why.postsWith(l.name)}>
                        {l.name}
                      </Link>{" "}
                      <span class="nowrap">
                        <span class="muted num">{number(l.posts)}</span>{" "}
                        <a href={safeHref(`https://${l.name}`)} target="_blank" rel="noreferrer noopener" aria-label={why.openLink(l.name)} title={why.openLink(l.name)}>
                          <Icon name="link" />
                        </a>
                      </span>
                    </li>
                  ))}
                </ul>
              </dd>
            </>
          )}
        </dl>
      </div>
      <div class="columns story-posts">
        {posts.map(
          ([title, post]) =>
            post && (
              <div key={title} class={same ? undefined : "c6"}>
                <h3>{title}</h3>
                <PostCard post={post} zone={zone} marked={{ id: target }} onCorrected={reloadAll} days={days} loadFull={(p) => get<HighlightedPost>(`/manage/v1/monitors/${target}/posts/${p.key}`)} />
              </div>
            ),
        )}
      </div>
    </Card>
  );
}

// curveOf returns the posts of a story in each step of the period. The server returns hours with
// posts only.
function curveOf(s: Story, e: Explanation): number[] {
  const begins = e.steps.map((step) => Date.parse(step.time));
  const values = begins.map(() => 0);
  for (const h of s.hours) {
    const next = begins.findIndex((b) => b > Date.parse(h.time));
    values[(next < 0 ? begins.length : Math.max(1, next)) - 1] += h.posts;
  }
  return values;
}
