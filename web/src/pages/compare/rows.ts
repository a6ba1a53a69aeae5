// The rows of a comparison and the period they are compared with, as in the URL:
//
//   /compare?m=12,12,17&range=last7&filter2=gender:F&range3=lastweek&before=previous
//
// m has a monitor or saved filter for each row. range, or start and end, are the dates of all rows.
// With the number of a row, they are the dates of that row, and filter is its filter. before is
// "previous", "year" or the first day of the earlier period.
import { shortCategory } from "../../lib/color";
import { fieldOf, fields, filterKeys, formatFilter, isNegated, parseFilter, rangeFields, refine, type Filter, type FilterField } from "../../lib/filter";
import { addDays, ageNames, capitalize, dateRange, daysBetween, genderNames, languageName } from "../../lib/format";
import type { PickerOption } from "../../components/picker";
import type { ComparedRow, DateRange, Monitor } from "../../lib/types";
import { isDate, isRolling, type RollingRange } from "../../lib/view";
import { common } from "../../strings/common";
import { compare } from "../../strings/compare";

export const maxRows = 10;

// Dates are those of a row or of all rows. They are empty if nothing is chosen.
export interface Dates {
  range: RollingRange | "";
  start: string;
  end: string; // exclusive
}

export interface Row {
  id: string; // of a monitor or a saved filter
  filter: string;
  dates: Dates; // empty: those of all rows
}

export const noDates: Dates = { range: "", start: "", end: "" };

export const hasDates = (d: Dates) => d.range !== "" || d.start !== "";

// parseDates returns the dates in the parameters whose names have a suffix.
function parseDates(query: URLSearchParams, suffix: string): Dates {
  const [range, start, end] = ["range", "start", "end"].map((name) => query.get(name + suffix));
  if (isRolling(range)) return { ...noDates, range };
  return isDate(start) && isDate(end) && start < end ? { range: "", start, end } : noDates;
}

// parseRows returns all rows in a URL, even if there are more than the server compares.
export function parseRows(query: URLSearchParams): Row[] {
  const ids = (query.get("m") ?? "").split(",").filter((id) => /^\d+$/.test(id));
  return ids.map((id, i) => ({ id, filter: query.get(`filter${i + 1}`) ?? "", dates: parseDates(query, String(i + 1)) }));
}

// rowParams returns the parameters for rows, with null for those to remove.
export function rowParams(rows: Row[]): Record<string, string | null> {
  const params: Record<string, string | null> = { m: rows.map((r) => r.id).join(",") };
  for (let i = 0; i < maxRows; i++) {
    const { filter, dates } = rows[i] ?? { filter: "", dates: noDates };
    Object.assign(params, { [`filter${i + 1}`]: filter, [`range${i + 1}`]: dates.range, [`start${i + 1}`]: dates.start, [`end${i + 1}`]: dates.end });
  }
  return params;
}

// sharedDates returns the dates of rows without dates of their own. Without any, each monitor would
// end with its last day with results.
export function sharedDates(query: URLSearchParams): Dates {
  const dates = parseDates(query, "");
  return hasDates(dates) ? dates : { ...noDates, range: "last30" };
}

export type Earlier = "none" | "previous" | "year" | string; // or a date

export function parseEarlier(query: URLSearchParams): Earlier {
  const before = query.get("before");
  return before === "previous" || before === "year" || isDate(before) ? before : "none";
}

// earlierStart returns the first day of the earlier period of some days. The server does the same:
// docs/management.md. A year has 52 weeks, so that weekdays match.
export function earlierStart(earlier: Earlier, days: DateRange): string {
  if (earlier === "previous") return addDays(days.start, -daysBetween(days.start, days.end));
  return earlier === "year" ? addDays(days.start, -364) : earlier;
}

// requestOf returns the body of a request that compares rows.
export function requestOf(rows: Row[], shared: Dates, earlier: Earlier, labels: string[] = []) {
  return {
    rows: rows.map((row, i) => {
      const { range, start, end } = hasDates(row.dates) ? row.dates : shared;
      return { label: labels[i], monitor: Number(row.id), filter: row.filter || undefined, ...(range ? { range } : { start, end }) };
    }),
    earlier,
  };
}

