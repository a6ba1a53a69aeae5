import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { FilterField } from "../../lib/filter";
import { compact, capitalize, number, percent } from "../../lib/format";
import type { AuthorCount, InterestCount, NameCount } from "../../lib/types";
import { SegmentedControl } from "../../components/basics";
import { Bars } from "../../components/bars";
import { ChartCard } from "../../components/chartcard";
import type { ChartProps } from "./props";

interface ListProps<T extends NameCount> extends ChartProps {
  title: string;
  note?: ComponentChildren;
  list: T[];
  field: FilterField;
  value?: (c: T) => string; // what the filter takes; the name when not given
  show?: (c: T) => string;
  total?: number;
  size?: string;
  tools?: ComponentChildren;
  empty?: string;
  notes?: (c: T) => string | undefined;
  columns?: { head: string; of: (c: T) => number }[]; // more than the posts, in the table
}

const initialRows = 10;

// List is what posts have most of, the largest first: ten, or all that there are.
function List<T extends NameCount>({ title, note, list, field, value = (c) => c.name, show = (c) => c.name, total, size = "c4", tools, empty, notes, columns = [], file, onRefine }: ListProps<T>) {
  const [more, setMore] = useState(false);
  const shown = more ? list : list.slice(0, initialRows);
  return (
    <ChartCard class={size} title={title} note={note} tools={tools} file={`${file}-${title.toLowerCase()}`} table={{ head: ["Name", "Posts", ...columns.map((c) => c.head)], rows: list.map((c) => [show(c), c.posts, ...columns.map((col) => col.of(c))]) }}>
      <div class={more ? "tablebox" : ""} tabIndex={more ? 0 : undefined} role={more ? "region" : undefined} aria-label={more ? title : undefined}>
        <Bars total={total} bars={shown.map((c) => ({ id: value(c), name: show(c), value: c.posts, note: notes?.(c) }))} onPick={(b) => onRefine([field, b.id])} empty={empty} />
      </div>
      {list.length > initialRows && (
        <button type="button" class="button quiet small" style={{ alignSelf: "flex-start", marginTop: "0.5rem" }} onClick={() => setMore(!more)}>
          {more ? "Fewer" : `All ${number(list.length)}`}
        </button>
      )}
    </ChartCard>
  );
}

export const Hashtags = (p: ChartProps) => <List {...p} title="Hashtags" list={p.o.hashtags} field="hashtag" show={(c) => `#${c.name}`} empty="No hashtags in these posts." />;

export const Sites = (p: ChartProps) => <List {...p} title="Sites" list={p.o.sites} field="site" total={p.o.posts} />;

export const Sources = (p: ChartProps) => <List {...p} title="Sources" list={p.o.sources} field="source" total={p.o.posts} />;

export const Languages = (p: ChartProps) => <List {...p} title="Languages" list={p.o.languages} field="language" value={(c) => String(c.id)} total={p.o.posts} />;

const kinds: Record<string, string> = { POST: "Own posts", RETWEET: "Retweets", REPLY: "Replies", COMMENT: "Comments" };

export const Engagement = (p: ChartProps) => <List {...p} title="Kinds of posts" list={p.o.engagement} field="engagement" show={(c) => kinds[c.name] ?? capitalize(c.name.toLowerCase())} total={p.o.posts} />;

// Authors shows who writes most, or who could reach most people.
export function Authors(p: ChartProps) {
  const [by, setBy] = useState<"posts" | "reach">("posts");
  const { authors } = p.o;
  const reach = (c: AuthorCount) => c.impressions;
  const list = by === "posts" ? authors.top : authors.reach;
  return (
    <List
      {...p}
      title="Authors"
      note={`${number(authors.count)} in all`}
      list={list}
      field="author"
      notes={(c) => (reach(c) ? `· reach ${compact(reach(c))}` : undefined)}
      columns={[{ head: "Reach", of: reach }]}
      tools={<SegmentedControl small label="Authors by" value={by} onChange={setBy} options={[{ value: "posts", name: "Posts" }, { value: "reach", name: "Reach" }]} />}
    />
  );
}

// Interests are what posts and their authors care for; relevancy tells how much more than elsewhere.
export const Interests = (p: ChartProps) => {
  const relevancy = (c: InterestCount) => c.relevancy;
  return <List {...p} title="Interests" note="× times as common as in all microblog posts" list={p.o.interests} field="interest" value={(c) => String(c.id)} notes={(c) => (relevancy(c) ? `${relevancy(c).toFixed(1)} ×` : undefined)} columns={[{ head: "Relevancy", of: relevancy }]} />;
};

// Images are what the pictures of posts show: things and scenes, or logos.
export function Images(p: ChartProps) {
  const [what, setWhat] = useState<"classes" | "brands">("classes");
  const { images } = p.o;
  return (
    <List
      {...p}
      key={what}
      size="c8"
      title="Images"
      note={`${number(images.posts)} posts have one (${percent(images.posts / p.o.posts)})`}
      list={images[what]}
      field={what === "classes" ? "image" : "brand"}
      value={(c) => String(c.id)}
      empty={what === "classes" ? "No images with known content." : "No logos."}
      tools={<SegmentedControl small label="Images by" value={what} onChange={setWhat} options={[{ value: "classes", name: "Content" }, { value: "brands", name: "Logos" }]} />}
    />
  );
}
