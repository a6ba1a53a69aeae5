// Links from a number on a page to the posts that it counts, and to its explanation.
import { urlOf } from "./api";
import { formatFilter, parseFilter, refine, type Filter, type FilterField } from "./filter";
import type { View } from "./view";

// A Period is a range of days, or of hours of the monitor's time zone if from and to are set.
export interface Period {
  range?: string;
  start?: string;
  end?: string; // exclusive
  from?: string; // local time, 2026-03-05T14:00:00
  to?: string; // exclusive
}

// narrow restricts a filter to the posts that another one selects, given as the text of a response.
export function narrow(filter: Filter, text: string): Filter {
  const more = parseFilter(text);
  return (Object.keys(more) as FilterField[]).reduce((all, field) => more[field]!.reduce((f, value) => refine(f, field, value), all), filter);
}

// fullHour returns the end of the hour that a local time is in. A period that has just begun ends in
// the middle of an hour.
const fullHour = (time: string) => (time.slice(14, 16) === "00" ? time.slice(0, 16) : new Date(Date.parse(`${time.slice(0, 13)}:00Z`) + 3_600_000).toISOString().slice(0, 16));

// hrefOf returns the URL of a page of a monitor with the saved filter of a view, other dates and a
// filter that is narrower than that of the view. Hours are part of the filter.
function hrefOf(path: string, view: View, { from, to, ...days }: Period, filter: string): string {
  const hours = from && to ? refine(view.filter, "time", `${from.slice(0, 13)}:00..${fullHour(to)}`) : view.filter;
  return urlOf(path, { ...days, filter: formatFilter(narrow(hours, filter)), sub: view.sub });
}

export const postsHref = (id: string, view: View, period: Period, filter: string) => hrefOf(`/monitors/${id}/posts`, view, period, filter);
// A PostsHref returns the URL of the posts on a page that have some values.
export type PostsHref = (...pairs: [field: FilterField, value: string][]) => string;

// postsWith returns the PostsHref of a view.
export const postsWith = (id: string, view: View): PostsHref => (...pairs) => postsHref(id, { ...view, filter: pairs.reduce((f, [field, value]) => refine(f, field, value), view.filter) }, daysOf(view), "");

export const overviewHref = (id: string, view: View, period: Period, filter: string) => hrefOf(`/monitors/${id}`, view, period, filter);

// whyHref returns the URL of the explanation of a period.
export const whyHref = (id: string, view: View, period: Period) => urlOf(`/monitors/${id}/why`, { ...period, filter: view.filterText, sub: view.sub });

// daysOf returns the dates of a view.
export const daysOf = (view: View): Period => ({ range: view.range, start: view.start, end: view.end });