// monitorOf returns the monitor of a row, and its saved filter if the row has one.
export function monitorOf(monitors: Monitor[], id: string | number) {
  for (const m of monitors) {
    if (String(m.id) === String(id)) return { monitor: m, saved: undefined };
    const saved = m.filters.find((f) => String(f.id) === String(id));
    if (saved) return { monitor: m, saved };
  }
  return undefined;
}

// labelsOf returns a label for each row that tells it from the others.
export function labelsOf(rows: Row[], monitors: Monitor[], places: PickerOption[], names: Record<string, string> = {}): string[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const found = monitorOf(monitors, row.id);
    const name = !found ? row.id : found.saved ? compare.rows.saved(found.monitor.name, found.saved.name) : found.monitor.name;
    const label = [name, describeFilter(row.filter, found?.monitor, places, names), describeDates(row.dates)].filter(Boolean).join(" · ");
    const n = (seen.get(label) ?? 0) + 1;
    seen.set(label, n);
    return n > 1 ? compare.rows.again(label, n) : label;
  });
}

const describeDates = (d: Dates) => (d.range ? common.dateRange.rolling[d.range] : d.start ? dateRange(d.start, d.end) : "");

// placesOf returns the ids of the locations in the filters of rows.
export const placesOf = (rows: Row[]): string[] =>
  rows.flatMap((row) => {
    const filter = parseFilter(row.filter);
    return [...(filter.geolocation ?? []), ...(filter["-geolocation"] ?? [])];
  });

const namedFields: FilterField[] = ["interest", "image", "brand"];

// namedIn returns the monitors and saved filters of rows whose filters contain IDs of interests, images
// or logos.
export const namedIn = (rows: Row[]): string[] => [...new Set(rows.filter((row) => filterKeys(parseFilter(row.filter)).some((key) => namedFields.includes(fieldOf(key)))).map((row) => row.id))];

// captionOf says in words what the charts about a monitor count.
export const captionOf = (m: Monitor, view: { filterText: string }, days: { start: string; end: string }): string[] => [[m.name, days.start && dateRange(days.start, days.end)].filter(Boolean).join(" · "), describeFilter(view.filterText, m)];

// describeFilter describes a filter in words. Without the monitor, the places and the names of
// interests, images and logos, it contains their IDs.
export function describeFilter(text: string, monitor?: Monitor, places: PickerOption[] = [], names: Record<string, string> = {}): string {
  const filter = parseFilter(text);
  const show = (field: FilterField, value: string) => {
    if (field === "category") return shortCategory([...(monitor?.categories ?? []), ...(monitor?.emotions ?? [])].find((c) => String(c.id) === value)?.name ?? value);
    if (field === "gender") return genderNames[value.toUpperCase()] ?? value;
    if (field === "age") return ageNames[value] ?? value;
    if (field === "geolocation") return places.find((p) => p.id === value)?.name ?? value;
    if (namedFields.includes(field)) return names[`${field}:${value}`] ?? value;
    if (field === "language") return languageName(value);
    if (field === "sentiment" || field === "emotion") return capitalize(value);
    if (field === "own" || rangeFields.includes(field)) return `${fields[field]}: ${common.filter.own[value] ?? value}`;
    return field === "hashtag" ? `#${value}` : value;
  };
  return filterKeys(filter)
    .map((key) => {
      const values = filter[key]!.map((value) => show(fieldOf(key), value)).join(", ");
      return isNegated(key) ? common.filter.not(values) : values;
    })
    .join(", ");
}

// postsHref returns the URL of the posts of a compared row that match one more filter.
export function postsHref(row: ComparedRow, monitors: Monitor[], more = ""): string {
  const found = monitorOf(monitors, row.monitor.id);
  const params = new URLSearchParams({ start: row.start, end: row.end });
  if (found?.saved) params.set("sub", String(row.monitor.id));
  const filter = narrow(row.filter, more);
  if (filter) params.set("filter", filter);
  return `/monitors/${found?.monitor.id ?? row.monitor.id}/posts?${params}`;
}

// narrow adds the conditions of a filter to another one.
function narrow(filter: string, more: string): string {
  if (!filter || !more) return filter || more;
  let result: Filter = parseFilter(filter);
  for (const [field, values] of Object.entries(parseFilter(more)) as [FilterField, string[]][]) {
    for (const value of values) result = refine(result, field, value);
  }
  return formatFilter(result);
}
