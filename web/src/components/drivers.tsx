import { useState } from "preact/hooks";
import { number } from "../lib/format";
import { shortCategory } from "../lib/color";
import { authorPath, type AuthorDays } from "../lib/author";
import { safeHref } from "../lib/href";
import { Link } from "../lib/router";
import type { Driver, Drivers } from "../lib/types";
import { ChartCard } from "./chartcard";
import { Icon } from "./icon";
import { why } from "../strings/why";
import { common } from "../strings/common";

export type DriverList = keyof typeof why.lists;

// driverLists lists the lists in the order in which pages show them.
export const driverLists = Object.keys(why.lists) as DriverList[];

// estimatedLists are the lists whose numbers may be estimates.
const estimatedLists: DriverList[] = ["words", "phrases", "links"];

// isNew reports whether something occurred for the first time, as far as is known.
export const isNew = (d: Driver) => d.expected < 0.05;

// nameOf returns the name of an entry as it is shown.
export const nameOf = (list: DriverList, d: Driver) => (list === "hashtags" ? `#${d.name.replace(/^#/, "")}` : list === "sentiment" ? shortCategory(d.name) : d.name);

interface Props {
  list: DriverList;
  drivers: Drivers;
  estimated: boolean;
  file: string; // prefix of the names of CSV files
  href: (filter: string) => string; // of the posts that a filter selects
  days?: AuthorDays; // of the pages of authors
}

const initialRows = 10;

// DriverCard lists what is over-represented, with links to the posts.
export function DriverCard({ list, drivers, estimated, file, href, days }: Props) {
  const [all, setAll] = useState(false);
  const entries = drivers[list];
  const rough = estimated && estimatedLists.includes(list);
  return (
    <ChartCard
      title={why.lists[list]}
      note={rough ? why.estimated : undefined}
      file={`${file}-${list}`}
      table={{ head: [common.words.name, common.words.posts, why.expected, why.scoreColumn], rows: entries.map((d) => [nameOf(list, d), d.posts, d.expected, d.score]) }}
    >
      <DriverBars list={list} entries={all ? entries : entries.slice(0, initialRows)} rough={rough} href={href} days={days} />
      {entries.length > initialRows && (
        <button type="button" class="button quiet small start" onClick={() => setAll(!all)}>
          {all ? why.showFewer : why.showAll(entries.length)}
        </button>
      )}
    </ChartCard>
  );
}

// DriverBars shows entries of a list as bars.
export function DriverBars({ list, entries, rough, href, days }: { list: DriverList; entries: Driver[]; rough: boolean; href: (filter: string) => string; days?: AuthorDays }) {
  const largest = Math.max(...entries.map((d) => d.posts));
  return (
    <ul class="bars drivers">
      {entries.map((d) => (
        <li key={d.name}>
          <DriverBar name={nameOf(list, d)} d={d} size={d.posts / largest} rough={rough} href={d.filter ? href(d.filter) : undefined} />
          {list === "authors" && (
            <Link href={authorPath(d.name, "", days)} class="button quiet small" title={why.authorPage(d.name)} aria-label={why.authorPage(d.name)}>
              <Icon name="person" />
            </Link>
          )}
          {list === "links" && safeHref(`https://${d.name}`) && (
            <a href={safeHref(`https://${d.name}`)} target="_blank" rel="noreferrer noopener" class="button quiet small" aria-label={why.openLink(d.name)} title={why.openLink(d.name)}>
              <Icon name="link" />
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

function DriverBar({ name, d, size, rough, href }: { name: string; d: Driver; size: number; rough: boolean; href?: string }) {
  const inside = (
    <>
      <span class="size" style={{ width: `${size * 100}%` }} />
      <span class="label">{name}</span>
      <span class="value">
        {rough ? why.about(d.posts) : number(d.posts)} <span class="muted">{isNew(d) ? <span class="badge good">{why.newEntry}</span> : why.versus(d.posts, d.expected)}</span>
      </span>
    </>
  );
  if (!href)
    return (
      <div class="bar" title={name}>
        {inside}
      </div>
    );
  return (
    <Link class="bar" href={href} title={why.postsWith(name)}>
      {inside}
    </Link>
  );
}
