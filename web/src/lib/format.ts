// Formats numbers, percentages, dates, and times for people. There is one date format, Oct 21, 2026,
// and one clock, 2:03 PM. Files for download keep ISO dates.

import { ago, changeFromZero, halfDays, monthNames, weekdayNames } from "../strings/format";
import type { Estimate } from "./types";

export { ageNames, genderNames, typeNames, weekdayNames } from "../strings/format";

const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compactNumbers = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

// number formats 1234567 as 1,234,567, and compact as 1.2M. compact leaves numbers below 10,000 in
// full.
export const number = (n: number) => integers.format(n);
export const compact = (n: number) => (Math.abs(n) < 10_000 ? integers.format(n) : compactNumbers.format(n));

// percent formats a share from 0 to 1 as 43%, with one decimal below 10%.
export function percent(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const p = share * 100;
  if (p !== 0 && Math.abs(p) < 9.95) return `${p.toFixed(1)}%`;
  return `${Math.round(p)}%`;
}

// percentEstimate formats an estimated share with its interval as 32% (28–37%), and a counted share as
// 32%.
export function percentEstimate({ share, interval }: Estimate): string {
  return interval ? `${percent(share)} (${percent(interval.low).replace("%", "")}–${percent(interval.high)})` : percent(share);
}

// percentChange formats the change from before to now as +12%, or as 25× if it is tenfold or more. It
// returns "" if before is unknown.
export function percentChange(now: number, before: number | null | undefined): string {
  if (before === null || before === undefined) return "";
  if (before === 0) return now === 0 ? "±0%" : changeFromZero;
  if (now >= 10 * before && before > 0) return `${integers.format(now / before)}×`;
  const p = ((now - before) / before) * 100;
  const text = Math.abs(p) < 10 ? p.toFixed(1) : integers.format(Math.round(p));
  if (Number(text) === 0) return "±0%";
  return `${p > 0 ? "+" : "−"}${text.replace("-", "")}%`;
}

// bytes formats a size with decimal units: 1.5 MB is 1,500,000 bytes.
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${n < 10 && i > 0 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

// plural formats 1 as "1 post" and 1234 as "1,234 posts".
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

// Dates are strings, YYYY-MM-DD. Calculations use UTC, where every day has 24 hours.
const utc = (date: string) => new Date(`${date}T00:00:00Z`);

export function addDays(date: string, days: number): string {
  const d = utc(date);
  d.setUTCDate(d.getUTCDate() + days);
  return d.toISOString().slice(0, 10);
}

export function daysBetween(start: string, end: string): number {
  return Math.round((utc(end).getTime() - utc(start).getTime()) / 86_400_000);
}

const monthOf = (d: Date) => monthNames[d.getUTCMonth()].slice(0, 3);
const weekdayOf = (d: Date) => weekdayNames[(d.getUTCDay() + 6) % 7].slice(0, 3);

// day formats 2026-03-05 as Mar 5, 2026. monthDay leaves out the year: Mar 5. The other two add the
// weekday: shortDay Thu, Mar 5, and longDay Thu, Mar 5, 2026.
export const day = (date: string) => `${monthDay(date)}, ${utc(date).getUTCFullYear()}`;
export const monthDay = (date: string) => `${monthOf(utc(date))} ${utc(date).getUTCDate()}`;
export const shortDay = (date: string) => `${weekdayOf(utc(date))}, ${monthDay(date)}`;
export const longDay = (date: string) => `${weekdayOf(utc(date))}, ${day(date)}`;

// dateRange formats a range of days whose end is exclusive: Mar 1 – 31, 2026.
export function dateRange(start: string, end: string): string {
  const last = addDays(end, -1);
  if (last === start) return day(start);
  if (start.slice(0, 4) !== last.slice(0, 4)) return `${day(start)} – ${day(last)}`;
  if (start.slice(0, 7) !== last.slice(0, 7)) return `${monthDay(start)} – ${day(last)}`;
  return `${monthDay(start)} – ${utc(last).getUTCDate()}, ${start.slice(0, 4)}`;
}

// fileDates formats a range of days for the name of a file, with its last day.
export const fileDates = (start: string, end: string) => `${start}-${addDays(end, -1)}`;

// isoDateTime formats an instant in a time zone, or in the browser's, as 2026-03-05T14:03.
function isoDateTime(instant: Date, zone?: string): string {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" });
  const parts = Object.fromEntries(format.formatToParts(instant).map((p) => [p.type, p.value]));
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

// today returns the current date in a time zone, or in UTC if the browser does not know the zone.
export function today(zone = "UTC"): string {
  try {
    return isoDateTime(new Date(), zone).slice(0, 10);
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}

// dateTime formats an instant in a time zone, by default the browser's: Mar 5, 2026, 2:03 PM.
export function dateTime(instant: string, zone?: string): string {
  const d = new Date(instant);
  if (Number.isNaN(d.getTime())) return instant;
  try {
    return localDateTime(isoDateTime(d, zone));
  } catch {
    return d.toISOString();
  }
}

// localDateTime formats a time that is already local to its zone: 2026-03-05T14:03:00 as Mar 5,
// 2026, 2:03 PM.
export function localDateTime(local: string): string {
  return `${day(local.slice(0, 10))}, ${clock(local.slice(11))}`;
}

// clock formats a time of day: 14:03:59 as 2:03 PM. 24:00 is 12:00 AM.
export function clock(time: string): string {
  const h = Number(time.slice(0, 2));
  return `${h % 12 || 12}${time.slice(2, 5)} ${half(h)}`;
}

// hour formats an hour of the day, 0 to 24, as 9 AM.
export const hour = (h: number) => `${h % 12 || 12} ${half(h)}`;

// hourLabel formats the hour of a local time for an axis: 9 AM, but the date at midnight.
export const hourLabel = (local: string) => (local.slice(11, 16) === "00:00" ? monthDay(local.slice(0, 10)) : hour(Number(local.slice(11, 13))));

const half = (h: number) => (h % 24 < 12 ? halfDays.am : halfDays.pm);

// timeAgo formats the time since an instant: 5 min ago.
export function timeAgo(instant: string): string {
  const s = Math.max(0, (Date.now() - new Date(instant).getTime()) / 1000);
  if (s < 60) return ago.now;
  if (s < 3600) return ago.minutes(Math.floor(s / 60));
  if (s < 86_400) return ago.hours(Math.floor(s / 3600));
  return ago.days(Math.floor(s / 86_400));
}

// capitalize makes the first letter upper case.
export const capitalize = (s: string) => s.charAt(0).toUpperCase() + s.slice(1);

const languages = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

// languageName returns the English name of a language code: "German" for de.
export function languageName(code: string): string {
  try {
    return languages.of(code.toLowerCase()) ?? code;
  } catch {
    return code;
  }
}
