// Periods of days or hours: how long they are, and what they are called.
import type { Period } from "./drill";
import { addDays, clock, dateRange, daysBetween, localDateTime, monthDay, shortDay } from "./format";
import { why } from "../strings/why";

const midnight = "T00:00:00";

// localTime strips the offset from a time that the server returns in the monitor's time zone.
const localTime = (time: string) => time.slice(0, 19);

// endOfDays returns the exclusive end of the days that a time ends.
const endOfDays = (time: string) => (localTime(time).endsWith(midnight) ? time.slice(0, 10) : addDays(time.slice(0, 10), 1));

// periodOf returns the period between two times in the monitor's time zone. It has hours only if it
// does not consist of whole days.
export function periodOf(e: { from: string; to: string }): Period {
  const days = { start: e.from.slice(0, 10), end: endOfDays(e.to) };
  const whole = localTime(e.from).endsWith(midnight) && localTime(e.to).endsWith(midnight);
  return whole ? days : { ...days, from: localTime(e.from), to: localTime(e.to) };
}

// when says when a period was: "on Wed, Oct 21".
export function when(p: Period): string {
  if (!p.from) return daysBetween(p.start!, p.end!) === 1 ? why.onDay(shortDay(p.start!)) : why.inDays(dateRange(p.start!, p.end!));
  if (addDays(p.start!, 1) === p.end) return why.hours(shortDay(p.start!), clock(p.from.slice(11)), clock(p.to!.slice(11)));
  return why.longHours(localDateTime(p.from), localDateTime(p.to!));
}

// periodName is the same without a preposition, for lists: "Wed, Oct 21".
export function periodName(p: Period): string {
  if (!p.from) return daysBetween(p.start!, p.end!) === 1 ? shortDay(p.start!) : dateRange(p.start!, p.end!);
  return addDays(p.start!, 1) === p.end ? shortDay(p.start!) : `${monthDay(p.start!)} – ${monthDay(addDays(p.end!, -1))}`;
}
