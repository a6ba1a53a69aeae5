import type { Period } from "../../lib/drill";
import { addDays, dateRange, daysBetween, localDateTime, monthDay, shortDay } from "../../lib/format";
import { useQuery } from "../../lib/router";
import type { Explanation } from "../../lib/types";
import { daysOf } from "../../lib/drill";
import type { View } from "../../lib/view";
import { why } from "../../strings/why";

const maxDays = 31;
const longRanges = ["last90", "last365"];

const isLocalTime = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}T\d{2}:00:00$/.test(text);

// usePeriod returns the period in the URL that the page explains, or null if there is none. Hours
// are ignored if they are outside of the dates, because the user has chosen other dates since.
export function usePeriod(view: View): Period | null {
  const [query] = useQuery();
  const [from, to] = [query.get("from"), query.get("to")];
  if (!view.range && !view.start) return null;
  if (view.start && isLocalTime(from) && isLocalTime(to) && from < to && from.slice(0, 10) >= view.start && to <= `${view.end}T00:00:00`) {
    return { start: view.start, end: view.end, from, to };
  }
  return daysOf(view);
}

// isTooLong reports whether a period has more days than can be explained.
export const isTooLong = (p: Period) => longRanges.includes(p.range ?? "") || (!!p.start && daysBetween(p.start, p.end!) > maxDays);

// requestOf returns the parameters of a request for the explanation of a period.
export const requestOf = (p: Period) => (p.from ? { start: p.from, end: p.to } : { range: p.range, start: p.start, end: p.end });

const midnight = "T00:00:00";

// localTime cuts the offset of a time that the server returns in the monitor's time zone.
const localTime = (time: string) => time.slice(0, 19);

// lastDay returns the exclusive end of the days until a time.
const endOfDays = (time: string) => (localTime(time).endsWith(midnight) ? time.slice(0, 10) : addDays(time.slice(0, 10), 1));

// explainedPeriod returns the period that was counted. It has hours if it does not consist of whole
// days, so that links lead to exactly these posts.
export function explainedPeriod(e: Pick<Explanation, "from" | "to">): Period {
  const days = { start: e.from.slice(0, 10), end: endOfDays(e.to) };
  const whole = localTime(e.from).endsWith(midnight) && localTime(e.to).endsWith(midnight);
  return whole ? days : { ...days, from: localTime(e.from), to: localTime(e.to) };
}

// when says when a period was: "on Wed, Oct 21".
export function when(p: Period): string {
  if (!p.from) return daysBetween(p.start!, p.end!) === 1 ? why.onDay(shortDay(p.start!)) : why.inDays(dateRange(p.start!, p.end!));
  const to = p.to!.endsWith(midnight) ? "24:00" : p.to!.slice(11, 16);
  if (addDays(p.start!, 1) === p.end) return why.hours(shortDay(p.start!), p.from.slice(11, 16), to);
  return why.longHours(localDateTime(p.from), localDateTime(p.to!));
}

// name is the same without a preposition, for lists: "Wed, Oct 21".
export function name(p: Period): string {
  if (!p.from) return daysBetween(p.start!, p.end!) === 1 ? shortDay(p.start!) : dateRange(p.start!, p.end!);
  return addDays(p.start!, 1) === p.end ? shortDay(p.start!) : `${monthDay(p.start!)} – ${monthDay(addDays(p.end!, -1))}`;
}

// stepPeriod returns the period from one step of an explanation to another.
export function stepPeriod(e: Explanation, first: number, last: number): Period {
  return explainedPeriod({ from: e.steps[first].time, to: e.steps[last + 1]?.time ?? e.to });
}
