import { get } from "../../lib/api";
import { categoryColor, shortCategory } from "../../lib/color";
import { daysOf, overviewHref, postsHref } from "../../lib/drill";
import { dateRange } from "../../lib/format";
import { reloadAll } from "../../lib/load";
import { Link } from "../../lib/router";
import { useDark } from "../../lib/theme";
import type { HighlightedPost, Monitor, Topic, TopicsResponse } from "../../lib/types";
import type { View } from "../../lib/view";
import { Delta } from "../../components/basics";
import { ChartCard } from "../../components/chartcard";
import { PostCard } from "../../components/postcard";
import { RestrictedNote } from "../../components/restricted";
import { Sparkline, StackedBar } from "../../components/sparkline";
import { topics as text } from "../../strings/topics";

interface Props {
  m: Monitor;
  view: View;
  target: string; // id of the monitor or of its saved filter
  t: TopicsResponse;
}

// TopicList describes each topic: its posts, words, curve, sentiment and examples.
export function TopicList(props: Props & { file: string }) {
  const { t, file } = props;
  const head = text.columns;
  const categories = t.topics[0].sentiment.map((s) => shortCategory(s.name));
  return (
    <ChartCard
      title={text.title}
      note={[text.summary(t.about, t.posts), previousNote(t)].join(" ")}
      file={file}
      table={{
        head: [head.topic, head.words, head.posts, head.share, head.previous, ...categories],
        rows: t.topics.map((x) => [x.name, x.terms.join(" "), x.posts, x.share, x.previous, ...x.sentiment.map((s) => s.posts)]),
      }}
    >
      <RestrictedNote posts={t.topics.flatMap((topic) => topic.examples)} />
      <ol class="topics">
        {t.topics.map((topic) => (
          <li key={topic.filter}>
            <TopicRow {...props} topic={topic} />
          </li>
        ))}
      </ol>
    </ChartCard>
  );
}

function previousNote(t: TopicsResponse): string {
  if (!t.previous) return text.noPrevious;
  return t.previous.coverage < 1 ? text.noChange(t.previous.coverage) : text.vsPrevious(dateRange(t.previous.start, t.previous.end));
}

function TopicRow({ m, view, target, t, topic }: Props & { topic: Topic }) {
  const dark = useDark();
  const id = String(m.id);
  const days = daysOf(view);
  const shares = topic.sentiment.map((s, i) => ({ name: shortCategory(s.name), share: topic.posts ? s.posts / topic.posts : 0, color: categoryColor(s.name, i, dark) }));
  return (
    <article class="topic" aria-label={topic.name}>
      <div class="topic-name">
        <h3>{topic.name}</h3>
        <p class="small muted">{topic.terms.join(", ")}</p>
      </div>
      <div class="topic-size">
        <Link class="figure small" href={postsHref(id, view, days, topic.filter)} aria-label={text.postsAbout(topic.posts, topic.name)} data-value={topic.posts}>
          {text.posts(topic.posts)}
        </Link>
        <p class="small muted">
          {text.share(topic.share)}
          {t.previous && t.previous.coverage === 1 && (
            <>
              {" · "}
              <Delta now={topic.posts} before={topic.previous} plain />
            </>
          )}
        </p>
      </div>
      <div class="stack tight">
        <Sparkline values={topic.steps} label={text.curve(topic.name)} per={t.step === "HOURLY" ? "hour" : "day"} />
        {shares.length > 0 && <StackedBar shares={shares} label={text.sentiment(topic.name)} />}
      </div>
      <div class="row topic-actions">
        <Link class="button small" href={postsHref(id, view, days, topic.filter)} aria-label={text.viewPostsOf(topic.name)}>
          {text.viewPosts}
        </Link>
        <Link class="button small" href={overviewHref(id, view, days, topic.filter)} aria-label={text.narrowTo(topic.name)}>
          {text.narrow}
        </Link>
      </div>
      {topic.examples.length > 0 && (
        <details class="topic-examples">
          <summary>{text.examples(topic.examples.length)}</summary>
          <ul class="posts" aria-label={text.examplesOf(topic.name)}>
            {topic.examples.map((p) => (
              <li key={p.key}>
                <PostCard post={p} zone={m.timezone} marked={{ id: target, team: m.team }} onCorrected={reloadAll} days={{ ...days, timezone: m.timezone }} loadFull={(post) => get<HighlightedPost>(`/manage/v1/monitors/${target}/posts/${post.key}`)} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}
