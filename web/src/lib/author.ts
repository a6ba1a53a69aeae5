import { urlOf } from "./api";
import { addDays, daysBetween, today } from "./format";
import type { ShownPost } from "./post";

// AuthorDays are the days that the page of an author shows, and their time zone. Without days it
// shows the last 30.
export interface AuthorDays {
  range?: string;
  start?: string;
  end?: string;
  timezone?: string;
  mark?: string; // days that its chart highlights: 2026-03-11..2026-03-12, of which the second is exclusive
}

const aroundDays = 30;

// daysAround returns the days that the page of an author shows for a shorter period: 30 days, in which
// the period is marked.
export function daysAround(start: string, end: string, timezone: string): AuthorDays {
  const more = aroundDays - daysBetween(start, end);
  if (more <= 0) return { start, end, timezone };
  const tomorrow = addDays(today(timezone), 1);
  const centered = addDays(end, Math.floor(more / 2));
  const last = centered < tomorrow ? centered : end < tomorrow ? tomorrow : end;
  return { start: addDays(last, -aroundDays), end: last, timezone, mark: `${start}..${end}` };
}

// authorPath returns the URL of the author page. name is the username, or the display
// name of an author without one.
export function authorPath(name: string, source = "", days: AuthorDays = {}): string {
  const { range, start, end, timezone, mark } = days;
  return urlOf("/author", { name, source, range, start, end, timezone, mark });
}

// browserZone returns the time zone of the browser, which the page of an author uses by default.
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

// authorNameOf returns the name that identifies the author of a post, or "" if it is unknown.
export const authorNameOf = (post: ShownPost) => post.authorUsername || post.author || "";
