import { daysOf, type Period } from "../../lib/drill";
import { daysBetween } from "../../lib/format";
import { periodOf } from "../../lib/period";
import { useQuery } from "../../lib/router";
import type { Explanation } from "../../lib/types";
import type { View } from "../../lib/view";

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

// stepPeriod returns the period from one step of an explanation to another.
export function stepPeriod(e: Explanation, first: number, last: number): Period {
  return periodOf({ from: e.steps[first].time, to: e.steps[last + 1]?.time ?? e.to });
}
