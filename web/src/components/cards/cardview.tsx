import { type ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { postsWith } from "../../lib/drill";
import { parseFilter, refine } from "../../lib/filter";
import { dateRange, fileDates, number } from "../../lib/format";
import type { CardData, Overview, PostsResponse, ShownCard } from "../../lib/types";
import { describeFilter } from "../../pages/compare/rows";
import { Authors, Hashtags, Interests, Languages, Sites, Sources } from "../../pages/overview/lists";
import { Ages, Genders, Hours } from "../../pages/overview/people";
import { Places } from "../../pages/overview/places";
import type { ChartProps, RefineHandler } from "../../pages/overview/props";
import { Emotions, Sentiment } from "../../pages/overview/sentiment";
import { LargestTopics } from "../../pages/overview/topics";
import { Totals } from "../../pages/overview/totals";
import { Volume, type LinkProps } from "../../pages/overview/volume";
import { Words } from "../../pages/overview/words";
import { Card } from "../basics";
import { CaptionContext } from "../download";
import { FrameContext } from "../frame";
import { PostCard } from "../postcard";
import { RestrictedNote } from "../restricted";
import { noteOf, pageOf, rowsOf, titleOf, viewOf, type Days } from "./card";
import { ComparisonCard } from "./comparison";
import { IncidentsCard } from "./incidents";
import { cards as text } from "../../strings/cards";
import { common } from "../../strings/common";

interface Props {
  card: ShownCard;
  data: CardData;
  days?: Days; // of the dashboard; without them, nothing links to other pages
  tools?: ComponentChildren; // at the end of the header
}

// CardView shows a card of a dashboard with its data. It loads nothing. For visitors, leave out days:
// then nothing leads into the app.
export function CardView({ card, data, days, tools }: Props) {
  return (
    <CardFrame card={card} tools={tools}>
      <CaptionContext.Provider value={captionOf(card, data)}>
        <Content card={card} data={data} days={days} />
      </CaptionContext.Provider>
    </CardFrame>
  );
}

// captionOf says in words what a card counts. Its title names the monitor.
function captionOf(card: ShownCard, data: CardData): string[] {
  const days = data.overview ?? data.topics;
  return [days?.start ? dateRange(days.start, days.end) : "", describeFilter(card.filter)];
}

// CardFrame has the title and the tools of a card. Its child is a Card or a ChartCard.
export function CardFrame({ card, tools, children }: { card: ShownCard; tools?: ComponentChildren; children: ComponentChildren }) {
  return <FrameContext.Provider value={{ title: titleOf(card), note: noteOf(card), tools, rows: rowsOf(card) }}>{children}</FrameContext.Provider>;
}

// Message is a card that has no data to show.
export const Message = ({ children }: { children: ComponentChildren }) => (
  <Card class="fill">
    <p class="muted">{children}</p>
  </Card>
);

function Content({ card, data, days }: Omit<Props, "tools">) {
  if (card.kind === "text") {
    return (
      <Card class="fill">
        <p class="card-text">{card.text}</p>
      </Card>
    );
  }
  if (data.comparison) return <ComparisonCard card={card} comparison={data.comparison} removed={data.removed} />;
  if (data.removed || card.removed) return <Message>{card.kind === "comparison" ? text.someRemoved : text.removed}</Message>;
  if (data.posts) return <Posts card={card} posts={data.posts} linked={Boolean(days)} />;
  const links: LinkProps = days && pageOf(card) ? { view: viewOf(card, days), id: pageOf(card) } : {};
  if (data.incidents) return <IncidentsCard data={data.incidents} linked={Boolean(links.id)} file={titleOf(card).replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()} />;
  if (data.topics) return <LargestTopics {...links} file={fileOf(card, data.topics)} t={data.topics} />;
  if (!data.overview?.posts) return <Message>{text.noPosts}</Message>;
  return <Chart card={card} o={data.overview} links={links} />;
}

// fileOf returns the beginning of the names of CSV files.
const fileOf = (card: ShownCard, { start, end }: { start: string; end: string }) => `${titleOf(card).replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${fileDates(start, end)}`;

// Chart shows a part of an overview.
function Chart({ card, o, links }: { card: ShownCard; o: Overview; links: LinkProps }) {
  const { view, id } = links;
  const onRefine = useMemo<RefineHandler | undefined>(() => view && ((...pairs) => view.setFilter(pairs.reduce((f, [field, value]) => refine(f, field, value), view.filter))), [card]);
  const posts = view && id ? postsWith(id, view) : undefined;
  const props: ChartProps = { o, file: fileOf(card, o), onRefine, posts };
  const onRange = view?.setRange;
  switch (card.kind) {
    case "figures":
      return (
        <Card class="fill">
          <Totals o={o} type={o.monitor.type} filter={parseFilter(card.filter)} posts={posts} />
        </Card>
      );
    case "volume":
      return <Volume {...props} {...links} onRange={onRange} />;
    case "sentiment":
      return <Sentiment {...props} pages={id && `/monitors/${id}`} onRange={onRange} />;
    case "emotions":
      return <Emotions {...props} pages={id && `/monitors/${id}`} onRange={onRange} />;
    case "sources":
      return <Sources {...props} />;
    case "sites":
      return <Sites {...props} />;
    case "languages":
      return <Languages {...props} />;
    case "places":
      return <Places {...props} />;
    case "ages":
      return <Ages {...props} />;
    case "genders":
      return <Genders {...props} />;
    case "hashtags":
      return <Hashtags {...props} />;
    case "words":
      return <Words words={o.words} file={props.file} onRefine={onRefine} />;
    case "authors":
      return <Authors {...props} />;
    case "interests":
      return <Interests {...props} />;
    case "clock":
      return <Hours {...props} />;
  }
  return null;
}

// Posts lists posts. Their texts are excerpts.
function Posts({ card, posts, linked }: { card: ShownCard; posts: PostsResponse; linked: boolean }) {
  if (posts.items.length === 0) return <Message>{text.noPosts}</Message>;
  const title = titleOf(card);
  return (
    <Card class="fill" note={text.posts(posts.items.length, number(posts.total))}>
      <div class="card-scroll" tabIndex={0} role="region" aria-label={common.chart.tableCaption(title)}>
        <RestrictedNote posts={posts.items} />
        <ul class="posts plain">
          {posts.items.map((p) => (
            <li key={p.key}>
              <PostCard post={p} linked={linked} />
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
