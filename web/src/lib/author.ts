import { urlOf } from "./api";
import type { ShownPost } from "./post";

// AuthorDays are the days that the page of an author shows, and their time zone. Without days it
// shows the last 30.
export interface AuthorDays {
  range?: string;
  start?: string;
  end?: string;
  timezone?: string;
}

// authorPath returns the URL of the author page. name is the username, or the display
// name of an author without one.
export function authorPath(name: string, source = "", days: AuthorDays = {}): string {
  const { range, start, end, timezone } = days;
  return urlOf("/author", { name, source, range, start, end, timezone });
}

// browserZone returns the time zone of the browser, which the page of an author uses by default.
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

// authorNameOf returns the name that identifies the author of a post, or "" if it is unknown.
export const authorNameOf = (post: ShownPost) => post.authorUsername || post.author || "";
