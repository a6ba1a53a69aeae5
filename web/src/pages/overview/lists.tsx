import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { authorPath } from "../../lib/author";
import type { FilterField } from "../../lib/filter";
import { capitalize } from "../../lib/format";
import type { AuthorCount, CardKind, InterestCount, NameCount } from "../../lib/types";
import { useView } from "../../lib/view";
import { SegmentedControl } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import { useFrame } from "../../components/frame";
import type { ChartProps } from "./props";
import { common } from "../../strings/common";
import { overview } from "../../strings/overview";

interface ListProps<T extends NameCount> extends ChartProps {
  title: string;
  id: string; // part of the names of CSV files
  pin?: CardKind;
  note?: ComponentChildren;
  list: T[];
  field: FilterField;
  value?: (c: T) => string; // value of the filter; the name by default
  show?: (c: T) => string;
  total?: number;
  size?: string;
  tools?: ComponentChildren;
  empty?: string;
  notes?: (c: T) => string | undefined;
  page?: (c: T) => { href: string; label: string }; // a page about it
  columns?: { head: string; of: (c: T) => number | null }[]; // more columns of the table, after the posts
}

const initialRows = 10;

// List shows the most frequent values, in descending order: the first ten, or all.
function List<T extends NameCount>({ title, id, pin, note, list, field, value = (c) => c.name, show = (c) => c.name, total, size = "c4", tools, empty, notes, page, columns = [], file, onRefine, posts }: ListProps<T>) {
  const [more, setMore] = useState(false);
  const frame = useFrame();
  const shown = more ? list : list.slice(0, frame?.rows ?? initialRows);
  return (
    <ChartCard class={size} title={title} note={note} tools={tools} pin={pin} file={`${file}-${id}`} table={{ head: [common.words.name, common.words.posts, ...columns.map((c) => c.head)], rows: list.map((c) => [show(c), c.posts, ...columns.map((col) => col.of(c))]), links: posts && list.map((c) => posts([field, value(c)])) }}>
      <div class={more ? "tablebox" : ""} tabIndex={more ? 0 : undefined} role={more ? "region" : undefined} aria-label={more ? title : undefined}>
        <Bars total={total} bars={shown.map((c) => ({ id: value(c), name: show(c), value: c.posts, note: notes?.(c), page: page?.(c), posts: posts?.([field, value(c)]) }))} onPick={onRefine && ((b) => onRefine([field, b.id]))} empty={empty} />
      </div>
      {!frame && list.length > initialRows && (
        <button type="button" class="button quiet small" style={{ alignSelf: "flex-start", marginTop: "0.5rem" }} onClick={() => setMore(!more)}>
          {more ? overview.lists.showFewer : overview.lists.showAll(list.length)}
        </button>
      )}
    </ChartCard>
  );
}

export const Hashtags = (p: ChartProps) => <List {...p} id="hashtags" pin="hashtags" title={common.words.hashtags} list={p.o.hashtags} field="hashtag" show={(c) => `#${c.name}`} empty={overview.lists.noHashtags} />;

export const Sites = (p: ChartProps) => <List {...p} id="sites" pin="sites" title={overview.lists.sites} list={p.o.sites} field="site" total={p.o.posts} />;

export const Sources = (p: ChartProps) => <List {...p} id="sources" pin="sources" title={common.words.sources} list={p.o.sources} field="source" total={p.o.posts} />;

export const Languages = (p: ChartProps) => <List {...p} id="languages" pin="languages" title={common.words.languages} list={p.o.languages} field="language" value={(c) => String(c.id)} total={p.o.posts} />;

export const Engagement = (p: ChartProps) => <List {...p} id="post-types" title={overview.lists.postTypes} list={p.o.engagement} field="engagement" show={(c) => overview.lists.postTypeNames[c.name] ?? capitalize(c.name.toLowerCase())} total={p.o.posts} />;

// Authors lists the authors with the most posts, or with the largest reach.
export function Authors(p: ChartProps) {
  const [by, setBy] = useState<"posts" | "reach">("posts");
  const view = useView();
  const { authors, monitor } = p.o;
  const reach = (c: AuthorCount) => c.impressions;
  const list = by === "posts" ? authors.top : authors.reach;
  return (
    <List
      {...p}
      id="authors"
      pin="authors"
      title={common.words.authors}
      note={overview.lists.authors(authors.count)}
      list={list}
      field="author"
      page={p.onRefine && ((c) => ({ href: authorPath(c.name, "", { ...view.params, timezone: monitor.timezone }), label: overview.lists.openAuthor(c.name) }))}
      notes={(c) => (c.impressions === null ? undefined : overview.lists.reach(c.impressions))}
      columns={[{ head: common.words.reach, of: reach }]}
      tools={<SegmentedControl small label={overview.lists.sortAuthors} value={by} onChange={setBy} options={[{ value: "posts", name: common.words.posts }, { value: "reach", name: common.words.reach }]} />}
    />
  );
}

// Interests lists the interests of posts and their authors. Relevancy is their frequency relative
// to all microblog posts, and known of microblog posts only.
export const Interests = (p: ChartProps) => {
  const relevancy = (c: InterestCount) => c.relevancy;
  return <List {...p} id="interests" pin="interests" title={common.words.interests} note={p.o.interests.some(relevancy) && overview.lists.interestsNote} list={p.o.interests} field="interest" value={(c) => String(c.id)} notes={(c) => (relevancy(c) ? overview.lists.indexOf(relevancy(c)) : undefined)} columns={[{ head: overview.lists.index, of: relevancy }]} />;
};

// Images lists what the images of posts show: objects and scenes, or logos.
export function Images(p: ChartProps) {
  const [what, setWhat] = useState<"classes" | "brands">("classes");
  const { images } = p.o;
  return (
    <List
      {...p}
      key={what}
      size="two-columns"
      id="images"
      title={overview.lists.images}
      note={overview.lists.imagesNote(images.posts, images.posts / p.o.posts)}
      list={images[what]}
      field={what === "classes" ? "image" : "brand"}
      value={(c) => String(c.id)}
      empty={what === "classes" ? overview.lists.noImageContent : overview.lists.noLogos}
      tools={<SegmentedControl small label={overview.lists.groupImages} value={what} onChange={setWhat} options={[{ value: "classes", name: overview.lists.imageContent }, { value: "brands", name: overview.lists.imageLogos }]} />}
    />
  );
}
