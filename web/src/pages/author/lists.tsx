import { urlOf } from "../../lib/api";
import { categoryColor, shortCategory } from "../../lib/color";
import { formatFilter, withValue } from "../../lib/filter";
import { capitalize } from "../../lib/format";
import { useDark } from "../../lib/theme";
import type { AuthorInfo } from "../../lib/types";
import { Bars, type Bar } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { AuthorQuery } from "./query";
import { author as text } from "../../strings/author";
import { common } from "../../strings/common";

interface Props {
  q: AuthorQuery;
  info: AuthorInfo;
  file: string;
}

// AuthorLists shows the author's monitors, topics, hashtags, sentiment, emotions, post types and
// languages.
export function AuthorLists({ q, info, file }: Props) {
  const dark = useDark();
  const plain = (list: { name: string; posts: number }[], nameOf = (name: string) => name): Bar[] => list.map((x) => ({ id: x.name, name: nameOf(x.name), value: x.posts }));
  const colored = (list: { name: string; posts: number }[], kind: "category" | "emotion"): Bar[] =>
    list.map((x, i) => ({ id: x.name, name: shortCategory(x.name), value: x.posts, color: `color-mix(in srgb, ${categoryColor(x.name, i, dark, kind)} 32%, transparent)` }));
  const monitors = info.monitors.map((m) => ({ id: String(m.id), name: m.name, value: m.posts, href: postsIn(m.id, q) }));
  const types = plain(info.engagementTypes, (name) => common.postTypes[name] ?? capitalize(name.toLowerCase()));
  return (
    <>
      <List title={common.words.monitors} id="monitors" file={file} bars={monitors} total={info.posts} />
      <List title={text.topics} id="topics" file={file} bars={plain(info.topics)} empty={text.noTopics} />
      <List title={common.words.hashtags} id="hashtags" file={file} bars={plain(info.hashtags, (name) => `#${name}`)} empty={text.noHashtags} />
      <List title={common.words.sentiment} id="sentiment" file={file} bars={colored(info.sentiment, "category")} total={info.posts} />
      <List title={common.words.emotions} id="emotions" file={file} bars={colored(info.emotions, "emotion")} total={info.posts} />
      <div class="c4 stack">
        {info.sources.length > 1 && <List title={common.words.sources} id="sources" file={file} bars={plain(info.sources)} total={info.posts} />}
        <List title={text.postTypes} id="post-types" file={file} bars={types} total={info.posts} />
        <List title={common.words.languages} id="languages" file={file} bars={plain(info.languages)} total={info.posts} />
      </div>
    </>
  );
}

// postsIn returns the URL of the author's posts in a monitor.
function postsIn(monitor: number, { name, source, range, start, end }: AuthorQuery): string {
  const filter = withValue(source ? withValue({}, "source", source) : {}, "author", name);
  return urlOf(`/monitors/${monitor}/posts`, { range, start, end, filter: formatFilter(filter) });
}

function List({ title, id, file, bars, total, empty }: { title: string; id: string; file: string; bars: Bar[]; total?: number; empty?: string }) {
  return (
    <ChartCard class="c4" title={title} file={`${file}-${id}`} table={{ head: [common.words.name, common.words.posts], rows: bars.map((b) => [b.name, b.value]) }}>
      <Bars bars={bars} total={total} empty={empty} />
    </ChartCard>
  );
}
