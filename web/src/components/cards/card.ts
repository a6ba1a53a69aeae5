// What a card of a dashboard is called, how large it is, and which page it leads to.
import { urlOf } from "../../lib/api";
import { formatFilter, parseFilter } from "../../lib/filter";
import { dateRange } from "../../lib/format";
import { navigate } from "../../lib/router";
import type { CardKind, ShownCard } from "../../lib/types";
import type { View } from "../../lib/view";
import { describeFilter } from "../../pages/compare/rows";
import { cards as text } from "../../strings/cards";
import { common } from "../../strings/common";

// Days are the dates of a dashboard, for cards without dates of their own.
export type Days = Pick<View, "range" | "start" | "end">;

export const columns = 4;

// titleOf returns the title of a card: its own, or one that says what it shows.
export function titleOf(card: ShownCard): string {
  if (card.title) return card.title;
  const kind = (card.kind === "posts" && text.postTitles[card.sort]) || text.kinds[card.kind];
  const name = card.filterName ? text.saved(card.monitorName, card.filterName) : card.monitorName;
  return name ? text.title(kind, name) : kind;
}

// noteOf describes what restricts a card: its filter, and its dates if they are not those of the
// dashboard.
export function noteOf(card: ShownCard): string {
  const dates = card.range ? common.dateRange.rolling[card.range] : card.start ? dateRange(card.start, card.end) : "";
  return [describeFilter(card.filter), dates].filter(Boolean).join(" · ");
}

// heights are in rows of the grid, for cards of one column and for wider ones. They are fixed, so that
// nothing moves when data arrives.
const heights: Partial<Record<CardKind, [narrow: number, wide: number]>> = {
  figures: [4, 3],
  sentiment: [5, 5],
  emotions: [6, 6],
  places: [5, 5],
  ages: [3, 3],
  genders: [2, 2],
  posts: [6, 6],
  comparison: [5, 5],
};
const usualHeight: [number, number] = [4, 4];

const lineLength = [28, 64, 100, 140]; // characters of a text card, by its width

// heightOf returns the height of a card of a width, in rows of the grid.
export function heightOf(card: ShownCard, width: number): number {
  if (card.kind === "text") {
    const lines = card.text.split("\n").reduce((n, line) => n + Math.max(1, Math.ceil(line.length / lineLength[width - 1])), 0);
    return Math.min(6, Math.max(1, Math.ceil((3.5 + lines * 1.4) / 6)));
  }
  if (card.kind === "figures" && width >= 3) return 2;
  const [narrow, wide] = heights[card.kind] ?? usualHeight;
  return width === 1 ? narrow : wide;
}

// rowsOf returns how many rows of a list fit on a card.
export const rowsOf = (card: ShownCard) => (heightOf(card, card.width) === 4 ? 8 : 6);

// pageOf returns the id of the monitor whose pages a card links to, or "" if there is none.
export const pageOf = (card: ShownCard) => (card.removed || !card.monitor ? "" : String(card.parent || card.monitor));

// viewOf returns the view of a card: the dates and the filter of the pages that it links to. Changing
// it opens the overview of the monitor.
export function viewOf(card: ShownCard, days: Days): View {
  const own = card.range || card.start;
  const { range, start, end } = own ? card : days;
  const dates = { range, start, end };
  const sub = card.parent ? String(card.monitor) : "";
  const open = (changes: Record<string, string>) => navigate(urlOf(`/monitors/${pageOf(card)}`, { ...dates, filter: card.filter, sub, ...changes }));
  return {
    ...dates,
    filter: parseFilter(card.filter),
    filterText: card.filter,
    sub,
    params: { ...dates, filter: card.filter },
    setSub: (sub) => open({ sub }),
    setRange: (start, end) => open({ range: "", start, end }),
    setRolling: (range) => open({ range, start: "", end: "" }),
    setFilter: (filter) => open({ filter: formatFilter(filter) }),
  };
}

// overviewOf returns the URL of the page behind a card, or undefined.
export function hrefOf(card: ShownCard, days: Days): string | undefined {
  if (card.kind === "comparison") return compareHref(card, days);
  if (!pageOf(card)) return undefined;
  const { params, sub } = viewOf(card, days);
  const page = { posts: "/posts", topics: "/topics", unusual: "/why" }[card.kind as string] ?? "";
  return urlOf(`/monitors/${pageOf(card)}${page}`, { ...params, sub, sort: page === "/posts" ? card.sort : "" });
}

// compareHref returns the URL of the page that compares the rows of a card: pages/compare/rows.ts.
function compareHref(card: ShownCard, days: Days): string {
  const { range, start, end } = card.range || card.start ? card : days;
  const query: Record<string, string> = { m: card.rows.map((r) => r.monitor).join(","), range, start, end, before: card.earlier === "none" ? "" : card.earlier };
  card.rows.forEach((row, i) => Object.assign(query, { [`filter${i + 1}`]: row.filter, [`range${i + 1}`]: row.range, [`start${i + 1}`]: row.start, [`end${i + 1}`]: row.end }));
  return urlOf("/compare", query);
}
